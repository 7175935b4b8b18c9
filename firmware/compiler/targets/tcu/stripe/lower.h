// Lowers a Stripe program to instructions of the tensor compute unit.
//
// Each top-level statement of the block "main" is a kernel; kernels run one after another, in
// order. A block runs at its location: copies at movers, products at ARRAY, scalar functions on
// accumulators. Positions are enumerated when the program is made, in the interpreter's order;
// positions that constraints exclude cost nothing, so halos are clipped. Buffers get their
// addresses here, in vectors; offsets set by memory_placement count bytes of Stripe's types and are
// ignored. Temporaries of main whose location is DRAM0 stay in local memory if there is room.
//
// A lowered program computes, bit for bit, the results of interpret() for LoweredStripe::program
// with the architecture's number_format().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/ir.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

struct LowerOptions {
  /// Buffers of the entry block whose contents are known, by name, row-major: they become the
  /// constants (.tdata, in DRAM1). All others that main only reads are inputs of the model.
  std::map<std::string, std::vector<float>> constants;
  /// Names of the constants as in ConstantLosses, by buffer; absent: the buffer's name.
  std::map<std::string, std::string> sources;
  /// Leave out loads of vectors that local memory contains, and of weights that the array holds.
  bool reuse = true;
  /// Run the passes that a program lacks (complete_passes()) before lowering. Off: a contraction
  /// that is not tiled and located is an error.
  bool complete = true;
  /// Bytes of a DRAM port in a cycle; the passes choose tiles by the cost of transfers.
  std::uint64_t axi_bytes = 8;
};

/// Counts of the leaf blocks with one name and device.
struct BlockCounts {
  std::string name, device;       ///< "kernel_0(I,K)", "ARRAY"; empty: not located
  std::uint64_t invocations = 0;  ///< invocations with at least one position
  std::uint64_t points = 0;       ///< positions that satisfy the constraints
  std::uint64_t slots = 0;        ///< positions of these invocations, without regard to constraints
  std::uint64_t vectors = 0;      ///< vectors streamed or copied for them
};

struct LoweredStripe {
  /// With program, constants, inputs, outputs and layouts; layers are the kernels, in order, each
  /// with its span of instructions (Compiled::layers, first_instruction and instructions).
  Compiled model;
  stripe::Program program;  ///< as it was lowered, after complete_passes()
  std::vector<BlockCounts> counts;
};

/// Lowers a verified program. Throws UserError, naming the block and the reason, if the unit cannot
/// execute it.
[[nodiscard]] LoweredStripe lower(const stripe::Program& program,
                                  const tcu::Architecture& architecture,
                                  const LowerOptions& options = {});

/// The arithmetic of the architecture for InterpretOptions::fixed_point.
[[nodiscard]] stripe::FixedPoint number_format(const tcu::Architecture& architecture);

}  // namespace tactus::compiler
