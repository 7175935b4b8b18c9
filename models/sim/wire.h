// One wire of a handshake.
#pragma once

#include "models/sim/fast/agenda.h"

namespace tactus {

/// A bool. A wire at the border of a gated unit (fast/gate.h) stirs that unit when it changes: it
/// sets the unit's bit in Agenda::stirred.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire& other) { return *this = other.value_; }
  Wire& operator=(bool value) {
    if (value != value_) *stirred_ |= unit_;
    value_ = value;
    return *this;
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator bool() const { return value_; }

  /// From now on the wire stirs the unit.
  void tell(Agenda& agenda, UnitSet unit) {
    stirred_ = &agenda.stirred;
    unit_ = unit;
  }
  /// Where the value lies, for waveforms.
  [[nodiscard]] const bool* value() const { return &value_; }

 private:
  inline static UnitSet nobody = 0;
  UnitSet* stirred_ = &nobody;
  UnitSet unit_ = 0;
  bool value_ = false;
};

/// Whether two items lead to the same handshakes, so that one may follow the other without any
/// decision changing. Types that carry addresses bring a friend of this name that looks past them.
template <typename T>
[[nodiscard]] bool alike(const T& a, const T& b) {
  return a == b;
}

}  // namespace tactus
