// Functions that give cycles: the golden table in both columns, rows, sources, occupancy, macros.
#include <gtest/gtest.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/program.h"
#include "isa/dpas/timing.h"
#include "tests/dpas/golden.h"
#include "tests/dpas/kernels.h"

namespace tactus::dpas {
namespace {

std::string file_of(const std::string& platform) {
  if (platform == "XeHP_SDV") return "xehp_sdv";
  if (platform == "ARL_4deep") return "arl_4deep";
  if (platform == "ARL_default") return "arl";
  std::string name = platform;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

TEST(DpasTiming, GoldenLatenciesInBothColumns) {
  enum Column { platform, exec, rc, igc, kind, model, depth, overhead };
  unsigned count = 0;
  for (const auto& row : golden_table("timing.tsv")) {
    if (row[platform] == "platform") continue;
    const Profile profile = profile_named(file_of(row[platform]));
    const auto repeat = static_cast<unsigned>(std::stoul(row[rc]));
    EXPECT_EQ(std::to_string(profile.execution_size), row[exec]);
    EXPECT_EQ(std::to_string(profile.array_depth), row[depth]);
    EXPECT_EQ(std::to_string(profile.overhead), row[overhead]);
    EXPECT_EQ(std::to_string(latency(profile, repeat, LatencyModel::igc)), row[igc])
        << row[platform] << " RC " << repeat;
    EXPECT_EQ(std::to_string(latency(profile, repeat, LatencyModel::model)), row[model])
        << row[platform] << " RC " << repeat;
    // The model equals the compiler's number, except in rows of kind "catchall".
    if (row[kind] != "catchall") {
      EXPECT_EQ(row[igc], row[model]);
    }
    ++count;
  }
  EXPECT_GE(count, 24U);
}

TEST(DpasTiming, Xe3pHasANumberOfItsOwnForFp8) {
  const Profile profile = profile_named("xe3p");
  Instruction i;
  i.w = i.a = Precision::bf8;
  i.repeat_count = 8;
  EXPECT_EQ(latency(profile, i, LatencyModel::igc), 29U);
  EXPECT_EQ(latency(profile, i, LatencyModel::model), 33U);
  i.repeat_count = 1;
  EXPECT_EQ(latency(profile, i, LatencyModel::igc), 22U);
  i.w = i.a = Precision::bf;
  i.repeat_count = 8;
  EXPECT_EQ(latency(profile, i, LatencyModel::igc), 33U);
}

/// 8 cycles from issue to the first read, 8 stages, 5 cycles to the first write, one row per cycle.
TEST(DpasTiming, RowsReadAndWrittenByAnInstruction) {
  const Profile pvc = profile_named("pvc");
  EXPECT_EQ(row_read(pvc, 8, 0, 0), 8U);
  EXPECT_EQ(row_read(pvc, 8, 0, 7), 15U);
  EXPECT_EQ(row_written(pvc, 8, 0, LatencyModel::model), 8U + 8U + 5U);
  EXPECT_EQ(row_written(pvc, 8, 7, LatencyModel::model), 28U);
  EXPECT_EQ(sources_released(pvc, 8), 16U);
  EXPECT_EQ(sources_released(pvc, 1), 9U);
  const Profile dg2 = profile_named("dg2");
  EXPECT_EQ(dg2.passes(), 2U);
  EXPECT_EQ(row_read(dg2, 8, 1, 0), 16U);  // the second pass follows the eight rows of the first
  EXPECT_EQ(row_read(dg2, 2, 1, 0), 12U);  // or the four stages of the first
  EXPECT_EQ(sources_released(dg2, 8), 24U);
  for (const char* name : {"pvc", "pvcxt", "dg2", "arl", "xe2"}) {
    const Profile p = profile_named(name);
    for (unsigned rc = 1; rc <= 8; ++rc) {
      // The last row of the last pass is written o - 8 cycles after it leaves the stages (o:
      // overhead).
      EXPECT_EQ(row_written(p, rc, rc - 1, LatencyModel::model),
                row_read(p, rc, p.passes() - 1, rc - 1) + p.array_depth + p.overhead - read_delay);
    }
  }
}

Kernel kernel_of(const std::string& profile, const std::string& lines) {
  const Profile machine = profile_named(profile);
  const std::string elements = std::to_string(8 * machine.execution_size);
  std::string text = kernel_head;
  for (const char* name : {"D0", "D1", "D2", "D3", "B0", "B1", "A0", "A1"}) {
    text += std::string(".decl ") + name + " v_type=G type=" + (name[0] == 'D' ? "d" : "ud") +
            " num_elts=" + elements + " align=GRF\n";
  }
  Program program = assemble(text + lines + "ret (M1, 1)\n", "k");
  resolve(program, machine);
  return program.kernels[0];
}

TEST(DpasTiming, OccupancyIsRowsOrTheLoadOfB) {
  const auto of = [](const char* profile, const std::string& suffix, bool held) {
    const Profile p = profile_named(profile);
    const Kernel k =
        kernel_of(profile, "dpas." + suffix + " (M1, " + std::to_string(p.execution_size) +
                               ") D0.0 D0.0 B0.0 A0(0,0)\n");
    return occupancy(p, k.instructions[0], held);
  };
  EXPECT_EQ(of("pvc", "s8.s8.8.8", true), 8U);
  EXPECT_EQ(of("pvc", "s8.s8.8.8", false), 8U);
  EXPECT_EQ(of("pvc", "s8.s8.8.1", true), 1U);
  EXPECT_EQ(of("pvc", "s8.s8.8.1", false), 8U);
  EXPECT_EQ(of("pvc", "s4.s8.8.1", false), 4U);
  EXPECT_EQ(of("pvc", "s2.s8.8.1", false), 2U);
  EXPECT_EQ(of("dg2", "s8.s8.8.8", true), 16U);
  EXPECT_EQ(of("arl", "s8.s8.8.8", true), 32U);
  EXPECT_EQ(of("xe2", "s8.s8.8.3", false), 8U);
}

/// Macros that the real finalizer forms, spec section 8.3.
TEST(DpasTiming, Macros) {
  const auto length = [](const char* profile, const std::string& shape, const std::string& how) {
    const Profile p = profile_named(profile);
    std::string lines;
    for (unsigned n = 0; n < 4; ++n) {
      const std::string d = how == "chain" ? "D0" : "D" + std::to_string(n);
      const std::string b = how == "alternating" && n % 2 != 0 ? "B1" : "B0";
      const std::string a = how == "alternating" ? "A0" : n % 2 != 0 ? "A1" : "A0";
      lines += "dpas.s8.s8." + shape + " (M1, " + std::to_string(p.execution_size) + ") " + d +
               ".0 " + d + ".0 " + b + ".0 " + a + "(0,0)\n";
    }
    const Kernel k = kernel_of(profile, lines);
    unsigned count = 1;
    while (count < 4 && joins_macro(p, &k.instructions[0], count, k.instructions[count])) ++count;
    return count;
  };
  EXPECT_EQ(length("pvc", "8.8", "shared"), 4U);
  EXPECT_EQ(length("dg2", "8.8", "shared"), 4U);
  EXPECT_EQ(length("pvc", "8.8", "alternating"), 1U);
  EXPECT_EQ(length("dg2", "8.8", "alternating"), 4U);
  EXPECT_EQ(length("pvcxt", "8.8", "alternating"), 4U);
  EXPECT_EQ(length("pvc", "8.4", "alternating"), 1U);
  EXPECT_EQ(length("pvcxt", "8.4", "alternating"), 1U);
  EXPECT_EQ(length("dg2", "8.4", "alternating"), 4U);
  for (const char* profile : {"pvc", "pvcxt", "dg2"})
    EXPECT_EQ(length(profile, "8.8", "chain"), 1U);
}

/// Published peaks count two operations per MAC: 1024 for int8 on PVC, 256 on DG2, 512 on Xe2.
TEST(DpasTiming, PeaksAreThePublishedOnes) {
  EXPECT_EQ(2 * peak_macs(profile_named("pvc"), 4), 1024U);
  EXPECT_EQ(2 * peak_macs(profile_named("pvc"), 2), 512U);
  EXPECT_EQ(2 * peak_macs(profile_named("pvc"), 1), 256U);
  EXPECT_EQ(2 * peak_macs(profile_named("pvc"), 8), 2048U);
  EXPECT_EQ(2 * peak_macs(profile_named("dg2"), 4), 256U);
  EXPECT_EQ(2 * peak_macs(profile_named("dg2"), 2), 128U);
  EXPECT_EQ(2 * peak_macs(profile_named("dg2"), 8), 512U);
  EXPECT_EQ(2 * peak_macs(profile_named("xe2"), 4), 512U);
}

}  // namespace
}  // namespace tactus::dpas
