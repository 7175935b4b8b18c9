// Between the host's tensors and the device's buffers: outputs out of the tiles, inputs of repeated
// executions, signs.
//
// Everything here takes layers that verify.h has accepted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

enum class RelayoutMethod {
  copy,    ///< what the device wrote is the tensor
  slices,  ///< pieces with strides of their own
  vector,  ///< 1 x 1 x z: the start of each execution's buffer
  tiles,   ///< tile by tile, through the six tables
};
[[nodiscard]] RelayoutMethod relayout_method(const Layer& layer);
[[nodiscard]] std::string_view name(RelayoutMethod method);

/// An output layer's way from the device's buffer to a packed tensor (batch,) y, x, z; planned
/// once.
class Relayout {
 public:
  explicit Relayout(const Layer& layer);

  /// `device` has padded_bytes() of the layer, `host` takes actual_bytes(); neither the sign nor
  /// the zero point is touched. About as fast as the memory where z is not tiny.
  void run(const std::uint8_t* device, std::uint8_t* host) const;

 private:
  /// Neighbouring x with one step between them, in one tile.
  struct Run {
    std::int32_t tile = 0;   ///< what is added to the row's first tile
    std::int64_t local = 0;  ///< of its first element in the tile's row
    std::int64_t row = 0;    ///< row size
    std::int64_t count = 0;  ///< of x
    std::int64_t step = 0;   ///< elements from one x to the next
  };
  void plan_tiles();
  void run_tiles(const std::uint8_t* device, std::uint8_t* host) const;
  void run_vector(const std::uint8_t* device, std::uint8_t* host) const;
  void run_slices(const std::uint8_t* device, std::uint8_t* host) const;

  const Layer& layer_;
  RelayoutMethod method_;
  std::vector<Run> runs_;
};

/// The device's buffer of an input that is executed E times: E pieces of the tensor, each at the
/// start of its size_bytes; what lies between is 0.
[[nodiscard]] std::vector<std::uint8_t> scatter_input(const Layer& layer, ByteView tensor);

/// Flips the top bit of every element of a signed type, and leaves others alone.
void flip_sign(std::int16_t data_type, std::uint8_t* bytes, std::size_t count);

/// Throws PackageError (E_IO_SIZE) unless a buffer of the user has the size the layer takes: of an
/// input the tensor's bytes or those with padding, of an output the tensor's. `where` is its name.
void check_input_bytes(const Layer& layer, std::size_t bytes, const std::string& where);
void check_output_bytes(const Layer& layer, std::size_t bytes, const std::string& where);

}  // namespace tactus::darwinn
