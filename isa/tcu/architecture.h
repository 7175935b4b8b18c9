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

/// Two's-complement fixed point, named width-point as in the architecture file.
enum class DataType : std::uint8_t { fp8bp4, fp16bp8, fp18bp10, fp32bp16 };

struct DataTypeInfo {
  std::string_view name;   ///< spelling in files, e.g. "FP16BP8"
  unsigned width_bits;     ///< of one scalar in the datapath
  unsigned binary_point;   ///< fraction bits
  unsigned storage_bytes;  ///< of one scalar in DRAM and in files: 1, 2, 4, 4
  [[nodiscard]] std::int64_t min() const { return -(std::int64_t{1} << (width_bits - 1)); }
  [[nodiscard]] std::int64_t max() const { return (std::int64_t{1} << (width_bits - 1)) - 1; }
};

[[nodiscard]] const DataTypeInfo& info(DataType type);

/// Tables for the SIMD operation Lookup, loaded by opcode 0x5: the public documentation has them,
/// the RTL has not. What a lookup gives is said in isa/tcu/lookup.h.
struct LookupTables {
  std::uint32_t count = 0;             ///< 0: none, the machine is the RTL's
  std::uint32_t depth = 0;             ///< entries of each, a power of two
  std::uint32_t key_binary_point = 0;  ///< keys are whole multiples of 2^-key_binary_point
  bool operator==(const LookupTables& o) const {
    return count == o.count && depth == o.depth && key_binary_point == o.key_binary_point;
  }
};

/// Whether weights can enter the array while results of earlier vectors are on their way out. An
/// extension of Tactus's own, no RTL has it.
enum class ShadowWeights : std::uint8_t {
  off,  ///< a LoadWeights waits until the array has drained
  on,   ///< it follows the last vector at once
  /// They come beside products, by reads of local memory of their own; a product takes over all of
  /// them at once.
  own_reads,
};

/// All depths and sizes count vectors of array_size scalars. The member names are the file's keys;
/// their ranges are those of architecture_table.cpp, which `tactus explain architecture` prints.
struct Architecture {
  DataType data_type = DataType::fp16bp8;
  std::uint32_t array_size = 8;  ///< N
  std::uint64_t dram0_depth = 1048576;
  std::uint64_t dram1_depth = 1048576;
  std::uint64_t local_depth = 8192;
  std::uint64_t accumulator_depth = 2048;
  std::uint32_t simd_registers_depth = 1;
  std::uint32_t stride0_depth = 8;       ///< stride codes of operand 0; a code's step is 2^code
  std::uint32_t stride1_depth = 8;       ///< stride codes of operand 1
  std::uint32_t number_of_threads = 1;   ///< width of the header only, no hardware
  std::uint32_t thread_queue_depth = 8;  ///< for the estimator only
  /// Behind opcode 0x6. None: the machine is the RTL's.
  std::vector<DaisBlockEntry> dais_blocks;
  LookupTables lookup_tables;
  ShadowWeights shadow_weights = ShadowWeights::off;
  /// Entries of a queue for DRAM moves beside the decoder's head, an extension of Tactus's own. 0:
  /// none, a move holds the head as in the RTL.
  std::uint32_t dma_queue = 0;
  /// A unit between accumulators and local memory, behind opcode 0x7 and DataMove kind 0xE, see
  /// isa/tcu/activation.h. An extension of Tactus's own.
  bool activation_unit = false;

  /// Bytes of one vector in DRAM and in files.
  [[nodiscard]] std::uint64_t vector_bytes() const {
    return std::uint64_t{array_size} * info(data_type).storage_bytes;
  }
  bool operator==(const Architecture& other) const;
  bool operator!=(const Architecture& other) const { return !(*this == other); }
};

/// Reads and validates a .tarch file. Keys may be left out and then have the defaults above, see
/// also architecture_json.h; unknown, duplicate, mistyped and out-of-range keys are reported
/// together. Reads the DAIS programs too, from the file's folder on. Throws UserError
/// "file:/json/path: what; allowed
/// ...".
[[nodiscard]] Architecture read_architecture(const std::string& path);

/// The same from text already in memory; `where` stands for the file name in messages and for the
/// names of DAIS programs.
[[nodiscard]] Architecture parse_architecture(std::string_view json_text, const std::string& where);

/// The JSON object in the reference's key order, indented by `indent` (-1: one line).
[[nodiscard]] std::string to_json(const Architecture& architecture, int indent = 2);

}  // namespace tactus::tcu
