#include "isa/dram/ddr_config.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "isa/dram/address_map.h"

namespace tactus {
namespace {

using C = DdrConfig;

constexpr WholeRange clocks{1, 4096};
constexpr unsigned most_banks = 64;

std::vector<Parameter<C>> geometry() {
  return {
      whole("bus_bits", &C::bus_bits, {8, 1024, true}, "bits",
            "width of the data bus over all devices side by side; a column has this width"),
      whole("burst_length", &C::burst_length, {2, 32, true}, "columns",
            "columns that one RD or WR transfers: 8 for DDR3 and DDR4, 16 for LPDDR4"),
      whole("bank_groups", &C::bank_groups, {1, 16, true}, "groups",
            "bank groups; 1 if the standard has none (DDR3, LPDDR4)"),
      whole("banks", &C::banks, {1, 64, true}, "banks", "banks of one group"),
      whole("rows", &C::rows, {2, std::uint64_t{1} << 24, true}, "rows", "rows of a bank"),
      whole("columns", &C::columns, {8, 65536, true}, "columns", "columns of a row"),
      text("address_map", &C::address_map, "row_bank_column",
           "which bits of an address select row, bank and column: row_bank_column, "
           "bank_row_column, row_column_bank, or a list from the highest bit down, such as \"row "
           "30:16, bank 15:14, bank_group 13, column 12:3, byte 2:0\""),
      boolean("bank_hash", &C::bank_hash,
              "bank and bank group are XORed with the lowest bits of the row, so that rows a power "
              "of two apart lie in different banks")
          .which_old_files_lack(),
  };
}

/// Nanoseconds in clocks, rounded up by JEDEC's rule (JESD79-4, rounding algorithms): a remainder
/// below 2.6 % of a clock is ignored, since it stems from tCK being given in whole picoseconds.
double clocks_of(double ns, unsigned tck_ps) { return std::floor(ns * 1000 / tck_ps + 0.974); }

/// A timing given in clocks, or in nanoseconds as KEY_ns. tck_ps must be read before it.
Parameter<C> timing(std::string_view key, unsigned C::*member, WholeRange range,
                    std::string_view sentence) {
  Parameter<C> p = whole(key, member, range, "clocks", sentence);
  const ParameterInfo info = p;
  p.read_json = [info, member](ObjectReader& reader, C& c) {
    const std::string key_ns = info.key + "_ns";
    if (!reader.has(key_ns)) {
      c.*member = static_cast<unsigned>(std::get<std::uint64_t>(read_parameter(info, reader)));
      return;
    }
    if (reader.has(info.key)) {
      reader.add_problem(key_ns,
                         fmt::format("there is \"{}\" already; allowed: one of the two", info.key));
    }
    const double count = clocks_of(reader.get_real_in(key_ns, 0, 1e9), c.tck_ps);
    if (count >= static_cast<double>(info.whole.min) &&
        count <= static_cast<double>(info.whole.max)) {
      c.*member = static_cast<unsigned>(count);
      return;
    }
    c.*member = static_cast<unsigned>(info.whole.min);
    if (reader.problems().concerns(reader.path() + "/" + key_ns) ||
        reader.problems().concerns(reader.path() + "/tck_ps")) {
      return;
    }
    reader.add_problem(key_ns, fmt::format("are {:.0f} clocks of {} ps; allowed {}", count,
                                           c.tck_ps, info.range()));
  };
  p.write_json = [key = std::string(key), member](nlohmann::ordered_json& json, const C& c) {
    json[key] = c.*member;
  };
  return p;
}

std::vector<Parameter<C>> timings() {
  const auto t = [](std::string_view key, unsigned C::*member, std::string_view sentence) {
    return timing(key, member, clocks, sentence);
  };
  return {
      whole("tck_ps", &C::tck_ps, {100, 100000}, "ps",
            "clock period tCK, in which two beats of data pass"),
      t("cl", &C::cl, "from RD to its data"),
      t("cwl", &C::cwl, "from WR to its data"),
      t("t_rcd", &C::t_rcd, "from ACT to RD or WR of its row"),
      t("t_rp", &C::t_rp, "from PRE to ACT of the bank, and from PREA to REF"),
      t("t_ras", &C::t_ras, "from ACT to PRE of the bank"),
      t("t_rc", &C::t_rc, "from ACT to ACT of one bank"),
      t("t_faw", &C::t_faw, "any window of this length has at most four ACT"),
      t("t_rrd_s", &C::t_rrd_s, "from ACT to ACT of a bank of another group"),
      t("t_rrd_l", &C::t_rrd_l, "from ACT to ACT of another bank of the group"),
      t("t_ccd_s", &C::t_ccd_s, "from RD to RD and from WR to WR in different groups"),
      t("t_ccd_l", &C::t_ccd_l, "from RD to RD and from WR to WR in one group"),
      t("t_wr", &C::t_wr, "from the end of a write's data to PRE of the bank"),
      t("t_rtp", &C::t_rtp, "from RD to PRE of the bank"),
      t("t_wtr_s", &C::t_wtr_s, "from the end of a write's data to RD in another group"),
      t("t_wtr_l", &C::t_wtr_l, "from the end of a write's data to RD in one group"),
      timing("t_turn", &C::t_turn, {0, 64},
             "the bus is idle this long between the data of an RD and the data of a WR: 2 for "
             "DDR3, 1 + tWPRE for DDR4"),
      t("t_rfc", &C::t_rfc, "from REF to the next command"),
      timing("t_refi", &C::t_refi, {1, 1000000}, "from a refresh to the next"),
  };
}

std::vector<Parameter<C>> controller() {
  const WholeRange entries{1, 256};
  return {
      choice("refresh", &C::refresh, {"all_bank", "none"},
             "all_bank: every t_refi one refresh of all banks falls due and is done at once; none: "
             "there are no refreshes"),
      choice(
          "scheduler", &C::scheduler, {"fifo", "frfcfs"},
          "fifo: a bank serves its accesses in order; frfcfs: accesses to its open row go first"),
      whole("cap", &C::cap, {0, 65536}, "accesses",
            "with scheduler frfcfs: an access goes first after this many younger accesses of its "
            "bank have passed it; 0: no limit"),
      choice("page_policy", &C::page_policy, {"open", "closed", "timeout"},
             "open: a row stays open; closed: every access closes it; timeout: see page_timeout"),
      optional_whole("page_timeout", &C::page_timeout, {1, 1000000}, "clocks", "off",
                     "with page_policy timeout: a row is closed when its bank has had no RD or WR "
                     "for this long"),
      whole("buffer", &C::buffer, entries, "accesses",
            "accesses that the scheduler holds; with read_priority, reads only"),
      boolean("read_priority", &C::read_priority,
              "reads go first, and writes wait in a buffer of their own until no read waits or "
              "write_high_mark is reached"),
      whole("write_buffer", &C::write_buffer, entries, "accesses",
            "with read_priority: writes that the scheduler holds"),
      whole("write_high_mark", &C::write_high_mark, entries, "accesses",
            "with read_priority: when this many writes wait, writes go before reads"),
      whole("write_low_mark", &C::write_low_mark, {0, 255}, "accesses",
            "with read_priority: reads go first again when no more than this many writes wait"),
      whole("port_queue", &C::port_queue, entries, "accesses",
            "accesses that wait in a port, before the scheduler"),
      whole("xpi_interval", &C::xpi_interval, clocks, "clocks",
            "a port hands one access to the controller in this time, which stands for the port's "
            "width and clock"),
      whole("command_delay", &C::command_delay, {1, 64}, "clocks",
            "from an access's entry into the buffer to its first command"),
  };
}

ParameterTable<C> make_table() {
  std::vector<Parameter<C>> all = geometry();
  for (auto& p : timings()) all.push_back(p);
  for (auto& p : controller()) all.push_back(p.which_old_files_lack());
  for (auto& p : all) p = p.without_option();
  return {"dram",
          "A DRAM and its controller. A file of configs/dram has every key, beside \"name\", "
          "\"title\" and \"provenance\"; those from refresh on may be left out. In place of a time "
          "in clocks, KEY_ns has it in ns (\"t_rcd_ns\": 13.75), which is rounded up to clocks.",
          std::move(all)};
}

/// Collects contradictions between values.
struct Checks {
  const C& c;
  std::vector<DdrProblem> problems;

  void add(std::string_view key, std::string what) {
    problems.push_back({std::string(key), std::move(what)});
  }
  void at_least(std::string_view key, std::uint64_t value, std::uint64_t least,
                std::string_view why) {
    if (value >= least) return;
    add(key, fmt::format("{} contradicts {}; allowed {} or more", value, why, least));
  }
};

void check_timings(Checks& k) {
  const C& c = k.c;
  k.at_least("t_ras", c.t_ras, c.t_rcd, "t_rcd");
  // t_ras and t_rp are rounded up to clocks separately, their sum t_rc only once.
  k.at_least("t_rc", c.t_rc, c.t_ras + c.t_rp - 1, "t_ras + t_rp");
  k.at_least("t_rrd_l", c.t_rrd_l, c.t_rrd_s, "t_rrd_s");
  k.at_least("t_ccd_l", c.t_ccd_l, c.t_ccd_s, "t_ccd_s");
  k.at_least("t_wtr_l", c.t_wtr_l, c.t_wtr_s, "t_wtr_s");
  k.at_least("t_faw", c.t_faw, c.t_rrd_s, "t_rrd_s");
  k.at_least("t_ccd_s", c.t_ccd_s, c.burst_clocks(), "burst_length: data would overlap");
  if (c.cl + c.burst_clocks() + c.t_turn <= c.cwl) {
    k.add("cwl", fmt::format("{} contradicts cl; allowed up to {}", c.cwl,
                             c.cl + c.burst_clocks() + c.t_turn - 1));
  }
  if (c.bank_groups == 1) {
    const auto same = [&](std::string_view key, unsigned s, unsigned l, std::string_view other) {
      if (s == l) return;
      k.add(key, fmt::format("{} differs from {} {}; allowed {}, there is one bank group", s, other,
                             l, l));
    };
    same("t_rrd_s", c.t_rrd_s, c.t_rrd_l, "t_rrd_l");
    same("t_ccd_s", c.t_ccd_s, c.t_ccd_l, "t_ccd_l");
    same("t_wtr_s", c.t_wtr_s, c.t_wtr_l, "t_wtr_l");
  }
  if (c.refresh == DdrRefresh::all_bank) {
    // The slowest access, from a closed bank to a closed bank, must fit between two refreshes.
    const std::uint64_t access = std::uint64_t{c.command_delay} + c.t_rc + c.t_rcd + c.cl + c.cwl +
                                 c.burst_clocks() + c.t_wr + c.t_rp;
    k.at_least(
        "t_refi", c.t_refi, c.t_rfc + access,
        fmt::format("t_rfc: an access and a refresh take up to {} clocks", c.t_rfc + access));
  }
}

void check_controller(Checks& k) {
  const C& c = k.c;
  const bool timeout = c.page_policy == DdrPagePolicy::timeout;
  if (timeout && !c.page_timeout) {
    k.add("page_timeout", "missing key; page_policy timeout needs it");
  }
  if (!timeout && c.page_timeout) {
    k.add("page_timeout", "is set, but page_policy is not timeout");
  }
  if (!c.read_priority) return;
  if (c.write_high_mark > c.write_buffer) {
    k.add("write_high_mark", fmt::format("{} is beyond write_buffer; allowed up to {}",
                                         c.write_high_mark, c.write_buffer));
  }
  if (c.write_low_mark >= c.write_high_mark) {
    k.add("write_low_mark", fmt::format("{} is not below write_high_mark; allowed up to {}",
                                        c.write_low_mark, c.write_high_mark - 1));
  }
}

}  // namespace

const ParameterTable<DdrConfig>& ddr_parameters() {
  static const ParameterTable<DdrConfig> table = make_table();
  return table;
}

std::vector<DdrProblem> ddr_problems(const DdrConfig& config) {
  Checks checks{config, {}};
  if (config.all_banks() > most_banks) {
    checks.add("banks", fmt::format("{} groups of {} are more than {} banks", config.bank_groups,
                                    config.banks, most_banks));
  }
  if (config.columns < config.burst_length) {
    checks.add("columns", fmt::format("{} is less than a burst; allowed {} or more", config.columns,
                                      config.burst_length));
  } else if (std::string what = AddressMap::problem(config); !what.empty()) {
    checks.add("address_map", std::move(what));
  }
  check_timings(checks);
  check_controller(checks);
  return std::move(checks.problems);
}

void check_ddr(const DdrConfig& config, ObjectReader& reader) {
  // A value that could not be read was replaced by another, so comparisons with it mean nothing.
  for (const ParameterInfo& parameter : ddr_parameters().section().parameters) {
    for (const char* suffix : {"", "_ns"}) {
      if (reader.problems().concerns(reader.path() + "/" + parameter.key + suffix)) return;
    }
  }
  for (DdrProblem& problem : ddr_problems(config)) {
    reader.add_problem(problem.key, std::move(problem.what));
  }
}

}  // namespace tactus
