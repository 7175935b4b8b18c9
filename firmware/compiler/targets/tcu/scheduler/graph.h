// The dataflow of one layer: a node for every temp vector, in flat arrays.
//
// A node's number is the raw part of its temp address, so the order of numbers is the order of
// addresses. Data in memory is numbered too: `sources` are vectors read as data, `constants`
// are vectors of weights, biases and lookup tables; both lists are sorted by address, so here, too,
// the order of numbers is the order of addresses.
// Source: toolchain spec section 3.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "firmware/compiler/targets/tcu/memory/address.h"

namespace tactus::compiler {

/// Numbers of nodes, sources, constants, tuples and saves fit 32 bits.
using Index = std::uint32_t;
inline constexpr Index no_index = ~Index{0};

class Graph {
 public:
  /// The layer must have passed hir::check and outlive the graph. InternalError for a temp that is
  /// written twice or read but never written.
  Graph(const hir::Layer& layer, std::uint32_t array_size);

  enum class NodeKind : std::uint8_t { none, mat_mul, vector };
  struct Node {
    NodeKind kind = NodeKind::none;
    Index operation = 0;  ///< vector: index into vector_operations
    Index item = 0;       ///< vector: which of the operation's outputs
  };
  /// A part of a MatMul node's sum: `count` inputs, each with a tuple of weights.
  struct Term {
    Index inputs;  ///< first, in mat_mul_inputs
    Index tuples;  ///< first, in mat_mul_tuples
    Index count;
  };
  struct Save {
    Index node;
    Address target;
  };
  /// A save from local memory to its target, without a node.
  struct DirectSave {
    Address source, target;
  };
  /// Identifies the set of weights that a node needs. A stage contains nodes with equal signatures.
  struct Signature {
    std::uint64_t low = 0, high = 0;  ///< sums of hashes: the multiset of constants
    Index first = no_index;           ///< smallest constant
    /// Number of constants; one in several tuples is counted for each of them.
    std::uint64_t count = 0;

    void add(const Signature& o);
  };

  [[nodiscard]] Index nodes() const { return static_cast<Index>(nodes_.size()); }
  [[nodiscard]] const Node& node(Index n) const { return nodes_[n]; }
  [[nodiscard]] const hir::VectorOperation& operation(const Node& node) const {
    return *operations_[node.operation];
  }
  [[nodiscard]] bool is(Index n, hir::Kind kind) const {
    return nodes_[n].kind == NodeKind::vector && operation(nodes_[n]).kind == kind;
  }
  [[nodiscard]] Address temp(Index n) const { return temps_[n]; }

  [[nodiscard]] const std::vector<Address>& sources() const { return sources_; }
  [[nodiscard]] const std::vector<Address>& constants() const { return constants_; }
  [[nodiscard]] const std::vector<Save>& saves() const { return saves_; }
  [[nodiscard]] const std::vector<DirectSave>& direct_saves() const { return direct_saves_; }
  /// Saved nodes that no node with a path to a save reads. (A result that is never used, such as
  /// the border that a pool omits, does not count as a reader.)
  [[nodiscard]] const std::vector<Index>& roots() const { return roots_; }
  [[nodiscard]] const Signature& signature(Index n) const { return signatures_[n]; }

  [[nodiscard]] Index tuples() const {
    return static_cast<Index>(tuple_elements_.size() / tuple_size_);
  }
  /// Constants in loading order, the last weight row first, the bias last; no_index for zeroes.
  /// Tuples are numbered in the order of their elements.
  [[nodiscard]] const Index* tuple(Index t) const {
    return tuple_elements_.data() + std::size_t{t} * tuple_size_;
  }
  [[nodiscard]] std::size_t tuple_size() const { return tuple_size_; }

  /// The source that a load or add reads.
  [[nodiscard]] Index vector_source(const Node& node) const {
    return vector_sources_[vector_source_begin_[node.operation] + node.item];
  }

  /// f(term) for each term of a MatMul node.
  template <typename F>
  void for_each_term(Index n, F f) const {
    for (Index t = term_begin_[n]; t < term_begin_[n + 1]; ++t) f(terms_[t]);
  }
  /// f(tuple, source or no_index) for each product of a MatMul node.
  template <typename F>
  void for_each_product(Index n, F f) const {
    for_each_term(n, [&](const Term& t) {
      for (Index j = 0; j < t.count; ++j)
        f(mat_mul_tuples_[t.tuples + j], mat_mul_inputs_[t.inputs + j]);
    });
  }
  /// f(source) for each vector in memory that the node reads as data.
  template <typename F>
  void for_each_source(Index n, F f) const {
    const Node& x = nodes_[n];
    if (x.kind == NodeKind::mat_mul) {
      for_each_product(n, [&](Index, Index source) {
        if (source != no_index) f(source);
      });
    } else if (reads_memory(operation(x).kind)) {
      f(vector_source(x));
    }
  }
  /// The constants of a lookup node's tables, table after table; empty for other nodes. Nodes of
  /// one operation share the list.
  [[nodiscard]] const std::vector<Index>& tables(Index n) const {
    static const std::vector<Index> none;
    return nodes_[n].kind == NodeKind::vector ? tables_[nodes_[n].operation] : none;
  }
  /// f(node) for each node that the node reads.
  template <typename F>
  void for_each_input(Index n, F f) const {
    const Node& x = nodes_[n];
    if (x.kind != NodeKind::vector) return;
    const hir::VectorOperation& o = operation(x);
    if (o.kind == hir::Kind::load) return;
    const std::size_t count = o.kind == hir::Kind::add ? 1 : o.inputs.size();
    for (std::size_t k = 0; k < count; ++k) f(static_cast<Index>(o.inputs[k][x.item].raw()));
  }
  /// f(index into saves) for each save of the node.
  template <typename F>
  void for_each_save(Index n, F f) const {
    for (Index s = save_begin_[n]; s < save_begin_[n + 1]; ++s) f(save_list_[s]);
  }
  /// The first save of the node in the order of the layer; there must be one.
  [[nodiscard]] Address first_target(Index n) const {
    return saves_[save_list_[save_begin_[n]]].target;
  }

 private:
  [[nodiscard]] Signature signature_of(Index constant) const;
  static bool reads_memory(hir::Kind kind) {
    return kind == hir::Kind::load || kind == hir::Kind::add;
  }
  void number_temps(const hir::Layer& layer);
  void number_memory(const hir::Layer& layer);
  void build_tuples(const hir::Layer& layer, std::uint32_t array_size);
  void build_terms(const hir::Layer& layer);
  void build_vector_nodes(const hir::Layer& layer);
  void build_saves(const hir::Layer& layer);
  void find_roots(const hir::Layer& layer);
  void sign_nodes();
  Index define(Address temp);

  std::vector<Node> nodes_;
  std::vector<Address> temps_;
  std::vector<const hir::VectorOperation*> operations_;
  std::vector<Address> sources_, constants_;
  std::size_t tuple_size_ = 0;
  std::vector<Index> tuple_elements_;
  std::vector<Index> mat_mul_inputs_;
  std::vector<Index> mat_mul_tuples_;       ///< per MatMul: [output block][input block]
  std::vector<Index> mat_mul_tuple_begin_;  ///< per MatMul of the layer
  std::vector<Index> term_begin_;
  std::vector<Term> terms_;
  std::vector<Index> vector_sources_, vector_source_begin_;
  std::vector<std::vector<Index>> tables_;  ///< per vector operation
  std::vector<Save> saves_;
  std::vector<Index> save_begin_, save_list_;
  std::vector<DirectSave> direct_saves_;
  std::vector<Index> roots_;
  std::vector<Signature> signatures_;
};

}  // namespace tactus::compiler
