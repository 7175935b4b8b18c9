#include "models/dram/ddr_banks.h"

namespace tactus {

const char* to_text(DdrCommandKind kind) {
  constexpr std::array<const char*, 8> names{"ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF"};
  return names.at(static_cast<std::size_t>(kind));
}

DdrBanks::DdrBanks(const DdrConfig& config, const DdrRules& rules)
    : rules_(rules), banks_(config.all_banks()), groups_(config.bank_groups) {
  for (unsigned i = 0; i < banks_.size(); ++i) banks_[i].group = i / config.banks;
}

template <DdrEvent event, std::size_t row>
void DdrBanks::apply_row(Bank& bank, DdrClock clock) {
  constexpr const DdrRule& rule = ddr_rules[row];
  if constexpr (rule.from == event) {
    clock += rules_[row];
    if constexpr (rule.scope == DdrScope::five) {
      static_assert(rule.from == DdrEvent::act && rule.to == DdrEvent::act);
      after_four_[oldest_act_] = clock;
      oldest_act_ = (oldest_act_ + 1) % after_four_.size();
    } else {
      Earliest& earliest = rule.scope == DdrScope::bank    ? bank.earliest
                           : rule.scope == DdrScope::group ? groups_[bank.group]
                                                           : channel_;
      earliest[rule.to] = std::max(earliest[rule.to], clock);
    }
  }
}

void DdrBanks::act(unsigned bank, std::uint32_t row, DdrClock clock) {
  banks_[bank].row = row;
  open_ |= std::uint64_t{1} << bank;
  apply<DdrEvent::act>(banks_[bank], clock);
}

void DdrBanks::rd(unsigned bank, DdrClock clock, bool precharges) {
  apply<DdrEvent::rd>(banks_[bank], clock);
  if (precharges) precharge_behind(bank);
}

void DdrBanks::wr(unsigned bank, DdrClock clock, bool precharges) {
  apply<DdrEvent::wr>(banks_[bank], clock);
  if (precharges) precharge_behind(bank);
}

/// Starts the precharge by RDA or WRA as soon as the rules allow it.
void DdrBanks::precharge_behind(unsigned bank) {
  const DdrClock clock = earliest<DdrEvent::own_pre>(banks_[bank]);
  DdrClock& prea = banks_[bank].earliest[DdrEvent::prea];
  prea = std::max(prea, clock);
  precharge(bank, clock);
}

void DdrBanks::precharge(unsigned bank, DdrClock clock) {
  banks_[bank].row = closed;
  open_ &= ~(std::uint64_t{1} << bank);
  apply<DdrEvent::pre>(banks_[bank], clock);
}

void DdrBanks::pre(unsigned bank, DdrClock clock) { precharge(bank, clock); }

void DdrBanks::prea(DdrClock clock) {
  for (unsigned bank = 0; bank < banks_.size(); ++bank) {
    if (banks_[bank].row != closed) precharge(bank, clock);
  }
}

void DdrBanks::ref(DdrClock clock) {
  for (Bank& bank : banks_) apply<DdrEvent::ref>(bank, clock);
}

}  // namespace tactus
