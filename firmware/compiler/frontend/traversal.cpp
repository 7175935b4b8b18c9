#include "firmware/compiler/frontend/traversal.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

void check_outputs(const nn::Graph& graph, const std::vector<std::string>& outputs,
                   const std::unordered_map<std::string_view, const nn::Node*>& producers) {
  std::string problems;
  std::unordered_set<std::string_view> seen;
  for (const std::string& output : outputs) {
    std::string what;
    if (!seen.insert(output).second) {
      what = "is asked for twice";
    } else if (producers.count(output) == 0) {
      std::vector<std::string_view> candidates;
      for (const auto& [name, node] : producers) candidates.push_back(name);
      std::vector<std::string_view> declared;
      for (const nn::ValueInfo& info : graph.outputs) declared.emplace_back(info.name);
      what = fmt::format("is made by no node{}; the graph's outputs are {}",
                         suggestion(output, candidates), quote_list(declared));
    }
    if (what.empty()) continue;
    if (!problems.empty()) problems += '\n';
    problems += fmt::format("{}: output {} {}", graph.file, quote(output), what);
  }
  if (!problems.empty()) throw UserError(problems);
}

}  // namespace

std::vector<const nn::Node*> traverse(const nn::Graph& graph,
                                      const std::vector<std::string>& outputs) {
  if (outputs.empty()) user_error("{}: the graph has no outputs; name some", graph.file);
  std::unordered_map<std::string_view, const nn::Node*> producers;
  for (const nn::Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) {
      if (!output.empty()) producers.emplace(output, &node);
    }
  }
  check_outputs(graph, outputs, producers);

  // An explicit stack: a chain of nodes may be too long for recursion.
  struct Visit {
    const nn::Node* node;
    std::size_t next_input = 0;
  };
  std::vector<const nn::Node*> order;
  std::unordered_set<const nn::Node*> seen;
  std::vector<Visit> stack;
  const auto enter = [&](std::string_view value) {
    const auto producer = producers.find(value);
    if (producer != producers.end() && seen.insert(producer->second).second) {
      stack.push_back({producer->second});
    }
  };
  for (const std::string& output : outputs) {
    enter(output);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next_input < visit.node->inputs.size()) {
        const std::size_t i = visit.next_input++;
        enter(visit.node->inputs[i]);
      } else {
        order.push_back(visit.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace tactus::compiler
