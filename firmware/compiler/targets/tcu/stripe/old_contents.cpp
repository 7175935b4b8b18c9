#include "firmware/compiler/targets/tcu/stripe/old_contents.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tactus::compiler {
namespace {

using stripe::Block;
using stripe::Direction;
using stripe::Refinement;
using stripe::Statement;

/// Returns the only result, if it adds to old contents and every element has one index in each
/// dimension.
Refinement* updated(Statement& stmt) {
  Block* block = stmt.block();
  if (block == nullptr || !block->location.empty()) return nullptr;
  if (!stmt.has_tags({"agg_op_add", "comb_op_mul"})) return nullptr;
  Refinement* result = nullptr;
  for (auto& [into, ref] : block->refs) {
    if (!stripe::writes(ref.direction)) continue;
    if (result != nullptr || ref.direction != Direction::inout || ref.agg_op != "add") {
      return nullptr;
    }
    result = &ref;
  }
  if (result == nullptr) return nullptr;
  std::vector<std::string> used;
  for (const stripe::Affine& access : result->access) {
    for (const auto& [name, factor] : access.terms()) {
      const bool again = std::find(used.begin(), used.end(), name) != used.end();
      if (access.terms().size() > 1 || again || block->index(name)->is_computed()) return nullptr;
      used.push_back(name);
    }
  }
  return result;
}

/// Makes the kernel that adds `sums`, element by element, to the contraction's result.
Statement addition(const Block& contraction, const Refinement& result, const std::string& sums) {
  Block block;
  block.name = contraction.name + "_update";
  for (const stripe::Index& idx : contraction.indexes) {
    const bool used = std::any_of(result.access.begin(), result.access.end(),
                                  [&](const stripe::Affine& a) { return a.uses(idx.name); });
    if (used) block.indexes.push_back(idx);
  }
  Refinement source = result, target = result;
  source.into = "src";
  source.from = sums;
  source.direction = Direction::in;
  source.agg_op.clear();
  source.attributes.clear();
  target.into = "dst";
  target.attributes.clear();
  block.add_ref(std::move(source));
  block.add_ref(std::move(target));
  Statement load, store, stmt;
  load.op = stripe::Load{"src", "$X"};
  store.op = stripe::Store{"$X", "dst"};
  block.append(std::move(load));
  block.append(std::move(store));
  stmt.set_tag("kernel");
  stmt.op = stripe::BlockBox(std::move(block));
  return stmt;
}

}  // namespace

void split_updates(Block& main) {
  for (std::size_t at = 0; at < main.statements.size(); ++at) {
    Refinement* result = updated(main.statements[at]);
    if (result == nullptr) continue;
    const Refinement& buffer = main.ref_at(result->from);
    Refinement sums;
    sums.into = main.unique_ref_name(result->from + "_sums");
    sums.access.resize(buffer.access.size());
    sums.shape = buffer.shape;
    sums.location = buffer.location;
    sums.set_tag("tmp");
    Statement update = addition(*main.statements[at].block(), *result, sums.into);
    result->from = sums.into;
    result->direction = Direction::out;
    main.add_ref(std::move(sums));
    main.insert(at + 1, std::move(update));
    for (Statement& stmt : main.statements) stmt.deps.clear();
  }
}

}  // namespace tactus::compiler
