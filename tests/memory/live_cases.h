// Random programs for sequences with live memories: kernels of a few instructions, repeated at
// other addresses, on random memories.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa/tcu/arithmetic.h"
#include "tests/memory/random_memory.h"
#include "tests/support/differential.h"
#include "tests/support/random_program.h"

namespace tactus::live {

using tcu::DataMoveKind;
using tcu::Instruction;

/// Approximate number of beats in a program's transfers.
inline constexpr std::uint64_t beats_of_program = 5'000;
inline constexpr std::uint64_t offset_bytes = 65536;  ///< bytes per step of a DRAM offset

struct Options {
  bool transfers_only = false;  ///< no Configure and no hazards
  bool shared = false;          ///< both ports access the same bytes
  unsigned extensions = 0;
};

struct Case {
  RandomProgram program;
  TcuSimulationConfig config;
};

/// A kernel of random instructions, repeated at other addresses.
class Kernel {
 public:
  Kernel(Random& random, const Options& options) : random_(random), options_(options) {
    tcu::Architecture& a = program_.architecture;
    a.data_type = random.pick({tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                               tcu::DataType::fp16bp8, tcu::DataType::fp32bp16});
    a.array_size = random.pick({2U, 4U, 8U, 16U, 32U});
    a.local_depth = random.pick({512U, 1024U});
    a.accumulator_depth = random.pick({64U, 512U});
    a.dram0_depth = a.dram1_depth = 1024;
    a.simd_registers_depth = 2;
    add_random_extensions(random.below(1U << 30), a, options.extensions);
    program_.axi_data_bits = axi_width();
    layout_.emplace(a);
  }

  RandomProgram make() {
    add_windows();
    const std::uint64_t kinds = random_.range(1, options_.transfers_only ? 3 : 7);
    std::vector<Instruction> once;
    for (std::uint64_t i = 0; i < kinds; ++i) once.push_back(any());
    if (options_.transfers_only) once[0] = transfer();
    if (options_.shared && random_.chance(40)) add_pair(once);
    const std::uint64_t times = std::max<std::uint64_t>(
        4, std::min<std::uint64_t>(60, beats_of_program / std::max<std::uint64_t>(20, beats_)));
    near_ = options_.shared ? random_.pick({2U, 30U}) : random_.pick({0U, 8U, 300U});
    for (std::uint64_t i = 0; i < times; ++i) {
      for (const Instruction& instruction : once) add_moved(instruction);
      if (!options_.transfers_only && random_.chance(4)) add_legal(configure());
    }
    return program_;
  }

 private:
  /// Returns a width of 1 to 16 beats per vector.
  unsigned axi_width() {
    const auto bits = static_cast<unsigned>(program_.architecture.vector_bytes() * 8);
    const unsigned scalar = info(program_.architecture.data_type).storage_bytes * 8;
    std::vector<unsigned> widths;
    for (unsigned width = std::max(32U, scalar); width <= std::min(bits, 512U); width *= 2) {
      if (bits / width <= 16) widths.push_back(width);
    }
    if (widths.empty()) {  // a vector has less than 32 bits
      program_.architecture.array_size = 8;
      return 32;
    }
    return widths[random_.below(widths.size())];
  }

  void add_windows() {
    const tcu::Architecture& a = program_.architecture;
    for (unsigned port = 0; port < 2; ++port) {
      RandomProgram::Window window{
          port, 0, std::vector<std::uint8_t>(a.dram0_depth * a.vector_bytes() + offset_bytes)};
      for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
      program_.windows.push_back(window);
    }
  }

  std::uint64_t size() { return random_.range(1, random_.pick({1U, 1U, 2U, 4U, 9U, 40U, 300U})); }
  tcu::Operand place(std::uint64_t depth, unsigned strides, std::uint64_t count) {
    unsigned stride = random_.chance(25) ? static_cast<unsigned>(random_.below(strides)) : 0;
    while (stride > 0 && ((count - 1) << stride) >= depth) --stride;
    const std::uint64_t starts = depth - ((count - 1) << stride);
    const std::uint64_t most = options_.shared ? std::min<std::uint64_t>(starts, 40) : starts;
    return {random_.below(random_.chance(50) ? std::min<std::uint64_t>(most, 9) : most), stride};
  }
  tcu::Operand local(std::uint64_t count) {
    return place(program_.architecture.local_depth, program_.architecture.stride0_depth, count);
  }
  tcu::Operand accumulator(std::uint64_t count) {
    return place(program_.architecture.accumulator_depth, program_.architecture.stride1_depth,
                 count);
  }

  Instruction transfer() {
    const std::uint64_t count = size();
    beats_ += count * program_.architecture.vector_bytes() * 8 / program_.axi_data_bits;
    const auto kind = random_.pick({DataMoveKind::dram0_to_local, DataMoveKind::local_to_dram0,
                                    DataMoveKind::dram1_to_local, DataMoveKind::local_to_dram1});
    const tcu::Operand from = local(count);
    return make_data_move(
        *layout_, kind, from,
        place(program_.architecture.dram0_depth, program_.architecture.stride1_depth, count),
        count);
  }

  /// Adds two transfers to the same bytes, through different ports, of which at least one writes.
  void add_pair(std::vector<Instruction>& list) {
    const std::uint64_t count = random_.range(2, 40);
    beats_ += 2 * count * program_.architecture.vector_bytes() * 8 / program_.axi_data_bits;
    const auto [first, second] = random_.pick<std::pair<DataMoveKind, DataMoveKind>>(
        {{DataMoveKind::local_to_dram0, DataMoveKind::dram1_to_local},
         {DataMoveKind::local_to_dram1, DataMoveKind::dram0_to_local},
         {DataMoveKind::dram0_to_local, DataMoveKind::local_to_dram1},
         {DataMoveKind::local_to_dram0, DataMoveKind::local_to_dram1}});
    const tcu::Operand start{random_.below(9), random_.chance(70) ? 1U : 0U};
    list.push_back(make_data_move(*layout_, first, {random_.below(99), 0}, start, count));
    const std::uint64_t last = start.address + ((count - 1) << start.stride);
    const tcu::Operand end = random_.chance(50) ? start : tcu::Operand{last, 0};
    const std::uint64_t read = end.address == last ? random_.range(1, 3) : count;
    list.push_back(make_data_move(*layout_, second, {random_.range(99, 200), 0}, end, read));
  }

  Instruction any() {
    const std::uint64_t most = program_.architecture.accumulator_depth;
    const std::uint64_t count = std::min(size(), most);
    switch (random_.below(options_.transfers_only ? 8 : 12)) {
      case 5: {
        const tcu::Operand from = local(count);
        return make_mat_mul(*layout_, from, accumulator(count), count, random_.chance(50));
      }
      case 6: {
        const std::uint64_t weights = random_.range(1, program_.architecture.array_size + 1);
        return make_load_weights(*layout_, local(weights), weights);
      }
      case 7: {
        const tcu::Operand from = local(count);
        return make_data_move(*layout_, DataMoveKind::accumulator_to_local, from,
                              accumulator(count), count);
      }
      case 8: {
        const tcu::Operand from = local(count);
        return make_data_move(*layout_, DataMoveKind::local_to_accumulator_accumulate, from,
                              accumulator(count), count);
      }
      case 9:
        return make_simd(*layout_, {tcu::SimdOp::add, 0, 1, 0}, random_.below(9), random_.below(9),
                         true, true, random_.chance(60));
      case 10:
        return extension();
      case 11:
        return tcu::make_no_op();
      default:
        return transfer();
    }
  }

  Instruction extension() {
    const tcu::Architecture& a = program_.architecture;
    if (a.lookup_tables.count > 0 && random_.chance(50)) {
      return random_.chance(40) ? make_load_lut(*layout_, local(lookup_vectors(a)), 0)
                                : make_simd(*layout_, {tcu::SimdOp::lookup, 0, 1, 1}, 3,
                                            random_.below(9), true, false);
    }
    if (!a.activation_unit) return tcu::make_no_op();
    if (random_.chance(30)) return make_load_activation(*layout_, local(4));
    const std::uint64_t count = std::min(size(), a.accumulator_depth);
    const tcu::Operand to = local(count);
    return make_data_move(*layout_, DataMoveKind::accumulator_to_local_activated, to,
                          accumulator(count), count);
  }

  Instruction configure() {
    const auto reg =
        random_.pick({tcu::ConfigRegister::dram0_offset, tcu::ConfigRegister::dram1_offset,
                      tcu::ConfigRegister::timeout, tcu::ConfigRegister::program_counter});
    const bool timeout = reg == tcu::ConfigRegister::timeout;
    const auto value = timeout ? random_.pick({0U, 1U, 2U, 3U, 7U, 50U, 1000U})
                               : static_cast<unsigned>(random_.below(2));
    return make_configure(*layout_, reg, value);
  }

  void add_legal(const Instruction& instruction) {
    if (check(program_.architecture, *layout_, instruction).empty()) {
      program_.instructions.push_back(instruction);
    }
  }
  void add_moved(Instruction instruction) {
    const Instruction before = instruction;
    const auto opcode = static_cast<tcu::Opcode>(instruction.opcode);
    const bool two = opcode == tcu::Opcode::data_move || opcode == tcu::Opcode::mat_mul ||
                     opcode == tcu::Opcode::simd;
    if (opcode != tcu::Opcode::no_op) instruction.operand0 += random_.below(near_ + 1);
    if (two) instruction.operand1 += random_.below(near_ + 1);
    if (check(program_.architecture, *layout_, instruction).empty()) {
      program_.instructions.push_back(instruction);
    } else {
      add_legal(before);
    }
  }

  Random& random_;
  Options options_;
  RandomProgram program_;
  std::optional<tcu::InstructionLayout> layout_;
  std::uint64_t beats_ = 0;  ///< beats of the kernel's transfers
  std::uint64_t near_ = 0;   ///< maximum distance by which addresses change
};

inline void random_live_memory(Random& random, TcuSimulationConfig& config, bool shared) {
  config.clock_mhz = random.pick({100.0, 333.0, 25.0});
  random_memory(random, config);
  config.board_memory->stream.reset();
  config.stream_model = StreamModel::ideal;
  config.resolved_ddr->read_priority = random.chance(60);
  if (random.chance(50)) {
    config.resolved_ddr->buffer = 2;
    config.resolved_ddr->write_buffer = 4;
    config.resolved_ddr->write_high_mark = 3;
    config.resolved_ddr->write_low_mark = 1;
  }
  if (shared) config.board_memory->base = {0, random.pick({0U, 0U, 256U, 65536U})};
}

inline Case random_case(std::uint64_t seed, Options options) {
  Random random(seed ^ 0x11FE);
  Case found;
  found.program = Kernel(random, options).make();
  found.program.seed = seed;
  found.config = machine_config(found.program);
  random_live_memory(random, found.config, options.shared);
  Random samples(seed ^ 0x5A3);
  if (samples.chance(20)) {
    found.config.sample_block_size = static_cast<std::uint32_t>(1 + samples.below(9));
    found.config.sample_interval = samples.pick<std::uint16_t>({1, 2, 7, 30, 200});
    found.config.sample_pause = samples.pick<Cycle>({0, 0, 3, 100});
  }
  return found;
}

inline std::vector<Region> random_regions(Random& random, std::uint64_t instructions) {
  std::vector<Region> regions;
  const std::uint64_t longest = random.pick({3U, 20U, 90U});
  for (std::uint64_t first = 0; first < instructions;) {
    const std::uint64_t count = std::min(instructions - first, random.range(1, longest));
    regions.push_back({"region", first, count});
    first += count;
  }
  return regions;
}

}  // namespace tactus::live
