// Values in a model's own layout, as people have them, to what lies in DRAM0, and back.
//
// An image is one set of inputs of a program, or of its outputs. A tensor whose first dimension is
// k times that of an input, and whose others are the same, holds k images, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/model_tensors.h"

namespace tactus::compiler {

/// How a tensor of somebody's is taken for one of the model.
struct ShapeFit {
  std::size_t images = 1;
  std::string note;  ///< "has shape [192], taken as [1,3,8,8]"; empty: the shapes agree
};

/// Shapes agree, with several images in the first dimension, or the given one is flat or lacks
/// leading dimensions of size 1. For anything else throws UserError "WHERE: ..." with both shapes.
/// `tensor` says what the model's shape belongs to: "input \"x\""; `stated_by`, if not empty, which
/// file says so.
[[nodiscard]] ShapeFit fit_shape(const nn::Shape& given, const nn::Shape& wanted,
                                 const std::string& tensor, const std::string& where,
                                 const std::string& stated_by = "");

/// An input as vectors, image after image; values beyond the data type's range become its ends, NaN
/// becomes 0. The shape has to fit, see fit_shape(), whose note is put into `note`.
[[nodiscard]] std::vector<std::uint8_t> pack_images(const ModelTensors& tensors,
                                                    const TensorLayout& layout,
                                                    const tcu::Architecture& architecture,
                                                    const nn::Tensor& tensor,
                                                    const std::string& where, std::string& note);

/// Inputs of a program by name, as vectors, of one image.
using InputVectors = std::map<std::string, std::vector<std::uint8_t>>;

/// The program's inputs of all images, for a model whose host computes before the program (others:
/// pack_images), from the model's. `where` says for each input where it comes from; notes are
/// sentences about shapes and saturation.
[[nodiscard]] std::vector<InputVectors> pack_model_inputs(
    const ModelTensors& tensors, const tcu::Architecture& architecture, const nn::Values& inputs,
    const std::map<std::string, std::string>& where, std::vector<std::string>& notes);

/// "3 of 96 values are beyond -128 .. 127.996, what FP16BP8 holds, and saturate", "2 of 96 values
/// are NaN and become 0", or both; none if all fit.
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
