// The pins of a unit, made from its border().
//
// A channel NAME has the pins NAME_valid, NAME_ready and NAME_bits. The payload has its fields most
// significant first (channel_signals.h), as the public RTL packs its bundles; a vector has element
// 0 in its lowest bits. Other values have their own name. firmware/guides/unit.md has the tables.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/axi/axi_signals.h"
#include "models/tcu/channel_signals.h"
#include "models/tcu/pins/pin_bits.h"

namespace tactus {

/// A field of a pin.
struct PinField {
  std::string name;
  unsigned width = 1;
  unsigned at = 0;                                ///< lowest bit in the pin
  std::function<void(std::uint64_t*)> get;        ///< reads the model
  std::function<void(const std::uint64_t*)> set;  ///< writes the model; empty: a constant
};

/// A pin, seen from its unit.
struct Pin {
  enum class Kind : std::uint8_t { valid, ready, payload, value };
  std::string channel;  ///< or the value's name
  std::string name;
  unsigned width = 1;
  bool input = false;
  Kind kind = Kind::value;
  Wire* wire = nullptr;   ///< the wire of valid and ready
  Wire* guard = nullptr;  ///< the valid without which a payload has no meaning
  /// Fields, most significant first. One that is read through a pointer is read only while `guard`
  /// holds.
  std::vector<PinField> fields;
  bool guarded = false;

  /// Reads the pin's value in the model.
  void load(std::uint64_t* words) const;
  /// Writes the pin's value to the model.
  void store(const std::uint64_t* words) const;
};

class PinList {
 public:
  explicit PinList(std::shared_ptr<const trace::Widths> widths) : widths_(std::move(widths)) {}

  template <typename T, typename... Arguments>
  void consumes(const char* name, Link<T>& link, Arguments... arguments) {
    channel(name, link, true, arguments...);
  }
  template <typename T, typename... Arguments>
  void produces(const char* name, Link<T>& link, Arguments... arguments) {
    channel(name, link, false, arguments...);
  }
  void watches(Wire& /*wire*/) {}
  template <typename Value>
  void reads(const char* name, unsigned width, Value& value) {
    add_value(name, width, true, value);
  }
  template <typename Value>
  void tells(const char* name, unsigned width, Value& value) {
    add_value(name, width, false, value);
  }
  template <typename Get, typename Set>
  void tells(const char* name, unsigned width, Get get, Set set) {
    Pin& pin = add(name, name, width, false, Pin::Kind::value);
    pin.fields.push_back({name, width, 0,
                          [get](std::uint64_t* words) { *words = std::uint64_t{get()}; },
                          [set](const std::uint64_t* words) { set(*words); }});
  }

  /// From here on pins have the names of AXI: each field of a payload is a pin of its own, and the
  /// pins of a channel are the prefix, the channel's name, and valid, ready or the field's name.
  void name_as_axi(std::string prefix) {
    axi_prefix_ = std::move(prefix);
    is_axi_ = true;
  }
  /// An input that the unit does not read.
  void ignores(const char* name, unsigned width);

  [[nodiscard]] const std::vector<Pin>& pins() const { return pins_; }

 private:
  template <typename Value>
  void add_value(const char* name, unsigned width, bool input, Value& value) {
    Pin& pin = add(name, name, width, input, Pin::Kind::value);
    pin.fields.push_back(
        {name, width, 0,
         [&value](std::uint64_t* words) { *words = static_cast<std::uint64_t>(value); },
         [&value](const std::uint64_t* words) { value = static_cast<Value>(*words); }});
  }

  template <typename T, typename... Arguments>
  void channel(const std::string& name, Link<T>& link, bool input, Arguments... arguments) {
    add_wire(name, "valid", link.valid, input);
    add_wire(name, "ready", link.ready, !input);
    std::vector<PinField> fields = payload_fields(link, arguments...);
    add_payload(name, std::move(fields), link.valid, input,
                std::is_pointer_v<T> || std::is_same_v<T, AxiBeat>);
  }
  /// The fields of a payload that is a struct.
  template <typename T, typename... Arguments>
  std::vector<PinField> payload_fields(Link<T>& link, Arguments... arguments) {
    std::vector<PinField> fields;
    const auto add = [&fields, &link](const char* name, unsigned width, auto access,
                                      trace::Radix = {}, const char* = "") {
      fields.push_back({name, width, 0,
                        [&link, access](std::uint64_t* words) {
                          *words = static_cast<std::uint64_t>(access(link.bits));
                        },
                        [&link, access](const std::uint64_t* words) {
                          auto& field = access(link.bits);
                          field = static_cast<std::decay_t<decltype(field)>>(*words);
                        }});
    };
    trace::for_each_field(add, trace::PayloadOf<T>{}, *widths_, arguments...);
    return fields;
  }
  std::vector<PinField> payload_fields(Link<VectorRef>& link);
  std::vector<PinField> payload_fields(Link<VectorRef>& link, ByteCount size);
  std::vector<PinField> payload_fields(Link<AxiAddress>& link);
  std::vector<PinField> payload_fields(Link<AxiBeat>& link, bool write);
  std::vector<PinField> payload_fields(Link<AxiResponse>& link);

  Pin& add(std::string channel, std::string name, unsigned width, bool input, Pin::Kind kind);
  void add_wire(const std::string& channel, const char* end, Wire& wire, bool input);
  void add_payload(const std::string& channel, std::vector<PinField> fields, Wire& valid,
                   bool input, bool guarded);

  std::shared_ptr<const trace::Widths> widths_;
  bool is_axi_ = false;
  std::string axi_prefix_;
  std::vector<Pin> pins_;
};

}  // namespace tactus
