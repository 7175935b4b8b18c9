// One unit of a TCU as a module with pins, for a test bench in SystemC.
//
// Outputs follow inputs within a delta cycle; registers change at the rising edge of `clock`, and
// take their reset values at one with `reset` high, as memories and lookup tables do not. Cycles
// and bits are those of the unit inside a TCU. The module holds a whole TCU's wiring, of which the
// unit uses its own; the TCU's other units are not evaluated.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "models/tcu/pins/pinned_unit.h"
#include "models/tcu/pins/unit_signals.h"
#include "models/tcu/system.h"

namespace tactus {

class UnitPins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};  ///< high: registers get their reset values

  /// `unit`: decoder, array, dais, activation, accumulators, local, local_router, host_router,
  /// stream, dram0, dram1 or sampler. Throws UserError for a unit that a TCU of this configuration
  /// does not have, and for one without pins.
  UnitPins(const sc_core::sc_module_name& name, const TcuSystem::Config& config,
           const std::string& unit);
  ~UnitPins() override;

  /// Binds a signal, or a port of the module around it, to a pin (pin_list.h). T is a type of
  /// pin_type.h. Throws UserError for a pin that the unit does not have or that is bound already,
  /// for a width that does not fit, and for an input port at a pin that the unit drives.
  template <typename T>
  void bind(const std::string& pin, sc_core::sc_signal_inout_if<T>& signal) {
    place<T>(pin) = std::make_unique<Outside<T>>(width(pin), [&signal] { return &signal; });
  }
  template <typename T>
  void bind(const std::string& pin, sc_core::sc_inout<T>& port) {
    place<T>(pin) = std::make_unique<Outside<T>>(
        width(pin), [&port] { return dynamic_cast<sc_core::sc_signal_inout_if<T>*>(port[0]); });
  }
  template <typename T>
  void bind(const std::string& pin, sc_core::sc_in<T>& port) {
    const Pin& found = find_pin(unit_.title, pins_, pin);
    if (!found.input) wrong_direction(unit_.title, found);
    place<T>(pin) = std::make_unique<Inside<T>>(found.width, port);
  }
  /// Binds all pins, clock and reset to those of signals for a module in this unit's place.
  void bind(UnitSignals& signals);

  [[nodiscard]] const std::vector<Pin>& pins() const { return pins_; }

 protected:
  /// `unit` chooses a part of the private TCU.
  UnitPins(const sc_core::sc_module_name& name, const TcuSystem::Config& config,
           const std::function<PinnedUnit(TcuSystem&)>& unit);

 private:
  /// What a pin is bound to. Interfaces are known once ports are bound.
  struct Bound : PinSignal {
    virtual const sc_core::sc_event& changed() = 0;
  };
  template <typename T>
  struct Outside final : Bound {
    using Interface = sc_core::sc_signal_inout_if<T>;
    Outside(unsigned width_, std::function<Interface*()> get_)
        : width(width_), get(std::move(get_)) {}
    void write(const std::uint64_t* words) override {
      get()->write(PinType<T>::from_words(words, width));
    }
    void read(std::uint64_t* words) override { PinType<T>::to_words(get()->read(), words, width); }
    const sc_core::sc_event& changed() override { return get()->value_changed_event(); }
    unsigned width;
    std::function<Interface*()> get;
  };
  template <typename T>
  struct Inside final : Bound {
    Inside(unsigned width_, sc_core::sc_in<T>& port_) : width(width_), port(port_) {}
    void write(const std::uint64_t* /*words*/) override {}
    void read(std::uint64_t* words) override { PinType<T>::to_words(port.read(), words, width); }
    const sc_core::sc_event& changed() override { return port.value_changed_event(); }
    unsigned width;
    sc_core::sc_in<T>& port;
  };
  [[nodiscard]] unsigned width(const std::string& pin) const {
    return find_pin(unit_.title, pins_, pin).width;
  }
  template <typename T>
  std::unique_ptr<Bound>& place(const std::string& name) {
    const Pin& pin = find_pin(unit_.title, pins_, name);
    if (!PinType<T>::fits(pin.width)) wrong_width(unit_.title, pin, PinType<T>::name());
    auto& place = bound_[static_cast<std::size_t>(&pin - pins_.data())];
    if (place) bound_twice(unit_.title, name);
    return place;
  }
  void before_end_of_elaboration() override;
  void end_of_elaboration() override;
  void read_inputs();
  void evaluate();

  struct NoSource;
  struct NoTarget;
  std::unique_ptr<NoSource> source_;
  std::array<std::unique_ptr<NoTarget>, 2> targets_;
  Clock clock_;
  TcuSystem system_;
  PinnedUnit unit_;
  std::vector<Pin> pins_;
  std::vector<std::unique_ptr<Bound>> bound_;
  std::vector<std::shared_ptr<void>> ports_;  ///< of joined pins
  std::vector<std::uint64_t> words_;
};

/// The units by their names.
enum class TcuUnit : std::uint8_t {
  decoder,
  array,
  dais,
  activation,
  accumulators,
  local,
  local_router,
  host_router,
  stream,
  dram0,
  dram1,
  sampler,
};
inline constexpr std::array<const char*, 12> tcu_unit_names{
    "decoder",      "array",       "dais",   "activation", "accumulators", "local",
    "local_router", "host_router", "stream", "dram0",      "dram1",        "sampler"};

template <TcuUnit unit>
class PinsOf final : public UnitPins {
 public:
  PinsOf(const sc_core::sc_module_name& name, const TcuSystem::Config& config)
      : UnitPins(name, config, tcu_unit_names[static_cast<std::size_t>(unit)]) {}
};
using DecoderPins = PinsOf<TcuUnit::decoder>;
using SystolicArrayPins = PinsOf<TcuUnit::array>;
using DaisUnitPins = PinsOf<TcuUnit::dais>;
using ActivationUnitPins = PinsOf<TcuUnit::activation>;
using AccumulatorsPins = PinsOf<TcuUnit::accumulators>;
using LocalMemoryPins = PinsOf<TcuUnit::local>;
using LocalRouterPins = PinsOf<TcuUnit::local_router>;
using HostRouterPins = PinsOf<TcuUnit::host_router>;
using StreamAdapterPins = PinsOf<TcuUnit::stream>;
using SamplerPins = PinsOf<TcuUnit::sampler>;

}  // namespace tactus
