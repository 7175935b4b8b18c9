// Finds the nodes that a set of roots needs, root by root, and the vectors that these load from
// DRAM.
//
// Adding a root takes time proportional to the edges of newly found nodes. Source: toolchain spec
// section 3.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/scheduler/graph.h"

namespace tactus::compiler {

/// A set of numbers below a bound that is emptied in constant time.
class IndexSet {
 public:
  explicit IndexSet(std::size_t bound) : stamps_(bound, 0) {}
  void clear() { ++now_; }
  /// Inserts a number. Returns true if it is new.
  bool insert(Index i) {
    if (stamps_[i] == now_) return false;
    stamps_[i] = now_;
    return true;
  }
  [[nodiscard]] bool contains(Index i) const { return stamps_[i] == now_; }

 private:
  std::vector<std::uint32_t> stamps_;
  std::uint32_t now_ = 1;
};

class Traversal {
 public:
  /// Sources in one DRAM bank that the found nodes read.
  struct Reads {
    std::vector<Index> distinct;
    std::size_t nodes = 0;  ///< number of nodes that read any
    std::size_t most = 0;   ///< most sources read by one node
  };

  explicit Traversal(const Graph& graph);

  void clear();
  void add(Index root);

  /// Nodes in the order in which they were found.
  [[nodiscard]] const std::vector<Index>& nodes() const { return nodes_; }
  [[nodiscard]] std::vector<Index> sorted_nodes() const;
  /// Indices into the graph's saves, attached to any found node.
  [[nodiscard]] const std::vector<Index>& saves() const { return saves_; }
  [[nodiscard]] const Reads& variables() const { return variables_; }
  /// Constants that are read as data. Partitions of a stage do not share them.
  [[nodiscard]] const Reads& constants() const { return constants_; }
  /// Sum of the signatures of all found nodes.
  [[nodiscard]] const Graph::Signature& signature() const { return signature_; }

 private:
  void visit(Index node);

  const Graph& graph_;
  IndexSet found_, sources_;
  std::vector<Index> nodes_, saves_, stack_;
  Reads variables_, constants_;
  Graph::Signature signature_;
};

/// The order in which sources are loaded. If the number of nodes that read sources is larger than
/// the most sources read by one node, sources are sorted. Else they are loaded node by node, nodes
/// in the order of their smallest source, sources of a node sorted. `nodes` must be sorted; `tag`
/// is the bank of `reads`.
[[nodiscard]] std::vector<Index> load_order(const Graph& graph, const std::vector<Index>& nodes,
                                            const Traversal::Reads& reads, Tag tag);

/// The order in which weights, biases and lookup tables in DRAM are loaded. Its sets are reused
/// from call to call.
class ConstantsOrder {
 public:
  explicit ConstantsOrder(const Graph& graph);
  [[nodiscard]] std::vector<Index> operator()(const std::vector<Index>& nodes);

 private:
  [[nodiscard]] std::vector<Index> sorted_union(const std::vector<Index>& nodes);
  [[nodiscard]] std::vector<Index> node_by_node(const std::vector<Index>& nodes);
  template <typename F>
  void for_each_constant(Index tuple, F f) const;
  template <typename F>
  void for_each_table_constant(Index node, F f) const;

  const Graph& graph_;
  IndexSet tuples_, constants_;
};

}  // namespace tactus::compiler
