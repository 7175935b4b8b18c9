#include "firmware/compiler/host_work.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "firmware/compiler/model_tensors.h"
#include "isa/support/quantity.h"

namespace tactus::compiler {
namespace {

nn::Tensor zeros_of(const nn::ValueInfo& info) {
  nn::Shape shape;
  for (const nn::Dimension& dimension : *info.dims) shape.push_back(*dimension.size);
  const nn::Tensor zeros = nn::Tensor::zeros(std::move(shape));
  return info.type == nn::ElementType::float32 ? zeros : zeros.rounded(info.stored);
}

std::uint64_t bytes_of(const nn::Tensor& tensor) {
  const auto size = static_cast<std::uint64_t>(tensor.size());
  switch (tensor.stored) {
    case nn::onnx_bool:
    case nn::onnx_int8:
    case nn::onnx_uint8:
      return size;
    case nn::onnx_float16:
    case nn::onnx_bfloat16:
    case nn::onnx_int16:
    case nn::onnx_uint16:
      return 2 * size;
    case nn::onnx_int32:
    case nn::onnx_uint32:
      return 4 * size;
    case nn::onnx_double:
      return 8 * size;
    default:
      return (tensor.type == nn::ElementType::float32 ? 4 : 8) * size;
  }
}

std::vector<HostOperator> operators_of(const nn::Graph* graph) {
  std::vector<HostOperator> all;
  if (graph == nullptr) return all;
  nn::Values inputs;
  for (const nn::ValueInfo& info : graph->inputs) inputs[info.name] = zeros_of(info);
  const nn::Values values = nn::run_reference(*graph, inputs);
  for (const nn::Node& node : graph->nodes) {
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const HostOperator& op) { return op.name == node.op_type; });
    if (at == all.end()) at = all.insert(all.end(), {node.op_type});
    ++at->nodes;
    std::uint64_t results = 0;
    for (const std::string& output : node.outputs) {
      const auto made = values.find(output);
      if (made == values.end()) continue;
      at->elements += static_cast<std::uint64_t>(made->second.size());
      results += bytes_of(made->second);
    }
    at->bytes += results;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto given = values.find(node.inputs[i]);
      const nn::Tensor* operand =
          given != values.end() ? &given->second : graph->initializer(node.inputs[i]);
      if (operand == nullptr) continue;
      const bool is_table = node.op_type == "Gather" && i == 0;
      at->bytes += is_table ? std::min(results, bytes_of(*operand)) : bytes_of(*operand);
    }
  }
  return all;
}

/// The whole way of one image but for the program.
double seconds_of_an_image(const Compiled& compiled, const ModelTensors& tensors) {
  nn::Values inputs, outputs;
  for (const nn::ValueInfo& info : tensors.model_inputs()) inputs[info.name] = zeros_of(info);
  std::vector<std::pair<const TensorLayout*, std::vector<std::uint8_t>>> images;
  for (const TensorLayout& layout : tensors.outputs) {
    images.emplace_back(
        &layout, std::vector<std::uint8_t>(layout.vectors * compiled.architecture.vector_bytes()));
  }
  const auto start = std::chrono::steady_clock::now();
  const Started started = start_on_host(tensors, inputs);
  for (const TensorLayout& layout : tensors.inputs) {
    (void)pack_tensor(layout, compiled.architecture, started.inputs.at(layout.name).floats);
  }
  for (const auto& [layout, image] : images) {
    outputs[layout->name] =
        nn::Tensor::of(layout->shape, unpack_tensor(*layout, compiled.architecture, image));
  }
  (void)finish_on_host(tensors, outputs, started.carried);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

HostWork host_work(const Compiled& compiled) {
  const ModelTensors tensors = tensors_of(compiled);
  HostWork work;
  work.before = operators_of(tensors.host_before.get());
  work.behind = operators_of(tensors.host.get());
  const std::uint64_t vector_bytes = compiled.architecture.vector_bytes();
  for (const TensorLayout& layout : tensors.inputs) work.packed += layout.vectors * vector_bytes;
  for (const TensorLayout& layout : tensors.outputs) {
    work.unpacked += layout.vectors * vector_bytes;
  }
  constexpr int times = 3;  // the first one meets cold caches
  for (int k = 0; k < times; ++k) {
    const double seconds = seconds_of_an_image(compiled, tensors);
    work.seconds = k == 0 ? seconds : std::min(work.seconds, seconds);
  }
  return work;
}

std::string text_of(const std::vector<HostOperator>& operators) {
  std::string text;
  for (const HostOperator& op : operators) {
    text += fmt::format("{}{}: {}, {}, {}", text.empty() ? "" : "; ", op.name,
                        counted(op.nodes, "node"), counted(op.elements, "element"),
                        counted(op.bytes, "byte"));
  }
  return text;
}

}  // namespace tactus::compiler
