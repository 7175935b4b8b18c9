#include "firmware/compiler/targets/tcu/scheduler/traversal.h"

#include <algorithm>

namespace tactus::compiler {

Traversal::Traversal(const Graph& graph)
    : graph_(graph), found_(graph.nodes()), sources_(graph.sources().size()) {}

void Traversal::clear() {
  found_.clear();
  sources_.clear();
  nodes_.clear();
  saves_.clear();
  for (Reads* reads : {&variables_, &constants_}) {
    reads->distinct.clear();
    reads->nodes = reads->most = 0;
  }
  signature_ = {};
}

void Traversal::add(Index root) {
  if (!found_.insert(root)) return;
  stack_.push_back(root);
  while (!stack_.empty()) {
    const Index node = stack_.back();
    stack_.pop_back();
    visit(node);
    graph_.for_each_input(node, [&](Index input) {
      if (found_.insert(input)) stack_.push_back(input);
    });
  }
}

void Traversal::visit(Index node) {
  nodes_.push_back(node);
  signature_.add(graph_.signature(node));
  graph_.for_each_save(node, [&](Index save) { saves_.push_back(save); });
  std::size_t variables = 0, constants = 0;
  graph_.for_each_source(node, [&](Index source) {
    const Tag tag = graph_.sources()[source].tag();
    if (tag == Tag::local) return;
    ++(tag == Tag::dram0 ? variables : constants);
    if (sources_.insert(source)) {
      (tag == Tag::dram0 ? variables_ : constants_).distinct.push_back(source);
    }
  });
  const auto count = [](Reads& reads, std::size_t by_node) {
    if (by_node == 0) return;
    ++reads.nodes;
    reads.most = std::max(reads.most, by_node);
  };
  count(variables_, variables);
  count(constants_, constants);
}

std::vector<Index> Traversal::sorted_nodes() const {
  std::vector<Index> out = nodes_;
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

/// Sorts lists by their first elements, stably, and joins them without repetitions.
std::vector<Index> join(std::vector<std::vector<Index>> lists, IndexSet& seen) {
  std::stable_sort(lists.begin(), lists.end(),
                   [](const auto& a, const auto& b) { return a.front() < b.front(); });
  std::vector<Index> out;
  for (const std::vector<Index>& list : lists) {
    for (const Index i : list) {
      if (seen.insert(i)) out.push_back(i);
    }
  }
  return out;
}

}  // namespace

std::vector<Index> load_order(const Graph& graph, const std::vector<Index>& nodes,
                              const Traversal::Reads& reads, Tag tag) {
  if (reads.nodes > reads.most) {
    std::vector<Index> out = reads.distinct;
    std::sort(out.begin(), out.end());
    return out;
  }
  std::vector<std::vector<Index>> lists;
  for (const Index node : nodes) {
    std::vector<Index> list;
    graph.for_each_source(node, [&](Index source) {
      if (graph.sources()[source].is(tag)) list.push_back(source);
    });
    if (list.empty()) continue;
    std::sort(list.begin(), list.end());
    lists.push_back(std::move(list));
  }
  IndexSet seen(graph.sources().size());
  return join(std::move(lists), seen);
}

ConstantsOrder::ConstantsOrder(const Graph& graph)
    : graph_(graph), tuples_(graph.tuples()), constants_(graph.constants().size()) {}

template <typename F>
void ConstantsOrder::for_each_constant(Index tuple, F f) const {
  const Index* elements = graph_.tuple(tuple);
  for (std::size_t i = 0; i < graph_.tuple_size(); ++i) {
    if (elements[i] != no_index && !graph_.constants()[elements[i]].is(Tag::local)) f(elements[i]);
  }
}

template <typename F>
void ConstantsOrder::for_each_table_constant(Index node, F f) const {
  for (const Index c : graph_.tables(node)) {
    if (!graph_.constants()[c].is(Tag::local)) f(c);
  }
}

std::vector<Index> ConstantsOrder::operator()(const std::vector<Index>& nodes) {
  std::size_t readers = 0;
  std::uint64_t most = 0;
  for (const Index node : nodes) {
    const std::uint64_t count = graph_.signature(node).count;
    if (count > 0) ++readers;
    most = std::max(most, count);
  }
  tuples_.clear();
  constants_.clear();
  return readers > most ? sorted_union(nodes) : node_by_node(nodes);
}

std::vector<Index> ConstantsOrder::sorted_union(const std::vector<Index>& nodes) {
  std::vector<Index> out;
  for (const Index node : nodes) {
    graph_.for_each_product(node, [&](Index tuple, Index) {
      if (!tuples_.insert(tuple)) return;
      for_each_constant(tuple, [&](Index c) {
        if (constants_.insert(c)) out.push_back(c);
      });
    });
    for_each_table_constant(node, [&](Index c) {
      if (constants_.insert(c)) out.push_back(c);
    });
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Index> ConstantsOrder::node_by_node(const std::vector<Index>& nodes) {
  std::vector<std::vector<Index>> lists;
  for (const Index node : nodes) {
    if (graph_.signature(node).count == 0) continue;
    std::vector<Index> list;
    graph_.for_each_product(node, [&](Index tuple, Index) {
      for_each_constant(tuple, [&](Index c) { list.push_back(c); });
    });
    for_each_table_constant(node, [&](Index c) { list.push_back(c); });
    std::sort(list.begin(), list.end());
    lists.push_back(std::move(list));
  }
  return join(std::move(lists), constants_);
}

}  // namespace tactus::compiler
