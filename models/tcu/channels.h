// What travels between the units of the TCU. Sizes are size fields: number of vectors minus one.
#pragma once

#include <cstdint>

#include "isa/tcu/instruction.h"
#include "models/sim/link.h"

namespace tactus {

/// To one port of a dual-port memory; addresses count vectors.
struct MemoryRequest {
  bool write = false;
  std::uint64_t address = 0;
  bool operator==(const MemoryRequest& o) const { return write == o.write && address == o.address; }
  friend bool alike(const MemoryRequest& a, const MemoryRequest& b) { return a.write == b.write; }
};

/// The wires of one memory port.
struct MemoryPort {
  Link<MemoryRequest> request;
  Link<VectorRef> write_data;
  Link<VectorRef> read_data;
};

/// What the local router connects. Source: hardware spec section 5.
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
  friend bool alike(const Dataflow& a, const Dataflow& b) {
    return a.kind == b.kind && a.size == b.size && a.results == b.results;
  }
};

/// What the host router connects, one item a vector. Source: hardware spec section 6.
struct HostDataflow {
  unsigned dram = 0;  ///< port 0 or 1
  bool to_dram = false;
  std::uint64_t size = 0;
  friend bool alike(const HostDataflow& a, const HostDataflow& b) {
    return a.dram == b.dram && a.to_dram == b.to_dram && a.size == b.size;
  }
};

struct ArrayControl {
  bool load = false;    ///< load a weight vector, else multiply
  bool zeroes = false;  ///< use a vector of zeroes instead of one from local memory
  std::uint64_t size = 0;
  std::uint64_t loads = 0;  ///< LoadWeights before it, where these have reads of their own
  friend bool alike(const ArrayControl& a, const ArrayControl& b) {
    return a.load == b.load && a.zeroes == b.zeroes && a.size == b.size && a.loads == b.loads;
  }
};

/// A vector for a DAIS block.
struct DaisControl {
  unsigned block = 0;
  std::uint64_t size = 0;
  friend bool alike(const DaisControl& a, const DaisControl& b) {
    return a.block == b.block && a.size == b.size;
  }
};

struct AluOperation {
  tcu::SimdOp op = tcu::SimdOp::no_op;
  unsigned left = 0, right = 0, dest = 0;  ///< selectors: 0 input/output, k register k-1
  friend bool alike(const AluOperation& a, const AluOperation& b) {
    return a.op == b.op && a.left == b.left && a.right == b.right && a.dest == b.dest;
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
  friend bool alike(const AccumulatorControl& a, const AccumulatorControl& b) {
    return alike(a.alu, b.alu) && a.read == b.read && a.write == b.write &&
           a.accumulate == b.accumulate && a.table == b.table;
  }
};

struct DramRequest {
  bool write = false;
  std::uint64_t address = 0;  ///< vectors
  std::uint64_t size = 0;
  friend bool alike(const DramRequest& a, const DramRequest& b) {
    return a.write == b.write && a.size == b.size;
  }
};

}  // namespace tactus
