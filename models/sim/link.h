// A ready/valid channel between two units: plain wires, no kernel object.
//
// The producer writes `valid` and `bits` in its drive(), the consumer writes `ready` in its
// accept(); both read the settled result afterwards. No valid depends on a ready of the same cycle,
// so that first all drive() and then all accept() settle the wires of a cycle.
#pragma once

#include <cstdint>

#include "models/sim/wire.h"

namespace tactus {

template <typename T>
struct Link {
  Wire valid;
  Wire ready;
  T bits{};

  [[nodiscard]] bool fires() const { return valid && ready; }
};

/// A vector on a link: its packed lanes, in storage of the producer that stays unchanged until the
/// end of the cycle (all commits included). Null: a vector of zeroes.
using VectorRef = const std::uint8_t*;

/// Says that a link's payload is `count` bytes that are no vector: one number, low byte first.
struct ByteCount {
  unsigned count;
};

/// The wires at the border of a unit: wires written by other units wake it.
///
/// Every unit lists its wires in a template border(list), which calls for each channel
/// produces(name, link, widths...) or consumes(...), for each other value reads() or tells(), and
/// for wires that only name a reason watches(). This class and PinList (models/tcu/pins/pin_list.h)
/// are such lists.
class Border {
 public:
  Border(UnitActivity& activity, UnitSet unit) : activity_(activity), unit_(unit) {}

  template <typename T, typename... Widths>
  void produces(const char* /*name*/, Link<T>& link, const Widths&... /*widths*/) {
    watches(link.ready);
  }
  template <typename T, typename... Widths>
  void consumes(const char* /*name*/, Link<T>& link, const Widths&... /*widths*/) {
    watches(link.valid);
  }
  void watches(Wire& wire) { wire.wakes(activity_, unit_); }
  /// A value of `width` bits that another unit shows without a handshake, and that is read at the
  /// clock edge: it wakes nobody.
  template <typename Value>
  void reads(const char* /*name*/, unsigned /*width*/, Value& /*value*/) {}
  /// A value that the unit shows to others in this way.
  template <typename Value>
  void tells(const char* /*name*/, unsigned /*width*/, Value& /*value*/) {}
  template <typename Get, typename Set>
  void tells(const char* /*name*/, unsigned /*width*/, Get /*get*/, Set /*set*/) {}

 private:
  UnitActivity& activity_;
  UnitSet unit_;
};

}  // namespace tactus
