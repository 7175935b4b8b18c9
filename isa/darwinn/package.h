// A DarwiNN package in memory: executables, instruction chunks with the fields to be linked, DMA
// hints, layers.
//
// All text, tables and bytes are views into buffers that somebody else owns: of a file that was
// read, its File (file.h); of a package that is to be written, the caller. Numbers are as they
// stand in the file; only a package that verify.h has accepted keeps the rules that are named here.
// Source: the published slot tables of the format.
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
/// What an address or a transfer is about.
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

/// "EXECUTION_ONLY", "PARAMETER", "LOWER_32BIT", "INFEED", "FIXED_POINT8"; "type 7" and the like
/// for values without a name.
[[nodiscard]] std::string_view type_name(std::int16_t type);
[[nodiscard]] std::string_view base_name(std::int16_t base);
[[nodiscard]] std::string_view position_name(std::int16_t position);
[[nodiscard]] std::string_view direction_name(std::int16_t direction);
[[nodiscard]] std::string_view data_type_name(std::int16_t type);
/// Bytes of an element: 1, 2 or 4; 0 for a type that does not exist.
[[nodiscard]] unsigned element_bytes(std::int16_t type);
/// Whether the host flips the top bit of every element, for the device computes in unsigned.
[[nodiscard]] bool flips_sign(std::int16_t type);

/// What a field or a descriptor refers to.
struct Meta {
  std::int16_t desc = output;            ///< a Base
  std::int16_t position = lower_32bit;   ///< a Position; fields only
  std::int32_t batch = 0;                ///< batch element, of layers
  std::optional<std::string_view> name;  ///< of a layer
};

/// A place in a chunk that takes 32 bits of an address.
struct Field {
  std::optional<Meta> meta;
  std::int32_t offset_bit = 0;  ///< bit k is bit k mod 8 of byte k / 8
};

/// Instructions that are always transferred as a whole.
struct Chunk {
  ByteView code;
  std::vector<Field> fields;
};

/// One step of an executable as the device's DMA engines see it.
struct Hint {
  HintKind kind = HintKind::none;  ///< may be beyond `fence` in a file
  bool has_value = false;          ///< the union's table is there
  std::int16_t direction = infeed;
  std::optional<Meta> meta;  ///< descriptor
  std::int32_t offset = 0;   ///< descriptor: bytes in the buffer
  std::int32_t size = 0;     ///< descriptor: bytes
  std::int32_t number = 0;   ///< instruction: chunk; interrupt: number
};

/// Positions `start` to `end`, both included.
struct Range {
  std::int32_t start = 0;
  std::int32_t end = 0;
  [[nodiscard]] std::int64_t extent() const { return std::int64_t{end} - start + 1; }
};
using Shape = View<Range>;

/// A part of an output that the device writes in one piece.
struct Slice {
  std::optional<Shape> shape;
  IntView stride;  ///< elements, of each dimension
};

/// How an output is spread over the tiles' memories. Element (y, x, z) is at
///   tile_start[row_tile[y] + column_tile[x]] + y_local[y] * row_size[x] + x_local[x] + z,
/// everything counted in elements.
struct TileLayout {
  IntView row_tile, column_tile, tile_start, x_local, y_local, row_size;
};

struct Numerics {
  std::int32_t zero_point = 0;  ///< in the device's unsigned numbers
  float factor = 0;             ///< of real values: (stored - zero_point) * factor
};

struct Layer {
  std::optional<std::string_view> name;
  std::int32_t size_bytes = 0;  ///< of one execution and batch element, with padding
  std::int32_t y = 0, x = 0, z = 0;
  std::optional<Numerics> numerics;
  std::int16_t data_type = fixed_point8;
  AnyLayer kind = AnyLayer::none;
  bool has_value = false;  ///< the union's table is there
  std::int32_t executions = 1;
  bool cache_on_dram = false;
  std::optional<Shape> shape;
  // Outputs only.
  std::optional<TileLayout> layout;
  bool has_shape_info = false;
  std::vector<Slice> slices;
  IntView slice_offsets;  ///< bytes

  /// Sizes of a layer that was accepted: elements and bytes of the tensor, bytes of the device's
  /// buffer, batch elements in the tensor.
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
  std::int32_t narrow_memory_bytes = 0;     ///< used of each tile
  std::int16_t type = stand_alone;          ///< an ExecutableType
  std::uint64_t token = 0;                  ///< of parameter caching
  bool parameters_in_dram = false;
  std::int64_t estimated_cycles_64bit = 0;  ///< see cycle_estimate()
  // Of a file that was read.
  std::uint32_t fields_present = 0;  ///< bit k: slot k is there
  std::int64_t offset = 0;           ///< of the executable in the package, bytes
  std::int64_t bytes = 0;
  std::int64_t parameters_offset = 0;  ///< in the executable; 0: no parameters

  /// Estimated cycles of one run: the 64-bit field, or where that is 0 the deprecated 32-bit one.
  /// 0: no estimate; a negative one is none.
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
  // Of a file that was read.
  std::int64_t bytes = 0;
  std::int64_t multi_offset = 0;  ///< of the MultiExecutable in the package
  std::int64_t multi_bytes = 0;

  [[nodiscard]] const Executable* find(std::int16_t type) const;
  /// What one inference runs: of one executable that; of two EXECUTION_ONLY; of three STAND_ALONE.
  [[nodiscard]] const Executable& main() const;
  /// What loads parameters ahead of it, or null: of two executables PARAMETER_CACHING.
  [[nodiscard]] const Executable* caching() const;
};

}  // namespace tactus::darwinn
