// What is known of cycles that have been settled before; see models/sim/engine.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace tactus {

/// All that the decisions of a cycle look at.
struct CycleFacts {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const CycleFacts& o) const { return low == o.low && high == o.high; }
};

/// A fixed number of places, found by the facts. What comes to a place that is taken replaces it.
template <typename Edges>
class KnownCycles {
  static_assert(std::is_trivially_copyable_v<Edges>);

 public:
  struct Place {
    CycleFacts facts;
    bool taken;
    Edges edges;
  };

  [[nodiscard]] Place& place(const CycleFacts& facts) {
    const std::uint64_t mixed = (facts.low ^ facts.high * 0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93;
    return places_.get()[mixed >> (64 - place_bits)];
  }
  [[nodiscard]] static bool holds(const Place& place, const CycleFacts& facts) {
    return place.facts == facts && place.taken;
  }

 private:
  static constexpr unsigned place_bits = 12;
  struct Free {
    void operator()(Place* places) const { std::free(places); }
  };
  [[nodiscard]] static Place* zeroed() {
    void* places = std::calloc(std::size_t{1} << place_bits, sizeof(Place));
    if (places == nullptr) throw std::bad_alloc();
    return static_cast<Place*>(places);
  }
  /// From calloc: memory is used for what is known only.
  std::unique_ptr<Place, Free> places_{zeroed()};
};

}  // namespace tactus
