#include "tests/dram/rule_checker.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace tactus::dram {
namespace {

using Kind = DdrCommandKind;

bool is_read(Kind k) { return k == Kind::rd || k == Kind::rda; }
bool is_write(Kind k) { return k == Kind::wr || k == Kind::wra; }
bool is_access(Kind k) { return is_read(k) || is_write(k); }

class Checker {
 public:
  Checker(const DdrConfig& config, const std::vector<DdrCommand>& log, bool with_rows)
      : c_(config), log_(log), with_rows_(with_rows), open_(config.all_banks()) {}

  std::vector<Violation> run() {
    for (now_ = 0; now_ < log_.size(); ++now_) {
      check_state();
      check_refresh();
      check_history();
      change_state();
    }
    check_bus();
    return std::move(found_);
  }

 private:
  [[nodiscard]] const DdrCommand& now() const { return log_[now_]; }
  [[nodiscard]] unsigned group(unsigned bank) const { return bank / c_.banks; }

  void add(const char* rule, const std::string& what) {
    found_.push_back({now_,
                      fmt::format("{}: {} at {} of bank {}, {}", rule, to_text(now().kind),
                                  now().clock, now().bank, what),
                      rule});
  }
  /// Requires `clocks` between `from`, counted from clock `since`, and the current command.
  void at_least(const char* rule, const DdrCommand& from, std::uint64_t since,
                std::uint64_t clocks) {
    if (now().clock >= since + clocks) return;
    add(rule, fmt::format("{} at {} of bank {}: {} clocks needed", to_text(from.kind), from.clock,
                          from.bank, clocks));
  }

  void check_state() {
    const Kind kind = now().kind;
    const auto& row = open_[now().bank];
    if (now_ > 0 && now().clock <= log_[now_ - 1].clock) add("one a clock", "not after the last");
    if (kind == Kind::act && row) add("state", "the bank is open");
    if (kind == Kind::pre && !row) add("state", "the bank is closed");
    if (is_access(kind) && !row) add("state", "the bank is closed");
    if (is_access(kind) && row && with_rows_ && *row != now().row)
      add("state", "another row is open");
    if (kind == Kind::ref) {
      for (const auto& bank : open_) {
        if (bank) add("state", "a bank is open");
      }
    }
  }

  /// When a refresh is due, only PREA and REF are allowed.
  void check_refresh() {
    if (c_.refresh == DdrRefresh::none) {
      if (now().kind == Kind::ref) add("tREFI", "refresh is off");
      return;
    }
    const std::uint64_t due = (refreshes_ + 1) * c_.t_refi;
    if (now().kind == Kind::ref) {
      if (now().clock < due) add("tREFI", fmt::format("due at {}", due));
      ++refreshes_;
    } else if (now().kind == Kind::prea) {
      if (now().clock < due) add("tREFI", fmt::format("PREA without a refresh, due at {}", due));
    } else if (now().clock >= due) {
      add("tREFI", fmt::format("a refresh has been due since {}", due));
    }
  }

  /// Returns the clock in which the precharge of an RDA or WRA begins.
  [[nodiscard]] std::uint64_t own_precharge(std::size_t access) const {
    const DdrCommand& a = log_[access];
    std::uint64_t begin =
        is_read(a.kind) ? a.clock + c_.t_rtp : a.clock + c_.cwl + c_.burst_length / 2 + c_.t_wr;
    for (std::size_t i = access; i-- > 0;) {
      if (log_[i].kind == Kind::act && log_[i].bank == a.bank) {
        return std::max<std::uint64_t>(begin, log_[i].clock + c_.t_ras);
      }
    }
    return begin;
  }

  void check_history() {
    const std::uint64_t longest = std::uint64_t{c_.t_rfc} + c_.t_rc + c_.t_faw + c_.t_ras +
                                  c_.t_wr + c_.cwl + c_.cl + c_.t_rp + c_.burst_length + c_.t_wtr_l;
    unsigned acts = 0;
    for (std::size_t i = now_; i-- > 0;) {
      const DdrCommand& was = log_[i];
      if (was.clock + longest < now().clock) break;
      check_pair(i, was);
      if (was.kind == Kind::act && now().kind == Kind::act && ++acts == 4) {
        at_least("tFAW", was, was.clock, c_.t_faw);
      }
    }
  }

  void check_pair(std::size_t i, const DdrCommand& was) {
    const Kind kind = now().kind;
    const bool all = kind == Kind::prea || kind == Kind::ref;
    const bool same_bank = was.bank == now().bank || all;
    const bool same_group = group(was.bank) == group(now().bank);
    const unsigned half = c_.burst_length / 2;
    switch (was.kind) {
      case Kind::act:
        if ((kind == Kind::act && same_bank) || kind == Kind::ref) {
          at_least("tRC", was, was.clock, c_.t_rc);
        }
        if (kind == Kind::act && !same_bank) {
          at_least("tRRD", was, was.clock, same_group ? c_.t_rrd_l : c_.t_rrd_s);
        }
        if (is_access(kind) && same_bank) at_least("tRCD", was, was.clock, c_.t_rcd);
        if ((kind == Kind::pre || kind == Kind::prea) && same_bank) {
          at_least("tRAS", was, was.clock, c_.t_ras);
        }
        break;
      case Kind::pre:
      case Kind::prea:
        if ((kind == Kind::act && (same_bank || was.kind == Kind::prea)) || kind == Kind::ref) {
          at_least("tRP", was, was.clock, c_.t_rp);
        }
        break;
      case Kind::ref:
        if (kind != Kind::prea) at_least("tRFC", was, was.clock, c_.t_rfc);
        break;
      default:
        check_after_access(i, was, same_bank, same_group, half);
    }
  }

  void check_after_access(std::size_t i, const DdrCommand& was, bool same_bank, bool same_group,
                          unsigned half) {
    const Kind kind = now().kind;
    const bool precharges = kind == Kind::pre || kind == Kind::prea;
    const bool own = was.kind == Kind::rda || was.kind == Kind::wra;
    if (own && same_bank && (kind == Kind::act || kind == Kind::ref)) {
      at_least("tRP behind an access", was, own_precharge(i), c_.t_rp);
    }
    if (is_read(was.kind)) {
      if (is_read(kind)) at_least("tCCD", was, was.clock, same_group ? c_.t_ccd_l : c_.t_ccd_s);
      if (is_write(kind)) at_least("RD to WR", was, was.clock, c_.cl + half + c_.t_turn - c_.cwl);
      if (precharges && same_bank) at_least("tRTP", was, was.clock, c_.t_rtp);
    } else {
      if (is_write(kind)) at_least("tCCD", was, was.clock, same_group ? c_.t_ccd_l : c_.t_ccd_s);
      if (is_read(kind)) {
        at_least("tWTR", was, was.clock, c_.cwl + half + (same_group ? c_.t_wtr_l : c_.t_wtr_s));
      }
      if (precharges && same_bank) {
        at_least(kind == Kind::prea ? "tWR before PREA" : "tWR", was, was.clock,
                 c_.cwl + half + c_.t_wr);
      }
    }
  }

  void change_state() {
    switch (now().kind) {
      case Kind::act:
        open_[now().bank] = now().row;
        break;
      case Kind::rda:
      case Kind::wra:
      case Kind::pre:
        open_[now().bank].reset();
        break;
      case Kind::prea:
        std::fill(open_.begin(), open_.end(), std::nullopt);
        break;
      default:
        break;
    }
  }

  /// Data bursts must not overlap on the bus.
  void check_bus() {
    std::map<std::uint64_t, std::size_t> begins;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (!is_access(log_[i].kind)) continue;
      const std::uint64_t begin = log_[i].clock + (is_read(log_[i].kind) ? c_.cl : c_.cwl);
      now_ = i;
      if (!begins.emplace(begin, i).second) add("bus", "data begins with that of another");
    }
    std::uint64_t end = 0;
    for (const auto& [begin, i] : begins) {
      now_ = i;
      if (begin < end) add("bus", "data overlaps");
      end = begin + c_.burst_length / 2;
    }
  }

  const DdrConfig& c_;
  const std::vector<DdrCommand>& log_;
  bool with_rows_;
  std::vector<std::optional<std::uint32_t>> open_;
  std::size_t now_ = 0;
  std::uint64_t refreshes_ = 0;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> broken_rules(const DdrConfig& config, const std::vector<DdrCommand>& log,
                                    bool with_rows) {
  return Checker(config, log, with_rows).run();
}

}  // namespace tactus::dram
