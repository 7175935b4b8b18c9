// Reads of unwritten vectors, compared with a plain interpreter that keeps a set of addresses for
// each memory and goes through every vector.
#include "isa/tcu/written_vectors.h"

#include <chrono>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "isa/tcu/activation.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/lookup.h"
#include "isa/tcu/names.h"
#include "tests/support/random_program.h"

namespace tactus::tcu {
namespace {

using Kind = InstructionKind;

/// Reference interpreter, written from hardware spec sections 2.4, 3.3, 4.3 and 8.2.
class Oracle {
 public:
  explicit Oracle(const Architecture& architecture) : a_(architecture), l_(architecture) {}

  UnwrittenReads run(const std::vector<Instruction>& program) {
    UnwrittenReads found;
    for (std::size_t i = 0; i < program.size(); ++i) {
      read_.clear();
      execute(program[i]);
      std::string first;
      std::uint64_t count = 0;
      for (const auto& [memory, addresses] : read_) {
        std::set<std::uint64_t> missing;
        for (const std::uint64_t address : addresses) {
          if (!has(memory, address)) missing.insert(address);
        }
        count += missing.size();
        if (first.empty() && !missing.empty()) first = place_text(memory, *missing.begin());
      }
      for (const auto& [memory, address] : write_) written_[memory].insert(address);
      write_.clear();
      if (count == 0) continue;
      found.count += count;
      ++found.instructions;
      if (found.first.empty()) {
        found.first =
            "instruction " + std::to_string(i) + " reads " + first + ", which nothing has written";
      }
    }
    return found;
  }

 private:
  using Memory = VectorMemory;

  [[nodiscard]] bool has(Memory memory, std::uint64_t address) const {
    const auto found = written_.find(memory);
    return found != written_.end() && found->second.count(address) != 0;
  }

  [[nodiscard]] std::vector<std::uint64_t> walk(Operand start, std::uint64_t size, Memory memory,
                                                bool reverse = false) const {
    const bool local = memory == Memory::local;
    const std::uint64_t depth = local ? a_.local_depth : a_.accumulator_depth;
    const std::uint64_t mask = low_bits(address_bits(depth));
    const std::uint64_t step = std::uint64_t{1} << start.stride;
    std::uint64_t base = start.address;
    if (reverse) base += size * step;
    std::vector<std::uint64_t> addresses;
    std::uint64_t offset = 0;
    for (std::uint64_t k = 0; k <= (size & mask); ++k) {
      addresses.push_back((reverse ? base - offset : base + offset) & mask);
      offset = offset + step >= depth ? 0 : offset + step;
    }
    return addresses;
  }

  void reads(Memory memory, std::vector<std::uint64_t> addresses) {
    read_.emplace_back(memory, std::move(addresses));
  }
  void writes(Memory memory, const std::vector<std::uint64_t>& addresses) {
    const std::uint64_t depth = memory == Memory::local          ? a_.local_depth
                                : memory == Memory::accumulators ? a_.accumulator_depth
                                : memory == Memory::registers    ? a_.simd_registers_depth
                                : memory == Memory::weights      ? 1
                                                                 : a_.lookup_tables.count;
    for (const std::uint64_t address : addresses) {
      if (address < depth) write_.emplace_back(memory, address);
    }
  }
  void accumulate(const std::vector<std::uint64_t>& addresses, bool adds) {
    if (adds) reads(Memory::accumulators, addresses);
    writes(Memory::accumulators, addresses);
  }

  void execute(const Instruction& i) {
    const Operand local = operand0_fields(l_, i), other = operand1_fields(l_, i);
    const auto local_run = [&](std::uint64_t size) { return walk(local, size, Memory::local); };
    const auto other_run = [&](std::uint64_t size) {
      return walk(other, size, Memory::accumulators);
    };
    switch (kind_of(l_, i)) {
      case Kind::mat_mul: {
        if ((i.flags & 2) == 0) reads(Memory::local, local_run(i.operand2));
        reads(Memory::weights, {0});
        accumulate(other_run(i.operand2), (i.flags & 1) != 0);
        break;
      }
      case Kind::load_weights: {
        const auto vectors = walk(local, i.operand1, Memory::local, true);
        if ((i.flags & 1) == 0) reads(Memory::local, vectors);
        writes(Memory::weights, {0});
        break;
      }
      case Kind::dram0_to_local:
      case Kind::dram1_to_local:
        writes(Memory::local, local_run(i.operand2));
        break;
      case Kind::local_to_dram0:
      case Kind::local_to_dram1:
        reads(Memory::local, local_run(i.operand2));
        break;
      case Kind::accumulator_to_local:
      case Kind::accumulator_to_local_activated:
        reads(Memory::accumulators, other_run(i.operand2));
        writes(Memory::local, local_run(i.operand2));
        break;
      case Kind::local_to_accumulator:
      case Kind::local_to_accumulator_accumulate:
        reads(Memory::local, local_run(i.operand2));
        accumulate(other_run(i.operand2), i.flags == 0xF);
        break;
      case Kind::dais: {
        const DaisBlockEntry& block = a_.dais_blocks[i.flags / 2];
        const auto inputs = block.input_vectors(a_.array_size);
        const auto outputs = block.output_vectors(a_.array_size);
        reads(Memory::local, local_run((i.operand2 + 1) * inputs - 1));
        accumulate(other_run((i.operand2 + 1) * outputs - 1), (i.flags & 1) != 0);
        break;
      }
      case Kind::load_lut:
        reads(Memory::local, local_run(lookup_vectors(a_) - 1));
        writes(Memory::lookup_tables, {i.operand1});
        break;
      case Kind::load_activation:
        reads(Memory::local, local_run(activation_parameters - 1));
        break;
      case Kind::simd:
        simd(i);
        break;
      default:
        break;
    }
  }

  void simd(const Instruction& i) {
    const SimdFields f = simd_fields(l_, i);
    const bool fits = f.dest > 0 && f.dest + a_.lookup_tables.count <= a_.simd_registers_depth;
    if (f.op == SimdOp::lookup && !fits) return;
    const std::uint64_t mask = low_bits(address_bits(a_.accumulator_depth));
    const std::uint64_t address0 = operand0_fields(l_, i).address & mask;
    const std::uint64_t address1 = operand1_fields(l_, i).address & mask;
    const std::uint64_t register_mask = low_bits(address_bits(a_.simd_registers_depth));
    const auto source = [&](unsigned selector) {
      if (selector == 0) return;
      const std::uint64_t index = (selector - 1) & register_mask;
      reads(Memory::registers, {index < a_.simd_registers_depth ? index : 0});
    };
    const bool has_input = (i.flags & 1) != 0;
    if (has_input) reads(Memory::accumulators, {address1});
    const unsigned sources = source_count(f.op);
    if (sources >= 1) source(f.left);
    if (sources == 2 && f.left != f.right) source(f.right);
    std::vector<std::uint64_t> results{(f.dest - 1) & register_mask};
    if (f.op == SimdOp::lookup) {
      std::vector<std::uint64_t> tables;
      for (std::uint64_t n = 0; n < a_.lookup_tables.count; ++n) {
        tables.push_back(n);
        results.push_back(results.back() + 1);
      }
      reads(Memory::lookup_tables, tables);
    }
    if (f.dest != 0 && f.op != SimdOp::no_op) writes(Memory::registers, results);
    if ((i.flags & 2) == 0) return;
    accumulate({f.op == SimdOp::no_op && !has_input ? address1 : address0}, (i.flags & 4) != 0);
  }

  const Architecture& a_;
  const InstructionLayout l_;
  std::map<Memory, std::set<std::uint64_t>> written_;
  std::vector<std::pair<Memory, std::vector<std::uint64_t>>> read_;
  std::vector<std::pair<Memory, std::uint64_t>> write_;
};

void expect_equal(const UnwrittenReads& got, const UnwrittenReads& wanted, const std::string& of) {
  EXPECT_EQ(got.count, wanted.count) << of;
  EXPECT_EQ(got.instructions, wanted.instructions) << of;
  EXPECT_EQ(got.first, wanted.first) << of;
}

TEST(WrittenVectors, RandomLegalProgramsAgreeWithAPlainInterpreter) {
  std::uint64_t found = 0, quiet = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RandomOptions options;
    options.hazards = Hazards::any;
    options.instructions = seed % 3 == 0 ? 400 : 60;
    const RandomProgram random = random_program(seed, options);
    WrittenVectors written(random.architecture);
    Oracle oracle(random.architecture);
    // The second run starts with what the first run has written.
    for (unsigned run = 0; run < 2; ++run) {
      const UnwrittenReads wanted = oracle.run(random.instructions);
      expect_equal(written.run(random.bytes()), wanted, random.describe());
      (wanted.count > 0 ? found : quiet) += 1;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(found, 300U);
}

TEST(WrittenVectors, AnyBitPatternsAgreeWithAPlainInterpreter) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomProgram random = random_program(seed);
    const InstructionLayout layout(random.architecture);
    Random draw(seed);
    std::vector<Instruction> program;
    for (unsigned i = 0; i < 100; ++i) {
      Instruction instruction;
      instruction.opcode = static_cast<std::uint8_t>(draw.below(16));
      instruction.flags = static_cast<std::uint8_t>(draw.below(16));
      instruction.operand0 = draw.below(~std::uint64_t{0}) & low_bits(layout.operand0);
      instruction.operand1 = draw.below(~std::uint64_t{0}) & low_bits(layout.operand1);
      instruction.operand2 = draw.below(~std::uint64_t{0}) & low_bits(layout.operand2);
      program.push_back(instruction);
    }
    WrittenVectors written(random.architecture);
    expect_equal(written.run(encode_program(layout, program)),
                 Oracle(random.architecture).run(program), "seed " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

/// Returns the warning for a program on an 8x8 array with 2 registers.
std::string told(const std::string& text) {
  Architecture architecture;
  architecture.simd_registers_depth = 2;
  const UnwrittenReads found =
      WrittenVectors(architecture).run(assemble_bytes(architecture, text, "test"));
  return found.count == 0 ? "" : found.text();
}

TEST(WrittenVectors, EachMemoryIsNamed) {
  EXPECT_EQ(told("NoOp\nDataMove Local(4)@2 -> DRAM0(0), 3"),
            "instruction 1 reads local 4, which nothing has written (3 vectors in 1 instruction in "
            "all)");
  EXPECT_EQ(told("DataMove Acc(3) -> Local(0), 1"),
            "instruction 0 reads accumulator 3, which nothing has written (1 vector in 1 "
            "instruction in all)");
  // A block of weights with fewer vectors than the array has inputs is legal, and gives no warning.
  const std::string load = "DataMove DRAM1(0) -> Local(0), 16\n";
  EXPECT_EQ(told(load + "LoadWeights Local(0), 4\nMatMul Local(0) -> Acc(0), 8"), "");
  EXPECT_EQ(told(load + "MatMul Local(0) -> Acc(0), 8\nMatMul.zeroes Acc(0), 8"),
            "instruction 1 reads the array's weights, which nothing has written (2 vectors in 2 "
            "instructions in all)");
  EXPECT_EQ(told("SIMD R1 = Zero\nSIMD O = Add(R1, R2), write Acc(0)"),
            "instruction 1 reads R2, which nothing has written (1 vector in 1 instruction in all)");
}

TEST(WrittenVectors, AnAccumulatingInstructionReadsItsDestination) {
  const std::string weights = "LoadWeights.zeroes 9\n";
  EXPECT_EQ(told(weights + "MatMul.zeroes Acc(0), 8\nMatMul.zeroes.acc Acc(0), 8"), "");
  EXPECT_EQ(told(weights + "MatMul.zeroes Acc(0), 7\nMatMul.zeroes.acc Acc(0), 8"),
            "instruction 2 reads accumulator 7, which nothing has written (1 vector in 1 "
            "instruction in all)");
  EXPECT_EQ(told("SIMD O = Zero, write Acc(4), accumulate"),
            "instruction 0 reads accumulator 4, which nothing has written (1 vector in 1 "
            "instruction in all)");
}

TEST(WrittenVectors, AMillionInstructionsAndTheDeepestMemory) {
  Architecture architecture;
  architecture.local_depth = std::uint64_t{1} << 32;
  const InstructionLayout layout(architecture);
  std::vector<Instruction> program;
  // A million moves write the memory in pieces; the last instruction reads vectors that none of
  // them writes.
  const std::uint64_t most = architecture.local_depth / 128;
  for (unsigned i = 0; i < 1000000; ++i) {
    program.push_back(make_data_move(layout, DataMoveKind::dram0_to_local,
                                     {std::uint64_t{i} * 32, i % 4}, {0, 0}, 32));
  }
  program.push_back(make_data_move(layout, DataMoveKind::local_to_dram0, {most * 64, 0}, {0, 0},
                                   std::min<std::uint64_t>(most, 32)));
  const auto bytes = encode_program(layout, program);
  WrittenVectors written(architecture);
  const auto start = std::chrono::steady_clock::now();
  const UnwrittenReads found = written.run(bytes);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(found.count, 32U);
  EXPECT_EQ(found.first, "instruction 1000000 reads local " + std::to_string(most * 64) +
                             ", which nothing has written");
  EXPECT_LT(seconds.count(), 2) << "takes 0.05 s on a machine that does nothing else";
}

}  // namespace
}  // namespace tactus::tcu
