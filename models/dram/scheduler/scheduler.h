// Scheduler of a DRAM controller: which access a bank works for. One object serves all banks.
//
// Each class has a file in this folder; make.cpp makes the one that a DdrConfig names.
#pragma once

#include <cstdint>
#include <memory>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_access.h"

namespace tactus {

class DdrBankScheduler {
 public:
  virtual ~DdrBankScheduler() = default;

  /// Slot of the access that becomes a bank's candidate; -1: none. `queue` has the bank's accesses,
  /// oldest first, at least one. `open_row` is the bank's open row or DdrBanks::closed.
  [[nodiscard]] virtual int pick(const DdrAccesses& accesses, const DdrAccesses::List& queue,
                                 std::int64_t open_row) const = 0;
  /// Says whether writes have places of their own in the buffer. Only then count() is called.
  [[nodiscard]] virtual bool separates_writes() const { return false; }
  /// Gives the numbers of reads and writes that have joined a bank, whenever they change. Returns
  /// true if all banks must pick again.
  [[nodiscard]] virtual bool count(unsigned /*reads*/, unsigned /*writes*/) { return false; }
  /// Save and restore the state.
  virtual void mark() {}
  virtual void rewind() {}
};

[[nodiscard]] std::unique_ptr<DdrBankScheduler> make_scheduler(const DdrConfig& config);

}  // namespace tactus
