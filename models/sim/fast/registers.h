// The registers of a unit that decide what it does, as bytes, in both directions.
//
//   void Unit::registers(Registers& r) {
//     r(stored_);                 // a number, a flag, an enumerator
//     r.time(available_);         // a cycle, as its distance from the present one
//     r.items(queue_, [&](Item& item) { r(item.size); });
//   }
//
// Saved, two states of a unit have the same bytes if the unit does the same from there on. Loaded,
// it goes on as it did from the state saved. Data and addresses are no part of it, but for what of
// an address decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/sim/clock.h"

namespace tactus {

class Registers {
 public:
  /// Saves: appends to `bytes`. `origin`: see address().
  Registers(std::vector<std::uint8_t>& bytes, Cycle now, std::uint64_t origin)
      : bytes_(&bytes), now_(now), origin_(origin) {}
  /// Loads.
  Registers(const std::uint8_t* bytes, Cycle now, std::uint64_t origin)
      : at_(bytes), now_(now), origin_(origin) {}

  [[nodiscard]] bool loads() const { return bytes_ == nullptr; }

  template <typename T>
  void operator()(T& value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    if (loads()) {
      value = static_cast<T>(take());
    } else {
      put(static_cast<std::uint64_t>(value));
    }
  }
  /// A cycle from which on something is there; those before the present one are all alike.
  void time(Cycle& cycle) {
    std::uint64_t code = cycle == ~Cycle{0} ? 0 : cycle <= now_ ? 1 : cycle - now_ + 1;
    (*this)(code);
    if (loads()) cycle = code == 0 ? ~Cycle{0} : now_ + code - 1;
  }
  /// An address that decides only by being the same as another: its distance from `origin`, cut by
  /// the mask.
  void address(std::uint64_t& address, std::uint64_t mask) {
    std::uint64_t distance = (origin_ - address) & mask;
    (*this)(distance);
    if (loads()) address = (origin_ - distance) & mask;
  }
  /// A Queue; `stale`: the content of an empty queue's front decides, too.
  template <typename Queue, typename Item>
  void items(Queue& queue, Item&& item, bool stale = false) {
    std::size_t count = queue.count();
    (*this)(count);
    if (loads()) queue.begin_load(count);
    for (std::size_t i = 0; i < count; ++i) item(queue.entry(i));
    if (stale && count == 0) item(queue.entry(0));
  }

 private:
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_->push_back(static_cast<std::uint8_t>(value | 0x80));
    bytes_->push_back(static_cast<std::uint8_t>(value));
  }
  std::uint64_t take() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }

  std::vector<std::uint8_t>* bytes_ = nullptr;  ///< null: loads
  const std::uint8_t* at_ = nullptr;
  Cycle now_;
  std::uint64_t origin_;
};

}  // namespace tactus
