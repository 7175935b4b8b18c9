#include "models/tcu/pins/unit_signals.h"

#include "isa/support/error.h"

namespace tactus {

void no_such_pin(const std::string& unit, const std::vector<Pin>& pins, const std::string& pin) {
  std::string names = "clock, reset";
  for (const Pin& known : pins) names += ", " + known.name;
  user_error("{}: there is no pin {}; allowed {}", unit, pin, names);
}

void wrong_width(const std::string& unit, const Pin& pin, const std::string& type) {
  user_error(
      "{}: pin {} has {} bit{}, which do not fit {}; allowed {}", unit, pin.name, pin.width,
      pin.width == 1 ? "" : "s", type,
      pin.width == 1
          ? "bool"
          : fmt::format("sc_{}<{}>, sc_bv<{}>{}", pin.width <= 64 ? "uint" : "biguint", pin.width,
                        pin.width, pin.width <= 64 ? " or a wider unsigned integer" : ""));
}

void wrong_direction(const std::string& unit, const Pin& pin) {
  user_error("{}: pin {} is an {} of the unit; allowed an {}", unit, pin.name,
             pin.input ? "input" : "output", pin.input ? "sc_in" : "sc_out");
}

void bound_twice(const std::string& unit, const std::string& pin) {
  user_error("{}: pin {} is bound twice", unit, pin);
}

void missing_pin(const std::string& unit, const Pin& pin) {
  user_error("{}: pin {}, {} of {} bit{}, is bound to nothing; every pin of a unit has to be", unit,
             pin.name, pin.input ? "an input" : "an output", pin.width, pin.width == 1 ? "" : "s");
}

const Pin& find_pin(const std::string& unit, const std::vector<Pin>& pins, const std::string& pin) {
  for (const Pin& known : pins) {
    if (known.name == pin) return known;
  }
  no_such_pin(unit, pins, pin);
}

UnitSignals::UnitSignals(std::string unit, std::string name, std::vector<Pin> pins,
                         sc_core::sc_signal_inout_if<bool>& clock,
                         sc_core::sc_signal_inout_if<bool>& reset)
    : unit_(std::move(unit)),
      name_(std::move(name)),
      pins_(std::move(pins)),
      clock_(clock),
      reset_(reset),
      signals_(pins_.size()) {}

void UnitSignals::check() const {
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    if (!signals_[i]) missing_pin(unit_, pins_[i]);
  }
}

}  // namespace tactus
