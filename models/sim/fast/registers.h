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
//
// Counts that only decide by reaching an end are saved with how far the end is. Two states may then
// be told to be the same but for such counts (models/tcu/fast/tcu_periods.h).
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

  /// A count that is far from its end, or an address on its way.
  struct Count {
    enum class Kind : std::uint8_t { of_burst, of_item, address };
    std::uint64_t value = 0;  ///< of an address its distance from the origin
    /// By so much it may grow, and the unit does the same. The mask of an address.
    std::uint64_t left = 0;
    Kind kind = Kind::of_burst;
    const void* at = nullptr;  ///< the register
    unsigned bytes = 0;        ///< of the register
    /// What the register holds now.
    [[nodiscard]] std::uint64_t present() const {
      std::uint64_t held = 0;
      std::memcpy(&held, at, bytes);
      return held;
    }
  };
  /// Saves or loads such counts here, and not as bytes. `cycles`, if not 0: only those that are
  /// sure to be far from their end for so many cycles, and no addresses.
  void keep_counts(std::vector<Count>& counts, std::uint64_t cycles = 0) {
    counts_ = &counts;
    cycles_ = cycles;
  }
  [[nodiscard]] bool keeps_counts() const { return counts_ != nullptr; }

  [[nodiscard]] bool loads() const { return bytes_ == nullptr; }

  /// Where the registers of a unit begin among the bytes.
  struct Place {
    std::size_t first_byte = 0;
    const char* unit = "";
  };
  /// While it saves, notes where units begin.
  void note_units(std::vector<Place>& places) { places_ = &places; }
  /// What follows is of this unit.
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
  /// The address of an access that has begun. It decides only by being equal to others of this
  /// kind, so that moving all of them by the same distance changes nothing.
  void moving_address(std::uint64_t& address, std::uint64_t mask) {
    if (counts_ == nullptr || cycles_ != 0) return this->address(address, mask);
    if (loads()) {
      address = (origin_ - (*counts_)[next_count_++].value) & mask;
    } else {
      counts_->push_back({(origin_ - address) & mask, mask, Count::Kind::address, nullptr, 0});
    }
  }
  /// What has been done of something that is over at `end`. The unit does the same for every count
  /// that is at least so much below the end as the last argument says. An end that is not above the
  /// count is none.
  ///
  /// A counter of beats or cycles: it grows by at most 1 a cycle and may restart at its end.
  template <typename T>
  void count_of_burst(T& value, std::uint64_t end) {
    count(value, end, near_end, 1, Count::Kind::of_burst);
  }
  /// A counter inside an instruction's item: it restarts only with the next item, which leaves a
  /// queue for it. As long as no instruction enters, two states with the same queues are in the
  /// same item. It grows by no more than `growth` a cycle. Returns whether it is kept apart.
  template <typename T>
  bool count_of_item(T& value, std::uint64_t end, std::uint64_t least = near_end,
                     std::uint64_t growth = 1) {
    return count(value, end, least, growth, Count::Kind::of_item);
  }
  /// A Queue.
  template <typename Queue, typename Item>
  void items(Queue& queue, Item&& item) {
    std::size_t count = queue.count();
    (*this)(count);
    if (loads()) queue.begin_load(count);
    for (std::size_t i = 0; i < count; ++i) item(queue.entry(i));
  }
  /// One whose content decides while it is empty, too: what has left it is at its front again when
  /// the entries behind it have left as well. `stale`: of such an item what then decides.
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
      value = static_cast<T>((*counts_)[next_count_++].value);
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
  std::uint8_t* to_ = nullptr;                  ///< where the next number is saved
  std::uint8_t* end_ = nullptr;                 ///< of the bytes
  const std::uint8_t* at_ = nullptr;
  Cycle now_;
  std::uint64_t origin_;
  std::vector<Count>* counts_ = nullptr;
  std::uint64_t cycles_ = 0;  ///< see keep_counts()
  std::size_t next_count_ = 0;
  std::vector<Place>* places_ = nullptr;  ///< see note_units()
};

}  // namespace tactus
