// Minimum clocks between two commands of a DRAM channel: JEDEC's rules for one rank.
//
// A rule is one row of ddr_rules; DdrBanks keeps its state. After RDA or WRA a bank precharges by
// itself, at the clock at which PRE would have been allowed. Source: JEDEC JESD79-3 (DDR3),
// JESD79-4 (DDR4), in the form of spec section 5.5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "isa/dram/ddr_config.h"
#include "isa/support/error.h"
#include "models/dram/ddr_command.h"

namespace tactus {

/// Commands between which there are rules. `rd` and `wr` include RDA and WRA; `own_pre` is the
/// precharge that RDA and WRA start.
enum class DdrEvent : std::uint8_t { act, rd, wr, pre, prea, own_pre, ref };
inline constexpr std::size_t ddr_events = 7;

/// Banks for which the second command of a rule waits: the first command's own one, all of its
/// group, all of the channel. `five`: all of the channel, and the rule is between an ACT and the
/// fourth one after it.
enum class DdrScope : std::uint8_t { bank, group, channel, five };

struct DdrRule {
  DdrEvent from, to;
  DdrScope scope;
  DdrClock (*clocks)(const DdrConfig& c);  ///< the least distance, clocks
};

namespace ddr_rule {

inline DdrClock rd_to_wr(const DdrConfig& c) { return c.cl + c.burst_clocks() + c.t_turn - c.cwl; }
inline DdrClock end_of_write(const DdrConfig& c) { return c.cwl + c.burst_clocks(); }

using E = DdrEvent;
using S = DdrScope;
using C = const DdrConfig&;
inline constexpr DdrRule all[] = {
    {E::act, E::rd, S::bank, [](C c) -> DdrClock { return c.t_rcd; }},
    {E::act, E::wr, S::bank, [](C c) -> DdrClock { return c.t_rcd; }},
    {E::act, E::pre, S::bank, [](C c) -> DdrClock { return c.t_ras; }},
    {E::act, E::prea, S::bank, [](C c) -> DdrClock { return c.t_ras; }},
    {E::act, E::own_pre, S::bank, [](C c) -> DdrClock { return c.t_ras; }},
    {E::act, E::act, S::bank, [](C c) -> DdrClock { return c.t_rc; }},
    {E::act, E::act, S::group, [](C c) -> DdrClock { return c.t_rrd_l; }},
    {E::act, E::act, S::channel, [](C c) -> DdrClock { return c.t_rrd_s; }},
    {E::act, E::act, S::five, [](C c) -> DdrClock { return c.t_faw; }},
    {E::act, E::ref, S::channel, [](C c) -> DdrClock { return c.t_rc; }},

    {E::rd, E::rd, S::group, [](C c) -> DdrClock { return c.t_ccd_l; }},
    {E::rd, E::rd, S::channel, [](C c) -> DdrClock { return c.t_ccd_s; }},
    {E::rd, E::wr, S::channel, rd_to_wr},
    {E::rd, E::pre, S::bank, [](C c) -> DdrClock { return c.t_rtp; }},
    {E::rd, E::prea, S::bank, [](C c) -> DdrClock { return c.t_rtp; }},
    {E::rd, E::own_pre, S::bank, [](C c) -> DdrClock { return c.t_rtp; }},

    {E::wr, E::wr, S::group, [](C c) -> DdrClock { return c.t_ccd_l; }},
    {E::wr, E::wr, S::channel, [](C c) -> DdrClock { return c.t_ccd_s; }},
    {E::wr, E::rd, S::group, [](C c) -> DdrClock { return end_of_write(c) + c.t_wtr_l; }},
    {E::wr, E::rd, S::channel, [](C c) -> DdrClock { return end_of_write(c) + c.t_wtr_s; }},
    {E::wr, E::pre, S::bank, [](C c) -> DdrClock { return end_of_write(c) + c.t_wr; }},
    {E::wr, E::prea, S::bank, [](C c) -> DdrClock { return end_of_write(c) + c.t_wr; }},
    {E::wr, E::own_pre, S::bank, [](C c) -> DdrClock { return end_of_write(c) + c.t_wr; }},

    {E::pre, E::act, S::bank, [](C c) -> DdrClock { return c.t_rp; }},
    {E::pre, E::ref, S::channel, [](C c) -> DdrClock { return c.t_rp; }},

    {E::ref, E::act, S::channel, [](C c) -> DdrClock { return c.t_rfc; }},
    {E::ref, E::ref, S::channel, [](C c) -> DdrClock { return c.t_rfc; }},
};

}  // namespace ddr_rule

/// The table of rules. Those from `pre` hold for every precharge of a bank: by PRE, PREA, RDA, WRA.
inline constexpr auto& ddr_rules = ddr_rule::all;

/// The rules with the clocks of one DRAM.
class DdrRules {
 public:
  static constexpr std::size_t count = std::size(ddr_rules);

  explicit DdrRules(const DdrConfig& config) {
    for (std::size_t i = 0; i < count; ++i) clocks_[i] = ddr_rules[i].clocks(config);
  }
  [[nodiscard]] DdrClock operator[](std::size_t row) const { return clocks_[row]; }
  /// Clocks of one rule, which must exist. Comparisons with other simulators change it.
  [[nodiscard]] DdrClock& between(DdrEvent from, DdrEvent to, DdrScope scope) {
    for (std::size_t i = 0; i < count; ++i) {
      const DdrRule& rule = ddr_rules[i];
      if (rule.from == from && rule.to == to && rule.scope == scope) return clocks_[i];
    }
    internal_error("a rule between two commands of a DRAM is not in the table");
  }

 private:
  std::array<DdrClock, count> clocks_;
};

}  // namespace tactus
