#include "firmware/compiler/targets/tcu/scheduler/compute.h"

#include <algorithm>
#include <utility>

#include "firmware/compiler/targets/tcu/lir/rollup.h"
#include "isa/support/error.h"

namespace tactus::compiler {
namespace {

using hir::Kind;
using tcu::SimdOp;

constexpr unsigned port = hir::simd_port, r1 = hir::simd_register;

Address accumulator(Index number) { return {Tag::accumulators, 0, number}; }

Address local_place(Address home) { return home.is(Tag::local) ? home : Address::invalid(); }

}  // namespace

LocalPlaces::LocalPlaces(const Graph& graph) {
  sources.reserve(graph.sources().size());
  for (const Address home : graph.sources()) sources.push_back(local_place(home));
  constants.reserve(graph.constants().size());
  for (const Address home : graph.constants()) constants.push_back(local_place(home));
}

Compute::Compute(const Graph& graph, const tcu::Architecture& architecture,
                 const LocalPlaces& places)
    : graph_(graph),
      architecture_(architecture),
      places_(places),
      done_(graph.nodes()),
      accumulators_(graph.nodes()),
      buckets_(graph.tuples()) {}

void Compute::emit(const std::vector<Index>& nodes, std::vector<lir::Operation>& out) {
  out_ = &out;
  done_.clear();
  next_accumulator_ = 0;
  mat_muls(nodes);
  loads(nodes);
  ready_products(nodes);
  adds(nodes);
  sequences(nodes, hir::Phase::arithmetic);
  activations(nodes);
  lookups(nodes);
  pools(nodes);
}

Address Compute::result(Index node) const {
  if (!done_.contains(node)) {
    internal_error("{} is used before it is computed", to_string(graph_.temp(node)));
  }
  return accumulator(accumulators_[node]);
}

Address Compute::allocate(Index node) {
  done_.insert(node);
  accumulators_[node] = next_accumulator_;
  return accumulator(next_accumulator_++);
}

Address Compute::operand(const Graph::Node& x, const hir::VectorOperation& o, std::size_t k) const {
  return result(static_cast<Index>(o.inputs[k][x.item].raw()));
}

void Compute::simd(SimdOp op, unsigned left, unsigned right, unsigned dest, Address write,
                   Address read, bool accumulate) {
  out_->emplace_back(lir::Simd{accumulate, op, left, right, dest, write, read});
}

void Compute::to_register(SimdOp op, unsigned left, unsigned right, Address read) {
  simd(op, left, right, r1, Address::invalid(), read);
}

/// Calls f(node number, node, operation) for each node of the kind.
template <typename F>
void Compute::for_each(const std::vector<Index>& nodes, Kind kind, F f) {
  for (const Index n : nodes) {
    if (graph_.is(n, kind)) f(n, graph_.node(n), graph_.operation(graph_.node(n)));
  }
}

// ---- matrix products ---------------------------------------------------------------------------

void Compute::mat_muls(const std::vector<Index>& nodes) {
  sort_products(nodes);
  first_writer_.assign(next_accumulator_, no_index);
  const auto rollup = [&](bool accumulate) {
    const auto emit = [this, accumulate](lir::Place local, lir::Place other, std::uint64_t count) {
      out_->emplace_back(lir::MatMul{accumulate, local, other, count});
    };
    return lir::PairRollup(architecture_.stride0_depth, architecture_.stride1_depth,
                           std::min(architecture_.local_depth, architecture_.accumulator_depth),
                           emit);
  };
  auto plain = rollup(false), accumulate = rollup(true);
  std::size_t next = 0;
  for (const Index tuple : used_tuples_) {
    load_weights(tuple);
    for (Bucket& bucket = buckets_[tuple]; next < bucket.zeroes; ++next) {
      const Product& p = products_[next];
      const Address local = next < bucket.real ? places_.sources[p.source] : Address::zeroes();
      const Address sum = accumulator(p.accumulator);
      Index& writer = first_writer_[p.accumulator];
      if (writer == no_index) {
        writer = tuple;
        plain.add(local, sum);
      } else {
        // The first product of the sum must be emitted before others are added to it.
        if (writer == tuple) plain.flush();
        accumulate.add(local, sum);
      }
    }
    plain.flush();
    accumulate.flush();
    buckets_[tuple] = {};
  }
}

/// Fills products_ bucket by bucket, each in the order of accumulators.
void Compute::sort_products(const std::vector<Index>& nodes) {
  used_tuples_.clear();
  for (const Index n : nodes) {
    graph_.for_each_product(n, [&](Index tuple, Index source) {
      Bucket& bucket = buckets_[tuple];
      if (bucket.real + bucket.zeroes == 0) used_tuples_.push_back(tuple);
      ++(source == no_index ? bucket.zeroes : bucket.real);
    });
  }
  std::sort(used_tuples_.begin(), used_tuples_.end());
  std::size_t begin = 0;
  for (const Index tuple : used_tuples_) {
    Bucket& bucket = buckets_[tuple];
    const std::size_t middle = begin + bucket.real, end = middle + bucket.zeroes;
    bucket = {begin, middle};  // filling advances these to the ends
    begin = end;
  }
  products_.resize(begin);
  for (const Index n : nodes) {
    if (graph_.node(n).kind != Graph::NodeKind::mat_mul) continue;
    const Index sum = static_cast<Index>(allocate(n).raw());
    graph_.for_each_product(n, [&](Index tuple, Index source) {
      Bucket& bucket = buckets_[tuple];
      products_[source == no_index ? bucket.zeroes++ : bucket.real++] = {source, sum};
    });
  }
}

void Compute::load_weights(Index tuple) {
  lir::ReverseRollup rollup(architecture_.stride0_depth,
                            [this](lir::Place lowest, std::uint64_t count) {
                              out_->emplace_back(lir::LoadWeights{lowest, count});
                            });
  const Index* elements = graph_.tuple(tuple);
  for (std::size_t i = 0; i < graph_.tuple_size(); ++i) {
    rollup.add(elements[i] == no_index ? Address::zeroes() : places_.constants[elements[i]]);
  }
  rollup.flush();
}

// ---- between local memory and accumulators -----------------------------------------------------

/// Emits loads in the order of the vectors that are read; accumulators are in this order, too.
void Compute::loads(const std::vector<Index>& nodes) {
  std::vector<std::pair<Address, Index>> sorted;  // local, node
  for_each(nodes, Kind::load, [&](Index n, const Graph::Node& x, const hir::VectorOperation&) {
    sorted.emplace_back(places_.sources[graph_.vector_source(x)], n);
  });
  std::sort(sorted.begin(), sorted.end());
  Moves moves;
  for (const auto& [local, node] : sorted) moves.emplace_back(local, allocate(node));
  move_to_accumulators(moves, false);
}

void Compute::adds(const std::vector<Index>& nodes) {
  Moves moves;
  for_each(nodes, Kind::add, [&](Index n, const Graph::Node& x, const hir::VectorOperation& o) {
    const Address from = operand(x, o, 0), to = allocate(n);
    simd(SimdOp::move, port, port, port, to, from);
    moves.emplace_back(places_.sources[graph_.vector_source(x)], to);
  });
  move_to_accumulators(moves, true);
}

void Compute::move_to_accumulators(const Moves& moves, bool accumulate) {
  const auto emit = [&](lir::Place local, lir::Place other, std::uint64_t count) {
    out_->emplace_back(lir::DataMove{false, accumulate, local, other, count});
  };
  lir::PairRollup rollup(architecture_.stride0_depth, architecture_.stride1_depth,
                         std::min(architecture_.local_depth, architecture_.accumulator_depth),
                         emit);
  for (const auto& [local, other] : moves) rollup.add(local, other);
  rollup.flush();
}

// ---- between accumulators ----------------------------------------------------------------------

/// Emits the results of the phase's kinds, one kind after the other, in the order of their nodes.
void Compute::sequences(const std::vector<Index>& nodes, hir::Phase phase) {
  for (const Kind kind : hir::kinds_of(phase)) {
    for_each(nodes, kind, [&](Index n, const auto& x, const auto& o) {
      if (!done_.contains(n)) sequence(n, x, o);
    });
  }
}

/// Emits products of what is computed already; others follow behind the sums. A factor stays in the
/// register for the sums that it multiplies one after the other.
void Compute::ready_products(const std::vector<Index>& nodes) {
  Address held = Address::invalid();
  for_each(nodes, Kind::multiply, [&](Index n, const auto& x, const auto& o) {
    const auto operand_node = [&](std::size_t k) {
      return static_cast<Index>(o.inputs[k][x.item].raw());
    };
    if (!done_.contains(operand_node(0)) || !done_.contains(operand_node(1))) return;
    if (graph_.is(operand_node(0), Kind::load)) {
      sequence(n, x, o);
      held = Address::invalid();
      return;
    }
    const Address factor = operand(x, o, 1);
    if (factor != held) to_register(SimdOp::move, port, port, factor);
    held = factor;
    const Address from = operand(x, o, 0);
    simd(SimdOp::multiply, port, r1, port, allocate(n), from);
  });
}

void Compute::sequence(Index node, const Graph::Node& x, const hir::VectorOperation& o) {
  Address to = Address::invalid();
  for (const hir::SimdStep& step : hir::simd_sequence(o.kind, o.inputs.size())) {
    const Address from = step.reads ? operand(x, o, step.operand) : Address::invalid();
    if (step.writes && !step.accumulates) to = allocate(node);
    simd(step.fields.op, step.fields.left, step.fields.right, step.fields.dest,
         step.writes ? to : Address::invalid(), from, step.accumulates);
  }
}

void Compute::activations(const std::vector<Index>& nodes) {
  bool zero_is_there = false;
  for_each(nodes, Kind::relu, [&](Index n, const auto& x, const auto& o) {
    if (!zero_is_there) to_register(SimdOp::zero, port, port, Address::invalid());
    zero_is_there = true;
    const Address from = operand(x, o, 0);
    simd(SimdOp::max, port, r1, port, allocate(n), from);
  });
  sequences(nodes, hir::Phase::activations);
}

/// Emits lookups, grouped by tables, so that each table is loaded once.
void Compute::lookups(const std::vector<Index>& nodes) {
  std::vector<Index> sorted;
  for_each(nodes, Kind::lookup, [&](Index n, const auto&, const auto&) { sorted.push_back(n); });
  std::stable_sort(sorted.begin(), sorted.end(), [&](Index a, Index b) {
    return graph_.tables(a).front() < graph_.tables(b).front();
  });
  Index loaded = no_index;
  for (const Index n : sorted) {
    const Graph::Node& x = graph_.node(n);
    const hir::VectorOperation& o = graph_.operation(x);
    const std::vector<Index>& tables = graph_.tables(n);
    if (tables.front() != loaded) load_tables(tables);
    loaded = tables.front();
    sequence(n, x, o);
  }
}

/// Loads lookup tables. One instruction loads a table, so its vectors must be consecutive.
void Compute::load_tables(const std::vector<Index>& tables) {
  const std::size_t vectors = tables.size() / 2;
  for (std::uint32_t t = 0; t < 2; ++t) {
    const Address first = places_.constants[tables[t * vectors]];
    for (std::size_t i = 0; i < vectors; ++i) {
      if (places_.constants[tables[t * vectors + i]].raw() != first.raw() + i) {
        user_error(
            "local memory has no {} neighbouring vectors left for a lookup table; strategy "
            "local-isolated has",
            vectors);
      }
    }
    out_->emplace_back(lir::LoadLut{{first, 0}, t});
  }
}

void Compute::pools(const std::vector<Index>& nodes) {
  for (const Index n : nodes) {
    if (graph_.node(n).kind != Graph::NodeKind::vector) continue;
    const hir::VectorOperation& o = graph_.operation(graph_.node(n));
    if (hir::info(o.kind).phase == hir::Phase::pools) sequence(n, graph_.node(n), o);
  }
}

}  // namespace tactus::compiler
