// Converts between the host's tensors and the device's buffers: collects outputs from the tiles,
// spreads the inputs of repeated executions, flips signs.
//
// All layers must have been accepted by verify.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

enum class RelayoutMethod {
  copy,    ///< the device's buffer is the tensor
  slices,  ///< pieces that have their own strides
  vector,  ///< 1 x 1 x z: the first bytes of each execution's buffer
  tiles,   ///< tile by tile, through the six tables
};
[[nodiscard]] RelayoutMethod relayout_method(const Layer& layer);
[[nodiscard]] std::string_view name(RelayoutMethod method);

/// Plan for copying an output layer from the device's buffer to a packed tensor (batch,) y, x, z.
/// Made once per layer.
class Relayout {
 public:
  explicit Relayout(const Layer& layer);

  /// Copies padded_bytes() of the layer at `device` to actual_bytes() at `host`. Changes neither
  /// signs nor the zero point. About as fast as memory allows unless z is tiny.
  void run(const std::uint8_t* device, std::uint8_t* host) const;

 private:
  /// Neighbouring x in one tile with a constant step between them.
  struct Run {
    std::int32_t tile = 0;   ///< added to the row's first tile
    std::int64_t local = 0;  ///< offset of the first element in the tile's row
    std::int64_t row = 0;    ///< row size
    std::int64_t count = 0;  ///< number of x
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

/// Device buffer of an input that is executed E times: E pieces of the tensor, each at the start of
/// its size_bytes; the bytes between them are 0.
[[nodiscard]] std::vector<std::uint8_t> scatter_input(const Layer& layer, ByteView tensor);

/// Flips the top bit of every element if the type is signed.
void flip_sign(std::int16_t data_type, std::uint8_t* bytes, std::size_t count);

/// Throws PackageError (E_IO_SIZE) unless a user's buffer has the size of the layer: for an input
/// the tensor's bytes with or without padding, for an output the tensor's bytes. `where` is the
/// buffer's name.
void check_input_bytes(const Layer& layer, std::size_t bytes, const std::string& where);
void check_output_bytes(const Layer& layer, std::size_t bytes, const std::string& where);

}  // namespace tactus::darwinn
