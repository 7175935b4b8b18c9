// Networks and compiled models for Python.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/onnx/graph.h"
#include "firmware/python/configuration.h"

namespace tactus::python {

struct Network {
  nn::Graph graph;
  std::string name;
};

/// Loads a network of the zoo by name, or an .onnx, .pb, .tflite or topology (.csv) file by path.
/// Throws UserError.
[[nodiscard]] Network make_network(const std::string& name, std::uint64_t seed);

/// A compiled model that can be run.
struct CompiledModel {
  Model model;
  std::optional<compiler::ModelTensors> tensors;  ///< empty: the layout of tensors is unknown
  std::optional<compiler::Compiled> compiled;     ///< empty: the model was read from a file
  /// File that names of artefacts are made from: the machine's file or, for a model read from a
  /// file, that file.
  std::string path;
};

/// Compiles a network. `options` is a JSON object with keys of the compiler's parameters and
/// "outputs", "input_shapes" and "separate_outputs". `with_kernel` calls its argument, a
/// simulation, when it may use SystemC. Throws UserError.
[[nodiscard]] CompiledModel compile(const Network& network, const Configuration& configuration,
                                    const std::string& options,
                                    const bench::WithKernel& with_kernel);

[[nodiscard]] CompiledModel read_compiled(const std::string& path);

/// Writes all files of a model, or none. Without a name, the name follows from network and machine.
/// Returns the path of the .tmodel. Throws UserError for a model that was read from a file.
[[nodiscard]] std::string save(const CompiledModel& model, const std::string& folder,
                               const std::string& name);

/// Describes a model as JSON: name, architecture, board, sizes, inputs, outputs, layers, notes.
[[nodiscard]] nlohmann::ordered_json describe(const CompiledModel& model);

}  // namespace tactus::python
