// The registers of a unit that decide what it does, as bytes, in both directions.
//
//   void Unit::registers(Registers& r) {
//     r(stored_);                 // a number, a flag, an enumerator
//     r.time(available_);         // a cycle, as its distance from the present one
//     r.items(queue_, [&](Item& item) { r(item.size); });
//   }
//
// Two states of a unit are saved as equal bytes if the unit behaves the same from there on. A unit
// whose state is loaded continues as from the saved state. Data and addresses are not included,
// except for the parts of addresses that affect timing.
//
// Counts that affect behaviour only when they reach an end are saved with the distance to that end.
// Two states can then be recognised as equal except for such counts
// (models/tcu/fast/tcu_periods.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "models/sim/clock.h"

namespace tactus {

class Registers {
 public:
  /// Saves: replaces the content of `bytes`, which is complete once this object is destroyed.
  /// `origin`: see address().
  Registers(std::vector<std::uint8_t>& bytes, Cycle now, std::uint64_t origin)
      : bytes_(&bytes), now_(now), origin_(origin) {
    bytes.resize(std::max<std::size_t>(bytes.capacity(), 256));
    to_ = bytes.data();
    end_ = to_ + bytes.size();
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  ~Registers() {
    if (bytes_ != nullptr) bytes_->resize(static_cast<std::size_t>(to_ - bytes_->data()));
  }
  /// Loads.
  Registers(const std::uint8_t* bytes, Cycle now, std::uint64_t origin)
      : at_(bytes), now_(now), origin_(origin) {}

  /// A count that is far from its end, or an address of a transfer in progress.
  struct Count {
    enum class Kind : std::uint8_t { of_burst, of_item, address };
    std::uint64_t value = 0;  ///< for an address: its distance from the origin
    /// Amount by which the count may grow without a change of behaviour. For an address: its mask.
    std::uint64_t left = 0;
    Kind kind = Kind::of_burst;
    const void* at = nullptr;  ///< the register; null until the count is loaded
    unsigned bytes = 0;        ///< bytes of the register
    /// Current value of the register.
    [[nodiscard]] std::uint64_t present() const {
      std::uint64_t held = 0;
      std::memcpy(&held, at, bytes);
      return held;
    }
  };
  /// Saves or loads such counts in `counts` instead of as bytes. `cycles`, if not 0: only counts
  /// that cannot reach their end within this many cycles, and no addresses.
  void keep_counts(std::vector<Count>& counts, std::uint64_t cycles = 0) {
    counts_ = &counts;
    cycles_ = cycles;
  }
  [[nodiscard]] bool keeps_counts() const { return counts_ != nullptr; }

  [[nodiscard]] bool loads() const { return bytes_ == nullptr; }

  /// Start of a unit's registers among the bytes.
  struct Place {
    std::size_t first_byte = 0;
    const char* unit = "";
  };
  /// While it saves, notes where units begin.
  void note_units(std::vector<Place>& places) { places_ = &places; }
  /// The registers that follow belong to this unit.
  void unit(const char* name) {
    if (places_ != nullptr)
      places_->push_back({static_cast<std::size_t>(to_ - bytes_->data()), name});
  }

  template <typename T>
  [[gnu::always_inline]] void operator()(T& value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    if (loads()) {
      value = static_cast<T>(take());
    } else {
      put(static_cast<std::uint64_t>(value));
    }
  }
  /// Saves the cycle in which a value becomes available. All past cycles are saved as the same
  /// code, since the past no longer matters.
  void time(Cycle& cycle) {
    std::uint64_t code = cycle == ~Cycle{0} ? 0 : cycle <= now_ ? 1 : cycle - now_ + 1;
    (*this)(code);
    if (loads()) cycle = code == 0 ? ~Cycle{0} : now_ + code - 1;
  }
  /// Saves an address that matters only when compared with others: its distance from `origin`,
  /// masked.
  void address(std::uint64_t& address, std::uint64_t mask) {
    std::uint64_t distance = (origin_ - address) & mask;
    (*this)(distance);
    if (loads()) address = (origin_ - distance) & mask;
  }
  /// Saves the address of an access that has begun. It matters only whether such addresses are
  /// equal, so moving all of them by the same distance changes nothing.
  void moving_address(std::uint64_t& address, std::uint64_t mask) {
    if (counts_ == nullptr || cycles_ != 0) return this->address(address, mask);
    if (loads()) {
      address = (origin_ - (*counts_)[next_count_++].value) & mask;
    } else {
      counts_->push_back({(origin_ - address) & mask, mask, Count::Kind::address, nullptr, 0});
    }
  }
  /// Saves a count with an end. The unit behaves the same for all counts that are below the end by
  /// at least the last argument. An end that is not above the count counts as none.
  ///
  /// A counter of beats or cycles: it grows by at most 1 a cycle and may restart at its end.
  template <typename T>
  void count_of_burst(T& value, std::uint64_t end) {
    count(value, end, near_end, 1, Count::Kind::of_burst);
  }
  /// A counter inside an instruction's item. It restarts only with the next item from a queue, so
  /// while no instruction enters, two states with equal queues are in the same item. It grows by at
  /// most `growth` per cycle. Returns true if it is saved as a Count.
  template <typename T>
  bool count_of_item(T& value, std::uint64_t end, std::uint64_t least = near_end,
                     std::uint64_t growth = 1) {
    return count(value, end, least, growth, Count::Kind::of_item);
  }
  /// Saves a Queue.
  template <typename Queue, typename Item>
  void items(Queue& queue, Item&& item) {
    std::size_t count = queue.count();
    (*this)(count);
    if (loads()) queue.begin_load(count);
    for (std::size_t i = 0; i < count; ++i) item(queue.entry(i));
  }
  /// Saves a Queue whose slots matter even when it is empty, because an old item is at the front
  /// again when all entries after it have left. `stale` saves the parts of an old item that matter.
  template <typename Queue, typename Item, typename Stale>
  void items(Queue& queue, Item&& item, Stale&& stale) {
    items(queue, item);
    for (std::size_t i = queue.count(); i < queue.capacity(); ++i) stale(queue.entry(i));
  }

 private:
  static constexpr std::uint64_t near_end = 4;
  static constexpr std::ptrdiff_t longest_number = 10;  ///< bytes

  template <typename T>
  bool count(T& value, std::uint64_t end, std::uint64_t least, std::uint64_t growth,
             Count::Kind kind) {
    bool kept = false;
    if (counts_ != nullptr) {
      least += cycles_ * growth;
      const auto done = static_cast<std::uint64_t>(value);
      kept = end > done && end - done >= least;
      (*this)(kept);
      if (kept && !loads()) counts_->push_back({done, end - done - least, kind, &value, sizeof(T)});
    }
    if (!kept) {
      (*this)(value);
    } else if (loads()) {
      Count& count = (*counts_)[next_count_++];
      value = static_cast<T>(count.value);
      count.at = &value;
    }
    return kept;
  }
  /// Most numbers are small.
  void put(std::uint64_t value) {
    if (value < 0x80 && to_ != end_) {
      *to_++ = static_cast<std::uint8_t>(value);
    } else {
      put_long(value);
    }
  }
  [[gnu::noinline]] void put_long(std::uint64_t value) {
    if (end_ - to_ < longest_number) make_room();
    for (; value >= 0x80; value >>= 7) *to_++ = static_cast<std::uint8_t>(value | 0x80);
    *to_++ = static_cast<std::uint8_t>(value);
  }
  void make_room() {
    const std::ptrdiff_t used = to_ - bytes_->data();
    bytes_->resize(2 * bytes_->size());
    to_ = bytes_->data() + used;
    end_ = bytes_->data() + bytes_->size();
  }
  [[gnu::noinline]] std::uint64_t take() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }

  std::vector<std::uint8_t>* bytes_ = nullptr;  ///< null: loads
  std::uint8_t* to_ = nullptr;                  ///< position for the next number
  std::uint8_t* end_ = nullptr;                 ///< end of the bytes
  const std::uint8_t* at_ = nullptr;
  Cycle now_;
  std::uint64_t origin_;
  std::vector<Count>* counts_ = nullptr;
  std::uint64_t cycles_ = 0;  ///< see keep_counts()
  std::size_t next_count_ = 0;
  std::vector<Place>* places_ = nullptr;  ///< see note_units()
};

}  // namespace tactus
