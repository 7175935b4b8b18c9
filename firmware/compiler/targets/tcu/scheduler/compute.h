// The compute segment of a partition: from vectors in local memory to results in accumulators.
//
// Operations come kind by kind in a fixed order, each kind in the order of its outputs; every
// result gets an accumulator of its own, counted up from 0. Source: toolchain spec section 3.8.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/lir/lir.h"
#include "firmware/compiler/targets/tcu/scheduler/graph.h"
#include "firmware/compiler/targets/tcu/scheduler/traversal.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// Local addresses of a graph's vectors, by number.
struct LocalPlaces {
  std::vector<Address> sources, constants;

  /// Sets the addresses of vectors that are in local memory; the others are Invalid until they are
  /// loaded.
  explicit LocalPlaces(const Graph& graph);
};

class Compute {
 public:
  Compute(const Graph& graph, const tcu::Architecture& architecture, const LocalPlaces& places);

  /// Emits a partition; `nodes` must be sorted. Throws InternalError if a node depends on one of a
  /// later kind.
  void emit(const std::vector<Index>& nodes, std::vector<lir::Operation>& out);
  /// The accumulator of a node of the partition emitted last.
  [[nodiscard]] Address result(Index node) const;

 private:
  /// A product of the current partition: the addresses of its input and its sum.
  struct Product {
    Index source;
    Index accumulator;
  };
  /// The products with one tuple of weights, a span of products_: those with inputs first, then
  /// those with zeroes.
  struct Bucket {
    std::size_t real = 0, zeroes = 0;  ///< counts, later ends
  };

  /// Pairs of a local address and an accumulator.
  using Moves = std::vector<std::pair<Address, Address>>;

  template <typename F>
  void for_each(const std::vector<Index>& nodes, hir::Kind kind, F f);
  void mat_muls(const std::vector<Index>& nodes);
  void sort_products(const std::vector<Index>& nodes);
  void load_weights(Index tuple);
  void loads(const std::vector<Index>& nodes);
  void adds(const std::vector<Index>& nodes);
  void move_to_accumulators(const Moves& moves, bool accumulate);
  void sequences(const std::vector<Index>& nodes, hir::Phase phase);
  void sequence(Index node, const Graph::Node& x, const hir::VectorOperation& o);
  void ready_products(const std::vector<Index>& nodes);
  void activations(const std::vector<Index>& nodes);
  void lookups(const std::vector<Index>& nodes);
  void load_tables(const std::vector<Index>& tables);
  void pools(const std::vector<Index>& nodes);

  Address allocate(Index node);
  [[nodiscard]] Address operand(const Graph::Node& x, const hir::VectorOperation& o,
                                std::size_t k) const;
  void simd(tcu::SimdOp op, unsigned left, unsigned right, unsigned dest, Address write,
            Address read, bool accumulate = false);
  void to_register(tcu::SimdOp op, unsigned left, unsigned right, Address read);

  const Graph& graph_;
  const tcu::Architecture& architecture_;
  const LocalPlaces& places_;
  std::vector<lir::Operation>* out_ = nullptr;
  IndexSet done_;
  std::vector<Index> accumulators_;  ///< accumulator of each node
  Index next_accumulator_ = 0;
  std::vector<Bucket> buckets_;  ///< bucket of each tuple; empty between partitions
  std::vector<Index> used_tuples_;
  std::vector<Product> products_;
  std::vector<Index> first_writer_;  ///< by accumulator: the tuple of its first product
};

}  // namespace tactus::compiler
