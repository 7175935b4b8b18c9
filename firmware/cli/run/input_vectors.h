// Reads inputs given by the user as vectors.
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

/// Does the same as tcu::read_vectors, and warns about numbers beyond the data type's range, which
/// saturate.
[[nodiscard]] std::vector<std::uint8_t> read_input_vectors(
    const std::string& path, const tcu::Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt);

/// Throws UserError unless the file's extension is one of a tensor's values.
void check_is_values(const std::string& path, const std::string& tensor);

/// Splits "NAME=F" into name and path. A plain path is for the only input. Throws UserError.
[[nodiscard]] std::pair<std::string, std::string> split_input(const std::vector<Tensor>& inputs,
                                                              const std::string& text);

/// The layouts of a model's inputs.
struct InputLayouts {
  const compiler::ModelTensors* tensors = nullptr;  ///< null: unknown
  std::string model;                                ///< file of the model, for messages
};

/// True if values are generated ("random", "random:7") and not read from a file.
[[nodiscard]] bool is_drawn(const std::string& input);

/// Reads the images of all inputs. `given` has the source of each: a file with values in the
/// model's layout if that is known (.npy, .pb), or with vectors (.csv, .bin); or "random[:SEED]"
/// for values from -1 to 1. Files are divided into images; all files must have the same number. An
/// input without a source is generated, with a note. Afterwards `given` has all inputs and all
/// seeds. Returns at least one image. Throws UserError.
[[nodiscard]] std::vector<TensorData> read_images(const tcu::Architecture& architecture,
                                                  const std::vector<Tensor>& inputs,
                                                  std::map<std::string, std::string>& given,
                                                  const InputLayouts& layouts = {});

}  // namespace tactus
