#include "models/dram/ddr_banks.h"

namespace tactus {

const char* to_text(DdrCommandKind kind) {
  constexpr std::array<const char*, 8> names{"ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF"};
  return names.at(static_cast<std::size_t>(kind));
}

DdrBanks::DdrBanks(const DdrConfig& config, const DdrRules& rules)
    : rules_(rules), banks_(config.all_banks()), groups_(config.bank_groups) {
  for (unsigned i = 0; i < banks_.size(); ++i) banks_[i].group = i / config.banks;
  // Four ACTs before time 0, which delay no later ACT: the sum of their clock and the rule's clocks
  // wraps to 0.
  last_acts_.fill(DdrClock{0} - rules.act_to_fifth_act);
}

DdrClock DdrBanks::earliest_prea() const {
  DdrClock earliest = 0;
  // After RDA or WRA a bank counts as open until its own precharge has begun.
  for (const Bank& bank : banks_) earliest = std::max(earliest, bank.prea);
  return earliest;
}

void DdrBanks::act(unsigned bank, std::uint32_t row, DdrClock clock) {
  Bank& b = banks_[bank];
  Group& g = groups_[b.group];
  b.row = row;
  b.act = clock + rules_.act_to_act;
  b.access = clock + rules_.act_to_access;
  b.pre = b.prea = clock + rules_.act_to_pre;
  b.own_precharge = clock + rules_.act_to_own_precharge;
  g.act = std::max(g.act, clock + rules_.act_to_act_l);
  channel_.act = std::max(channel_.act, clock + rules_.act_to_act_s);
  ref_ = std::max(ref_, clock + rules_.act_to_ref);
  last_acts_[oldest_act_] = clock;
  oldest_act_ = (oldest_act_ + 1) % last_acts_.size();
  open_ |= std::uint64_t{1} << bank;
}

void DdrBanks::rd(unsigned bank, DdrClock clock, bool precharges) {
  Bank& b = banks_[bank];
  Group& g = groups_[b.group];
  g.rd = std::max(g.rd, clock + rules_.access_to_access_l);
  channel_.rd = std::max(channel_.rd, clock + rules_.access_to_access_s);
  channel_.wr = std::max(channel_.wr, clock + rules_.rd_to_wr);
  if (precharges) return precharge_behind(bank, clock + rules_.rd_to_pre);
  b.pre = std::max(b.pre, clock + rules_.rd_to_pre);
  b.prea = std::max(b.prea, clock + rules_.rd_to_pre);
}

void DdrBanks::wr(unsigned bank, DdrClock clock, bool precharges) {
  Bank& b = banks_[bank];
  Group& g = groups_[b.group];
  g.wr = std::max(g.wr, clock + rules_.access_to_access_l);
  channel_.wr = std::max(channel_.wr, clock + rules_.access_to_access_s);
  g.rd = std::max(g.rd, clock + rules_.wr_to_rd_l);
  channel_.rd = std::max(channel_.rd, clock + rules_.wr_to_rd_s);
  if (precharges) return precharge_behind(bank, clock + rules_.wr_to_pre);
  b.pre = std::max(b.pre, clock + rules_.wr_to_pre);
  b.prea = std::max(b.prea, clock + rules_.wr_to_prea);
}

/// Starts the precharge by RDA or WRA: at `clock`, or later if the rules after ACT require it.
void DdrBanks::precharge_behind(unsigned bank, DdrClock clock) {
  Bank& b = banks_[bank];
  clock = std::max(clock, b.own_precharge);
  b.prea = std::max(b.prea, clock);
  precharge(bank, clock);
}

void DdrBanks::precharge(unsigned bank, DdrClock clock) {
  Bank& b = banks_[bank];
  b.row = closed;
  b.act = std::max(b.act, clock + rules_.pre_to_act);
  ref_ = std::max(ref_, clock + rules_.pre_to_ref);
  open_ &= ~(std::uint64_t{1} << bank);
}

void DdrBanks::pre(unsigned bank, DdrClock clock) { precharge(bank, clock); }

void DdrBanks::prea(DdrClock clock) {
  for (unsigned bank = 0; bank < banks_.size(); ++bank) {
    if (banks_[bank].row != closed) precharge(bank, clock);
  }
}

void DdrBanks::ref(DdrClock clock) {
  channel_.act = std::max(channel_.act, clock + rules_.ref_to_act);
  ref_ = std::max(ref_, clock + rules_.ref_to_act);
}

}  // namespace tactus
