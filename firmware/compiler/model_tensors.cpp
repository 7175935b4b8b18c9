#include "firmware/compiler/model_tensors.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/number_types.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/folders.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/located.h"
#include "isa/support/names.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

const TensorLayout* find(const std::vector<TensorLayout>& layouts, const std::string& name) {
  const auto found = std::find_if(layouts.begin(), layouts.end(),
                                  [&](const TensorLayout& layout) { return layout.name == name; });
  return found == layouts.end() ? nullptr : &*found;
}

nlohmann::ordered_json encode(const std::vector<TensorLayout>& layouts) {
  auto array = nlohmann::ordered_json::array();
  for (const TensorLayout& layout : layouts) {
    array.push_back({{"name", layout.name},
                     {"shape", layout.shape},
                     {"order", layout.order},
                     {"vectors", layout.vectors}});
  }
  return array;
}

ConstantLosses decode_losses(const ArrayReader& array) {
  ConstantLosses losses;
  for (std::size_t i = 0; i < array.size(); ++i) {
    ObjectReader reader = array.get_object(i);
    ConstantLoss& loss = losses[printable_name(reader.get_string("tensor"))];
    loss.values = reader.get_u64("values");
    loss.saturated = reader.get_u64("saturated");
    loss.vanished = reader.get_u64("became_0");
    loss.reduced = reader.get_u64("lost_1_percent");
    loss.largest = reader.get_real_in("largest_loss", 0, 1e300);
    reader.finish();
  }
  return losses;
}

TensorLayout decode_layout(ObjectReader reader, Problems& problems) {
  TensorLayout layout;
  layout.name = printable_name(reader.get_string("name"));
  const ArrayReader shape = reader.get_array("shape");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    layout.shape.push_back(static_cast<std::int64_t>(shape.get_u64(i)));
  }
  const ArrayReader order = reader.get_array("order");
  std::vector<bool> seen(layout.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    layout.order.push_back(static_cast<std::size_t>(order.get_u64(i)));
    if (layout.order[i] < seen.size()) seen[layout.order[i]] = true;
  }
  layout.vectors = reader.get_u64("vectors");
  reader.finish();
  const bool good = layout.order.size() == seen.size() &&
                    std::all_of(seen.begin(), seen.end(), [](bool s) { return s; }) &&
                    std::all_of(layout.shape.begin(), layout.shape.end(),
                                [](std::int64_t size) { return size > 0; });
  if (!good) problems.add("/" + layout.name, "shape and order do not belong together");
  return layout;
}

std::vector<TensorLayout> decode(const ArrayReader& array, Problems& problems) {
  std::vector<TensorLayout> layouts;
  for (std::size_t i = 0; i < array.size(); ++i) {
    layouts.push_back(decode_layout(array.get_object(i), problems));
  }
  return layouts;
}

/// Element types of outputs in the file, see Compiled::output_types.
constexpr struct {
  std::string_view name;
  nn::OnnxType type;
} output_type_names[] = {
    {"UINT8", nn::onnx_uint8},   {"INT8", nn::onnx_int8},        {"UINT16", nn::onnx_uint16},
    {"INT16", nn::onnx_int16},   {"INT32", nn::onnx_int32},      {"INT64", nn::onnx_int64},
    {"BOOL", nn::onnx_bool},     {"FLOAT16", nn::onnx_float16},  {"DOUBLE", nn::onnx_double},
    {"UINT32", nn::onnx_uint32}, {"BFLOAT16", nn::onnx_bfloat16}};

std::map<std::string, std::int32_t> decode_types(ObjectReader reader,
                                                 const std::vector<std::string>& outputs) {
  std::vector<std::string_view> names;
  for (const auto& known : output_type_names) names.push_back(known.name);
  std::map<std::string, std::int32_t> types;
  for (const std::string& output : outputs) {
    if (const auto found = reader.get_optional_enum(output, names)) {
      types[output] = output_type_names[*found].type;
    }
  }
  reader.finish();
  return types;
}

/// Returns the number of vectors of a tensor with this shape; empty if it exceeds 64 bits.
std::optional<std::uint64_t> vectors_of(const TensorLayout& layout, std::uint64_t array_size) {
  std::uint64_t vectors = (layout.lanes() + array_size - 1) / array_size;
  for (std::size_t k = 0; k + 1 < layout.order.size(); ++k) {
    const auto size = static_cast<std::uint64_t>(layout.shape[layout.order[k]]);
    if (__builtin_mul_overflow(vectors, size, &vectors)) return std::nullopt;
  }
  return vectors;
}

/// Checks that the file describes each tensor of the model at `path` once, with its size, and no
/// others.
void check_layouts(const std::string& key, const std::vector<TensorLayout>& layouts,
                   const std::vector<tcu::TensorEntry>& entries, std::uint64_t array_size,
                   const std::string& path, Problems& problems) {
  std::map<std::string, std::uint64_t> sizes;
  for (const tcu::TensorEntry& entry : entries) sizes[entry.name] += entry.size;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const TensorLayout& layout = layouts[i];
    const std::string at = fmt::format("/{}/{}", key, i);
    const auto entry = sizes.find(layout.name);
    if (entry == sizes.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, size] : sizes) names.push_back(name);
      problems.add(at + "/name", fmt::format("{} is not among the {} of {}; allowed {}",
                                             quote(layout.name), key, path, quote_list(names)));
      continue;
    }
    if (!seen.insert(layout.name).second) {
      problems.add(at + "/name", fmt::format("{} is described twice", quote(layout.name)));
    }
    if (layout.vectors != entry->second) {
      problems.add(at + "/vectors", fmt::format("is {}, but {} has {} in {}", layout.vectors,
                                                quote(layout.name), entry->second, path));
    } else if (vectors_of(layout, array_size) != layout.vectors) {
      problems.add(at + "/shape",
                   fmt::format("[{}] with {} scalars a vector does not take {} vectors",
                               fmt::join(layout.shape, ","), array_size, layout.vectors));
    }
  }
  for (const auto& [name, size] : sizes) {
    if (seen.count(name) != 0) continue;
    problems.add("/" + key, fmt::format("{} of {} is not described", quote(name), path));
  }
}

/// True if the host's graph computes the value.
bool is_made(const nn::Graph* host, const std::string& name) {
  return host != nullptr && std::any_of(host->outputs.begin(), host->outputs.end(),
                                        [&](const auto& info) { return info.name == name; });
}

/// The graph's input of that name; null if it has none.
const nn::ValueInfo* input_of(const nn::Graph* host, const std::string& name) {
  if (host == nullptr) return nullptr;
  const auto found = std::find_if(host->inputs.begin(), host->inputs.end(),
                                  [&](const auto& info) { return info.name == name; });
  return found == host->inputs.end() ? nullptr : &*found;
}

/// True if the value is known before the program runs.
bool is_known_before(const ModelTensors& tensors, const std::string& name) {
  return is_made(tensors.host_before.get(), name) ||
         input_of(tensors.host_before.get(), name) != nullptr;
}

/// Checks that somebody reads the host's results and that the shapes of its inputs are known.
void check_host_before(const ModelTensors& tensors, Problems& problems) {
  if (tensors.host_before == nullptr) return;
  const nn::Graph& before = *tensors.host_before;
  const std::vector<std::string> carried = tensors.carried();
  for (const nn::ValueInfo& info : before.outputs) {
    if (tensors.input(info.name) != nullptr ||
        std::find(carried.begin(), carried.end(), info.name) != carried.end()) {
      continue;
    }
    problems.add(
        "/host_graph_before",
        fmt::format("output {} of {} is no input of the program and no output of the model",
                    quote(info.name), before.file));
  }
  for (const nn::ValueInfo& info : before.inputs) {
    const bool stated =
        info.dims && std::all_of(info.dims->begin(), info.dims->end(),
                                 [](const nn::Dimension& size) { return size.size.has_value(); });
    if (stated) continue;
    problems.add("/host_graph_before", fmt::format("the shape of input {} of {} is not stated",
                                                   quote(info.name), before.file));
  }
}

/// Checks that all outputs of the model are outputs of the program or of the host graph, and that
/// the host graph reads outputs of the program.
void check_model_outputs(const ModelTensors& tensors, Problems& problems) {
  std::set<std::string> known, seen;
  for (const TensorLayout& layout : tensors.outputs) known.insert(layout.name);
  if (tensors.host != nullptr) {
    for (const nn::ValueInfo& info : tensors.host->inputs) {
      const bool prefixed = info.name.rfind(host_input_prefix, 0) == 0;
      const std::string name =
          prefixed ? info.name.substr(std::string_view(host_input_prefix).size()) : info.name;
      const TensorLayout* const layout = tensors.output(name);
      nn::Shape shape;
      for (const nn::Dimension& dimension : info.dims.value_or(std::vector<nn::Dimension>{})) {
        shape.push_back(dimension.size.value_or(0));
      }
      if (!prefixed && is_known_before(tensors, name)) continue;
      if (!prefixed || layout == nullptr || shape != layout->shape) {
        problems.add("/host_graph",
                     fmt::format("input {} {} of {} is no output of the program", quote(info.name),
                                 nn::to_string(shape), tensors.host->file));
      }
    }
    for (const nn::ValueInfo& info : tensors.host->outputs) known.insert(info.name);
  }
  for (std::size_t i = 0; i < tensors.model_outputs.size(); ++i) {
    const std::string& name = tensors.model_outputs[i];
    const std::string at = fmt::format("/model_outputs/{}", i);
    if (known.count(name) == 0 && !is_known_before(tensors, name)) {
      problems.add(at, fmt::format("{} is no output of the program{}", quote(name),
                                   tensors.host ? " or the host graph" : ""));
    }
    if (!seen.insert(name).second) problems.add(at, fmt::format("{} is listed twice", quote(name)));
  }
}

}  // namespace

const TensorLayout* ModelTensors::input(const std::string& name) const {
  return find(inputs, name);
}
const TensorLayout* ModelTensors::output(const std::string& name) const {
  return find(outputs, name);
}

std::vector<nn::ValueInfo> ModelTensors::model_inputs() const {
  std::vector<nn::ValueInfo> all;
  if (host_before != nullptr) all = host_before->inputs;
  for (const TensorLayout& layout : inputs) {
    if (is_made(host_before.get(), layout.name)) continue;
    const bool known = std::any_of(all.begin(), all.end(), [&](const nn::ValueInfo& info) {
      return info.name == layout.name;
    });
    if (known) continue;
    nn::ValueInfo& info = all.emplace_back();
    info.name = layout.name;
    info.dims.emplace();
    for (const std::int64_t size : layout.shape) info.dims->push_back({size, ""});
  }
  return all;
}

std::vector<std::string> ModelTensors::carried() const {
  std::vector<std::string> names;
  for (const std::string& name : model_outputs) {
    if (output(name) == nullptr && !is_made(host.get(), name)) names.push_back(name);
  }
  if (host == nullptr) return names;
  for (const nn::ValueInfo& info : host->inputs) {
    if (info.name.rfind(host_input_prefix, 0) != 0) names.push_back(info.name);
  }
  return names;
}

ModelTensors tensors_of(const Compiled& compiled) {
  return {compiled.input_layouts,  compiled.output_layouts,
          compiled.model_outputs,  compiled.output_types,
          compiled.host_before,    compiled.host,
          compiled.scales,         {},
          compiled.constant_losses};
}

nlohmann::ordered_json losses_json(const ConstantLosses& losses) {
  auto array = nlohmann::ordered_json::array();
  for (const auto& [name, loss] : losses) {
    if (loss.lost() == 0) continue;
    array.push_back({{"tensor", name},
                     {"values", loss.values},
                     {"saturated", loss.saturated},
                     {"became_0", loss.vanished},
                     {"lost_1_percent", loss.reduced},
                     {"largest_loss", loss.largest_loss()}});
  }
  return array;
}

std::string to_json(const ModelTensors& tensors, const HostFiles& files) {
  nlohmann::ordered_json json;
  json["inputs"] = encode(tensors.inputs);
  json["outputs"] = encode(tensors.outputs);
  json["model_outputs"] = tensors.model_outputs;
  json["constant_losses"] = losses_json(tensors.constant_losses);
  for (const auto& [name, type] : tensors.output_types) {
    for (const auto& known : output_type_names) {
      if (known.type == type) json["output_types"][name] = known.name;
    }
  }
  if (!files.before.empty()) json["host_graph_before"] = files.before;
  if (!files.after.empty()) json["host_graph"] = files.after;
  for (const auto& [name, scale] : tensors.scales) {
    json["scales"][name]["exponents"] = scale.exponents;
    if (scale.exponents.size() > 1) json["scales"][name]["axis"] = scale.axis;
  }
  return text_of_json(json, 2) + "\n";
}

namespace {

void read_scales(ObjectReader& reader, TensorScales& scales) {
  for (const std::string& name : reader.keys()) {
    ObjectReader one = reader.get_object(name);
    TensorScale& scale = scales[name];
    const ArrayReader exponents = one.get_array("exponents");
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      const JsonScalar scalar = exponents.get_scalar(i);
      const auto* const exponent = std::get_if<std::int64_t>(&scalar);
      if (exponent == nullptr || *exponent < -64 || *exponent > 64) {
        exponents.add_problem(i, "must be a whole number, -64..64");
        continue;
      }
      scale.exponents.push_back(static_cast<int>(*exponent));
    }
    if (scale.exponents.size() > 1) scale.axis = one.get_u64("axis");
    one.finish();
  }
  reader.finish();
}

}  // namespace

std::optional<ModelTensors> read_model_tensors(const std::string& path,
                                               const tcu::ModelFile& model) {
  std::string file;
  for (std::string base : paths_of(path)) {
    if (ends_with(base, ".tmodel")) base.resize(base.rfind('.'));
    file = base + ".tensors.json";
    if (std::filesystem::exists(file)) break;
  }
  if (!std::filesystem::exists(file)) return std::nullopt;
  JsonDocument document(read_text(file), file);
  ObjectReader reader = document.root();
  ModelTensors tensors;
  tensors.file = file;
  tensors.inputs = decode(reader.get_array("inputs"), document.problems());
  tensors.outputs = decode(reader.get_array("outputs"), document.problems());
  const ArrayReader names = reader.get_array("model_outputs");
  for (std::size_t i = 0; i < names.size(); ++i) {
    tensors.model_outputs.push_back(printable_name(names.get_string(i)));
  }
  // Files of earlier versions have no losses.
  if (reader.has("constant_losses")) {
    tensors.constant_losses = decode_losses(reader.get_array("constant_losses"));
  }
  if (const auto types = reader.get_optional_object("output_types")) {
    tensors.output_types = decode_types(*types, tensors.model_outputs);
  }
  const std::optional<std::string> before = reader.get_optional_string("host_graph_before");
  const std::optional<std::string> host = reader.get_optional_string("host_graph");
  if (auto scales = reader.get_optional_object("scales")) read_scales(*scales, tensors.scales);
  reader.finish();
  document.problems().throw_if_any();
  const auto load = [&](const std::string& key, const std::optional<std::string>& name) {
    return !name ? nullptr : located(file + ":/" + key, [&, name = *name] {
      return std::make_shared<const nn::Graph>(nn::load_graph(resolve_part(file, name)));
    });
  };
  tensors.host_before = load("host_graph_before", before);
  tensors.host = load("host_graph", host);
  Problems& problems = document.problems();
  check_layouts("inputs", tensors.inputs, model.inputs, model.arch.array_size, path, problems);
  check_layouts("outputs", tensors.outputs, model.outputs, model.arch.array_size, path, problems);
  check_host_before(tensors, problems);
  check_model_outputs(tensors, problems);
  problems.throw_if_any();
  return tensors;
}

Started start_on_host(const ModelTensors& tensors, const nn::Values& inputs) {
  const nn::Graph* before = tensors.host_before.get();
  nn::Values values;
  if (before != nullptr) {
    nn::Values own;
    for (const nn::ValueInfo& info : before->inputs) own[info.name] = inputs.at(info.name);
    values = nn::run_reference(*before, own);
  }
  Started started;
  for (const TensorLayout& layout : tensors.inputs) {
    const bool made = is_made(before, layout.name);
    const nn::Tensor& tensor = made ? values.at(layout.name) : inputs.at(layout.name);
    if (tensor.size() != static_cast<std::int64_t>(layout.elements())) {
      user_error("{}: {} has shape {} for these inputs, and the program was compiled for {}",
                 made ? before->file : "the model", quote(layout.name), nn::to_string(tensor.shape),
                 nn::to_string(layout.shape));
    }
    started.inputs[layout.name] = nn::Tensor::of(layout.shape, tensor.reals());
  }
  for (const std::string& name : tensors.carried()) {
    const auto made = values.find(name);
    started.carried[name] = made != values.end() ? made->second : inputs.at(name);
  }
  return started;
}

nn::Values finish_on_host(const ModelTensors& tensors, const nn::Values& outputs,
                          const nn::Values& carried) {
  nn::Values values;
  if (tensors.host != nullptr) {
    nn::Values inputs;
    for (const nn::ValueInfo& info : tensors.host->inputs) {
      const auto known = carried.find(info.name);
      inputs[info.name] =
          known != carried.end()
              ? known->second
              : outputs.at(info.name.substr(std::string_view(host_input_prefix).size()));
    }
    values = nn::run_reference(*tensors.host, inputs);
  }
  nn::Values finished;
  for (const std::string& name : tensors.model_outputs) {
    const auto computed = values.find(name);
    const auto known = carried.find(name);
    const nn::Tensor& tensor = computed != values.end() ? computed->second
                               : known != carried.end() ? known->second
                                                        : outputs.at(name);
    const auto declared = tensors.output_types.find(name);
    const bool real = tensor.type == nn::ElementType::float32;
    finished[name] = nn::as_type(tensor, declared != tensors.output_types.end() ? declared->second
                                         : real ? std::int32_t{nn::onnx_float}
                                                : nn::type_of(tensor));
  }
  return finished;
}

std::string describe(const TensorLayout& layout, std::uint32_t array_size) {
  if (layout.shape.empty()) return fmt::format("shape []; 1 of {} lanes used", array_size);
  const std::uint64_t blocks = (layout.lanes() + array_size - 1) / array_size;
  std::vector<std::int64_t> outer;
  for (std::size_t k = 0; k + 1 < layout.order.size(); ++k) {
    outer.push_back(layout.shape[layout.order[k]]);
  }
  return fmt::format(
      "shape [{}]; in memory dimensions {}, the last along the lanes: {} runs of {} vectors, {} of "
      "{} lanes used",
      fmt::join(layout.shape, ","), fmt::join(layout.order, ", "),
      blocks == 0 ? 0 : layout.vectors / blocks, blocks, layout.lanes(), blocks * array_size);
}

}  // namespace tactus::compiler
