// State of the banks of one DRAM channel: the open rows, and the earliest clock at which each
// command may be issued. That clock follows from the commands issued before and from DdrRules. One
// rank, at most 64 banks. All clocks are DRAM clocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
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
    return earliest<DdrEvent::act>(banks_[bank]);
  }
  [[nodiscard]] DdrClock earliest_rd(unsigned bank) const {
    return earliest<DdrEvent::rd>(banks_[bank]);
  }
  [[nodiscard]] DdrClock earliest_wr(unsigned bank) const {
    return earliest<DdrEvent::wr>(banks_[bank]);
  }
  [[nodiscard]] DdrClock earliest_pre(unsigned bank) const {
    return earliest<DdrEvent::pre>(banks_[bank]);
  }
  [[nodiscard]] DdrClock earliest_prea() const { return earliest_of_all<DdrEvent::prea>(); }
  /// Earliest clock of REF. Precondition: all banks are closed.
  [[nodiscard]] DdrClock earliest_ref() const { return earliest_of_all<DdrEvent::ref>(); }
  /// First clock at which the rules of the bank alone allowed RD or WR to the row opened last.
  [[nodiscard]] DdrClock row_ready(unsigned bank, bool write) const {
    return banks_[bank].earliest[write ? DdrEvent::wr : DdrEvent::rd];
  }

  // These functions issue a command. Precondition: `clock` is not before the command's earliest
  // clock. `precharges` is true for RDA and WRA.
  void act(unsigned bank, std::uint32_t row, DdrClock clock);
  void rd(unsigned bank, DdrClock clock, bool precharges);
  void wr(unsigned bank, DdrClock clock, bool precharges);
  void pre(unsigned bank, DdrClock clock);
  void prea(DdrClock clock);
  void ref(DdrClock clock);

 private:
  /// Earliest clocks by the rules of one scope.
  struct Earliest {
    std::array<DdrClock, ddr_events> clocks{};
    DdrClock& operator[](DdrEvent event) { return clocks[static_cast<std::size_t>(event)]; }
    DdrClock operator[](DdrEvent event) const { return clocks[static_cast<std::size_t>(event)]; }
  };
  struct Bank {
    std::int64_t row = closed;
    unsigned group = 0;
    Earliest earliest;
  };

  /// True if a rule of this scope delays the event.
  static constexpr bool delays(DdrScope scope, DdrEvent event) {
    for (const DdrRule& rule : ddr_rules) {
      if (rule.scope == scope && rule.to == event) return true;
    }
    return false;
  }
  template <DdrEvent event>
  [[nodiscard]] DdrClock earliest(const Bank& bank) const {
    DdrClock clock = 0;
    if constexpr (delays(DdrScope::bank, event)) clock = std::max(clock, bank.earliest[event]);
    if constexpr (delays(DdrScope::group, event)) {
      clock = std::max(clock, groups_[bank.group][event]);
    }
    if constexpr (delays(DdrScope::channel, event)) clock = std::max(clock, channel_[event]);
    if constexpr (delays(DdrScope::five, event)) clock = std::max(clock, after_four_[oldest_act_]);
    return clock;
  }
  /// Earliest clock of a command to all banks, closed ones included: after RDA or WRA a bank counts
  /// as open until its own precharge has begun.
  template <DdrEvent event>
  [[nodiscard]] DdrClock earliest_of_all() const {
    DdrClock clock = 0;
    for (const Bank& bank : banks_) clock = std::max(clock, earliest<event>(bank));
    return clock;
  }
  /// Applies the rules from `event`, which happens at `clock`.
  template <DdrEvent event>
  void apply(Bank& bank, DdrClock clock) {
    apply_rows<event>(bank, clock, std::make_index_sequence<DdrRules::count>{});
  }
  template <DdrEvent event, std::size_t... rows>
  void apply_rows(Bank& bank, DdrClock clock, std::index_sequence<rows...>) {
    (apply_row<event, rows>(bank, clock), ...);
  }
  template <DdrEvent event, std::size_t row>
  void apply_row(Bank& bank, DdrClock clock);
  void precharge(unsigned bank, DdrClock clock);
  void precharge_behind(unsigned bank);

  DdrRules rules_;
  std::vector<Bank> banks_;
  std::vector<Earliest> groups_;
  Earliest channel_;
  /// Ring with the earliest clocks of the fourth ACT after each of the last four; oldest_act_ is
  /// the index of the first of them.
  std::array<DdrClock, 4> after_four_{};
  unsigned oldest_act_ = 0;
  std::uint64_t open_ = 0;  ///< bit mask of the banks with an open row
};

}  // namespace tactus
