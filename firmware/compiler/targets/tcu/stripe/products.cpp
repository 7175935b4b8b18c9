// Blocks at ARRAY: each invocation loads weights, then streams vectors.
#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/walk.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {
namespace {

/// The parts of a product: two loads, a mul, a store.
struct Product {
  View* inputs = nullptr;
  View* weights = nullptr;
  View* sums = nullptr;
  std::optional<std::size_t> row, column;  ///< indexes k and n
  std::vector<std::size_t> streamed;       ///< all others
};

[[noreturn]] void refuse(const Nest& leaf, const std::string& why) {
  fail(*leaf.block, "the array cannot compute it: " + why);
}

/// Finds the indexes of a product. k runs along the lanes of inputs and is not in the sums; n runs
/// along the lanes of weights and sums and is not in the inputs; m is not in the weights.
Product take_apart(Nest& leaf, std::int64_t n) {
  std::vector<View*> read;
  Product product;
  for (auto& [into, view] : leaf.views) {
    if (view.made_here) refuse(leaf, "it has a buffer of its own");
    if (stripe::writes(view.ref->direction)) {
      if (product.sums != nullptr) refuse(leaf, "it writes two tensors");
      product.sums = &view;
    } else {
      read.push_back(&view);
    }
  }
  std::size_t muls = 0, others = 0;
  for (const stripe::Statement& stmt : leaf.block->statements) {
    if (const auto* op = stmt.as<stripe::Intrinsic>()) {
      ++(op->name == "mul" && op->inputs.size() == 2 && op->inputs[0] != op->inputs[1] ? muls
                                                                                       : others);
    } else if (stmt.as<stripe::Load>() == nullptr && stmt.as<stripe::Store>() == nullptr) {
      ++others;
    }
  }
  if (product.sums == nullptr || read.size() != 2 || muls != 1 || others != 0 ||
      product.sums->ref->agg_op != "add" || leaf.block->statements.size() != 4) {
    refuse(leaf, "supported are two loads, mul, and a store that is aggregated by add");
  }
  const bool swap = read[0]->ref->has_tag("weights") || read[1]->ref->has_tag("acts");
  product.inputs = read[swap ? 1 : 0];
  product.weights = read[swap ? 0 : 1];
  for (const std::size_t i : leaf.ordinary) {
    if (leaf.range(i) <= 1) continue;
    const std::int64_t a = product.inputs->flat.factors[i];
    const std::int64_t w = product.weights->flat.factors[i];
    const std::int64_t c = product.sums->flat.factors[i];
    const std::string& name = leaf.block->indexes[i].name;
    if (w == 0) {
      product.streamed.push_back(i);
    } else if (c == 0 && a == 1 && !product.row) {
      product.row = i;
    } else if (a == 0 && c == 1 && w == 1 && !product.column) {
      product.column = i;
    } else {
      refuse(leaf,
             fmt::format("index {} is neither k, n nor m of a product of matrices", quote(name)));
    }
    if (w != 0 && leaf.range(i) > static_cast<std::uint64_t>(n)) {
      refuse(leaf,
             fmt::format("index {} counts to {}, the array has {}", quote(name), leaf.range(i), n));
    }
  }
  const auto at = [&](const View& view, Tag memory, const char* device) {
    if (view.buffer->memory == memory) return;
    refuse(leaf, fmt::format("{} has to be in {}", quote(view.ref->into), device));
  };
  at(*product.inputs, Tag::local, "LOCAL");
  at(*product.weights, Tag::local, "LOCAL");
  at(*product.sums, Tag::accumulators, "ACC");
  return product;
}

/// The range of an index that the constraints on this index (and computed ones) allow.
LaneRange clip(const Nest& leaf, std::optional<std::size_t> index) {
  LaneRange range{0, index ? static_cast<std::int64_t>(leaf.range(*index)) - 1 : 0};
  if (!index) return range;
  for (const Linear& c : leaf.constraints) {
    const std::int64_t factor = c.factors[*index];
    if (factor == 0) continue;
    for (const std::size_t i : leaf.ordinary) {
      if (i != *index && leaf.range(i) > 1 && c.factors[i] != 0) {
        refuse(leaf, fmt::format("a constraint has both {} and {}",
                                 quote(leaf.block->indexes[*index].name),
                                 quote(leaf.block->indexes[i].name)));
      }
    }
    const std::int64_t rest = c.at(leaf.values) - factor * leaf.values[*index];
    if (factor > 0) {
      if (rest < 0) range.first = std::max(range.first, (-rest + factor - 1) / factor);
    } else {
      range.last = rest < 0 ? -1 : std::min(range.last, rest / -factor);
    }
  }
  return range;
}

}  // namespace

void lower_product(Walk& walk, Nest& leaf) {
  const std::int64_t n = walk.lanes();
  const Product product = take_apart(leaf, n);
  leaf.enter();
  for (const std::size_t i : leaf.ordinary) leaf.values[i] = 0;
  const LaneRange rows = clip(leaf, product.row), columns = clip(leaf, product.column);
  if (rows.last < rows.first || columns.last < columns.first) return;
  leaf.place();
  const std::int64_t per_vector = (rows.last - rows.first + 1) * (columns.last - columns.first + 1);
  std::vector<Address> weights(static_cast<std::size_t>(n), Address::zeroes());
  for (std::int64_t k = rows.first; k <= rows.last; ++k) {
    const std::int64_t offset = product.row ? k * product.weights->flat.factors[*product.row] : 0;
    weights[static_cast<std::size_t>(k)] = walk.vector_at(leaf, *product.weights, offset).address();
  }
  if (product.row) leaf.values[*product.row] = rows.first;
  if (product.column) leaf.values[*product.column] = columns.first;
  Moves plain, added;
  leaf.each_position_of(product.streamed, [&] {
    if (!leaf.allowed()) return;
    leaf.place();
    const std::int64_t k = product.row ? rows.first : 0;
    const std::int64_t c = product.column ? columns.first : 0;
    const Vector input = walk.vector_at(leaf, *product.inputs, -k);
    const Vector sum = walk.vector_at(leaf, *product.sums, -c);
    const bool adds = sum.buffer->written[sum.number];
    sum.buffer->written[sum.number] = true;
    (adds ? added : plain).emplace_back(input.address(), sum.address());
  });
  if (plain.empty() && added.empty()) return;
  BlockCounts& counts = walk.count(leaf);
  ++counts.invocations;
  counts.points += (plain.size() + added.size()) * static_cast<std::uint64_t>(per_vector);
  counts.slots += leaf.block->positions();
  counts.vectors += plain.size() + added.size();
  walk.machine.load_weights(weights);
  walk.machine.multiply(plain, false);
  walk.machine.multiply(added, true);
}

}  // namespace tactus::compiler::stripe_tcu
