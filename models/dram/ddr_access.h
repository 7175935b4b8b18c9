// An access in a DRAM controller, and the lists in which accesses wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/dram/address_map.h"
#include "models/dram/ddr_command.h"

namespace tactus {

/// State in which an access finds its bank. Hit: its row is open. Miss: no row is open. Conflict:
/// another row is open.
enum class DdrRowState : std::uint8_t { hit, miss, conflict };

struct DdrAccess {
  std::uint32_t tag = 0;
  unsigned port = 0;
  unsigned rank = 0;   ///< lower ranks go first; 0 unless ports are ranked
  int next = -1;       ///< next access in its list
  unsigned party = 0;  ///< see ddr_waits.h
  bool write = false;
  bool taken = false;  ///< true if it has a place in the port's queue; else it waits in front
  DdrRowState row_state = DdrRowState::hit;
  DdrAddress address;
  unsigned passed = 0;         ///< younger accesses of its bank that were served before it
  DdrClock arrived = 0;        ///< clock of arrival at the port
  DdrClock admitted = 0;       ///< clock of admission to the buffer
  DdrClock joined = 0;         ///< first clock at which its bank may issue a command for it
  std::uint64_t age = 0;       ///< number in order of admission: older accesses have lower ones
  DdrClock row_since = never;  ///< its bank has needed PRE or ACT for it since then; never: not yet
  std::uint64_t refresh = 0;   ///< clocks that it waited for refreshes, from `joined` on
  std::uint64_t row_refresh = 0;  ///< the part of `refresh` from row_since on

  /// Resets the fields of a reused slot that a new access needs empty.
  void renew() {
    row_state = DdrRowState::hit;
    passed = 0;
    row_since = never;
    refresh = row_refresh = 0;
  }
};

/// All accesses of a controller, in slots numbered from 0; slot -1 stands for no access. An access
/// keeps its slot from its port to its bank and is in at most one list at a time.
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
  /// Makes a new access and returns its slot. The access is in no list, and the caller sets its
  /// fields. References to other accesses become invalid.
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
  /// Inserts `slot` behind the slot `before` of the list. With `before` = -1 it becomes the first.
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
  /// Removes the access behind the slot `before` of the list. With `before` = -1 it removes the
  /// first.
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
  /// Restores the first `count` saved accesses to their slots and frees all other slots.
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
