#include "firmware/compiler/model_tensors.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/onnx/loader.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/folders.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
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

TensorLayout decode_layout(ObjectReader reader, Problems& problems) {
  TensorLayout layout;
  layout.name = reader.get_string("name");
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
  const bool good = !layout.shape.empty() && layout.order.size() == seen.size() &&
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

}  // namespace

const TensorLayout* ModelTensors::input(const std::string& name) const {
  return find(inputs, name);
}
const TensorLayout* ModelTensors::output(const std::string& name) const {
  return find(outputs, name);
}

ModelTensors tensors_of(const Compiled& compiled) {
  return {compiled.input_layouts, compiled.output_layouts, compiled.model_outputs, compiled.host};
}

std::string to_json(const ModelTensors& tensors, const std::string& host_file) {
  nlohmann::ordered_json json;
  json["inputs"] = encode(tensors.inputs);
  json["outputs"] = encode(tensors.outputs);
  json["model_outputs"] = tensors.model_outputs;
  if (!host_file.empty()) json["host_graph"] = host_file;
  return text_of_json(json, 2) + "\n";
}

std::optional<ModelTensors> read_model_tensors(const std::string& path) {
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
  tensors.inputs = decode(reader.get_array("inputs"), document.problems());
  tensors.outputs = decode(reader.get_array("outputs"), document.problems());
  const ArrayReader names = reader.get_array("model_outputs");
  for (std::size_t i = 0; i < names.size(); ++i) {
    tensors.model_outputs.push_back(names.get_string(i));
  }
  const std::optional<std::string> host = reader.get_optional_string("host_graph");
  reader.finish();
  document.problems().throw_if_any();
  if (host) {
    tensors.host =
        std::make_shared<const nn::Graph>(nn::load_graph(resolve_beside(file, *host)));
  }
  return tensors;
}

nn::Values finish_on_host(const ModelTensors& tensors, const nn::Values& outputs) {
  nn::Values values;
  if (tensors.host != nullptr) {
    nn::Values inputs;
    for (const nn::ValueInfo& info : tensors.host->inputs) {
      const std::string name = info.name.substr(std::string_view(host_input_prefix).size());
      inputs[info.name] = outputs.at(name);
    }
    values = nn::run_reference(*tensors.host, inputs);
  }
  nn::Values finished;
  for (const std::string& name : tensors.model_outputs) {
    const auto computed = values.find(name);
    finished[name] = computed != values.end() ? computed->second : outputs.at(name);
  }
  return finished;
}

std::string describe(const TensorLayout& layout, std::uint32_t array_size) {
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
