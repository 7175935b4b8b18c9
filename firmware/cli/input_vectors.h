// Vectors that the user gives as an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/model_tensors.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "isa/tcu/architecture.h"

namespace tactus {

/// As tcu::read_vectors. Numbers that the data type's range does not hold are told on standard
/// error, for they saturate.
[[nodiscard]] std::vector<std::uint8_t> read_input_vectors(
    const std::string& path, const tcu::Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt);

/// "NAME=F" for one of the inputs, else a plain path for the only one: name and path. Throws
/// UserError.
[[nodiscard]] std::pair<std::string, std::string> split_input(const std::vector<Tensor>& inputs,
                                                              const std::string& text);

/// Of a model that knows how its tensors lie in vectors.
struct InputLayouts {
  const compiler::ModelTensors* tensors = nullptr;  ///< null: not known
  std::string model;                                ///< its file, for messages
};

/// One tensor's file, cut into images: added to those that are there, which must be as many.
/// Vectors
/// (.csv, .bin), or values in the model's layout (.npy, .pb) where that is known. Throws UserError.
void add_images(const tcu::Architecture& architecture, const Tensor& tensor,
                const std::string& path, std::vector<TensorData>& images,
                const InputLayouts& layouts = {});

}  // namespace tactus
