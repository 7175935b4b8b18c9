// One wire of a handshake.
#pragma once

namespace tactus {

/// A bool that tells the unit at its other end when it changes; see models/sim/engine.h.
class Wire {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator bool() const { return value_; }
  Wire& operator=(bool value) {
    *stirred_ |= value != value_;
    value_ = value;
    return *this;
  }
  Wire& operator=(const Wire& other) { return *this = other.value_; }
  Wire(const Wire&) = delete;
  Wire() = default;

  /// Where the value lies, for waveforms.
  [[nodiscard]] const bool* value() const { return &value_; }
  /// Sets the unit's flag without a change of the wire.
  void stir() { *stirred_ = true; }
  /// From now on `stirred` is set whenever the wire changes.
  void tell(bool& stirred) { stirred_ = &stirred; }

 private:
  inline static bool nobody = false;
  bool value_ = false;
  bool* stirred_ = &nobody;
};

/// Whether two items lead to the same handshakes, so that one may follow the other without any
/// decision changing. Types that carry addresses bring a friend of this name that looks past them.
template <typename T>
[[nodiscard]] bool alike(const T& a, const T& b) {
  return a == b;
}

}  // namespace tactus
