// Vectors that the user gives as an input.
#pragma once

#include <cstdint>
#include <map>
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

/// Throws UserError if the name of the file does not tell that it holds values of a tensor.
void check_is_values(const std::string& path, const std::string& tensor);

/// "NAME=F" for one of the inputs, else a plain path for the only one: name and path. Throws
/// UserError.
[[nodiscard]] std::pair<std::string, std::string> split_input(const std::vector<Tensor>& inputs,
                                                              const std::string& text);

/// Of a model that knows how its tensors lie in vectors.
struct InputLayouts {
  const compiler::ModelTensors* tensors = nullptr;  ///< null: not known
  std::string model;                                ///< its file, for messages
};

/// Whether values are drawn ("random", "random:7") and not read from a file.
[[nodiscard]] bool is_drawn(const std::string& input);

/// The images of all inputs. `given` says for each where it comes from: a file, cut into images,
/// which must be as many in all files, of values in the model's layout (.npy, .pb) where that is
/// known, or of vectors (.csv, .bin); or "random[:SEED]", values from -1 to 1. An input that is not
/// given is drawn, which is said; `given` names it and all seeds afterwards. At least one image.
/// Throws UserError.
[[nodiscard]] std::vector<TensorData> read_images(const tcu::Architecture& architecture,
                                                  const std::vector<Tensor>& inputs,
                                                  std::map<std::string, std::string>& given,
                                                  const InputLayouts& layouts = {});

}  // namespace tactus
