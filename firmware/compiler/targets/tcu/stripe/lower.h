// From a Stripe program to instructions of the tensor compute unit.
//
// A top-level statement of the block "main" is a kernel; kernels run one after another, in order.
// Blocks run as located: copies at movers, products at ARRAY, scalar functions on accumulators.
// Positions are walked when the program is made: what constraints cut off costs nothing, so halos
// are clipped. Positions run in the order in which the interpreter counts them, and buffers get
// their addresses here, in vectors; offsets that memory_placement set count bytes of Stripe's types
// and are not looked at.
//
// What a lowered program computes, bit for bit, is interpret() of LoweredStripe::program with
// number_format() of the architecture.
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
  /// Leave out loads of what local memory, and weights that the array, holds already.
  bool reuse = true;
  /// Run the passes that a program lacks (complete_passes()) before lowering. Off: a contraction
  /// that is not tiled and located is an error.
  bool complete = true;
  std::uint64_t axi_bytes = 8;  ///< a cycle and DRAM port; the passes tile by what a transfer costs
};

/// What the leaf blocks of one name and device did.
struct BlockCounts {
  std::string name, device;       ///< "kernel_0(I,K)", "ARRAY"; empty: not located
  std::uint64_t invocations = 0;  ///< with at least one position
  std::uint64_t points = 0;       ///< positions that satisfy the constraints
  std::uint64_t slots = 0;        ///< positions of these invocations, constraints not looked at
  std::uint64_t vectors = 0;      ///< that were streamed or moved for them
};

struct LoweredStripe {
  /// With program, constants, inputs, outputs and layouts; layers are the kernels, in order, each
  /// with its span of instructions (Compiled::layers, first_instruction and instructions).
  Compiled model;
  stripe::Program program;  ///< as lowered: after the passes that were lacking
  std::vector<BlockCounts> counts;
};

/// Throws UserError that names the block, and why, for what the unit cannot do. The program must
/// have been verified.
[[nodiscard]] LoweredStripe lower(const stripe::Program& program,
                                  const tcu::Architecture& architecture,
                                  const LowerOptions& options = {});

/// The arithmetic of the architecture for InterpretOptions::fixed_point.
[[nodiscard]] stripe::FixedPoint number_format(const tcu::Architecture& architecture);

}  // namespace tactus::compiler
