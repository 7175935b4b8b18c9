// The signals of a design: names, widths, and how to read them. Each unit describes its signals
// here, once.
//
// A registry costs no time unless it is read. Names are paths, "top.tcu.decoder.timer"; each unit
// is one level, a group inside of a unit (a channel, its configuration) is none. A channel between
// two units is described by both and read once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/sim/link.h"

namespace tactus::trace {

/// Kind of a signal, for lists and grouping.
enum class Kind : std::uint8_t { clock, valid, ready, payload, reg, level, state, config, wire };

[[nodiscard]] const char* kind_name(Kind kind);

enum class Radix : std::uint8_t { binary, hexadecimal, decimal };

/// When in a cycle a signal is read, see CycleWatcher.
enum class Moment : std::uint8_t { settled, committed };

/// Writes ceil(width / 64) words, least significant first; for a family those of one element.
using Read = std::function<void(std::uint64_t* words)>;
using ReadElement = std::function<void(std::uint64_t element, std::uint64_t* words)>;

constexpr std::size_t none = ~std::size_t{0};

struct Signal {
  std::string name;
  unsigned width = 1;  ///< bits
  Kind kind = Kind::wire;
  Radix radix = Radix::hexadecimal;
  Moment moment = Moment::committed;
  unsigned level = 1;           ///< level of its unit: 1 is the top
  std::size_t guard = none;     ///< a channel's valid, without which this signal has no meaning
  std::size_t original = none;  ///< index of an earlier description of the same wires
  const bool* flag = nullptr;   ///< read directly where the signal is a plain bool
  Read read;
  std::string note;  ///< meaning of a state's values

  // Families: many signals of one shape, never traced unless a glob names `word`.
  std::uint64_t elements = 0;  ///< 0: a plain signal
  const char* word = "";       ///< the path component that selects them
  std::function<std::string(std::uint64_t)> element_name;
  ReadElement read_element;
};

/// Widths of a machine that descriptions depend on; one that needs more derives its own.
struct Widths {
  Widths(unsigned lanes_, unsigned lane_bits_, unsigned lane_bytes_, unsigned beat_bits_)
      : lanes(lanes_), lane_bits(lane_bits_), lane_bytes(lane_bytes_), beat_bits(beat_bits_) {}
  Widths(const Widths&) = delete;
  Widths& operator=(const Widths&) = delete;
  virtual ~Widths() = default;

  unsigned lanes;       ///< lanes of a vector
  unsigned lane_bits;   ///< bits of a number in a lane, at most 64
  unsigned lane_bytes;  ///< a lane in storage, little-endian
  unsigned beat_bits;   ///< bits of a beat at a memory port
  [[nodiscard]] unsigned vector_bits() const { return lanes * lane_bits; }
};

class Registry {
 public:
  explicit Registry(std::shared_ptr<const Widths> widths) : widths_(std::move(widths)) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  [[nodiscard]] const Widths& widths() const { return *widths_; }
  [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }

 private:
  friend class Scope;
  friend class Payload;
  std::shared_ptr<const Widths> widths_;
  std::vector<Signal> signals_;
  /// Channels by the address of their link: first signal and number of signals.
  std::map<const void*, std::pair<std::size_t, std::size_t>> channels_;
};

/// Lanes of the vector at `lanes` as one number, element 0 lowest; null: zero.
void pack_lanes(const Widths& widths, const std::uint8_t* lanes, std::uint64_t* words);
/// The bits of one lane; null: zero.
[[nodiscard]] std::uint64_t lane_value(const Widths& widths, const std::uint8_t* lanes,
                                       std::uint64_t lane);
/// Little-endian bytes as one number.
void pack_bytes(const std::uint8_t* bytes, unsigned count, std::uint64_t* words);

/// Bits for the values 0..most.
[[nodiscard]] constexpr unsigned bits_for(std::uint64_t most) {
  unsigned bits = 1;
  while (bits < 64 && (most >> bits) != 0) ++bits;
  return bits;
}

/// A tag that names a payload, for lists of its fields.
template <typename T>
struct PayloadOf {};

/// Adds the payload fields of one channel.
class Payload {
 public:
  Payload(Registry& registry, std::string path, unsigned level, Moment moment, std::size_t guard)
      : registry_(registry),
        path_(std::move(path)),
        level_(level),
        moment_(moment),
        guard_(guard) {}

  [[nodiscard]] const Widths& widths() const { return registry_.widths(); }
  /// `get` returns the value.
  template <typename Get>
  void field(const char* name, unsigned width, Get get, Radix radix = Radix::hexadecimal,
             const char* note = "") {
    add(
        name, width, radix,
        [get](std::uint64_t* words) { *words = static_cast<std::uint64_t>(get()); }, note);
  }
  /// One bus, and a family "lanes" of its elements.
  void vector(const char* name, const VectorRef* vector);
  void bytes(const char* name, unsigned count, Read read);

 private:
  Signal& add(const char* name, unsigned width, Radix radix, Read read, const char* note);
  Registry& registry_;
  std::string path_;
  unsigned level_;
  Moment moment_;
  std::size_t guard_;
};

class Scope {
 public:
  Scope(Registry& registry, std::string path, unsigned level = 1)
      : registry_(registry), path_(std::move(path)), level_(level) {}

  [[nodiscard]] const Widths& widths() const { return registry_.widths(); }
  /// Returns the scope of a unit inside this one.
  [[nodiscard]] Scope unit(const std::string& name) const {
    return {registry_, path_ + "." + name, level_ + 1};
  }
  /// Part of this unit.
  [[nodiscard]] Scope part(const std::string& name) const {
    return {registry_, path_ + "." + name, level_};
  }

  template <typename Get>
  void reg(const char* name, unsigned width, Get get, Radix radix = Radix::hexadecimal) const {
    add(name, width, Kind::reg, radix, Moment::settled, value(get), "");
  }
  /// Entries in a queue.
  template <typename Get>
  void level(const char* name, std::uint64_t capacity, Get get) const {
    add(name, bits_for(capacity), Kind::level, Radix::decimal, Moment::settled, value(get), "");
  }
  template <typename Get>
  void state(const char* name, unsigned width, Get get, const char* note = "",
             Moment moment = Moment::settled) const {
    add(name, width, Kind::state, width == 1 ? Radix::binary : Radix::hexadecimal, moment,
        value(get), note);
  }
  template <typename Get>
  void config(const char* name, unsigned width, Get get, Radix radix = Radix::hexadecimal) const {
    add(name, width, Kind::config, radix, Moment::settled, value(get), "");
  }
  /// Describes a combinational value.
  template <typename Get>
  void wire(const char* name, unsigned width, Get get, Moment moment = Moment::committed) const {
    add(name, width, Kind::wire, width == 1 ? Radix::binary : Radix::hexadecimal, moment,
        value(get), "");
  }
  /// Describes a combinational value of any width.
  void number(const std::string& name, unsigned width, Read read) const {
    add(name, width, Kind::wire, width == 1 ? Radix::binary : Radix::hexadecimal, Moment::committed,
        std::move(read), "");
  }
  /// Describes a register that contains a vector.
  void vector_register(const std::string& name, std::function<VectorRef()> get) const;
  void clock(const char* name) const;

  /// valid, ready and the fields that describe_payload(Payload&, const T&, arguments...) adds.
  template <typename T, typename... Arguments>
  void channel(const char* name, const Link<T>& link, Arguments... arguments) const {
    if (repeat_channel(name, &link)) return;
    const std::size_t first = registry_.signals_.size();
    const std::string path = path_ + "." + name;
    flag(path + ".valid", Kind::valid, link.valid.value());
    flag(path + ".ready", Kind::ready, link.ready.value());
    Payload payload(registry_, path, level_, Moment::committed, first);
    describe_payload(payload, link.bits, arguments...);
    registry_.channels_[&link] = {first, registry_.signals_.size() - first};
  }
  /// Describes the output of a queue: valid, ready, and fields that the caller adds to the result,
  /// which are read with the registers.
  template <typename Valid, typename Ready>
  [[nodiscard]] Payload head(const std::string& name, Valid valid, Ready ready,
                             Moment ready_moment) const {
    const std::size_t guard = registry_.signals_.size();
    add(name + ".valid", 1, Kind::valid, Radix::binary, Moment::settled, value(valid), "");
    add(name + ".ready", 1, Kind::ready, Radix::binary, ready_moment, value(ready), "");
    return {registry_, path_ + "." + name, level_, Moment::settled, guard};
  }

  /// Many signals that are only traced when a glob names `word`: PATH.word.NAME.
  void family(const char* word, std::uint64_t elements, unsigned width,
              std::function<std::string(std::uint64_t)> name, ReadElement read) const;

 private:
  template <typename Get>
  static Read value(Get get) {
    return [get](std::uint64_t* words) { *words = static_cast<std::uint64_t>(get()); };
  }
  void add(const std::string& name, unsigned width, Kind kind, Radix radix, Moment moment,
           Read read, const char* note) const;
  void flag(const std::string& path, Kind kind, const bool* flag) const;
  bool repeat_channel(const char* name, const void* link) const;

  Registry& registry_;
  std::string path_;
  unsigned level_;
};

}  // namespace tactus::trace
