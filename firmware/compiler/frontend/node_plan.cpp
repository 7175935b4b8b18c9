#include "firmware/compiler/frontend/node_plan.h"

#include <utility>

#include "firmware/compiler/frontend/bounds.h"
#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/parts.h"
#include "firmware/compiler/frontend/planner.h"
#include "firmware/compiler/frontend/sub_graphs.h"
#include "firmware/reference/reference.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Reports outputs that the operator does not have, and unsupported optional ones.
void check_results(const Model& model, Planner& planner) {
  if (planner.failed()) return;
  for (std::size_t i = 0; i < planner.node.outputs.size(); ++i) {
    if (!planner.output_read(i)) continue;
    const auto made = model.values.find(planner.node.outputs[i]);
    if (made == model.values.end() || !made->second.known()) {
      planner.problem("output {} ({}) is not supported", i, quote(planner.node.outputs[i]));
    }
  }
}

/// Computes the results of a node with constant operands by the reference executor.
void fold_by_reference(Planner& planner) {
  std::vector<const nn::Tensor*> operands;
  for (std::size_t i = 0; i < planner.node.inputs.size(); ++i) {
    operands.push_back(planner.constant(i));
  }
  std::vector<nn::Tensor> results = nn::run_node(planner.node, planner.opset(), operands);
  for (std::size_t i = 0; i < results.size(); ++i) planner.fold(std::move(results[i]), i);
}

/// Plans the nodes of an expansion. Returns false if the node needs none.
bool plan_expansion(Model& model, Planner& planner, const Operator& op, Findings& found) {
  if (model.compat) return false;
  Expansion expansion(planner);
  const auto parts = model.parts.find(planner.node.name);
  const bool divided =
      parts != model.parts.end() && expand_in_parts(planner, expansion, parts->second);
  if (!divided && (op.expand == nullptr || !op.expand(planner, expansion))) return false;
  if (planner.failed()) return true;
  const std::size_t before = found.problems.size();
  for (const nn::Node* made : expansion.nodes()) {
    plan_node(model, *made, found, true);
    if (found.problems.size() != before) break;
  }
  return true;
}

/// Reports an operator that the table does not have.
void refuse_operator(Planner& planner) {
  const nn::Node& node = planner.node;
  if (!planner.compat() && nn::reference_has(node, planner.opset())) {
    planner.problem(
        "the unit does not have the operator, and a product depends on it; the host computes it "
        "only before the program, from inputs alone, and behind the last product");
  } else {
    planner.problem("the operator{} is not supported",
                    node.domain.empty() ? "" : " of domain " + quote(node.domain));
  }
}

/// Reports operands of an operator that is only folded.
void refuse_computed_operands(Planner& planner) {
  for (std::size_t i = 0; i < planner.node.inputs.size(); ++i) {
    const Value* operand = planner.value(i);
    if (operand != nullptr && operand->constant == nullptr) {
      planner.problem("{} is computed at run time; supported are constants only",
                      quote(operand->name));
    }
  }
}

}  // namespace

void plan_node(Model& model, const nn::Node& node, Findings& found, bool expanded) {
  Problems& problems = found.problems;
  Planner planner(model, node, problems);
  if (!node.graphs.empty()) {
    try {
      decide(planner);
    } catch (const UserError& error) {
      problems.emplace_back(error.what());
    }
    return;
  }
  derive_bounds(model, node);
  const Operator* op = node.domain.empty() ? find_operator(node.op_type) : nullptr;
  if (op == nullptr && expanded) op = find_internal_operator(node.op_type);
  try {
    if (op == nullptr) {
      if (planner.all_constant() && nn::reference_has(node, planner.opset())) {
        fold_by_reference(planner);
      } else {
        found.unsupported = true;
        refuse_operator(planner);
      }
      return;
    }
    const bool constant = planner.all_constant();
    if (constant && op->fold != nullptr) {
      op->fold(planner);
      check_results(model, planner);
      return;
    }
    if (constant && !expanded && nn::reference_has(node, planner.opset())) {
      fold_by_reference(planner);
      check_results(model, planner);
      return;
    }
    if (plan_expansion(model, planner, *op, found) || planner.failed()) return;
    if (op->plan == nullptr) {
      refuse_computed_operands(planner);
      return;
    }
    Step& step = planner.step();
    step.node = &node;
    step.role = op->role;
    Plan plan = op->plan(planner);
    if (planner.failed() || !plan) return;
    step.nest = *std::move(plan);
    check_results(model, planner);
    model.steps.push_back(std::move(step));
  } catch (const UserError& error) {
    // Attributes are read where they are needed; their exceptions name the node.
    problems.emplace_back(error.what());
  }
}

}  // namespace tactus::compiler
