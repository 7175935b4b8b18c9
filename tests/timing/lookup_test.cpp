// LoadLUT and Lookup in the machine. The formulas are those of isa/README.md: LoadLUT takes the
// cycles of a move of its vectors to the accumulators, Lookup those of any SIMD operation.
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class LookupTiming : public ArrayTiming {
 protected:
  /// Returns an empty program for a machine with two tables of `vectors` vectors each.
  static Program with_tables(std::uint64_t vectors) {
    tcu::Architecture a = timing_architecture(GetParam());
    a.lookup_tables.count = 2;
    a.lookup_tables.depth = static_cast<std::uint32_t>(vectors * GetParam());
    a.lookup_tables.key_binary_point = 2;
    a.simd_registers_depth = 3;
    return Program(a);
  }
};
INSTANTIATE_TEST_SUITE_P(N, LookupTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

constexpr std::array<std::uint64_t, 4> table_vectors = {1, 2, 4, 16};

TEST_P(LookupTiming, LoadLutTakesAVectorACycle) {
  for (const std::uint64_t k : table_vectors) {
    SCOPED_TRACE(k);
    const Recorder r = run_bare(with_tables(k).load_lut(1, {100, 1}).load_lut(0).no_op());
    EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, 2 * k));
    EXPECT_EQ(r.cycles_of(Kind::lookup_entries), steps(h + 1, 2 * k));
    EXPECT_EQ(r.retired(0), h + k - 1);
    EXPECT_EQ(r.retired(1), h + 2 * k - 1);
    EXPECT_EQ(r.head(2), h + 2 * k);
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < k; ++i) addresses.push_back(100 + 2 * i);
    for (std::uint64_t i = 0; i < k; ++i) addresses.push_back(i);
    EXPECT_EQ(r.operands_of(Kind::local_read_a), addresses);
  }
}

TEST_P(LookupTiming, EntriesFollowTheLastResultOfTheArray) {
  for (const std::uint64_t k : table_vectors) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << " vectors, table of " << k);
      const Recorder r = run_bare(with_tables(k).mat_mul(n).load_lut(0));
      const Cycle last_write = h + 2 * n_array + n - 1;
      EXPECT_EQ(r.cycles_of(Kind::lookup_entries), steps(last_write + 1, k));
    }
  }
}

/// Table entries are written after all earlier operations have issued, and before later ones.
TEST_P(LookupTiming, EntriesComeInTurnWithOperations) {
  const std::uint64_t k = 4, operations = 5;
  Program p = with_tables(k);
  for (std::uint64_t i = 0; i < operations; ++i) p.lookup(0, 1, true, true);
  p.load_lut(0).lookup(0, 1, true, false);
  const Recorder r = run_bare(p);
  const Cycle last_write = h + 4 * operations;
  EXPECT_EQ(r.cycles_of(Kind::lookup_entries), steps(last_write + 1, k));
  EXPECT_EQ(r.cycles_of(Kind::alu),
            joined({steps(h + 2, operations, 4), {last_write + k + 2}}));  // read, then issue
}

TEST_P(LookupTiming, ALookupTakesWhatAnyOperationTakes) {
  const std::uint64_t operations = 3 * n_array + 7;
  for (const bool read : {true, false}) {
    for (const bool write : {true, false}) {
      SCOPED_TRACE(testing::Message() << "read " << read << " write " << write);
      Program lookups = with_tables(1), moves = with_tables(1);
      for (std::uint64_t i = 0; i < operations; ++i) {
        lookups.lookup(read ? 0 : 1, 1, read, write);
        if (read) {
          write ? moves.simd_read_write() : moves.simd_read();
        } else {
          write ? moves.simd_write() : moves.simd_neither();
        }
      }
      const Recorder a = run_bare(lookups), b = run_bare(moves);
      EXPECT_EQ(a.cycles_of(Kind::alu), b.cycles_of(Kind::alu));
      EXPECT_EQ(a.cycles_of(Kind::accumulator_write_a), b.cycles_of(Kind::accumulator_write_a));
      EXPECT_EQ(a.cycles_of(Kind::retired), b.cycles_of(Kind::retired));
    }
  }
}

/// Without tables the opcode behaves as in the RTL: one cycle, no effect.
TEST(LookupOpcode, IsANoOpWithoutTables) {
  tcu::Instruction instruction;
  instruction.opcode = 0x5;
  instruction.operand0 = 3;
  const Recorder r = run_bare(Program(timing_architecture(8)).raw(instruction).no_op());
  EXPECT_EQ(r.retired(0), 1U);
  EXPECT_EQ(r.retired(1), 2U);
  EXPECT_TRUE(r.cycles_of(Kind::local_read_a).empty());
}

}  // namespace
}  // namespace tactus
