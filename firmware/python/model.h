// Networks and compiled models for Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

/// Loads a network of the zoo by name, or an .onnx file by path. Throws UserError.
[[nodiscard]] Network make_network(const std::string& name, std::uint64_t seed);

/// A compiled model that can be run.
struct CompiledModel {
  Model model;
  std::optional<compiler::ModelTensors> tensors;  ///< empty: the layout of tensors is unknown
  std::optional<compiler::Compiled> compiled;     ///< empty: the model was read from a file
  std::string path;  ///< path of the machine's file, for names of artefacts
};

/// Compiles a network. `options` is a JSON object with the keys of the compiler's table, and
/// "outputs", "input_shapes", "separate_outputs". Throws UserError.
[[nodiscard]] CompiledModel compile(const Network& network, const Configuration& configuration,
                                    const std::string& options);

[[nodiscard]] CompiledModel read_compiled(const std::string& path);

/// Writes all files of a model, or none. `name` may be empty. Returns the path of the .tmodel.
[[nodiscard]] std::string save(const CompiledModel& model, const std::string& folder,
                               const std::string& name);

/// JSON with name, sizes, inputs, outputs, layers and notes.
[[nodiscard]] nlohmann::ordered_json describe(const CompiledModel& model);

}  // namespace tactus::python
