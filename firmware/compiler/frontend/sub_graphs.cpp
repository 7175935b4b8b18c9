#include "firmware/compiler/frontend/sub_graphs.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/onnx/sub_graphs.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t most_iterations = 4096;

/// The sizes of an operand's dimensions; null if it is not known.
const nn::Shape* shape_of(const Value* value) {
  if (value == nullptr) return nullptr;
  return value->constant != nullptr ? &value->constant->shape : &value->layout->shape;
}

/// A Scan has as many iterations as its scanned inputs have slices.
void decide_scan(Planner& p) {
  const nn::ScanForm form = nn::scan_form(p.node, p.opset());
  std::int64_t count = -1, batches = 1;
  for (std::size_t k = 0; k < form.input_axes.size(); ++k) {
    const std::size_t input = form.operands + form.states + k;
    const nn::Shape* shape = shape_of(p.value(input));
    if (shape == nullptr) return;
    const std::size_t batched = form.batched ? 1 : 0;
    const std::optional<std::int64_t> axis =
        normal_axis(p, form.input_axes[k], shape->size() - std::min(batched, shape->size()));
    if (!axis) return;
    const std::int64_t size = (*shape)[static_cast<std::size_t>(*axis) + batched];
    if (form.batched) batches = shape->front();
    if (count >= 0 && size != count) {
      p.problem("input {} has {} slices, the inputs before it {}; they must be equal", input, size,
                count);
      return;
    }
    count = size;
  }
  if (count < 1 || batches < 1 || count * batches > most_iterations) {
    p.problem("has {} iterations; supported are 1 to {}, unrolled", count * batches,
              most_iterations);
    return;
  }
  throw Decision{p.node.name, [=](const auto& graph, const auto& name) {
                   return nn::with_slices(graph, name, count, batches);
                 }};
}

}  // namespace

void decide(Planner& p) {
  const nn::Node& node = p.node;
  const auto whole = [&](std::size_t i, const char* what) -> std::optional<std::int64_t> {
    const nn::Tensor* tensor = p.need_constant(i, what, nn::ElementType::int64);
    if (tensor == nullptr) return std::nullopt;
    if (tensor->integers.size() == 1) return tensor->integers.front();
    p.problem("{} has shape {}; supported is one value", what, nn::to_string(tensor->shape));
    return std::nullopt;
  };
  if (node.op_type == "If") {
    if (const auto condition = whole(0, "the condition")) {
      throw Decision{node.name, [taken = *condition != 0](const auto& graph, const auto& name) {
                       return nn::with_branch(graph, name, taken);
                     }};
    }
    return;
  }
  if (node.op_type == "Scan") {
    decide_scan(p);
    return;
  }
  const auto body = node.graphs.find("body");
  if (node.op_type != "Loop" || body == node.graphs.end()) {
    p.problem("has sub-graphs; supported are those of If, Loop and Scan");
    return;
  }
  const auto count = whole(0, "the number of iterations");
  const auto condition = p.given(1) ? whole(1, "the condition") : std::optional<std::int64_t>(1);
  if (!count || !condition) return;
  if (!nn::keeps_condition(*body->second)) {
    p.problem("the body computes the condition; supported are bodies that leave it as it is");
  } else if (*count > most_iterations) {
    p.problem("has {} iterations; supported are up to {}, unrolled", *count, most_iterations);
  } else {
    const std::int64_t times = *condition != 0 ? std::max<std::int64_t>(*count, 0) : 0;
    throw Decision{node.name, [times](const auto& graph, const auto& name) {
                     return nn::with_iterations(graph, name, times);
                   }};
  }
}

}  // namespace tactus::compiler
