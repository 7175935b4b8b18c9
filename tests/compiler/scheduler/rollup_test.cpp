// Runs of addresses, joined into instructions with strides (toolchain spec section 3.10).
#include "firmware/compiler/targets/tcu/lir/rollup.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tactus::compiler::lir {
namespace {

Address local(std::uint64_t raw) { return {Tag::local, 0, raw}; }
Address sum(std::uint64_t raw) { return {Tag::accumulators, 0, raw}; }
const Address zeroes = Address::zeroes();

std::string text(const Place& p) { return fmt::format("{}@{}", to_string(p.address), p.stride); }

/// Joins pairs of addresses. Stride codes are below 3 for local memory and below 2 for the other
/// memory.
std::string pairs(const std::vector<std::pair<Address, Address>>& list,
                  std::uint64_t longest = 100) {
  std::string out;
  const auto emit = [&](Place a, Place b, std::uint64_t count) {
    out += fmt::format("{} {} {};", text(a), text(b), count);
  };
  PairRollup rollup(3, 2, longest, emit);
  for (const auto& [a, b] : list) rollup.add(a, b);
  rollup.flush();
  rollup.flush();  // a second flush adds nothing
  return out;
}

std::string reverse(const std::vector<Address>& list) {
  std::string out;
  ReverseRollup rollup(3, [&](Place lowest, std::uint64_t count) {
    out += fmt::format("{} {};", text(lowest), count);
  });
  for (const Address a : list) rollup.add(a);
  rollup.flush();
  return out;
}

TEST(PairRollup, LonePairHasNoStride) {
  EXPECT_EQ(pairs({{local(5), sum(7)}}), "Local(5)@0 Acc(7)@0 1;");
  EXPECT_EQ(pairs({}), "");
}

TEST(PairRollup, SecondPairGivesBothStrides) {
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(4), sum(2)}, {local(8), sum(4)}}),
            "Local(0)@2 Acc(0)@1 3;");
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(4), sum(2)}, {local(8), sum(5)}}),
            "Local(0)@2 Acc(0)@1 2;Local(8)@0 Acc(5)@0 1;");
}

TEST(PairRollup, StepsOutsideTheCodesBreakTheRun) {
  const std::string two = "Local(0)@0 Acc(0)@0 1;";
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(8), sum(1)}}), two + "Local(8)@0 Acc(1)@0 1;");
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(1), sum(4)}}), two + "Local(1)@0 Acc(4)@0 1;");
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(3), sum(1)}}), two + "Local(3)@0 Acc(1)@0 1;");
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(0), sum(1)}}), two + "Local(0)@0 Acc(1)@0 1;");
  EXPECT_EQ(pairs({{local(9), sum(0)}, {local(8), sum(1)}}),
            "Local(9)@0 Acc(0)@0 1;Local(8)@0 Acc(1)@0 1;");
}

TEST(PairRollup, BrokenRunsRestartWithTheRunningPair) {
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(5), sum(1)}, {local(6), sum(2)}}),
            "Local(0)@0 Acc(0)@0 1;Local(5)@0 Acc(1)@0 2;");
}

TEST(PairRollup, ZeroesHaveNoStrideAndDoNotJoinVectors) {
  EXPECT_EQ(pairs({{zeroes, sum(0)}, {zeroes, sum(2)}, {zeroes, sum(4)}, {local(0), sum(6)}}),
            "Zeroes@0 Acc(0)@1 3;Local(0)@0 Acc(6)@0 1;");
}

TEST(PairRollup, OtherMemoriesBreakTheRun) {
  const Address dram(Tag::dram0, 0, 1);
  EXPECT_EQ(pairs({{local(0), sum(0)}, {local(1), dram}}),
            "Local(0)@0 Acc(0)@0 1;Local(1)@0 DRAM0(1)@0 1;");
}

TEST(PairRollup, ReferencesOfAddressesAreIgnored) {
  EXPECT_EQ(pairs({{local(0), sum(0)}, {Address(Tag::local, 7, 1), sum(1)}}),
            "Local(0)@0 Acc(0)@0 2;");
}

TEST(PairRollup, RunsEndAtTheLongest) {
  EXPECT_EQ(pairs({{zeroes, sum(0)}, {zeroes, sum(1)}, {zeroes, sum(2)}}, 2),
            "Zeroes@0 Acc(0)@0 2;Zeroes@0 Acc(2)@0 1;");
}

TEST(ReverseRollup, EmitsTheLowestAddress) {
  EXPECT_EQ(reverse({local(4), local(3), local(2)}), "Local(2)@0 3;");
  EXPECT_EQ(reverse({local(8), local(4), local(0)}), "Local(0)@2 3;");
  EXPECT_EQ(reverse({local(6)}), "Local(6)@0 1;");
}

TEST(ReverseRollup, BiasMergesOnlyOneStepBelow) {
  EXPECT_EQ(reverse({local(2), local(1), local(0)}), "Local(0)@0 3;");
  EXPECT_EQ(reverse({local(3), local(2), local(0)}), "Local(2)@0 2;Local(0)@0 1;");
  EXPECT_EQ(reverse({local(3), local(2), zeroes}), "Local(2)@0 2;Zeroes@0 1;");
}

TEST(ReverseRollup, RisingAddressesAndOddStepsBreakTheRun) {
  EXPECT_EQ(reverse({local(0), local(1)}), "Local(0)@0 1;Local(1)@0 1;");
  EXPECT_EQ(reverse({local(9), local(6)}), "Local(9)@0 1;Local(6)@0 1;");
  EXPECT_EQ(reverse({local(9), local(1)}), "Local(9)@0 1;Local(1)@0 1;");
}

}  // namespace
}  // namespace tactus::compiler::lir
