// Refresh manager of a DRAM controller: when a refresh falls due, and its commands.
//
// From the clock at which a refresh falls due the controller issues its commands only. Each class
// has a file in this folder; make.cpp makes the one that a DdrConfig names.
#pragma once

#include <cstdint>
#include <memory>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_banks.h"
#include "models/dram/ddr_command.h"

namespace tactus {

class DdrRefreshManager {
 public:
  virtual ~DdrRefreshManager() = default;

  /// Clock at which the next refresh falls due; `never`: there is none.
  [[nodiscard]] DdrClock due() const { return state_.due; }
  /// End of the last refresh, when the banks are free.
  [[nodiscard]] DdrClock end() const { return state_.end; }

  struct Command {
    DdrCommandKind kind = DdrCommandKind::ref;  ///< prea or ref
    DdrClock clock = 0;
  };
  /// The next command of the refresh that is due, at `floor` or later. REF is the last one.
  [[nodiscard]] virtual Command next(const DdrBanks& banks, DdrClock floor) const = 0;
  /// Says that REF was issued: sets end() and the next due().
  virtual void finish(DdrClock ref) = 0;
  /// Refreshes that are only counted, and the clocks that all of them take, each from when it is
  /// due.
  struct Skipped {
    std::uint64_t refreshes = 0, clocks = 0;
  };
  /// Skips refreshes that fall due up to `until` while no row is open and no access waits. Keeps
  /// the last ones, because rules look back at them.
  virtual Skipped skip(DdrClock until) = 0;

  void mark() { marked_ = state_; }
  void rewind() { state_ = marked_; }

 protected:
  struct State {
    DdrClock due = never;
    DdrClock end = 0;
  };
  State state_;

 private:
  State marked_;
};

[[nodiscard]] std::unique_ptr<DdrRefreshManager> make_refresh_manager(const DdrConfig& config);

}  // namespace tactus
