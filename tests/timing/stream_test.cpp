// The width adapter of the instruction stream. Source: hardware spec section 11.
#include <algorithm>
#include <numeric>

#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

/// Widths of a stream, with an array whose vectors are a whole number of beats.
struct StreamCase {
  unsigned stream_bits;
  unsigned instruction_bits;  ///< 64 or 72
  unsigned n_array;
  [[nodiscard]] Cycle word() const { return stream_bits / 8; }
  [[nodiscard]] Cycle instruction() const { return instruction_bits / 8; }
};

std::ostream& operator<<(std::ostream& out, const StreamCase& c) {
  return out << "stream" << c.stream_bits << "_instruction" << c.instruction_bits;
}

constexpr StreamCase stream_cases[] = {
    {32, 64, 8},  {32, 72, 8},   {64, 64, 8},   {64, 72, 16},
    {128, 64, 8}, {128, 72, 32}, {256, 64, 16}, {256, 72, 32},
};

Program program_for(const StreamCase& c) {
  tcu::Architecture architecture = timing_architecture(c.n_array);
  // A wider local address increases operand 0 from 16 to 24 bits.
  if (c.instruction_bits == 72) architecture.local_depth = 16384;
  EXPECT_EQ(tcu::InstructionLayout(architecture).instruction_bits(), c.instruction_bits);
  return Program(architecture);
}

Cycle divided_up(Cycle a, Cycle b) { return (a + b - 1) / b; }

class StreamTiming : public testing::TestWithParam<StreamCase> {};
INSTANTIATE_TEST_SUITE_P(Widths, StreamTiming, testing::ValuesIn(stream_cases),
                         testing::PrintToStringParamName());

TEST_P(StreamTiming, FirstRetire) {
  const StreamCase c = GetParam();
  const Recorder r = run_axi(program_for(c).no_op(1), c.stream_bits);
  const bool wires = c.stream_bits == c.instruction_bits;
  // The instruction's words arrive in cycles 0, 1, ...; then follow the adapter's register and the
  // decoder's queue.
  const Cycle words = divided_up(c.instruction(), c.word());
  const Cycle accepted = wires ? 0 : words;
  EXPECT_EQ(r.accepted(0), accepted);
  EXPECT_EQ(r.retired(0), accepted + 1);
}

TEST_P(StreamTiming, NoOpsComeAsFastAsTheNarrowerSide) {
  const StreamCase c = GetParam();
  const std::uint64_t count = 288;  // a whole number of words of every width
  const Recorder r = run_axi(program_for(c).no_op(count), c.stream_bits);
  const bool wires = c.stream_bits == c.instruction_bits;
  Cycles accepted;
  for (std::uint64_t i = 0; i < count; ++i) {
    // An instruction is delivered in the cycle after its last byte, at most one per cycle.
    const Cycle delivered = divided_up((i + 1) * c.instruction(), c.word());
    const Cycle in_order = i == 0 ? 0 : accepted.back() + 1;
    accepted.push_back(wires ? i : std::max(delivered, in_order));
  }
  EXPECT_EQ(r.cycles_of(Kind::instruction_accepted), accepted);
  for (Cycle& cycle : accepted) ++cycle;
  EXPECT_EQ(r.cycles_of(Kind::retired), accepted);
}

TEST(StreamExample, SeventyTwoBitsOverSixtyFour) {
  const Recorder r = run_axi(program_for({64, 72, 16}).no_op(24), 64);
  EXPECT_EQ(r.retired(0), 3U);  // words in 0 and 1, accepted in 2, at the head in 3
  EXPECT_EQ(r.cycles_of(Kind::retired), joined({steps(3, 8), steps(12, 8), steps(21, 8)}));
}

TEST(StreamExample, SerializerIsGapless) {
  const Recorder r = run_axi(program_for({128, 64, 8}).no_op(20), 128);
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(2, 20));
}

TEST(StreamExample, DeserializerTakesTwoCycles) {
  const Recorder r = run_axi(program_for({32, 64, 8}).no_op(20), 32);
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(3, 20, 2));
}

/// While the decoder is stalled, the adapter fills; afterwards it delivers one instruction per
/// cycle until it is empty. The stored bytes are its capacity: lcm(word, instruction) for the ring,
/// one word for the serializer, one instruction for the deserializer.
TEST_P(StreamTiming, StoresNoMoreThanItsCapacity) {
  const StreamCase c = GetParam();
  const Cycle hold = 400, count = 200;
  const Recorder r = run_axi(program_for(c).load_weights(hold).no_op(count), c.stream_bits);
  const Cycle released = r.head(0) + hold - 1;
  EXPECT_EQ(r.retired(0), released);

  // Replays the adapter's byte count from the cycle after the release on, starting with everything
  // full.
  const bool wires = c.word() == c.instruction();
  const bool serializer = !wires && c.word() % c.instruction() == 0;
  const bool deserializer = !wires && c.instruction() % c.word() == 0;
  const Cycle capacity = serializer     ? c.word()
                         : deserializer ? c.instruction()
                                        : std::lcm(c.word(), c.instruction());
  // Instructions 0 and 1 have left. Whole words are stored as long as they fit besides the
  // remainder.
  const Cycle gone = 2 * c.instruction();
  const Cycle room = divided_up(gone, c.word()) * c.word() - gone;  // rest of a partly used word
  Cycle stored = room + (capacity - room) / c.word() * c.word();
  Cycles expected = r.cycles_of(Kind::instruction_accepted);
  expected.resize(2);
  for (Cycle t = released + 1; expected.size() < count + 1; ++t) {
    const bool gives = wires || stored >= c.instruction();
    if (gives) expected.push_back(t);
    if (wires) continue;
    const Cycle left = stored - (gives ? c.instruction() : 0);
    // A register can be refilled in the cycle in which it becomes empty; the ring uses the number
    // of bytes stored before.
    const bool takes = serializer     ? left == 0
                       : deserializer ? left + c.word() <= capacity
                                      : stored + c.word() <= capacity;
    stored = left + (takes ? c.word() : 0);
  }
  Cycles accepted = r.cycles_of(Kind::instruction_accepted);
  accepted.resize(count + 1);  // without the NoOps that pad the stream
  EXPECT_EQ(accepted, expected);
}

}  // namespace
}  // namespace tactus
