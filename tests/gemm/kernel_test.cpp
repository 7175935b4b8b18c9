// Kernels for DPAS: they are legal, compute any shape and precision correctly, and have the number
// of DPAS of the closed form.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

#include "firmware/config/config_files.h"
#include "firmware/gemm/dpas/kernel.h"
#include "firmware/gemm/dpas/tiles.h"
#include "interpreter.h"
#include "isa/dpas/assembly.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

using dpas::Precision;

const char* const profiles[] = {"xehp_sdv", "dg2", "arl", "pvc", "pvcxt", "xe2", "xe3", "xe3p"};

dpas::Profile profile_named(const std::string& name) {
  return dpas::read_profile(config_path("dpas", name));
}

/// Returns the pairs of precisions that the profile can multiply.
std::vector<PrecisionPair> pairs_of(const dpas::Profile& profile) {
  std::vector<PrecisionPair> pairs;
  for (unsigned w = 0; w < dpas::precision_codes; ++w) {
    for (unsigned a = 0; a < dpas::precision_codes; ++a) {
      const PrecisionPair pair{static_cast<Precision>(w), static_cast<Precision>(a)};
      if (!profile.has(pair.w) || !profile.has(pair.a)) continue;
      if (dpas::ops_per_channel(pair.w, pair.a) == 0) continue;
      if (info(pair.w).kind != info(pair.a).kind) continue;
      if (profile.equal_int_widths && info(pair.w).bits != info(pair.a).bits) continue;
      pairs.push_back(pair);
    }
  }
  return pairs;
}

DpasTask task_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, PrecisionPair pair,
                 BLayout layout = BLayout::rows) {
  DpasTask task;
  task.problem.m = m, task.problem.n = n, task.problem.k = k;
  task.problem.name = task.problem.shape();
  task.w = pair.w, task.a = pair.a;
  task.b_layout = layout;
  return task;
}

/// Runs a kernel on random operands. Returns "" if C equals the result of a plain loop.
std::string run(const DpasTask& task, const dpas::Profile& profile, const Blocking& blocking,
                Interpreted* counts = nullptr) {
  const dpas::Program program = make_kernel(task, profile, blocking);
  const DpasLayout layout = layout_of(task);
  const DpasOperands operands = make_operands(task, layout, 1);
  const std::vector<std::uint32_t> c = expected_product(task, 1);
  // The addresses of C, B and A do not begin at 0 and are in another order than usual, since
  // kernels must not depend on either.
  const std::uint64_t at_c = 64, at_b = at_c + layout.c.bytes(), at_a = at_b + layout.b.bytes();
  std::vector<std::uint8_t> memory(at_a + layout.a.bytes(), 0xA5);
  std::memcpy(memory.data() + at_a, operands.a.data(), operands.a.size());
  std::memcpy(memory.data() + at_b, operands.b.data(), operands.b.size());
  const Interpreted result =
      interpret(program, profile, blocking.threads, {at_a, at_b, at_c}, memory);
  if (counts != nullptr) *counts = result;
  const Problem& p = task.problem;
  for (std::uint64_t i = 0; i < p.m; ++i) {
    for (std::uint64_t j = 0; j < p.n; ++j) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, memory.data() + at_c + i * layout.c.pitch + j * 4, 4);
      const std::uint32_t expected = c[i * p.n + j];
      if (bits == expected) continue;
      return fmt::format("{}: C[{}][{}] is {:08x} and not {:08x}, {}", p.shape(), i, j, bits,
                         expected, blocking.text());
    }
    // Padding after each row of C is not written.
    for (std::uint64_t at = p.n * 4; at < layout.c.pitch; ++at) {
      if (memory[at_c + i * layout.c.pitch + at] != 0xA5) return "padding was written";
    }
  }
  return {};
}

TEST(Kernel, EveryPairOfPrecisionsOfEveryProfile) {
  for (const char* name : profiles) {
    const dpas::Profile profile = profile_named(name);
    for (const PrecisionPair& pair : pairs_of(profile)) {
      for (const BLayout layout : {BLayout::rows, BLayout::vnni}) {
        const DpasTask task = task_of(21, 37, 101, pair, layout);
        const Blocking blocking = choose_blocking(task, profile, {});
        EXPECT_EQ(run(task, profile, blocking), "")
            << name << " " << info(pair.w).name << "." << info(pair.a).name;
      }
    }
  }
}

TEST(Kernel, RandomShapesAndBlockings) {
  ASSERT_TRUE(rc::check([] {
    const dpas::Profile profile = profile_named(
        *rc::gen::elementOf(std::vector<std::string>(std::begin(profiles), std::end(profiles))));
    const std::vector<PrecisionPair> pairs = pairs_of(profile);
    const DpasTask task =
        task_of(*rc::gen::inRange(1, 120), *rc::gen::inRange(1, 120), *rc::gen::inRange(1, 400),
                *rc::gen::elementOf(pairs), *rc::gen::element(BLayout::rows, BLayout::vnni));
    BlockingWishes wishes;
    wishes.rows = *rc::gen::inRange(0U, 9U);
    wishes.buffers = *rc::gen::inRange(0U, 3U);
    wishes.threads = *rc::gen::inRange(0U, std::min(profile.threads, 8U) + 1);
    wishes.m_tiles = *rc::gen::inRange(0U, 3U);
    wishes.n_tiles = *rc::gen::inRange(0U, 3U);
    Blocking blocking;
    try {
      blocking = choose_blocking(task, profile, {}, wishes);
    } catch (const UserError&) {
      RC_DISCARD("no blocking of these tiles");
    }
    RC_ASSERT(registers_needed(task, profile, blocking) <= profile.grf_count);
    Interpreted counts;
    RC_ASSERT(run(task, profile, blocking, &counts) == "");
    RC_ASSERT(counts.dpas == dpas_count(task, profile, blocking.rows));
    RC_ASSERT(counts.bytes_stored == task.problem.m * task.problem.n * 4);
  }));
}

TEST(Kernel, DeclaresTheRegistersThatTheBlockingCounts) {
  for (const char* name : profiles) {
    const dpas::Profile profile = profile_named(name);
    for (const PrecisionPair& pair : pairs_of(profile)) {
      const DpasTask task = task_of(64, 64, 256, pair);
      const Blocking blocking = choose_blocking(task, profile, {});
      const dpas::Program program = make_kernel(task, profile, blocking);
      EXPECT_LE(program.kernels.front().registers_used, registers_needed(task, profile, blocking));
      EXPECT_LE(registers_needed(task, profile, blocking), profile.grf_count);
    }
  }
}

TEST(Kernel, CountOfDpasIsTheClosedForm) {
  // The number of DPAS is ceil(M / 8) * ceil(N / ES) * ceil(K / (8 * OPS)), as in the table of the
  // specification.
  const PrecisionPair int8{Precision::s8, Precision::s8};
  const PrecisionPair bf16{Precision::bf, Precision::bf};
  const dpas::Profile dg2 = profile_named("dg2");
  const dpas::Profile pvc = profile_named("pvc");
  struct Row {
    std::uint64_t m, n, k;
    std::uint64_t dg2_int8, pvc_int8, pvc_bf16;  ///< cycles of the array: 8 P for each DPAS
  };
  for (const Row& row : {Row{8, 16, 64, 64, 16, 32}, Row{64, 64, 64, 2048, 512, 1024},
                         Row{128, 128, 128, 16384, 4096, 8192}, Row{1, 256, 256, 4096, 1024, 2048},
                         Row{197, 768, 768, 921600, 230400, 460800}}) {
    EXPECT_EQ(dpas_count(task_of(row.m, row.n, row.k, int8), dg2) * 16, row.dg2_int8);
    EXPECT_EQ(dpas_count(task_of(row.m, row.n, row.k, int8), pvc) * 8, row.pvc_int8);
    EXPECT_EQ(dpas_count(task_of(row.m, row.n, row.k, bf16), pvc) * 8, row.pvc_bf16);
  }
}

TEST(Kernel, TextAssemblesToTheSameProgram) {
  const dpas::Profile profile = profile_named("pvc");
  const DpasTask task = task_of(45, 70, 300, {Precision::s8, Precision::s8});
  const dpas::Program program = make_kernel(task, profile, choose_blocking(task, profile, {}));
  const std::string text = disassemble(program);
  dpas::Program again = dpas::assemble(text, "again.visaasm");
  resolve(again, profile);
  EXPECT_EQ(disassemble(again), text);
  EXPECT_EQ(again.kernels.front().instructions.size(), program.kernels.front().instructions.size());
}

TEST(Kernel, SameArgumentsGiveTheSameText) {
  const dpas::Profile profile = profile_named("xe2");
  const DpasTask task = task_of(45, 70, 300, {Precision::bf, Precision::bf});
  const Blocking blocking = choose_blocking(task, profile, {});
  EXPECT_EQ(disassemble(make_kernel(task, profile, blocking)),
            disassemble(make_kernel(task, profile, blocking)));
}

TEST(Blocking, KeepsSeveralAccumulatorsInFlight) {
  // With one accumulator each instruction would take L(8) = 28 cycles instead of 8.
  const dpas::Profile profile = profile_named("pvc");
  const DpasTask task = task_of(1024, 1024, 1024, {Precision::s8, Precision::s8});
  const Blocking blocking = choose_blocking(task, profile, {});
  EXPECT_GE(blocking.m_tiles * blocking.n_tiles * blocking.threads, 4U);
  EXPECT_GE(blocking.m_tiles * blocking.n_tiles, 4U);
}

TEST(Blocking, PrecisionThatTheProfileLacksIsRefused) {
  const dpas::Profile profile = profile_named("dg2");
  try {
    (void)choose_blocking(task_of(8, 8, 8, {Precision::tf32, Precision::tf32}), profile, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("profile dg2 has no precision tf32; allowed ", 0),
              0U);
  }
}

TEST(Blocking, ABlockingLargerThanTheRegistersIsRefused) {
  BlockingWishes wishes;
  wishes.m_tiles = wishes.n_tiles = 8;
  EXPECT_THROW((void)choose_blocking(task_of(512, 512, 512, {Precision::s8, Precision::s8}),
                                     profile_named("pvc"), {}, wishes),
               UserError);
}

}  // namespace
}  // namespace tactus::gemm
