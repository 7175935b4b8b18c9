// The architecture file (.tarch): the parameters that shape one tensor compute unit.
//
// Source: hardware spec section 1, toolchain spec section 1.1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/tcu/dais_block.h"

namespace tactus::tcu {

/// Two's-complement fixed-point types, named by width and binary point as in the architecture file.
enum class DataType : std::uint8_t { fp8bp4, fp16bp8, fp18bp10, fp32bp16 };

struct DataTypeInfo {
  std::string_view name;   ///< spelling in files, e.g. "FP16BP8"
  unsigned width_bits;     ///< bits of a scalar in the datapath
  unsigned binary_point;   ///< fraction bits
  unsigned storage_bytes;  ///< bytes of a scalar in DRAM and in files: 1, 2, 4, 4
  [[nodiscard]] std::int64_t min() const { return -(std::int64_t{1} << (width_bits - 1)); }
  [[nodiscard]] std::int64_t max() const { return (std::int64_t{1} << (width_bits - 1)) - 1; }
};

[[nodiscard]] const DataTypeInfo& info(DataType type);

/// Tables for the SIMD operation Lookup, loaded by opcode 0x5. The public documentation describes
/// them, the RTL lacks them. isa/tcu/lookup.h describes the results.
struct LookupTables {
  std::uint32_t count = 0;             ///< 0: none, as in the RTL
  std::uint32_t depth = 0;             ///< entries per table, a power of two
  std::uint32_t key_binary_point = 0;  ///< keys are multiples of 2^-key_binary_point
  bool operator==(const LookupTables& o) const {
    return count == o.count && depth == o.depth && key_binary_point == o.key_binary_point;
  }
};

/// Loading of weights while results of earlier vectors are still in the array. An extension of
/// Tactus's own, absent from the RTL.
enum class ShadowWeights : std::uint8_t {
  off,  ///< a LoadWeights waits until the array has drained
  on,   ///< a LoadWeights directly follows the last vector
  /// Weights are read from local memory through a port of their own during products; the next
  /// product takes all of them over at once.
  own_reads,
};

/// Architecture of a TCU. Depths and sizes count vectors of array_size scalars. The member names
/// are the file's keys. Their ranges are in architecture_table.cpp; `tactus explain architecture`
/// prints them.
struct Architecture {
  DataType data_type = DataType::fp16bp8;
  std::uint32_t array_size = 8;  ///< N
  std::uint64_t dram0_depth = 1048576;
  std::uint64_t dram1_depth = 1048576;
  std::uint64_t local_depth = 8192;
  std::uint64_t accumulator_depth = 2048;
  std::uint32_t simd_registers_depth = 1;
  /// number of stride codes of operand 0; the step of a code is 2^code
  std::uint32_t stride0_depth = 8;
  std::uint32_t stride1_depth = 8;       ///< number of stride codes of operand 1
  std::uint32_t number_of_threads = 1;   ///< read from files, without effect
  std::uint32_t thread_queue_depth = 8;  ///< used only by the estimator
  /// DAIS blocks behind opcode 0x6. Empty: none, as in the RTL.
  std::vector<DaisBlockEntry> dais_blocks;
  LookupTables lookup_tables;
  ShadowWeights shadow_weights = ShadowWeights::off;
  /// Entries of a queue for DataMoves between DRAM and local memory, beside the decoder's head. An
  /// extension of Tactus's own. 0: none; a DataMove occupies the head, as in the RTL.
  std::uint32_t dma_queue = 0;
  /// True if there is an activation unit between accumulators and local memory, behind opcode 0x7
  /// and DataMove kind 0xE, see isa/tcu/activation.h. An extension of Tactus's own.
  bool activation_unit = false;

  /// Bytes of a vector in DRAM and in files.
  [[nodiscard]] std::uint64_t vector_bytes() const {
    return std::uint64_t{array_size} * info(data_type).storage_bytes;
  }
  bool operator==(const Architecture& other) const;
  bool operator!=(const Architecture& other) const { return !(*this == other); }
};

/// Reads and checks a .tarch file, and the DAIS programs it names, relative to its folder. Missing
/// keys have the defaults above, see also architecture_json.h. Unknown, duplicate, mistyped and
/// out-of-range keys are reported together. Throws UserError "file:/json/path: what; allowed ...".
[[nodiscard]] Architecture read_architecture(const std::string& path);

/// Reads text that is already in memory. `where` stands for the file name in messages, and names of
/// DAIS programs are relative to it.
[[nodiscard]] Architecture parse_architecture(std::string_view json_text, const std::string& where);

/// JSON object with the keys in the reference's order, indented by `indent` (-1: one line).
[[nodiscard]] std::string to_json(const Architecture& architecture, int indent = 2);

}  // namespace tactus::tcu
