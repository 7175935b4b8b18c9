// One wire of a handshake.
#pragma once

#include "models/sim/activity.h"

namespace tactus {

/// A bool that wakes the unit that reads it when it changes (activity.h).
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): assigns a value
  Wire& operator=(const Wire& other) { return *this = other.value_; }
  Wire& operator=(bool value) {
    if (value != value_) *awake_ |= unit_;
    value_ = value;
    return *this;
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator bool() const { return value_; }

  /// Lets the wire wake the unit from now on.
  void wakes(UnitActivity& activity, UnitSet unit) {
    awake_ = &activity.awake;
    unit_ = unit;
  }
  /// Wakes the unit now, because it reads other data that belong to the wire, such as the payload
  /// of a channel that is not valid.
  void wake() { *awake_ |= unit_; }
  /// Address of the value, for waveforms.
  [[nodiscard]] const bool* value() const { return &value_; }

 private:
  inline static UnitSet nobody = 0;
  UnitSet* awake_ = &nobody;
  UnitSet unit_ = 0;
  bool value_ = false;
};

}  // namespace tactus
