// Functions and reductions of vectors: elementwise kernels, pools, depthwise convolutions.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/chunk.h"
#include "firmware/compiler/targets/tcu/stripe/expression.h"
#include "firmware/compiler/targets/tcu/stripe/walk.h"
#include "isa/support/text.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler::stripe_tcu {
namespace {

using tcu::SimdOp;

/// Throws UserError unless the tables of lookups have the form of the unit's tables.
void check_tables(Walk& walk, const Nest& leaf, const Expression& expression) {
  const tcu::LookupTables& tables = walk.architecture.lookup_tables;
  for (const Term& term : expression.terms) {
    if (term.kind != Term::Kind::operation || term.op != SimdOp::lookup) continue;
    if (tables.count < 2 || walk.architecture.simd_registers_depth <= tables.count) {
      fail(*leaf.block,
           "the unit has no lookup tables (lookup_tables of the architecture: a count "
           "of 2 or more, and one register more in simd_registers_depth)");
    }
    const Buffer& buffer = walk.nests.entry_buffer(term.table);
    const std::uint64_t entries = buffer.shape.dims[1].size;
    const double step = std::ldexp(1.0, -static_cast<int>(tables.key_binary_point));
    if (entries != tables.depth || term.value != step) {
      fail(*leaf.block,
           fmt::format("table {} has {} entries and keys {} apart, those of the unit {} and {}",
                       quote(term.table), entries, term.value, tables.depth, step));
    }
    if (buffer.lane_dim != 1U) {
      fail(*leaf.block,
           fmt::format("the entries of table {} do not lie along the lanes", quote(term.table)));
    }
  }
}

Chunk::Reduction reduction_of(const Nest& leaf, const std::string& op) {
  if (op.empty()) return Chunk::Reduction::none;
  if (op == "add") return Chunk::Reduction::add;
  if (op == "max") return Chunk::Reduction::max;
  if (op == "min") return Chunk::Reduction::min;
  fail(*leaf.block, fmt::format("the unit cannot aggregate by {}; it has add, max and min", op));
}

/// Finds the results of a leaf, in the order of their first items.
std::vector<Chunk::Result> results_of(Walk& walk, Nest& leaf, const Expression& expression,
                                      const View& target, BlockCounts& counts) {
  const std::optional<std::size_t> lane = walk.lane_index(leaf);
  std::vector<std::size_t> rows;
  for (const std::size_t i : leaf.ordinary) {
    if (i != lane) rows.push_back(i);
  }
  std::map<Address, std::size_t> numbers;
  std::vector<Chunk::Result> results;
  leaf.each_position_of(rows, [&] {
    if (lane) leaf.values[*lane] = 0;
    const std::optional<LaneRange> range = walk.allowed_lanes(leaf, lane);
    if (!range) return;
    leaf.place();
    counts.points += static_cast<std::uint64_t>(range->last - range->first + 1);
    if (range->first % walk.lanes() != 0) {
      fail(*leaf.block, "constraints cut the first lanes of a vector off");
    }
    walk.check_row_end(leaf, target, range->last);
    for (std::int64_t at = range->first; at <= range->last; at += walk.lanes()) {
      const Vector to = walk.vector_at(leaf, target, at);
      const auto [found, added] = numbers.emplace(to.address(), results.size());
      if (added) results.push_back({to, {}});
      Chunk::Item item;
      item.inputs.resize(expression.terms.size());
      for (std::size_t t = 0; t < expression.terms.size(); ++t) {
        if (expression.terms[t].kind != Term::Kind::input) continue;
        const View& view = leaf.views.at(expression.terms[t].input);
        const bool along = lane && view.flat.factors[*lane] == 1;
        if (lane && !along) {
          fail(*leaf.block, fmt::format("refinement {} is a scalar; the unit cannot spread it over "
                                        "the lanes: make it a vector or a constant",
                                        quote(view.ref->into)));
        }
        item.inputs[t] = walk.vector_at(leaf, view, along ? at : 0);
      }
      results[found->second].items.push_back(std::move(item));
    }
  });
  return results;
}

}  // namespace

void lower_functions(Walk& walk, Nest& leaf) {
  for (const auto& [into, view] : leaf.views) {
    if (view.made_here) fail(*leaf.block, "buffers of a block of functions are not supported");
  }
  const Expression expression = expression_of(leaf);
  check_tables(walk, leaf, expression);
  const View& target = leaf.views.at(expression.output);
  const std::string op = aggregation_around(target);
  const Chunk::Reduction reduction = reduction_of(leaf, op);
  const bool own = !target.ref->agg_op.empty() && target.ref->agg_op != "assign";
  const Fold fold = fold_of(leaf, target, op);
  leaf.enter();
  BlockCounts& counts = walk.count(leaf);
  const std::vector<Chunk::Result> results = results_of(walk, leaf, expression, target, counts);
  if (results.empty()) return;
  ++counts.invocations;
  counts.slots += leaf.block->positions();
  counts.vectors += results.size();
  Chunk chunk(walk, leaf, expression, reduction, fold);
  for (const Chunk::Result& result : results) {
    if (!own && result.items.size() != 1) {
      fail(*leaf.block, "several positions write one element without aggregation");
    }
    if (chunk.add(result)) continue;
    chunk.emit();
    (void)chunk.add(result);
  }
  chunk.emit();
}

}  // namespace tactus::compiler::stripe_tcu
