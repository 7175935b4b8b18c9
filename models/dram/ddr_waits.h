// Whose accesses each access of a DRAM controller waited for.
//
// Accesses belong to parties, such as the units of a board. While an access waits behind others
// (DdrDone::queue; a write, until it is admitted), the controller serves accesses by RD or WR. The
// clocks of the wait are dealt out to the parties in proportion to the accesses that were served
// from its arrival until its own command, or its admission. If none was, or only older ones than
// the log holds, they count for its own party. This is a definition of our own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dram/ddr_command.h"

namespace tactus {

class DdrWaits {
 public:
  /// Begins anew with so many parties. With one, the default, nothing is kept.
  void set_parties(unsigned parties) {
    parties_ = parties;
    counts_.assign(parties, 0);
    clocks_.assign(std::size_t{parties} * parties, 0);
  }
  [[nodiscard]] bool keeps() const { return parties_ > 1; }
  [[nodiscard]] unsigned parties() const { return parties_; }
  /// Clocks that accesses of a party waited for those of `other`, its own included.
  [[nodiscard]] std::uint64_t clocks(unsigned party, unsigned other) const {
    return clocks_[std::size_t{party} * parties_ + other];
  }

  /// Says that an access is served. Calls must be in order of time.
  void serve(unsigned party, DdrClock clock) {
    log_[served_ % log_.size()] = {clock, party};
    ++served_;
  }
  /// Deals out the clocks that an access has waited since its arrival.
  void deal_out(unsigned party, DdrClock arrived, std::uint64_t clocks) {
    if (clocks == 0) return;
    std::fill(counts_.begin(), counts_.end(), 0);
    std::uint64_t all = 0;
    const std::uint64_t most = std::min<std::uint64_t>(served_, log_.size());
    for (; all < most; ++all) {
      const Served& served = log_[(served_ - 1 - all) % log_.size()];
      if (served.clock < arrived) break;
      ++counts_[served.party];
    }
    std::uint64_t* const row = &clocks_[std::size_t{party} * parties_];
    if (all == 0) {
      row[party] += clocks;
      return;
    }
    std::uint64_t before = 0, dealt = 0;
    for (unsigned other = 0; other < parties_; ++other) {
      before += counts_[other];
      const std::uint64_t upto = clocks * before / all;
      row[other] += upto - dealt;
      dealt = upto;
    }
  }

 private:
  struct Served {
    DdrClock clock = 0;
    unsigned party = 0;
  };
  unsigned parties_ = 1;
  std::uint64_t served_ = 0;
  std::array<Served, 1024> log_{};     ///< the accesses served last, a ring
  std::vector<std::uint64_t> counts_;  ///< of the access being dealt out: served, by party
  std::vector<std::uint64_t> clocks_;  ///< by party and other party
};

}  // namespace tactus
