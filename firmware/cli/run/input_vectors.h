// Reads inputs given by the user as vectors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/compiler/images.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "isa/support/array_file.h"
#include "isa/tcu/architecture.h"

namespace tactus {

/// Forms of files with the values of an input: tensors in the model's layout, and vectors.
extern const std::vector<ArrayForm> input_forms;

/// Does the same as tcu::parse_vectors(), and warns about numbers beyond the data type's range,
/// which saturate.
[[nodiscard]] std::vector<std::uint8_t> input_vectors(
    ArrayFile file, const tcu::Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt);

/// Reads the initial bytes of a DRAM bank: raw bytes, vectors as decimal text (.csv), or a tensor
/// of shape [vectors, array_size] (.npy, .pb), whose values are rounded to the data type. An empty
/// path is an empty bank. Throws UserError.
[[nodiscard]] std::vector<std::uint8_t> read_bank(const std::string& path,
                                                  const tcu::Architecture& architecture);

/// Splits "NAME=F" into the name of an input and a path. A plain path is for the only input. Throws
/// UserError "OPTION TEXT: ...", also for a name that no input has. A path with = and no / is taken
/// for NAME=F unless there is such a file.
[[nodiscard]] std::pair<std::string, std::string> split_named(
    const std::vector<std::string_view>& names, const std::string& text, std::string_view option);
/// Does the same for --input of a run.
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
[[nodiscard]] compiler::PackedImages read_images(const tcu::Architecture& architecture,
                                                 const std::vector<Tensor>& inputs,
                                                 std::map<std::string, std::string>& given,
                                                 const InputLayouts& layouts = {});

}  // namespace tactus
