// The back half of the compiler: layers of HIR in, a program out.
//
// Use:
//   ProgramBuilder builder(architecture, options);
//   for (unsigned pass = 0; pass < builder.passes(); ++pass) {
//     builder.begin_pass();
//     for (each layer in order) builder.add_layer(emit(builder.memory()));
//     builder.add_outputs({"Identity:0"});
//   }
//   CompiledProgram program = builder.finish();
//
// An emitter allocates, consumes and looks up objects in memory() and returns the layer's HIR. The
// strategies with constants in local memory need the constants' places before any code, so emitters
// run twice there: in the first pass constants are placed and layers are not lowered. Emitters must
// make the same calls in both passes; constants are found again by name, so their values are asked
// for once.
//
// Inputs are allocated by the first emitter (which returns an empty layer). A layer without a save
// gives no code and no entry in the statistics. After each layer objects without consumers die.
//
// Throws UserError where a layer does not fit the machine (layer name, needed, available) and for
// two threads. Source: toolchain spec sections 3.2, 3.7 to 3.12.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "firmware/compiler/targets/tcu/memory/memory_manager.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/model_file.h"

namespace tactus::compiler {

struct BuilderOptions {
  Strategy strategy = Strategy::local_isolated;
  bool compat = false;  ///< see MemoryOptions
  /// An output that shares vectors with an input or with an output before it is copied. Inputs must
  /// have been allocated as objects that never die.
  bool separate_outputs = false;
  /// Text dumps, layer by layer, where not null.
  std::ostream* dump_hir = nullptr;
  std::ostream* dump_lir = nullptr;
};

/// Figures of one layer of the program. Counts are exact, summed over its instructions.
struct LayerStatistics {
  std::string name;
  std::uint64_t first_instruction = 0, instructions = 0;  ///< the layer's span of the program
  std::array<std::uint64_t, 16> by_opcode{};              ///< indexed by tcu::Opcode
  std::uint64_t mat_mul_vectors = 0;                      ///< all, zeroes included
  std::uint64_t zeroes_vectors = 0;                       ///< of which with the zeroes flag
  std::uint64_t true_macs = 0;                            ///< what the model asks for
  std::uint64_t stages = 0, partitions = 0;
  SpaceUse local, accumulators;  ///< of the layer alone
};

/// Vectors; in the manner of the reference's summary.
struct MemoryUse {
  SpaceUse dram0, dram1, local, accumulators;
};

struct CompiledProgram {
  std::vector<std::uint8_t> program;    ///< .tprog
  std::vector<std::uint8_t> constants;  ///< .tdata
  std::uint64_t constants_count = 0;    ///< vectors
  ConstantLosses constant_losses;
  bool load_constants_to_local = false;
  std::vector<tcu::TensorEntry> inputs, outputs;  ///< in DRAM0, sorted by base
  std::uint64_t instructions = 0;
  std::vector<LayerStatistics> layers;
  MemoryUse memory;
};

class ProgramBuilder {
 public:
  ProgramBuilder(const tcu::Architecture& architecture, const BuilderOptions& options);
  ~ProgramBuilder();

  [[nodiscard]] MemoryManager& memory();
  [[nodiscard]] unsigned passes() const;
  void begin_pass();
  void add_layer(const hir::Layer& layer);
  /// The requested outputs, after the last layer. Those that do not lie in DRAM0 get a last layer
  /// that copies them there.
  void add_outputs(const std::vector<std::string>& names);
  [[nodiscard]] CompiledProgram finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tactus::compiler
