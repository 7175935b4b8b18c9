// Values in a model's own layout, as people have them, to what lies in DRAM0, and back.
//
// An image is one set of inputs of a program, or of its outputs. A tensor with k times the elements
// of an input holds k images, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/model_tensors.h"

namespace tactus::compiler {

/// An input as vectors, image after image; values beyond the data type's range become its ends.
/// Throws UserError "WHERE: ..." for a shape that is neither the input's nor several of it.
[[nodiscard]] std::vector<std::uint8_t> pack_images(const TensorLayout& layout,
                                                    const tcu::Architecture& architecture,
                                                    const nn::Tensor& tensor,
                                                    const std::string& where);

/// "3 of 96 values are beyond -128 .. 127.996, what FP16BP8 holds, and saturate"; none if all fit.
[[nodiscard]] std::optional<std::string> saturation_text(const nn::Tensor& tensor,
                                                         tcu::DataType type);

/// The model's outputs of one image, from the program's outputs in DRAM; what is left to the host
/// is computed. `image` gives the vectors of an output by its name.
template <typename Image>
[[nodiscard]] nn::Values model_outputs(const ModelTensors& tensors,
                                       const tcu::Architecture& architecture, const Image& image) {
  nn::Values values;
  for (const TensorLayout& layout : tensors.outputs) {
    values[layout.name] =
        nn::Tensor::of(layout.shape, unpack_tensor(layout, architecture, image.at(layout.name)));
  }
  return finish_on_host(tensors, values);
}

/// One output of all images (at least one), joined along the first dimension.
[[nodiscard]] nn::Tensor join_images(const std::vector<nn::Values>& images,
                                     const std::string& name);

}  // namespace tactus::compiler
