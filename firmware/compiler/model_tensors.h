// What a compiled model's tensors mean, beside its .tmodel: BASE.tensors.json says how inputs and
// outputs lie in vectors and which outputs the model has, BASE.before.onnx and BASE.host.onnx are
// what the host computes before and after the program. Hardware drivers need neither; `tactus run`
// and `tactus info` read them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"
#include "isa/tcu/model_file.h"

namespace tactus::compiler {

struct ModelTensors {
  std::vector<TensorLayout> inputs, outputs;     ///< of the program
  std::vector<std::string> model_outputs;        ///< the program's, or the host graph's
  std::shared_ptr<const nn::Graph> host_before;  ///< from the model's inputs; null: nothing
  std::shared_ptr<const nn::Graph> host;         ///< null: nothing is left to the host
  std::string file;                              ///< that they were read from; empty: none

  /// Null if the program has no such input or output.
  [[nodiscard]] const TensorLayout* input(const std::string& name) const;
  [[nodiscard]] const TensorLayout* output(const std::string& name) const;
  /// Those of the host's graph before the program, then those that are the program's own. Every
  /// shape is stated.
  [[nodiscard]] std::vector<nn::ValueInfo> model_inputs() const;
};

[[nodiscard]] ModelTensors tensors_of(const Compiled& compiled);

/// Names of the files with the host's work; empty if there is none.
struct HostFiles {
  std::string before, after;
};

/// The text of BASE.tensors.json.
[[nodiscard]] std::string to_json(const ModelTensors& tensors, const HostFiles& files);

/// Reads what lies beside the .tmodel at `path`; nothing if the file is not there. Throws
/// UserError, also if it does not belong to the model: tensors and their sizes have to be the same.
[[nodiscard]] std::optional<ModelTensors> read_model_tensors(const std::string& path,
                                                             const tcu::ModelFile& model);

/// The program's inputs of one image as real numbers, from the model's. Throws UserError, also if
/// what the host computes before has another shape for these values than when it was compiled.
[[nodiscard]] nn::Values start_on_host(const ModelTensors& tensors, const nn::Values& inputs);

/// The model's outputs, from values of the program's in the model's order of elements. What is left
/// to the host is computed here.
[[nodiscard]] nn::Values finish_on_host(const ModelTensors& tensors, const nn::Values& outputs);

/// "[1,3,32,32] as 1024 x 32 vectors ..." for people.
[[nodiscard]] std::string describe(const TensorLayout& layout, std::uint32_t array_size);

}  // namespace tactus::compiler
