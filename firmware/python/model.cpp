#include "firmware/python/model.h"

#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "firmware/bench/evaluation.h"
#include "firmware/bench/program_cache.h"
#include "firmware/onnx/input_values.h"
#include "firmware/zoo/network_file.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

/// Name with which errors begin.
const std::string compile_subject = "tactus.compile";

void read_shapes(ObjectReader reader, compiler::Options& options) {
  for (const std::string& name : reader.keys()) {
    const ArrayReader sizes = reader.get_array(name);
    std::vector<std::int64_t>& shape = options.input_shapes[name];
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const JsonScalar scalar = sizes.get_scalar(i);
      const auto* const size = std::get_if<std::int64_t>(&scalar);
      if (size == nullptr || *size == 0 || *size < -1) {
        sizes.add_problem(i, "must be 1 or more, or -1 for the model's");
        continue;
      }
      shape.push_back(*size);
    }
  }
  reader.finish();
}

void read_values(ObjectReader reader, nn::GivenValues& values) {
  for (const std::string& name : reader.keys()) {
    const ArrayReader numbers = reader.get_array(name);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const JsonScalar scalar = numbers.get_scalar(i);
      if (const auto* const whole = std::get_if<std::int64_t>(&scalar)) {
        values[name].push_back(static_cast<double>(*whole));
      } else if (const auto* const real = std::get_if<double>(&scalar)) {
        values[name].push_back(*real);
      } else {
        numbers.add_problem(i, "must be a number");
      }
    }
  }
  reader.finish();
}

compiler::Options read_options(const std::string& json, nn::GivenValues& values) {
  JsonDocument document(json, compile_subject);
  ObjectReader root = document.root();
  compiler::Options options;
  bench::compiler_parameters().read(root, options, MissingKeys::allowed);
  options.separate_outputs = root.get_optional_bool("separate_outputs").value_or(false);
  if (const auto outputs = root.get_optional_array("outputs")) {
    for (std::size_t i = 0; i < outputs->size(); ++i) {
      options.outputs.push_back(outputs->get_string(i));
    }
  }
  if (const auto shapes = root.get_optional_object("input_shapes")) read_shapes(*shapes, options);
  if (const auto given = root.get_optional_object("input_values")) read_values(*given, values);
  const bool strategy = root.has("strategy"), effort = root.has("effort");
  root.finish();
  document.problems().throw_if_any();
  const auto plain = [](std::string key) { return key; };
  const auto given = [&](const std::string& key) {
    return key == "strategy" ? strategy : key == "effort" && effort;
  };
  if (const auto wrong = bench::choices_problem(options, given, options.separate_outputs, plain)) {
    user_error("{}: {} {}", compile_subject, wrong->key, wrong->text);
  }
  return options;
}

Json tensor_json(const std::vector<compiler::TensorLayout>& layouts) {
  auto list = Json::array();
  for (const compiler::TensorLayout& layout : layouts) {
    list.push_back({{"name", layout.name},
                    {"shape", layout.shape},
                    {"order", layout.order},
                    {"vectors", layout.vectors}});
  }
  return list;
}

/// The model's inputs. Those that only the host reads are not in memory: 0 vectors.
Json inputs_json(const compiler::ModelTensors& tensors) {
  if (tensors.host_before == nullptr) return tensor_json(tensors.inputs);
  auto list = Json::array();
  for (const nn::ValueInfo& input : tensors.model_inputs()) {
    if (const compiler::TensorLayout* const layout = tensors.input(input.name)) {
      list.push_back(tensor_json({*layout}).front());
      continue;
    }
    auto shape = Json::array();
    for (const nn::Dimension& dim : *input.dims) shape.push_back(*dim.size);
    list.push_back({{"name", input.name}, {"shape", shape}, {"order", nullptr}, {"vectors", 0}});
  }
  return list;
}

/// Describes the tensors of a model whose layouts are unknown, as vectors.
Json vectors_json(const std::vector<tcu::TensorEntry>& entries, std::uint32_t array_size) {
  auto list = Json::array();
  for (const Tensor& tensor : tensors(entries)) {
    list.push_back({{"name", tensor.name},
                    {"shape", {tensor.size, array_size}},
                    {"order", nullptr},
                    {"vectors", tensor.size}});
  }
  return list;
}

}  // namespace

Network make_network(const std::string& name, std::uint64_t seed) {
  if (nn::is_network_file(name)) {
    return {nn::load_network(name), std::filesystem::path(name).stem().string()};
  }
  return {nn::zoo_entry(name).build(seed).graph, name};
}

CompiledModel compile(const Network& network, const Configuration& configuration,
                      const std::string& options_json, const bench::WithKernel& with_kernel) {
  nn::GivenValues values;
  compiler::Options options = read_options(options_json, values);
  const TcuSimulationConfig& config = configuration.config;
  bench::fit_to(config, options);
  CompiledModel made;
  nn::Graph fixed;
  if (!values.empty()) {
    fixed = nn::with_input_values(network.graph, values, options.input_shapes);
  }
  const nn::Graph& graph = values.empty() ? network.graph : fixed;
  made.compiled = bench::compile_network(graph, config, options, with_kernel);
  if (configuration.board) {
    made.compiled->board = tcu::BoardEntry{configuration.board->name, config};
  }
  made.path = configuration.path;
  made.model = bench::to_program(*made.compiled, network.name).model;
  made.tensors = compiler::tensors_of(*made.compiled);
  return made;
}

CompiledModel read_compiled(const std::string& path) {
  CompiledModel made;
  made.model = read_model(path, ProgramChecks::strict);
  made.tensors = compiler::read_model_tensors(path, made.model.file);
  made.path = path;
  return made;
}

std::string save(const CompiledModel& model, const std::string& folder, const std::string& name) {
  if (!model.compiled) {
    user_error("{}: the model was read from this file; copy it with the files beside it",
               model.model.path);
  }
  const std::string base =
      !name.empty() ? name
                    : compiler::artefact_base_name(model.model.file.name + ".onnx",
                                                   model.path.empty() ? "tactus" : model.path);
  return compiler::write_artefacts(*model.compiled, folder, base);
}

Json describe(const CompiledModel& model) {
  const tcu::ModelFile& file = model.model.file;
  Json json;
  json["name"] = file.name;
  json["architecture"] = json_of_text(tcu::to_json(file.arch, -1));
  json["board"] = file.board ? Json(file.board->name) : Json();
  json["instructions"] =
      model.model.program.size() / tcu::InstructionLayout(file.arch).instruction_bytes();
  json["inputs"] =
      model.tensors ? inputs_json(*model.tensors) : vectors_json(file.inputs, file.arch.array_size);
  json["outputs"] = model.tensors ? tensor_json(model.tensors->outputs)
                                  : vectors_json(file.outputs, file.arch.array_size);
  auto layers = Json::array();
  for (const tcu::LayerEntry& layer : file.layers) layers.push_back(layer.name);
  json["layers"] = std::move(layers);
  if (!model.compiled) return json;
  json["notes"] = model.compiled->notes;
  json["constant_losses"] = compiler::losses_json(model.compiled->constant_losses);
  json["macs"] = model.compiled->true_macs;
  json["macs_with_padding"] = model.compiled->macs_with_padding;
  json["predicted_cycles"] =
      model.compiled->predicted_cycles == 0 ? Json() : Json(model.compiled->predicted_cycles);
  return json;
}

}  // namespace tactus::python
