#include "firmware/compiler/targets/tcu/scheduler/graph.h"

#include <algorithm>
#include <numeric>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

using hir::Kind;
using hir::MatMul;
using hir::VectorOperation;

template <typename F>
void for_each_mat_mul(const hir::Layer& layer, F f) {
  for (const hir::Operation& operation : layer.operations) {
    if (const auto* m = std::get_if<MatMul>(&operation)) f(*m);
  }
}

template <typename F>
void for_each_vector_operation(const hir::Layer& layer, F f) {
  for (const hir::Operation& operation : layer.operations) {
    if (const auto* o = std::get_if<VectorOperation>(&operation)) f(*o);
  }
}

/// The operand of load and add that is in memory.
const Addresses& memory_operand(const VectorOperation& o) {
  return o.inputs[o.kind == Kind::load ? 0 : 1];
}

Index number_of(const std::vector<Address>& sorted, Address address) {
  return static_cast<Index>(std::lower_bound(sorted.begin(), sorted.end(), address) -
                            sorted.begin());
}

/// Hash function splitmix64. The sum of the hashes of its elements identifies a multiset.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// Converts counts at [i + 1] to begins at [i].
void accumulate_begins(std::vector<Index>& begins) {
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
}

}  // namespace

void Graph::Signature::add(const Signature& o) {
  low += o.low;
  high += o.high;
  first = std::min(first, o.first);
  count += o.count;
}

Graph::Graph(const hir::Layer& layer, std::uint32_t array_size) : tuple_size_(array_size + 1) {
  number_temps(layer);
  number_memory(layer);
  build_tuples(layer, array_size);
  build_terms(layer);
  build_vector_nodes(layer);
  build_saves(layer);
  find_roots(layer);
  sign_nodes();
}

void Graph::number_temps(const hir::Layer& layer) {
  std::uint64_t end = 0;
  for_each_mat_mul(layer, [&](const MatMul& m) {
    for (const Address a : m.outputs) end = std::max(end, a.raw() + 1);
  });
  for_each_vector_operation(layer, [&](const VectorOperation& o) {
    if (o.kind == Kind::save) return;
    for (const Address a : o.outputs) end = std::max(end, a.raw() + 1);
  });
  if (end >= no_index) internal_error("layer {}: too many temps", quote(layer.name));
  nodes_.resize(end);
  temps_.resize(end);
}

void Graph::number_memory(const hir::Layer& layer) {
  for_each_mat_mul(layer, [&](const MatMul& m) {
    for (const Address a : m.inputs) {
      if (!a.is(Tag::zeroes)) sources_.push_back(a);
    }
    for (const Address a : m.weights) {
      if (!a.is(Tag::zeroes)) constants_.push_back(a);
    }
    constants_.insert(constants_.end(), m.bias.begin(), m.bias.end());
  });
  for_each_vector_operation(layer, [&](const VectorOperation& o) {
    constants_.insert(constants_.end(), o.tables.begin(), o.tables.end());
    if (!reads_memory(o.kind)) return;
    const Addresses& operand = memory_operand(o);
    sources_.insert(sources_.end(), operand.begin(), operand.end());
  });
  sort_unique(sources_);
  sort_unique(constants_);
}

void Graph::build_tuples(const hir::Layer& layer, std::uint32_t array_size) {
  std::vector<Index> elements;  // in the order of the layer, with repetitions
  for_each_mat_mul(layer, [&](const MatMul& m) {
    mat_mul_tuple_begin_.push_back(static_cast<Index>(elements.size() / tuple_size_));
    for (std::size_t block = 0; block < m.output_blocks; ++block) {
      const std::size_t bias_block = m.block_with_bias(block, array_size);
      for (std::size_t j = 0; j < m.input_blocks; ++j) {
        for (std::size_t row = array_size; row-- > 0;) {
          const std::size_t at = (j * array_size + row) * m.output_blocks + block;
          const bool zeroes = m.weights[at].is(Tag::zeroes);
          elements.push_back(zeroes ? no_index : number_of(constants_, m.weights[at]));
        }
        const bool biased = !m.bias.empty() && j == bias_block;
        elements.push_back(biased ? number_of(constants_, m.bias[block]) : no_index);
      }
    }
  });
  const std::size_t count = elements.size() / tuple_size_;
  const auto begin = [&](Index t) { return elements.begin() + std::ptrdiff_t(t * tuple_size_); };
  const auto end = [&](Index t) { return begin(t) + std::ptrdiff_t(tuple_size_); };
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
  });
  mat_mul_tuples_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Index t = order[i];
    if (i == 0 || !std::equal(begin(t), end(t), begin(order[i - 1]))) {
      tuple_elements_.insert(tuple_elements_.end(), begin(t), end(t));
    }
    mat_mul_tuples_[t] = tuples() - 1;
  }
}

/// Finds the terms of sums. Products of zeroes are left out, except the first one of a node without
/// other products.
void Graph::build_terms(const hir::Layer& layer) {
  std::vector<bool> is_zero(tuples());
  for (Index t = 0; t < tuples(); ++t) {
    is_zero[t] = std::all_of(tuple(t), tuple(t) + tuple_size_,
                             [](Index element) { return element == no_index; });
  }
  struct NodeTerm {
    Index node;
    Term term;
  };
  std::vector<NodeTerm> found;  // terms in the order of the layer
  std::vector<bool> has_term(nodes_.size(), false);
  std::vector<NodeTerm> zeroes;  // the first product of each node
  std::size_t operation = 0;
  for_each_mat_mul(layer, [&](const MatMul& m) {
    const auto first_input = static_cast<Index>(mat_mul_inputs_.size());
    for (const Address a : m.inputs) {
      mat_mul_inputs_.push_back(a.is(Tag::zeroes) ? no_index : number_of(sources_, a));
    }
    const Index first_tuple = mat_mul_tuple_begin_[operation++];
    for (std::size_t i = 0; i < m.outputs.size(); ++i) {
      const auto node = static_cast<Index>(m.outputs[i].raw());
      const auto pair = static_cast<Index>(i / m.output_blocks);
      const auto block = static_cast<Index>(i % m.output_blocks);
      const Term all{first_input + pair * m.input_blocks, first_tuple + block * m.input_blocks,
                     m.input_blocks};
      if (nodes_[node].kind == NodeKind::none)
        zeroes.push_back({node, {all.inputs, all.tuples, 1}});
      nodes_[node].kind = NodeKind::mat_mul;
      temps_[node] = m.outputs[i];
      Index end = 0;
      while (end < all.count) {
        Index begin = end;
        while (begin < all.count && is_zero[mat_mul_tuples_[all.tuples + begin]]) ++begin;
        end = begin;
        while (end < all.count && !is_zero[mat_mul_tuples_[all.tuples + end]]) ++end;
        if (begin == end) continue;
        found.push_back({node, {all.inputs + begin, all.tuples + begin, end - begin}});
        has_term[node] = true;
      }
    }
  });
  for (const NodeTerm& zero : zeroes) {
    if (!has_term[zero.node]) found.push_back(zero);
  }
  term_begin_.assign(nodes_.size() + 1, 0);
  for (const NodeTerm& term : found) ++term_begin_[term.node + 1];
  accumulate_begins(term_begin_);
  terms_.resize(found.size());
  std::vector<Index> next(term_begin_.begin(), term_begin_.end() - 1);
  for (const NodeTerm& term : found) terms_[next[term.node]++] = term.term;
}

Index Graph::define(Address temp) {
  if (nodes_[temp.raw()].kind != NodeKind::none) {
    internal_error("{} is written twice", to_string(temp));
  }
  temps_[temp.raw()] = temp;
  return static_cast<Index>(temp.raw());
}

void Graph::build_vector_nodes(const hir::Layer& layer) {
  for_each_vector_operation(layer, [&](const VectorOperation& o) {
    if (o.kind == Kind::save) return;
    const auto number = static_cast<Index>(operations_.size());
    operations_.push_back(&o);
    vector_source_begin_.push_back(static_cast<Index>(vector_sources_.size()));
    if (reads_memory(o.kind)) {
      for (const Address a : memory_operand(o)) vector_sources_.push_back(number_of(sources_, a));
    }
    std::vector<Index>& tables = tables_.emplace_back();
    for (const Address a : o.tables) tables.push_back(number_of(constants_, a));
    for (std::size_t i = 0; i < o.outputs.size(); ++i) {
      nodes_[define(o.outputs[i])] = {NodeKind::vector, number, static_cast<Index>(i)};
    }
  });
}

void Graph::build_saves(const hir::Layer& layer) {
  for_each_vector_operation(layer, [&](const VectorOperation& o) {
    if (o.kind != Kind::save) return;
    for (std::size_t i = 0; i < o.outputs.size(); ++i) {
      const Address from = o.inputs[0][i];
      if (!from.is(Tag::temp)) {
        direct_saves_.push_back({from, o.outputs[i]});
      } else if (from.raw() < nodes_.size()) {
        saves_.push_back({static_cast<Index>(from.raw()), o.outputs[i]});
      } else {
        internal_error("layer {}: {} is saved but never written", quote(layer.name),
                       to_string(from));
      }
    }
  });
  save_begin_.assign(nodes_.size() + 1, 0);
  for (const Save& save : saves_) ++save_begin_[save.node + 1];
  accumulate_begins(save_begin_);
  save_list_.resize(saves_.size());
  std::vector<Index> next(save_begin_.begin(), save_begin_.end() - 1);
  for (std::size_t s = 0; s < saves_.size(); ++s) {
    save_list_[next[saves_[s].node]++] = static_cast<Index>(s);
  }
}

void Graph::find_roots(const hir::Layer& layer) {
  std::vector<bool> live(nodes_.size()), read(nodes_.size());
  std::vector<Index> stack;
  const auto enter = [&](Index n) {
    if (n >= nodes_.size() || nodes_[n].kind == NodeKind::none) {
      internal_error("layer {}: temp {} is read but never written", quote(layer.name), n);
    }
    if (!live[n]) stack.push_back(n);
    live[n] = true;
  };
  for (const Save& save : saves_) enter(save.node);
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    for_each_input(n, [&](Index input) {
      enter(input);
      read[input] = true;
    });
  }
  for (Index n = 0; n < nodes(); ++n) {
    if (save_begin_[n] < save_begin_[n + 1] && !read[n]) roots_.push_back(n);
  }
}

/// Signature of one constant. Constants in local memory need not be loaded and have an empty one.
Graph::Signature Graph::signature_of(Index constant) const {
  if (constants_[constant].is(Tag::local)) return {};
  return {mix(constant), mix(~std::uint64_t{constant}), constant, 1};
}

void Graph::sign_nodes() {
  std::vector<Signature> of_tuples(tuples()), of_tables(tables_.size());
  for (Index t = 0; t < tuples(); ++t) {
    for (std::size_t i = 0; i < tuple_size_; ++i) {
      if (tuple(t)[i] != no_index) of_tuples[t].add(signature_of(tuple(t)[i]));
    }
  }
  for (std::size_t o = 0; o < tables_.size(); ++o) {
    for (const Index c : tables_[o]) of_tables[o].add(signature_of(c));
  }
  signatures_.resize(nodes_.size());
  for (Index n = 0; n < nodes(); ++n) {
    if (nodes_[n].kind == NodeKind::vector) signatures_[n] = of_tables[nodes_[n].operation];
    if (nodes_[n].kind != NodeKind::mat_mul) continue;
    for_each_product(n, [&](Index t, Index) { signatures_[n].add(of_tuples[t]); });
  }
}

}  // namespace tactus::compiler
