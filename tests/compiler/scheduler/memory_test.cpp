// Addresses, memory spaces, and lifetimes of objects (toolchain spec sections 1.4 and 3.5).
#include "firmware/compiler/targets/tcu/memory/memory_manager.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/error_of.h"

namespace tactus::compiler {
namespace {

std::vector<std::uint64_t> raws(const Addresses& addresses) {
  std::vector<std::uint64_t> out;
  for (const Address a : addresses) out.push_back(a.raw());
  return out;
}
using Raws = std::vector<std::uint64_t>;

tcu::Architecture small() {
  tcu::Architecture a;
  a.array_size = 2;
  a.dram0_depth = a.dram1_depth = a.local_depth = 16;
  a.accumulator_depth = 16;
  return a;
}

VectorMaker vectors(std::uint64_t count, float value = 1) {
  return [=] { return std::vector<float>(count * 2, value); };
}

// ---- addresses ---------------------------------------------------------------------------------

TEST(Address, SortsByTagThenRefThenRaw) {
  const std::vector<Address> sorted = {{Tag::local, 0, 9}, {Tag::local, 1, 0}, {Tag::local, 1, 5},
                                       {Tag::dram0, 0, 0}, {Tag::dram1, 0, 0}, Address::zeroes(),
                                       Address::invalid()};
  for (std::size_t i = 1; i < sorted.size(); ++i) EXPECT_LT(sorted[i - 1], sorted[i]) << i;
}

TEST(Address, KeepsItsFields) {
  const Address a(Tag::dram1, 0xFFFF, (std::uint64_t{1} << 40) - 1);
  EXPECT_EQ(a.tag(), Tag::dram1);
  EXPECT_EQ(a.ref(), 0xFFFFU);
  EXPECT_EQ(a.raw(), (std::uint64_t{1} << 40) - 1);
}

TEST(Address, TextShortensRuns) {
  const Address z = Address::zeroes();
  EXPECT_EQ(to_string({Address(Tag::dram0, 2, 4), Address(Tag::dram0, 2, 5), z, z,
                       Address(Tag::temp, 3, 7)}),
            "DRAM0(4..5) Zeroes*2 Temp(3.7)");
}

// ---- spaces ------------------------------------------------------------------------------------

TEST(ArenaSpace, NeverFreesAndForksByCopy) {
  ArenaSpace arena(Tag::local, 10);
  EXPECT_EQ(raws(*arena.allocate(0, 4)), (Raws{0, 1, 2, 3}));
  ArenaSpace child = arena;
  EXPECT_EQ(raws(*child.allocate(0, 2)), (Raws{4, 5}));
  EXPECT_EQ(raws(*arena.allocate(0, 1)), (Raws{4}));
  EXPECT_FALSE(arena.allocate(0, 6));
  EXPECT_TRUE(arena.allocate(0, 5));
}

TEST(HeapSpace, TakesTheLowestFreeVectorsWhereverTheyAre) {
  HeapSpace heap(Tag::dram0, 8);
  const Addresses a = *heap.allocate(0, 2), b = *heap.allocate(1, 2), c = *heap.allocate(2, 2);
  heap.free(a);
  heap.free(c);
  EXPECT_EQ(raws(*heap.allocate(3, 5)), (Raws{0, 1, 4, 5, 6}));
  EXPECT_EQ(raws(b), (Raws{2, 3}));
  EXPECT_FALSE(heap.allocate(4, 2));
  EXPECT_EQ(raws(*heap.allocate(4, 1)), (Raws{7}));
}

TEST(HeapSpace, Figures) {
  HeapSpace heap(Tag::dram0, 8);
  const Addresses a = *heap.allocate(0, 5);
  heap.free(a);
  (void)heap.allocate(1, 3);
  EXPECT_EQ(heap.use().maximum, 5U);
  EXPECT_EQ(heap.use().aggregate, 8U);
  EXPECT_EQ(heap.used(), 3U);
}

TEST(HeapSpace, RefusesToFreeTwice) {
  HeapSpace heap(Tag::dram0, 8);
  const Addresses a = *heap.allocate(0, 4);
  heap.free({a[1]});
  EXPECT_THROW(heap.free({a[1]}), InternalError);
  heap.free({a[0], a[2], a[3]});
  EXPECT_THROW(heap.free({a[2]}), InternalError);
  EXPECT_EQ(raws(*heap.allocate(0, 8)), (Raws{0, 1, 2, 3, 4, 5, 6, 7}));
}

// ---- objects -----------------------------------------------------------------------------------

TEST(MemoryManager, StrategiesPlaceVariablesAndConstants) {
  struct Row {
    Strategy strategy;
    Tag variable, constant;
  };
  for (const Row& row : {Row{Strategy::local_isolated, Tag::dram0, Tag::dram1},
                         Row{Strategy::local_vars, Tag::local, Tag::dram1},
                         Row{Strategy::local_consts, Tag::dram0, Tag::local},
                         Row{Strategy::local_vars_and_consts, Tag::local, Tag::local}}) {
    SCOPED_TRACE(to_string(row.strategy));
    MemoryManager memory(small(), {row.strategy, false});
    memory.begin_pass(constants_are_local(row.strategy));
    EXPECT_TRUE(memory.constant("c", {4}, 2, vectors(2)).addresses[0].is(row.constant));
    memory.begin_pass(false);
    EXPECT_TRUE(memory.allocate_input("x", {2}, 1, {}).addresses[0].is(Tag::dram0));
    EXPECT_TRUE(memory.allocate_variable("v", {2}, 1, {}).addresses[0].is(row.variable));
    EXPECT_EQ(raws(memory.constant("c", {4}, 2, vectors(2)).addresses), (Raws{0, 1}));
  }
}

TEST(MemoryManager, ObjectsDieAfterTheLayerOfTheirLastReading) {
  MemoryManager memory(small(), {});
  memory.begin_pass(false);
  memory.allocate_variable("a", {6}, 3, {{"n", "n", "m"}, false});
  memory.consume("a", "n");
  memory.consume("a", "m");
  memory.end_layer();
  EXPECT_EQ(raws(memory.allocate_variable("b", {2}, 1, {{"x"}, false}).addresses), (Raws{3}));
  EXPECT_THROW(memory.consume("a", "m"), InternalError);
  memory.consume("a", "n");
  EXPECT_NE(memory.find("a"), nullptr);
  memory.end_layer();
  EXPECT_EQ(memory.find("a"), nullptr);
  EXPECT_THROW(memory.consume("a", "n"), InternalError);
  EXPECT_EQ(raws(memory.allocate_variable("c", {2}, 4, {}).addresses), (Raws{0, 1, 2, 4}));
}

TEST(MemoryManager, OutputsAndConstantsStay) {
  MemoryManager memory(small(), {});
  memory.begin_pass(false);
  memory.allocate_variable("out", {2}, 1, {{}, true});
  memory.constant("c", {2}, 1, vectors(1));
  memory.end_layer();
  EXPECT_NE(memory.find("out"), nullptr);
  EXPECT_NE(memory.find("c"), nullptr);
}

TEST(MemoryManager, ConstantsAreMadeOnceInTheOrderOfFirstUse) {
  MemoryManager memory(small(), {});
  memory.begin_pass(false);
  memory.constant("b", {2}, 1, vectors(1, 2));
  memory.constant("a", {2}, 1, vectors(1, -1));
  memory.constant("b", {2}, 1, []() -> std::vector<float> { throw InternalError("made twice"); });
  EXPECT_EQ(memory.constants(), (std::vector<std::uint8_t>{0, 2, 0, 2, 0, 255, 0, 255}));
  EXPECT_EQ(memory.constants_count(), 2U);
  EXPECT_THROW(memory.constant("b", {4}, 2, vectors(2)), InternalError);
  EXPECT_THROW(memory.constant("c", {4}, 2, vectors(1)), InternalError);
}

TEST(MemoryManager, ConstantsOfEveryType) {
  struct Row {
    tcu::DataType type;
    std::vector<std::uint8_t> bytes;  // expected bytes of -1.5 and 1000
  };
  for (const Row& row :
       {Row{tcu::DataType::fp8bp4, {0xE8, 0x7F}},
        Row{tcu::DataType::fp16bp8, {0x80, 0xFE, 0xFF, 0x7F}},
        Row{tcu::DataType::fp18bp10, {0x00, 0xFA, 0x03, 0x00, 0xFF, 0xFF, 0x01, 0x00}},
        Row{tcu::DataType::fp32bp16, {0x00, 0x80, 0xFE, 0xFF, 0x00, 0x00, 0xE8, 0x03}}}) {
    tcu::Architecture architecture = small();
    architecture.data_type = row.type;
    MemoryManager memory(architecture, {});
    memory.begin_pass(false);
    memory.constant("c", {2}, 1, [] { return std::vector<float>{-1.5F, 1000}; });
    EXPECT_EQ(memory.constants(), row.bytes) << tcu::info(row.type).name;
  }
}

// ---- blending ----------------------------------------------------------------------------------

class Blending : public testing::TestWithParam<bool> {};

TEST_P(Blending, ChainOfAliasesGivesBackOnce) {
  MemoryManager memory(small(), {Strategy::local_isolated, GetParam()});
  memory.begin_pass(false);
  const Addresses a = memory.allocate_variable("a", {8}, 4, {{"reshape"}, false}).addresses;
  memory.consume("a", "reshape");
  EXPECT_EQ(memory.blend("b", {8}, a, {"a"}, {{"reader"}, false}).addresses, a);
  memory.end_layer();
  EXPECT_EQ(memory.find("a"), nullptr);
  EXPECT_EQ(raws(memory.allocate_variable("x", {2}, 1, {{"z"}, false}).addresses), (Raws{4}));
  memory.consume("b", "reader");
  memory.end_layer();
  EXPECT_EQ(raws(memory.allocate_variable("y", {2}, 5, {}).addresses), (Raws{0, 1, 2, 3, 5}));
}

TEST_P(Blending, SplitLeaksOnlyAsTheReferenceDoes) {
  const bool compat = GetParam();
  MemoryManager memory(small(), {Strategy::local_isolated, compat});
  memory.begin_pass(false);
  const Addresses x = memory.allocate_variable("x", {8}, 4, {{"split"}, false}).addresses;
  memory.consume("x", "split");
  memory.blend("left", {4}, {x[0], x[1]}, {"x"}, {{"l"}, false});
  memory.blend("right", {4}, {x[2], x[3]}, {"x"}, {{"r"}, false});
  memory.consume("left", "l");
  memory.end_layer();
  EXPECT_EQ(memory.dram0_use().maximum, 4U);
  memory.consume("right", "r");
  memory.end_layer();
  const Raws expected = compat ? Raws{2, 3, 4, 5} : Raws{0, 1, 2, 3};
  EXPECT_EQ(raws(memory.allocate_variable("y", {8}, 4, {}).addresses), expected);
}

TEST_P(Blending, ConstantsInABlendAreNeverGivenBack) {
  MemoryManager memory(small(), {Strategy::local_isolated, GetParam()});
  memory.begin_pass(false);
  const Address zero = memory.constant("zero", {2}, 1, vectors(1, 0)).addresses[0];
  const Addresses x = memory.allocate_variable("x", {4}, 2, {{"pad"}, false}).addresses;
  memory.consume("x", "pad");
  memory.blend("padded", {12}, {zero, x[0], zero, zero, x[1], zero}, {"x"}, {{"conv"}, false});
  memory.end_layer();
  memory.consume("padded", "conv");
  memory.end_layer();
  EXPECT_NE(memory.find("zero"), nullptr);
  EXPECT_EQ(raws(memory.allocate_variable("y", {4}, 2, {}).addresses), (Raws{0, 1}));
  EXPECT_EQ(memory.constant("c", {2}, 1, vectors(1)).addresses[0].raw(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Modes, Blending, testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "compat" : "exact");
});

// ---- running out -------------------------------------------------------------------------------

TEST(MemoryManager, SaysWhatIsFullAndWhatWasAskedFor) {
  MemoryManager memory(small(), {});
  memory.begin_pass(false);
  memory.allocate_variable("a", {8}, 10, {{"b"}, false});
  EXPECT_EQ(error_of([&] { memory.allocate_variable("big", {8}, 7, {}); }),
            "out of DRAM0 for \"big\": 7 vectors needed, 6 of 16 are free");
  EXPECT_EQ(
      error_of([&] { memory.constant("w", {8}, 17, vectors(17)); }),
      "out of DRAM1 for \"w\": 17 vectors needed, 16 of 16 are free; needed is an architecture "
      "with a larger dram1_depth, or fewer weights");
}

TEST(MemoryManager, LocalConstantsMustFitDram1Too) {
  tcu::Architecture architecture = small();
  architecture.dram1_depth = 4;
  MemoryManager memory(architecture, {Strategy::local_consts, false});
  memory.begin_pass(true);
  EXPECT_EQ(error_of([&] { memory.constant("w", {8}, 5, vectors(5)); }),
            "out of DRAM1 for constant \"w\": 5 vectors needed, 4 of 4 are free; needed is an "
            "architecture with a larger dram1_depth, or fewer weights");
}

TEST(Strategy, NamesAndSuggestions) {
  EXPECT_EQ(parse_strategy("local-vars-and-consts"), Strategy::local_vars_and_consts);
  EXPECT_EQ(error_of([] { (void)parse_strategy("local-var"); }),
            "unknown strategy \"local-var\"; allowed \"local-isolated\", \"local-vars\", "
            "\"local-consts\", \"local-vars-and-consts\"; did you mean \"local-vars\"?");
}

}  // namespace
}  // namespace tactus::compiler
