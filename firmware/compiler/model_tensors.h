// The tensors of a compiled model, in files beside its .tmodel: BASE.tensors.json has the layouts
// of inputs and outputs in vectors and the list of the model's outputs; BASE.before.onnx and
// BASE.host.onnx have the host's work before and after the program. `tactus run` and `tactus info`
// read them; hardware drivers do not need them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"
#include "isa/tcu/model_file.h"

namespace tactus::compiler {

struct ModelTensors {
  std::vector<TensorLayout> inputs, outputs;  ///< layouts of the program's tensors
  /// Names of outputs of the program or of the host's graphs, or of inputs of the graph before.
  std::vector<std::string> model_outputs;
  std::map<std::string, std::int32_t> output_types;  ///< as in Compiled
  std::shared_ptr<const nn::Graph> host_before;  ///< the host's work before the program; null: none
  std::shared_ptr<const nn::Graph> host;         ///< the host's work after the program; null: none
  TensorScales scales;             ///< of tensors inside the program, see Compiled::scales
  std::string file;                ///< file they were read from; empty: none
  ConstantLosses constant_losses;  ///< see Compiled; read from a file: without sums

  /// Returns null if the program has no such input or output.
  [[nodiscard]] const TensorLayout* input(const std::string& name) const;
  [[nodiscard]] const TensorLayout* output(const std::string& name) const;
  /// The model's inputs: those of the host's graph before the program, then the program's other
  /// inputs. All shapes are known.
  [[nodiscard]] std::vector<nn::ValueInfo> model_inputs() const;
  /// Names of Started::carried.
  [[nodiscard]] std::vector<std::string> carried() const;
};

[[nodiscard]] ModelTensors tensors_of(const Compiled& compiled);

/// Names of the files with the host's work; empty if there is none.
struct HostFiles {
  std::string before, after;
};

/// The tensors of constants that lose something: name, counts, and the largest loss of a value
/// relative to it.
[[nodiscard]] nlohmann::ordered_json losses_json(const ConstantLosses& losses);

/// The text of BASE.tensors.json.
[[nodiscard]] std::string to_json(const ModelTensors& tensors, const HostFiles& files);

/// Reads the files beside the .tmodel at `path`; empty if there is no BASE.tensors.json. Throws
/// UserError, also if the files belong to another model: tensors and their sizes must be equal.
[[nodiscard]] std::optional<ModelTensors> read_model_tensors(const std::string& path,
                                                             const tcu::ModelFile& model);

/// What is known of one image before the program runs.
struct Started {
  nn::Values inputs;  ///< of the program, as real numbers
  /// Values that outputs of the model or the host's work after the program need.
  nn::Values carried;
};

/// Computes the program's inputs of one image from the model's. Throws UserError, also if the
/// host's results have other shapes for these values than at compile time.
[[nodiscard]] Started start_on_host(const ModelTensors& tensors, const nn::Values& inputs);

/// Computes the model's outputs from the program's, whose elements are in the model's order, and
/// `carried` of the same image, including the host's work. Elements have the types that the model
/// declares.
[[nodiscard]] nn::Values finish_on_host(const ModelTensors& tensors, const nn::Values& outputs,
                                        const nn::Values& carried);

/// "[1,3,32,32] as 1024 x 32 vectors ..." for people.
[[nodiscard]] std::string describe(const TensorLayout& layout, std::uint32_t array_size);

}  // namespace tactus::compiler
