// A DarwiNN package in memory: executables, instruction chunks with the fields to be linked, DMA
// hints, layers.
//
// Texts, tables and bytes are views into buffers owned elsewhere: by the File (file.h) for a
// package that was read, by the caller for a package to be written. Numbers are those of the file.
// Only packages accepted by verify.h are certain to follow the rules named here. Source: the
// published slot tables of the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/support/view.h"

namespace tactus::darwinn {

using ByteView = View<std::uint8_t>;
using IntView = View<std::int32_t>;

enum ExecutableType : std::int16_t { stand_alone, parameter_caching, execution_only };
/// Kind of buffer that an address or transfer belongs to.
enum Base : std::int16_t { output, input, parameter, scratch };
enum Position : std::int16_t { lower_32bit, upper_32bit };
enum Direction : std::int16_t { infeed, outfeed };
enum class HintKind : std::uint8_t { none, descriptor, instruction, interrupt, fence };
enum class AnyLayer : std::uint8_t { none, output, input };

enum DataType : std::int16_t {
  fixed_point8,
  fixed_point16,
  signed_fixed_point32,
  bfloat,
  half,
  single,
  signed_fixed_point8 = 8,
  signed_fixed_point16,
};

/// Names of the types of executable, field position, data and so on: "EXECUTION_ONLY", "PARAMETER",
/// "LOWER_32BIT", "INFEED", "FIXED_POINT8"; "type 7" and the like for unknown values.
[[nodiscard]] std::string_view type_name(std::int16_t type);
[[nodiscard]] std::string_view base_name(std::int16_t base);
[[nodiscard]] std::string_view position_name(std::int16_t position);
[[nodiscard]] std::string_view direction_name(std::int16_t direction);
[[nodiscard]] std::string_view data_type_name(std::int16_t type);
/// Bytes of an element: 1, 2 or 4; 0 for a type that does not exist.
[[nodiscard]] unsigned element_bytes(std::int16_t type);
/// True if the host flips the top bit of every element, because the device computes with unsigned
/// numbers.
[[nodiscard]] bool flips_sign(std::int16_t type);

/// The buffer that a field or descriptor refers to.
struct Meta {
  std::int16_t desc = output;            ///< a Base
  std::int16_t position = lower_32bit;   ///< a Position; fields only
  std::int32_t batch = 0;                ///< batch element; layers only
  std::optional<std::string_view> name;  ///< name of the layer; layers only
};

/// A field of a chunk that holds 32 bits of an address.
struct Field {
  std::optional<Meta> meta;
  std::int32_t offset_bit = 0;  ///< bit k is bit k mod 8 of byte k / 8
};

/// Instructions that are transferred to the device as a whole.
struct Chunk {
  ByteView code;
  std::vector<Field> fields;
};

/// One step of an executable, as the device's DMA engines see it.
struct Hint {
  HintKind kind = HintKind::none;  ///< a file may hold values beyond `fence`
  bool has_value = false;          ///< the union's table is present
  std::int16_t direction = infeed;
  std::optional<Meta> meta;  ///< descriptor
  std::int32_t offset = 0;   ///< descriptor: offset in the buffer, bytes
  std::int32_t size = 0;     ///< descriptor: bytes
  std::int32_t number = 0;   ///< instruction: chunk; interrupt: number
};

/// The positions `start` to `end`, both included.
struct Range {
  std::int32_t start = 0;
  std::int32_t end = 0;
  [[nodiscard]] std::int64_t extent() const { return std::int64_t{end} - start + 1; }
};
using Shape = View<Range>;

/// Part of an output that the device writes as one block.
struct Slice {
  std::optional<Shape> shape;
  IntView stride;  ///< stride of each dimension, elements
};

/// Distribution of an output over the tiles' memories. Element (y, x, z) is at
///   tile_start[row_tile[y] + column_tile[x]] + y_local[y] * row_size[x] + x_local[x] + z,
/// all in elements.
struct TileLayout {
  IntView row_tile, column_tile, tile_start, x_local, y_local, row_size;
};

struct Numerics {
  std::int32_t zero_point = 0;  ///< zero point of the device's unsigned numbers
  float factor = 0;             ///< real value = (stored - zero_point) * factor
};

struct Layer {
  std::optional<std::string_view> name;
  std::int32_t size_bytes = 0;  ///< bytes of one execution and batch element, with padding
  std::int32_t y = 0, x = 0, z = 0;
  std::optional<Numerics> numerics;
  std::int16_t data_type = fixed_point8;
  AnyLayer kind = AnyLayer::none;
  bool has_value = false;  ///< the union's table is present
  std::int32_t executions = 1;
  bool cache_on_dram = false;
  std::optional<Shape> shape;
  // Present for outputs only.
  std::optional<TileLayout> layout;
  bool has_shape_info = false;
  std::vector<Slice> slices;
  IntView slice_offsets;  ///< bytes

  /// Sizes of a layer that verify.h accepted: elements and bytes of the tensor, bytes of the
  /// device's buffer, batch elements of the tensor.
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t actual_bytes() const {
    return elements() * element_bytes(data_type) * executions;
  }
  [[nodiscard]] std::int64_t padded_bytes() const { return std::int64_t{size_bytes} * executions; }
  [[nodiscard]] std::int64_t batch() const {
    return shape && !shape->empty() ? (*shape)[0].extent() : 1;
  }
};

struct Executable {
  std::int32_t version = 0;
  std::string_view name;
  ByteView serialized_model;
  std::int32_t batch_size = 0;
  std::int32_t scratch_bytes = 0;
  std::vector<Chunk> chunks;
  ByteView parameters;
  bool has_hints = false;
  bool fully_deterministic = false;
  std::vector<Hint> hints;
  std::vector<Layer> inputs, outputs;
  std::optional<std::string_view> chip;
  std::int32_t estimated_cycles_32bit = 0;  ///< deprecated, see cycle_estimate()
  std::int32_t narrow_memory_bytes = 0;     ///< used bytes of each tile's narrow memory
  std::int16_t type = stand_alone;          ///< an ExecutableType
  std::uint64_t token = 0;                  ///< identifies the cached parameters
  bool parameters_in_dram = false;
  std::int64_t estimated_cycles_64bit = 0;  ///< see cycle_estimate()
  // Set for a package that was read from a file.
  std::uint32_t fields_present = 0;  ///< bit k: slot k is there
  std::int64_t offset = 0;           ///< offset of the executable in the package, bytes
  std::int64_t bytes = 0;
  std::int64_t parameters_offset = 0;  ///< offset in the executable; 0: no parameters

  /// Estimated cycles of one run: the 64-bit field or, if that is 0, the deprecated 32-bit one. 0
  /// means no estimate; negative values count as none.
  [[nodiscard]] std::uint64_t cycle_estimate() const;
};

struct Package {
  std::int32_t min_runtime_version = 0;
  ByteView signature;
  std::int32_t keypair_version = 0;
  std::string_view compiler_version;
  std::int32_t virtual_chip_id = 0;
  std::uint32_t multi_chip_packages = 0;
  std::string_view model_identifier;
  std::vector<Executable> executables;  ///< the order has no meaning
  // Set for a package that was read from a file.
  std::int64_t bytes = 0;
  std::int64_t multi_offset = 0;  ///< offset of the MultiExecutable in the package
  std::int64_t multi_bytes = 0;

  [[nodiscard]] const Executable* find(std::int16_t type) const;
  /// The executable that one inference runs: the only one, or the EXECUTION_ONLY one of two, or the
  /// STAND_ALONE one of three.
  [[nodiscard]] const Executable& main() const;
  /// The PARAMETER_CACHING executable, which loads parameters before the first inference; null for
  /// a single executable.
  [[nodiscard]] const Executable* caching() const;
};

}  // namespace tactus::darwinn
