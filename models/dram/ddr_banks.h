// State of the banks of a DRAM channel: open rows, and the earliest clock of every command, which
// follows from the earlier commands and the rules between them. One rank, at most 64 banks.
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
  /// Bit mask of the open banks.
  [[nodiscard]] std::uint64_t open() const { return open_; }

  // Earliest clock for a command, if it is the next one. The caller checks that the right row is
  // open.
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
  /// First clock at which the row that was opened last in the bank could be read or written.
  [[nodiscard]] DdrClock row_ready(unsigned bank) const { return banks_[bank].access; }

  // Issues a command at a clock that is not before its earliest one. `precharges`: RDA, WRA.
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
    DdrClock act = 0, access = 0, pre = 0, prea = 0;
    DdrClock own_precharge = 0;  ///< earliest precharge of RDA or WRA, by the rules from ACT
  };
  struct Group {
    DdrClock act = 0, rd = 0, wr = 0;
  };
  void precharge(unsigned bank, DdrClock clock);
  void precharge_behind(unsigned bank, DdrClock clock);

  DdrRules rules_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  Group channel_;
  std::array<DdrClock, 4> last_acts_{};
  unsigned oldest_act_ = 0;
  DdrClock ref_ = 0;
  std::uint64_t open_ = 0;
};

}  // namespace tactus
