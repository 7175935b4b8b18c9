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

/// The wires at the border of a unit: wires written by other units wake it.
class Border {
 public:
  Border(UnitActivity& activity, UnitSet unit) : activity_(activity), unit_(unit) {}

  template <typename T>
  void produces(Link<T>& link) {
    watches(link.ready);
  }
  template <typename T>
  void consumes(Link<T>& link) {
    watches(link.valid);
  }
  void watches(Wire& wire) { wire.wakes(activity_, unit_); }

 private:
  UnitActivity& activity_;
  UnitSet unit_;
};

}  // namespace tactus
