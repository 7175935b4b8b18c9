// Payloads of the channels between the units of the TCU. Sizes are size fields: number of vectors
// minus one.
#pragma once

#include <cstdint>

#include "isa/tcu/instruction.h"
#include "models/sim/link.h"

namespace tactus {

/// Request to a port of a dual-port memory; addresses count vectors.
struct MemoryRequest {
  bool write = false;
  std::uint64_t address = 0;
  bool operator==(const MemoryRequest& o) const { return write == o.write && address == o.address; }
};

/// The wires of one memory port.
struct MemoryPort {
  Link<MemoryRequest> request;
  Link<VectorRef> write_data;
  Link<VectorRef> read_data;
};

/// Connections of the local router. Source: hardware spec section 5.
enum class DataflowKind : std::uint8_t {
  none = 0,
  local_to_array_weights = 1,
  local_to_array_to_accumulator = 2,
  array_to_accumulator = 3,
  accumulator_to_local = 4,
  local_to_accumulator = 5,
  // Not in the RTL:
  local_to_dais_to_accumulator = 6,
  accumulator_to_activation_to_local = 7,
  local_to_activation = 8,
};

struct Dataflow {
  DataflowKind kind = DataflowKind::none;
  std::uint64_t size = 0;
  std::uint64_t results = 0;  ///< size of what a DAIS block sends to the accumulators
};

/// A connection of the host router, for one vector. Source: hardware spec section 6.
struct HostDataflow {
  unsigned dram = 0;  ///< port 0 or 1
  bool to_dram = false;
  std::uint64_t size = 0;
};

struct ArrayControl {
  bool load = false;    ///< load a weight vector, else multiply
  bool zeroes = false;  ///< use a vector of zeroes instead of one from local memory
  std::uint64_t size = 0;
  std::uint64_t loads = 0;  ///< number of LoadWeights before it, if weights have reads of their own
};

/// A vector for a DAIS block.
struct DaisControl {
  unsigned block = 0;
  std::uint64_t size = 0;
};

struct AluOperation {
  tcu::SimdOp op = tcu::SimdOp::no_op;
  unsigned left = 0, right = 0, dest = 0;  ///< selectors: 0 input/output, k register k-1
  bool operator==(const AluOperation& o) const {
    return op == o.op && left == o.left && right == o.right && dest == o.dest;
  }
};

/// One access to the accumulators, or one SIMD instruction.
struct AccumulatorControl {
  AluOperation alu;
  bool read = false, write = false, accumulate = false;
  /// Entries for lookup table `table` - 1: no access, the read address counts their vectors. 0:
  /// none.
  std::uint8_t table = 0;
  std::uint64_t read_address = 0, write_address = 0;
  bool operator==(const AccumulatorControl& o) const {
    return alu == o.alu && read == o.read && write == o.write && accumulate == o.accumulate &&
           table == o.table && read_address == o.read_address && write_address == o.write_address;
  }
};

struct DramRequest {
  bool write = false;
  std::uint64_t address = 0;  ///< vectors
  std::uint64_t size = 0;
};

/// A word of the sampler. Bits 31:0 program counter; valid/ready pairs, valid in the even bit: 32
/// array, 34 accumulators, 36 dataflow, 38 dram1, 40 dram0, 42 local port B, 44 local port A, 46
/// instruction; the rest zero.
struct Sample {
  std::uint64_t word = 0;
  bool last = false;
};

}  // namespace tactus
