// The signals at the pins of a unit, to which a module in the unit's place is bound.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "models/tcu/pins/pin_list.h"
#include "models/tcu/pins/pin_type.h"

namespace tactus {

/// Messages about pins, which name unit and pin: each throws a UserError.
[[noreturn]] void no_such_pin(const std::string& unit, const std::vector<Pin>& pins,
                              const std::string& pin);
[[noreturn]] void wrong_width(const std::string& unit, const Pin& pin, const std::string& type);
[[noreturn]] void wrong_direction(const std::string& unit, const Pin& pin);
[[noreturn]] void bound_twice(const std::string& unit, const std::string& pin);
[[noreturn]] void missing_pin(const std::string& unit, const Pin& pin);
[[nodiscard]] const Pin& find_pin(const std::string& unit, const std::vector<Pin>& pins,
                                  const std::string& pin);

/// A signal at a pin, or a user's signal or port.
class PinSignal {
 public:
  virtual ~PinSignal() = default;
  virtual void write(const std::uint64_t* words) = 0;
  virtual void read(std::uint64_t* words) = 0;
};

/// Signals are made with the types of the module's ports, as these are bound.
class UnitSignals {
 public:
  /// `unit` names the unit in messages, `name` its signals.
  UnitSignals(std::string unit, std::string name, std::vector<Pin> pins,
              sc_core::sc_signal_inout_if<bool>& clock, sc_core::sc_signal_inout_if<bool>& reset);

  /// Binds an input of the module to a pin: to "clock", "reset", or an input of the unit
  /// (pin_list.h). T is a type of pin_type.h. Throws UserError for a pin that the unit does not
  /// have, that it drives, that is bound already, or whose width does not fit T.
  template <typename T>
  void bind(const std::string& pin, sc_core::sc_in<T>& port) {
    if constexpr (std::is_same_v<T, bool>) {
      if (pin == "clock" || pin == "reset") return port.bind(pin == "clock" ? clock_ : reset_);
    }
    port.bind(make<T>(pin, true));
  }
  /// The same for an output of the module and of the unit. sc_out is an sc_inout.
  template <typename T>
  void bind(const std::string& pin, sc_core::sc_inout<T>& port) {
    port.bind(make<T>(pin, false));
  }

  /// Throws UserError for a pin that is bound to nothing.
  void check() const;
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::vector<Pin>& pins() const { return pins_; }
  /// The signal at pins()[i].
  [[nodiscard]] PinSignal& signal(std::size_t i) const { return *signals_[i]; }

 private:
  template <typename T>
  struct SignalOf final : PinSignal {
    SignalOf(const std::string& name, unsigned width_) : signal(name.c_str()), width(width_) {}
    void write(const std::uint64_t* words) override {
      signal.write(PinType<T>::from_words(words, width));
    }
    void read(std::uint64_t* words) override { PinType<T>::to_words(signal.read(), words, width); }
    sc_core::sc_signal<T> signal;
    unsigned width;
  };

  template <typename T>
  sc_core::sc_signal<T>& make(const std::string& name, bool input) {
    const Pin& pin = find_pin(unit_, pins_, name);
    if (pin.input != input) wrong_direction(unit_, pin);
    if (!PinType<T>::fits(pin.width)) wrong_width(unit_, pin, PinType<T>::name());
    auto& place = signals_[static_cast<std::size_t>(&pin - pins_.data())];
    if (place) bound_twice(unit_, name);
    auto made = std::make_unique<SignalOf<T>>(name_ + "_" + name, pin.width);
    sc_core::sc_signal<T>& signal = made->signal;
    place = std::move(made);
    return signal;
  }

  std::string unit_, name_;
  std::vector<Pin> pins_;
  sc_core::sc_signal_inout_if<bool>& clock_;
  sc_core::sc_signal_inout_if<bool>& reset_;
  std::vector<std::unique_ptr<PinSignal>> signals_;
};

}  // namespace tactus
