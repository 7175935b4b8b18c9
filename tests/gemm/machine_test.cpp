// Matrix products on the DPAS machine: correct, as fast as expected, and the same with all engines.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "firmware/gemm/comparison.h"
#include "firmware/gemm/config.h"
#include "firmware/gemm/figures.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

Measurement measured(const GemmConfig& config, const std::string& shape) {
  return make_runner(config)->run(parse_shape(shape, "shape"), {});
}

Measurement measured(const std::string& machine, const std::string& shape) {
  return measured(named_machine(machine), shape);
}

/// Expects at least this share of the peak with ideal memory and int8.
void expect_share_of_peak(const char* machine, const char* shape, double least) {
  const Measurement m = measured(machine, shape);
  EXPECT_EQ(m.wrong, "");
  EXPECT_EQ(m.checked, m.problem.m * m.problem.n);
  EXPECT_GE(m.useful_mac(), least) << machine << " " << shape << ": " << m.run.cycles << " cycles";
  EXPECT_LE(m.useful_mac(), 1.0);
}

TEST(GemmTargets, PvcLargeProduct) { expect_share_of_peak("pvc", "1024x1024x1024", 0.90); }
TEST(GemmTargets, Dg2LargeProduct) { expect_share_of_peak("dg2", "1024x1024x1024", 0.90); }
TEST(GemmTargets, PvcTokens) { expect_share_of_peak("pvc", "197x768x768", 0.85); }
TEST(GemmTargets, Dg2Tokens) { expect_share_of_peak("dg2", "197x768x768", 0.85); }

TEST(GemmMachine, RandomProductsAreRightOnEveryEngine) {
  ASSERT_TRUE(rc::check([] {
    const auto name = *rc::gen::element<std::string>("dg2", "pvc", "pvcxt", "xe2", "pvc@zcu104",
                                                     "xe2@pynq_z1", "dg2@arty_a7_35");
    GemmConfig config = named_machine(name);
    config.kernel.precision = *rc::gen::element<std::string>("int8", "u4.s8", "uint2", "bf16");
    config.kernel.b_layout = *rc::gen::element(BLayout::rows, BLayout::vnni);
    config.kernel.threads = *rc::gen::inRange(0U, 9U);
    config.kernel.buffers = *rc::gen::inRange(0U, 3U);
    // If the machine has no board's memory, the kind of memory is random.
    if (name.find('@') == std::string::npos) {
      config.dpas.machine.memory =
          *rc::gen::element(dpas::MemoryKind::ideal, dpas::MemoryKind::axi);
    }
    config.board.axi_data_bits = *rc::gen::element(64U, 256U, 1024U);
    const std::string shape = fmt::format("{}x{}x{}", *rc::gen::inRange(1, 70),
                                          *rc::gen::inRange(1, 70), *rc::gen::inRange(1, 200));
    const Measurement fast = measured(config, shape);
    RC_ASSERT(fast.wrong == "");
    RC_ASSERT(fast.run.cycles >= fast.bound.cycles);
    for (const Engine engine : {Engine::step, Engine::check}) {
      config.engine = engine;
      const Measurement other = measured(config, shape);
      RC_ASSERT(other.wrong == "");
      RC_ASSERT(other.run.cycles == fast.run.cycles);
      RC_ASSERT(other.run.accounting.totals.values == fast.run.accounting.totals.values);
      RC_ASSERT(other.run.accounting.totals.time == fast.run.accounting.totals.time);
    }
  }));
}

TEST(GemmMachine, LostAndBusyCyclesAddUp) {
  const Measurement m = measured("pvc", "100x100x100");
  std::uint64_t lost = 0;
  for (const Lost& reason : lost_by_reason(m)) lost += reason.cycles;
  EXPECT_EQ(lost + m.run.accounting.totals.of("rows"), m.run.accounting.cycles);
}

TEST(GemmMachine, StoresWriteEveryElementOnce) {
  const Measurement m = measured("pvc", "100x100x100");
  ASSERT_EQ(m.levels.size(), 3U);
  EXPECT_EQ(m.levels[1].bytes_written, 100U * 100 * 4);
}

TEST(GemmMachine, MacrosSaveReadsOfB) {
  GemmConfig config = named_machine("pvc");
  const Measurement joined = measured(config, "64x64x256");
  // A macro of m_tiles DPAS reads B once; each DPAS but the first saves 8 register reads.
  EXPECT_EQ(joined.schedule.rfind("4x2 tiles of 8 rows", 0), 0U) << joined.schedule;
  EXPECT_EQ(joined.registers->saved, joined.array_instructions * 3 / 4 * 8);
  config.dpas.machine.macros = dpas::Macros::off;
  EXPECT_EQ(measured(config, "64x64x256").registers->saved, 0U);
}

/// The array also buffers A, four registers' worth, so a step along K is one macro: the second
/// column starts with the rows of A with which the first column ended.
TEST(GemmMachine, MacrosSaveReadsOfAWhereTheArrayKeepsIt) {
  for (const unsigned tiles : {4U, 5U}) {
    GemmConfig config = named_machine("pvcxt");
    config.kernel.m_tiles = tiles, config.kernel.n_tiles = 2;
    const Measurement m = measured(config, fmt::format("{}x64x256", 16 * tiles));
    ASSERT_EQ(m.array_instructions % (2 * tiles), 0U);
    // B takes 8 registers, A takes 4.
    const unsigned of_b = 2 * (tiles - 1) * 8, of_a = 4 * 4;
    EXPECT_EQ(m.registers->saved, m.array_instructions / (2 * tiles) * (of_b + of_a));
  }
}

/// With a single row the array takes one cycle for A but eight for each B.
TEST(GemmMachine, OneRowIsBoundByLoadsOfB) {
  const Measurement m = measured("pvc", "1x1024x1024");
  EXPECT_EQ(m.wrong, "");
  EXPECT_EQ(m.bound.cycles, 64U * 32 * 8 + 21);
  EXPECT_GE(m.run.cycles, m.bound.cycles);
  EXPECT_LT(m.useful_mac(), 0.125);
}

TEST(GemmMachine, TwoSetsOfOperandsHideTheLoadsOfOneThread) {
  GemmConfig config = named_machine("pvc");
  config.kernel.threads = 1;
  config.kernel.m_tiles = 2, config.kernel.n_tiles = 2;
  config.kernel.buffers = 1;
  const Measurement one = measured(config, "64x64x1024");
  config.kernel.buffers = 2;
  const Measurement two = measured(config, "64x64x1024");
  EXPECT_LT(two.run.cycles * 4, one.run.cycles * 3);
}

TEST(GemmMachine, HalfTheDepthTakesTwiceTheTime) {
  GemmConfig config = named_machine("pvc");
  const Measurement whole = measured(config, "128x128x512");
  config.dpas.machine.profile.array_depth = 4;
  const Measurement half = measured(config, "128x128x512");
  EXPECT_EQ(half.peak_macs * 2, whole.peak_macs);
  EXPECT_GE(half.run.cycles, half.bound.cycles);
  EXPECT_GE(half.bound.cycles, 2 * (whole.bound.cycles - 40));
}

TEST(GemmMachine, FormulaIsCloseWhereTheArrayIsTheLimit) {
  for (const char* machine : {"pvc", "dg2", "xe2"}) {
    const Measurement m = measured(machine, "256x256x1024");
    const double ratio =
        static_cast<double>(m.estimated_cycles) / static_cast<double>(m.run.cycles);
    EXPECT_NEAR(ratio, 1.0, 0.05) << machine;
  }
}

TEST(GemmMachine, TheCycleLimitIsReported) {
  RunLimits limits;
  limits.max_cycles = 100;
  const Measurement m =
      make_runner(named_machine("pvc"))->run(parse_shape("64x64x64", "shape"), limits);
  EXPECT_EQ(m.wrong.rfind("the program did not finish within ", 0), 0U);
  EXPECT_EQ(m.run.end, RunEnd::cycle_limit);
}

TEST(GemmMachine, ExecutionSizeAndRegisterSizeMustAgree) {
  GemmConfig config = named_machine("pvc");
  config.dpas.machine.profile.execution_size = 8;
  EXPECT_THROW((void)make_runner(config), UserError);
  config.dpas.machine.profile.grf_bytes = 32;
  EXPECT_EQ(measured(config, "40x40x100").wrong, "");
}

TEST(GemmMachine, UnknownMachinesAreRefused) {
  for (const char* name : {"", "pvd", "tcu:", "tcu", "dpas:", "gpu:pvc", "tcu:nowhere"}) {
    EXPECT_THROW((void)named_machine(name), UserError) << name;
  }
}

/// Returns the rows of a table, each as values by column.
std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> list(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) {
        list.emplace_back();
      } else {
        list.back() += c;
      }
    }
    return list;
  };
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> names = cells(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> row = cells(line);
    EXPECT_EQ(row.size(), names.size());
    rows.emplace_back();
    for (std::size_t i = 0; i < std::min(row.size(), names.size()); ++i) {
      rows.back()[names[i]] = row[i];
    }
  }
  return rows;
}

TEST(Comparison, WritesEveryFigureOfEveryMachine) {
  Comparison comparison;
  comparison.machines.push_back(make_runner(named_machine("pvc")));
  GemmConfig tcu = named_machine("pvc");
  tcu.machine = "tcu:small";
  tcu.is_tcu = true;
  comparison.machines.push_back(make_runner(tcu));
  comparison.problems.push_back(parse_shape("24x32x64", "shape"));
  comparison.problems.back().count = 3;
  comparison.results.emplace_back();
  for (const auto& machine : comparison.machines) {
    comparison.results.back().push_back(machine->run(comparison.problems.back(), {}));
    EXPECT_EQ(comparison.results.back().back().wrong, "");
  }
  const std::string csv = to_csv(comparison);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find("24x32x64,24,32,64,3,tcu:small,FP16BP8"), std::string::npos) << csv;
  // Reasons, memory levels and memories are columns. A cell is empty if the machine has no such
  // value.
  const std::vector<std::map<std::string, std::string>> rows = csv_rows(csv);
  for (std::size_t i = 0; i < 2; ++i) {
    const Measurement& m = comparison.results.back()[i];
    std::uint64_t lost = 0, bits = 0;
    for (const auto& [column, value] : rows[i]) {
      if (value.empty()) continue;
      if (column.rfind("lost_by_reason.", 0) == 0) lost += std::stoull(value);
      if (column.rfind("on_chip.", 0) == 0) bits += std::stoull(value);
    }
    EXPECT_EQ(std::to_string(lost), rows[i].at("lost_cycles"));
    EXPECT_EQ(std::to_string(bits), rows[i].at("on_chip_bits"));
    for (const Level& level : m.levels) {
      EXPECT_EQ(rows[i].at("levels." + key(level.name) + ".bytes_read"),
                std::to_string(level.bytes_read));
      EXPECT_EQ(rows[i].at("levels." + key(level.name) + ".bytes_written"),
                std::to_string(level.bytes_written));
    }
  }
  EXPECT_EQ(rows[1].at("levels.register_files.bytes_read"), "");
  EXPECT_EQ(rows[0].at("levels.local_memory.bytes_read"), "");
  const std::string json = to_json(comparison);
  const std::string html = to_html(comparison);
  for (const GemmFigure& figure : gemm_figures()) {
    EXPECT_NE(json.find(fmt::format("\"{}\"", figure.name)), std::string::npos);
    EXPECT_NE(html.find(std::string(figure.title)), std::string::npos);
  }
  EXPECT_EQ(comparison.total(0).macs, 3U * 24 * 32 * 64);
}

}  // namespace
}  // namespace tactus::gemm
