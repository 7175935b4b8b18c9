// State of the banks of one DRAM channel: the open rows, and the earliest clock at which each
// command may be issued. That clock follows from the commands issued before and from DdrRules. One
// rank, at most 64 banks. All clocks are DRAM clocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_command.h"
#include "models/dram/ddr_rules.h"

namespace tactus {

class DdrBanks {
 public:
  DdrBanks(const DdrConfig& config, const DdrRules& rules);

  static constexpr std::int64_t closed = -1;
  [[nodiscard]] std::int64_t open_row(unsigned bank) const { return banks_[bank].row; }
  /// Bit mask of the banks with an open row.
  [[nodiscard]] std::uint64_t open() const { return open_; }

  // These functions return the earliest clock at which a command may be issued, provided that it is
  // the next one. The caller checks that the right row is open.
  [[nodiscard]] DdrClock earliest_act(unsigned bank) const {
    const Bank& b = banks_[bank];
    return std::max({b.act, groups_[b.group].act, channel_.act,
                     last_acts_[oldest_act_] + rules_.act_to_fifth_act});
  }
  [[nodiscard]] DdrClock earliest_rd(unsigned bank) const {
    const Bank& b = banks_[bank];
    return std::max({b.access, groups_[b.group].rd, channel_.rd});
  }
  [[nodiscard]] DdrClock earliest_wr(unsigned bank) const {
    const Bank& b = banks_[bank];
    return std::max({b.access, groups_[b.group].wr, channel_.wr});
  }
  [[nodiscard]] DdrClock earliest_pre(unsigned bank) const { return banks_[bank].pre; }
  [[nodiscard]] DdrClock earliest_prea() const;
  /// Earliest clock of REF. Precondition: all banks are closed.
  [[nodiscard]] DdrClock earliest_ref() const { return ref_; }
  /// First clock at which the rules after ACT allowed RD or WR to the row that was opened last.
  [[nodiscard]] DdrClock row_ready(unsigned bank) const { return banks_[bank].access; }

  // These functions issue a command. Precondition: `clock` is not before the command's earliest
  // clock. `precharges` is true for RDA and WRA.
  void act(unsigned bank, std::uint32_t row, DdrClock clock);
  void rd(unsigned bank, DdrClock clock, bool precharges);
  void wr(unsigned bank, DdrClock clock, bool precharges);
  void pre(unsigned bank, DdrClock clock);
  void prea(DdrClock clock);
  void ref(DdrClock clock);

 private:
  struct Bank {
    std::int64_t row = closed;
    unsigned group = 0;
    /// Earliest clocks of ACT, of RD and WR, of PRE and of PREA.
    DdrClock act = 0, access = 0, pre = 0, prea = 0;
    DdrClock own_precharge = 0;  ///< earliest precharge by RDA or WRA, due to ACT
  };
  /// Earliest clocks of ACT, RD and WR to any bank of a group, or of the channel.
  struct Group {
    DdrClock act = 0, rd = 0, wr = 0;
  };
  void precharge(unsigned bank, DdrClock clock);
  void precharge_behind(unsigned bank, DdrClock clock);

  DdrRules rules_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  Group channel_;
  /// Ring with the clocks of the last four ACTs; oldest_act_ is the index of the first of them.
  std::array<DdrClock, 4> last_acts_{};
  unsigned oldest_act_ = 0;
  DdrClock ref_ = 0;        ///< earliest clock of REF
  std::uint64_t open_ = 0;  ///< bit mask of the banks with an open row
};

}  // namespace tactus
