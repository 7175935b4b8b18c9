// Converts values in a model's layout, as users have them, to bytes in DRAM0, and back.
//
// An image is one set of a program's inputs or outputs. A tensor whose first dimension is k times
// that of an input, with equal other dimensions, contains k images in succession.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/model_tensors.h"

namespace tactus::compiler {

/// The result of matching a given tensor with a tensor of the model.
struct ShapeFit {
  std::size_t images = 1;
  std::string note;  ///< "has shape [192], taken as [1,3,8,8]"; empty: the shapes agree
};

/// How many images a caller of fit_shape() takes, for its message.
enum class Images { several, one };

/// Matches shapes. The first dimension may contain several images; the given shape may be flat or
/// lack leading dimensions of size 1. Throws UserError "WHERE: ..." with both shapes if they do not
/// match. `tensor` is the name of the model's tensor in the message: "input \"x\""; `stated_by`, if
/// not empty, the file that states its shape.
[[nodiscard]] ShapeFit fit_shape(const nn::Shape& given, const nn::Shape& wanted,
                                 const std::string& tensor, const std::string& where,
                                 const std::string& stated_by = "",
                                 Images images = Images::several);

/// Converts an input to vectors, image after image. Values beyond the data type's range saturate,
/// NaN becomes 0. The shape must match, see fit_shape(); its note is stored in `note`.
[[nodiscard]] std::vector<std::uint8_t> pack_images(const ModelTensors& tensors,
                                                    const TensorLayout& layout,
                                                    const tcu::Architecture& architecture,
                                                    const nn::Tensor& tensor,
                                                    const std::string& where, std::string& note);

/// Vectors of a program's inputs for one image, by name.
using InputVectors = std::map<std::string, std::vector<std::uint8_t>>;

/// The images of a model's inputs, one element an image.
struct PackedImages {
  std::vector<InputVectors> inputs;
  std::vector<nn::Values> carried;  ///< see Started
  double host_seconds = 0;          ///< time of the host's work before the program, all images
};

/// Computes the program's inputs of all images from the model's, for a model with work of the host
/// before the program (other models: pack_images). `where` is the origin of each input, for
/// messages; notes are sentences about shapes and saturation.
[[nodiscard]] PackedImages pack_model_inputs(const ModelTensors& tensors,
                                             const tcu::Architecture& architecture,
                                             const nn::Values& inputs,
                                             const std::map<std::string, std::string>& where,
                                             std::vector<std::string>& notes);

/// "3 of 96 values are beyond -128 .. 127.996, what FP16BP8 holds, and saturate", "2 of 96 values
/// are NaN and become 0", or both; none if all fit.
[[nodiscard]] std::optional<std::string> saturation_text(const nn::Tensor& tensor,
                                                         tcu::DataType type);

/// Computes the model's outputs of one image from the program's outputs in DRAM, including the
/// host's work. `image` returns the vectors of an output by its name; `carried`: see Started.
template <typename Image>
[[nodiscard]] nn::Values model_outputs(const ModelTensors& tensors,
                                       const tcu::Architecture& architecture, const Image& image,
                                       const nn::Values& carried) {
  nn::Values values;
  for (const TensorLayout& layout : tensors.outputs) {
    values[layout.name] =
        nn::Tensor::of(layout.shape, unpack_tensor(layout, architecture, image.at(layout.name)));
  }
  return finish_on_host(tensors, values, carried);
}

/// Joins one output of all images (at least one) along the first dimension.
[[nodiscard]] nn::Tensor join_images(const std::vector<nn::Values>& images,
                                     const std::string& name);

}  // namespace tactus::compiler
