#include "firmware/compiler/frontend/sub_graphs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/onnx/sub_graphs.h"
#include "firmware/reference/reference.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t most_iterations = 4096;

/// The sizes of an operand's dimensions; null if it is not known.
const nn::Shape* shape_of(const Value* value) {
  if (value == nullptr) return nullptr;
  return value->constant != nullptr ? &value->constant->shape : &value->layout->shape;
}

/// The nodes of a Loop's body from which its condition follows, as a graph of constants, of the
/// iteration's number and of carried values.
struct ConditionPart {
  nn::Graph graph;
  std::vector<std::size_t> carried;  ///< numbers of the carried values that it reads and makes
};

/// Empty if the condition depends on values that are computed at run time.
std::optional<ConditionPart> condition_part(const Planner& p, const nn::Graph& body) {
  std::set<std::string, std::less<>> wanted{body.outputs.front().name};
  const std::size_t carried = body.inputs.size() - 2;
  const auto makes_wanted = [&](const nn::Node& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](const std::string& name) { return wanted.count(name) != 0; });
  };
  for (std::size_t before = 0; before != wanted.size();) {
    before = wanted.size();
    for (std::size_t k = body.nodes.size(); k-- > 0;) {
      if (!makes_wanted(body.nodes[k])) continue;
      if (!body.nodes[k].graphs.empty()) return std::nullopt;
      wanted.insert(body.nodes[k].inputs.begin(), body.nodes[k].inputs.end());
    }
    for (std::size_t k = 0; k < carried; ++k) {
      if (wanted.count(body.inputs[k + 2].name) != 0) wanted.insert(body.outputs[k + 1].name);
    }
  }
  wanted.erase("");
  ConditionPart part;
  part.graph.file = body.file;
  part.graph.opset = p.opset();
  for (const nn::Node& node : body.nodes) {
    if (makes_wanted(node)) part.graph.nodes.push_back(node);
  }
  for (std::size_t k = 0; k < body.inputs.size(); ++k) {
    if (k >= 2 && wanted.count(body.inputs[k].name) == 0) continue;
    if (k >= 2) part.carried.push_back(k - 2);
    part.graph.inputs.push_back(body.inputs[k]);
    part.graph.inputs.back().dims.reset();
  }
  for (const std::string& name : wanted) {
    if (const nn::Tensor* const constant = body.initializer(name)) {
      part.graph.initializers.emplace(name, *constant);
      continue;
    }
    const bool inside = part.graph.producer(name) != nullptr ||
                        std::any_of(body.inputs.begin(), body.inputs.end(),
                                    [&](const nn::ValueInfo& info) { return info.name == name; });
    if (inside) continue;
    const auto outer = p.model().values.find(name);
    if (outer == p.model().values.end() || outer->second.constant == nullptr) return std::nullopt;
    part.graph.initializers.emplace(name, *outer->second.constant);
  }
  return part;
}

/// Number of iterations, up to `most`, of a Loop whose condition follows from constants and the
/// iteration's number. Empty if it depends on more.
std::optional<std::int64_t> known_iterations(const Planner& p, const nn::Graph& body,
                                             std::int64_t most) {
  if (body.inputs.size() < 2 || body.inputs.size() != p.node.inputs.size() ||
      body.outputs.size() + 1 < body.inputs.size()) {
    return std::nullopt;
  }
  std::optional<ConditionPart> part = condition_part(p, body);
  if (!part) return std::nullopt;
  nn::Tensor yes = nn::Tensor::of({}, std::vector<std::int64_t>{1});
  yes.stored = nn::onnx_bool;
  nn::Values now;
  for (const std::size_t k : part->carried) {
    const nn::Tensor* const initial = p.constant(k + 2);
    if (initial == nullptr) return std::nullopt;
    now[body.inputs[k + 2].name] = *initial;
  }
  for (std::int64_t i = 0; i < most; ++i) {
    now[body.inputs[0].name] = nn::Tensor::of({}, std::vector<std::int64_t>{i});
    now[body.inputs[1].name] = yes;
    for (nn::ValueInfo& info : part->graph.inputs) {
      info.type = now.at(info.name).type;
      info.stored = now.at(info.name).stored;
    }
    const nn::Values made = nn::run_reference(part->graph, now);
    const auto value = [&](const std::string& name) {
      const nn::Tensor* const constant = part->graph.initializer(name);
      return constant != nullptr ? *constant : made.at(name);
    };
    const nn::Tensor condition = value(body.outputs[0].name);
    if (condition.integers.size() != 1) return std::nullopt;
    if (condition.integers.front() == 0) return i + 1;
    for (const std::size_t k : part->carried) {
      now[body.inputs[k + 2].name] = value(body.outputs[k + 1].name);
    }
  }
  return most;
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
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> count =
      p.given(0) ? whole(0, "the number of iterations") : std::optional(any);
  const auto condition = p.given(1) ? whole(1, "the condition") : std::optional<std::int64_t>(1);
  if (!count || !condition) return;
  if (*condition == 0) {
    count = 0;
  } else if (!nn::keeps_condition(*body->second)) {
    count = known_iterations(p, *body->second, std::min(*count, most_iterations + 1));
  }
  if (!count) {
    p.problem(
        "the body computes the condition from values that are known at run time only; supported "
        "are conditions that follow from constants and the iteration's number");
  } else if (*count > most_iterations) {
    p.problem("has more than {} iterations; supported are up to {}, unrolled", most_iterations,
              most_iterations);
  } else {
    const auto times = std::max<std::int64_t>(*count, 0);
    throw Decision{node.name, [times](const auto& graph, const auto& name) {
                     return nn::with_iterations(graph, name, times);
                   }};
  }
}

}  // namespace tactus::compiler
