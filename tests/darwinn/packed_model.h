// A small TCU model for tests of packing.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/driver/darwinn/pack.h"
#include "isa/tcu/instruction.h"

namespace tactus::darwinn {

constexpr std::uint64_t input_base = 3, output_base = 40, vectors = 16;

/// A model of y = W x + b on an array of size 8. The constants b and W are at address 0 of DRAM1.
/// The program does the work `count` times.
inline Model sample_model(std::size_t count, std::uint8_t seed = 5) {
  Model model;
  model.path = "m.tmodel";
  model.file.name = "m";
  model.file.inputs = {{"x", input_base, vectors}};
  model.file.outputs = {{"y", output_base, vectors}};
  model.file.consts = {{"m.tdata", 0, 9}};
  model.file.prog = {"m.tprog", std::nullopt};
  const tcu::Architecture& arch = model.file.arch;
  model.constants.emplace_back();
  for (std::uint64_t i = 0; i < 9 * arch.vector_bytes(); ++i) {
    model.constants[0].push_back(static_cast<std::uint8_t>(i % 3 == 0 ? i * seed : 0));
  }
  const tcu::InstructionLayout layout(arch);
  using Kind = tcu::DataMoveKind;
  std::vector<tcu::Instruction> program;
  for (std::size_t i = 0; i < count; ++i) {
    for (const tcu::Instruction& one :
         {make_data_move(layout, Kind::dram1_to_local, {0, 0}, {0, 0}, 9),
          make_data_move(layout, Kind::dram0_to_local, {16, 0}, {input_base, 0}, vectors),
          make_load_weights(layout, {0, 0}, 9), make_mat_mul(layout, {16, 0}, {0, 0}, vectors),
          make_data_move(layout, Kind::accumulator_to_local, {64, 0}, {0, 0}, vectors),
          make_data_move(layout, Kind::local_to_dram0, {64, 0}, {output_base, 0}, vectors)}) {
      program.push_back(one);
    }
  }
  model.program = encode_program(layout, program);
  return model;
}

inline PackOptions options() {
  PackOptions options;
  options.chip = "test";
  options.version = "0";
  return options;
}

}  // namespace tactus::darwinn
