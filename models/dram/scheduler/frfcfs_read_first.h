// Scheduler `frfcfs` with read_priority. Rules 2 and 3 consider either reads or writes: writes
// while no bank has a read, and from the time that write_high_mark writes wait until no more than
// write_low_mark are left. If an older access goes to the burst of the access found, the older one
// is the candidate: a read never passes a write to its burst. A bank without an access of the kind
// considered has no candidate.
#pragma once

#include "models/dram/scheduler/frfcfs.h"

namespace tactus {

class DdrFrfcfsReadFirst final : public DdrFrfcfs {
 public:
  DdrFrfcfsReadFirst(unsigned cap, unsigned high_mark, unsigned low_mark)
      : DdrFrfcfs(cap), high_mark_(high_mark), low_mark_(low_mark) {}

  [[nodiscard]] int pick(const DdrAccesses& accesses, const DdrAccesses::List& queue,
                         std::int64_t open_row) const override {
    if (is_due(accesses[queue.first])) return queue.first;
    const bool writes = state_.prefers_writes;
    const int found = pick_of(accesses, queue, open_row,
                              [writes](const DdrAccess& access) { return access.write == writes; });
    return found < 0 ? found : first_to_burst(accesses, queue, found);
  }
  [[nodiscard]] bool separates_writes() const override { return true; }
  [[nodiscard]] bool count(unsigned reads, unsigned writes) override {
    if (writes >= high_mark_) state_.drains = true;
    if (writes <= low_mark_) state_.drains = false;
    const bool before = state_.prefers_writes;
    state_.prefers_writes = state_.drains || reads == 0;
    return state_.prefers_writes != before;
  }
  void mark() override { marked_ = state_; }
  void rewind() override { state_ = marked_; }

 private:
  struct State {
    bool drains = false;          ///< true from high_mark_ until low_mark_
    bool prefers_writes = false;  ///< true if banks consider writes; false: reads
  };
  /// The bank's oldest access to the burst that `slot` accesses.
  static int first_to_burst(const DdrAccesses& accesses, const DdrAccesses::List& queue, int slot) {
    const DdrAddress& to = accesses[slot].address;
    int older = queue.first;
    for (; older != slot; older = accesses[older].next) {
      const DdrAddress& from = accesses[older].address;
      if (from.row == to.row && from.column == to.column) break;
    }
    return older;
  }

  unsigned high_mark_, low_mark_;
  State state_, marked_;
};

}  // namespace tactus
