// An access on its way through a DRAM controller, and the lists in which such wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/dram/address_map.h"
#include "models/dram/ddr_command.h"

namespace tactus {

/// How an access found its bank: its row open, the bank closed, another row open.
enum class DdrRowState : std::uint8_t { hit, miss, conflict };

struct DdrAccess {
  std::uint32_t tag = 0;
  unsigned port = 0;
  int next = -1;  ///< behind it in its list
  bool write = false;
  bool taken = false;  ///< by the port's queue
  DdrRowState row_state = DdrRowState::hit;
  DdrAddress address;
  unsigned passed = 0;            ///< so many younger ones of its bank went first
  DdrClock arrived = 0;           ///< at the port
  DdrClock admitted = 0;          ///< into the buffer
  DdrClock joined = 0;            ///< first clock at which it may have a command
  std::uint64_t age = 0;          ///< a number: older accesses have lower ones
  DdrClock row_since = never;     ///< its bank is being prepared for it since then
  std::uint64_t refresh = 0;      ///< clocks of refreshes since it joined
  std::uint64_t row_refresh = 0;  ///< those of them since row_since

  /// Nothing has become of it yet.
  void renew() {
    row_state = DdrRowState::hit;
    passed = 0;
    row_since = never;
    refresh = row_refresh = 0;
  }
};

/// All accesses of a controller by their slots, which are numbers from 0; -1 is none. From the port
/// to the bank an access stays in its slot and goes from list to list, in one at a time.
class DdrAccesses {
 public:
  struct List {
    int first = -1, last = -1;
    [[nodiscard]] bool empty() const { return first < 0; }
  };

  [[nodiscard]] DdrAccess& operator[](int slot) { return slots_[static_cast<unsigned>(slot)]; }
  [[nodiscard]] const DdrAccess& operator[](int slot) const {
    return slots_[static_cast<unsigned>(slot)];
  }
  /// A new one, in no list. References to others end. Where it comes from and goes to is up to the
  /// caller.
  int make() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<int>(slots_.size()) - 1;
    }
    const int slot = pop_front(free_);
    (*this)[slot].renew();
    return slot;
  }
  void free(int slot) { push_back(free_, slot); }

  void push_back(List& list, int slot) { insert_behind(list, list.last, slot); }
  /// `before`: of the list; -1: `slot` becomes its first.
  void insert_behind(List& list, int before, int slot) {
    int& link = before < 0 ? list.first : (*this)[before].next;
    (*this)[slot].next = link;
    link = slot;
    if (list.last == before) list.last = slot;
  }
  int pop_front(List& list) {
    const int slot = list.first;
    remove_behind(list, -1);
    return slot;
  }
  /// The one behind `before`, or the first.
  void remove_behind(List& list, int before) {
    int& link = before < 0 ? list.first : (*this)[before].next;
    const int slot = link;
    link = (*this)[slot].next;
    if (list.last == slot) list.last = before;
  }

  struct Saved {
    int slot = -1;
    DdrAccess access;
  };
  /// The first `count` are each in its slot, as saved; all other slots are free.
  void restore(const std::vector<Saved>& saved, std::size_t count) {
    std::vector<bool> used(slots_.size());
    for (std::size_t i = 0; i < count; ++i) {
      (*this)[saved[i].slot] = saved[i].access;
      used[static_cast<unsigned>(saved[i].slot)] = true;
    }
    free_ = {};
    for (std::size_t slot = 0; slot < used.size(); ++slot) {
      if (!used[slot]) free(static_cast<int>(slot));
    }
  }

 private:
  std::vector<DdrAccess> slots_;
  List free_;
};

}  // namespace tactus
