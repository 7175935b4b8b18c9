// The low-level representation: one operation an instruction (Wait: count of them), operands as
// places in memories.
//
// Operands are real memories only: local, accumulators, DRAM0, DRAM1, and Zeroes where the machine
// can supply them. Flags are not stated here; the backend infers them.
// Source: toolchain spec section 3.12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <variant>
#include <vector>

#include "firmware/compiler/targets/tcu/memory/address.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler::lir {

/// The first vector of a run, and the stride code: vectors are 2^stride apart.
struct Place {
  Address address;
  unsigned stride = 0;
};

/// All counts are vectors, 1 or more.
struct MatMul {
  bool accumulate;
  Place local;  ///< or Zeroes
  Place accumulators;
  std::uint64_t count;
};

struct DataMove {
  bool to_local;
  bool accumulate;  ///< local to accumulators only
  Place local;
  Place other;
  std::uint64_t count;
};

/// Loads from the last vector of the run down to the first.
struct LoadWeights {
  Place local;  ///< or Zeroes
  std::uint64_t count;
};

/// Selectors: 0 is input or output, k is register k.
struct Simd {
  bool accumulate;
  tcu::SimdOp op;
  unsigned left, right, dest;
  Address write, read;  ///< in the accumulators, or Invalid for none
};

/// A whole lookup table, from its first vector on.
struct LoadLut {
  Place local;
  std::uint32_t table;
};

/// NoOps.
struct Wait {
  std::uint64_t count;
};

using Operation = std::variant<MatMul, DataMove, LoadWeights, Simd, LoadLut, Wait>;

enum class SegmentKind : std::uint8_t { init, load, compute, save };

/// Operations of one partition. Segments of a layer come in the order of stage, partition, kind.
struct Segment {
  std::size_t stage = 0, partition = 0;
  SegmentKind kind = SegmentKind::init;
  std::vector<Operation> operations;
};

[[nodiscard]] std::string_view to_string(SegmentKind kind);

/// A heading, then one operation a line.
void dump(const Segment& segment, std::ostream& out);

}  // namespace tactus::compiler::lir
