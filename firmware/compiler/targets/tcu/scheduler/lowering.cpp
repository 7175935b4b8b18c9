#include "firmware/compiler/targets/tcu/scheduler/lowering.h"

#include <algorithm>
#include <utility>

#include "firmware/compiler/targets/tcu/lir/rollup.h"
#include "firmware/compiler/targets/tcu/scheduler/compute.h"
#include "firmware/compiler/targets/tcu/scheduler/stages.h"
#include "firmware/compiler/targets/tcu/scheduler/traversal.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Writes the segments of one partition, for both lowerings. `allocate(address)` assigns a vector
/// of local memory to an address in DRAM. It keeps the ref, so that local addresses sort in the
/// order of their DRAM addresses.
class PartitionWriter {
 public:
  using Allocate = std::function<Address(Address)>;

  PartitionWriter(const Graph& graph, const tcu::Architecture& architecture,
                  const SegmentSink& sink, Allocate allocate)
      : graph_(graph),
        architecture_(architecture),
        sink_(sink),
        allocate_(std::move(allocate)),
        places_(graph),
        compute_(graph, architecture, places_) {}

  void begin(std::size_t stage, std::size_t partition) { stage_ = stage, partition_ = partition; }

  /// Loads weights and biases in the order given, then each list of sources. Runs do not cross
  /// lists.
  void load(lir::SegmentKind kind, const std::vector<Index>& constants,
            const std::vector<const std::vector<Index>*>& sources) {
    lir::Segment segment = make(kind);
    load_list(constants, graph_.constants(), places_.constants, segment);
    for (const std::vector<Index>* list : sources) {
      load_list(*list, graph_.sources(), places_.sources, segment);
    }
    pass_on(segment);
  }

  void compute_and_save(const std::vector<Index>& nodes, const std::vector<Index>& saves) {
    lir::Segment compute = make(lir::SegmentKind::compute);
    compute_.emit(nodes, compute.operations);
    std::vector<std::pair<Address, Index>> sorted;  // target, node
    for (const Index s : saves)
      sorted.emplace_back(graph_.saves()[s].target, graph_.saves()[s].node);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Moves to_local, to_dram;
    for (const auto& [target, node] : sorted) {
      Address local = target;
      if (!target.is(Tag::local)) {
        local = allocate_(target);
        to_dram.emplace_back(local, target);
      }
      to_local.emplace_back(local, compute_.result(node));
    }
    move(to_local, true, compute);
    pass_on(compute);
    for (const Graph::DirectSave& save : graph_.direct_saves()) {
      to_dram.emplace_back(save.source, save.target);
    }
    lir::Segment save = make(lir::SegmentKind::save);
    move(to_dram, false, save);
    pass_on(save);
  }

 private:
  /// Pairs of a local address and another address.
  using Moves = std::vector<std::pair<Address, Address>>;

  [[nodiscard]] lir::Segment make(lir::SegmentKind kind) const {
    return {stage_, partition_, kind, {}};
  }
  void pass_on(const lir::Segment& segment) {
    if (!segment.operations.empty()) sink_(segment);
  }
  void load_list(const std::vector<Index>& list, const std::vector<Address>& homes,
                 std::vector<Address>& places, lir::Segment& segment) {
    Moves moves;
    for (const Index i : list) {
      places[i] = allocate_(homes[i]);
      moves.emplace_back(places[i], homes[i]);
    }
    move(moves, true, segment);
  }
  void move(const Moves& moves, bool to_local, lir::Segment& segment) {
    if (moves.empty()) return;
    const auto emit = [&](lir::Place local, lir::Place other, std::uint64_t count) {
      segment.operations.emplace_back(lir::DataMove{to_local, false, local, other, count});
    };
    std::uint64_t most = ~std::uint64_t{0};
    for (const auto& [local, other] : moves) most = std::min(most, longest(other.tag()));
    lir::PairRollup rollup(architecture_.stride0_depth, architecture_.stride1_depth, most, emit);
    for (const auto& [local, other] : moves) rollup.add(local, other);
    rollup.flush();
  }
  [[nodiscard]] std::uint64_t longest(Tag tag) const {
    const std::uint64_t other = tag == Tag::dram0   ? architecture_.dram0_depth
                                : tag == Tag::dram1 ? architecture_.dram1_depth
                                                    : architecture_.accumulator_depth;
    return std::min(architecture_.local_depth, other);
  }

  const Graph& graph_;
  const tcu::Architecture& architecture_;
  const SegmentSink& sink_;
  Allocate allocate_;
  LocalPlaces places_;
  Compute compute_;
  std::size_t stage_ = 0, partition_ = 0;
};

void count(SpaceUse& use, std::uint64_t used) {
  use.maximum = std::max(use.maximum, used);
  use.aggregate += used;
}

}  // namespace

LoweringFigures lower_isolated(const Graph& graph, const tcu::Architecture& architecture,
                               const std::string& layer_name, const SegmentSink& sink) {
  if (!graph.direct_saves().empty()) {
    internal_error("layer {}: a save from local memory", quote(layer_name));
  }
  const std::vector<Stage> stages = plan_stages(graph, architecture, layer_name);
  std::uint64_t next_local = 0;
  PartitionWriter writer(graph, architecture, sink, [&](Address home) {
    return Address(Tag::local, home.ref(), next_local++);
  });
  LoweringFigures figures;
  figures.stages = stages.size();
  Traversal traversal(graph);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    std::size_t begin = 0;
    for (std::size_t p = 0; p < stage.partitions.size(); ++p) {
      traversal.clear();
      for (; begin < stage.partitions[p]; ++begin) traversal.add(stage.roots[begin]);
      const std::vector<Index> nodes = traversal.sorted_nodes();
      const std::vector<Index> constants =
          load_order(graph, nodes, traversal.constants(), Tag::dram1);
      const std::vector<Index> variables =
          load_order(graph, nodes, traversal.variables(), Tag::dram0);
      writer.begin(s, p);
      if (p == 0) {
        next_local = 0;
        writer.load(lir::SegmentKind::init, stage.constants, {});
      }
      next_local = stage.constants.size();
      writer.load(lir::SegmentKind::load, {}, {&constants, &variables});
      writer.compute_and_save(nodes, traversal.saves());
      figures.local.maximum = std::max(figures.local.maximum, next_local);
      figures.local.aggregate += next_local - stage.constants.size();
      count(figures.accumulators, nodes.size());
    }
    figures.local.aggregate += stage.constants.size();
    figures.partitions += stage.partitions.size();
  }
  return figures;
}

LoweringFigures lower_shared(const Graph& graph, const tcu::Architecture& architecture,
                             const std::string& layer_name, HeapSpace& local,
                             const SegmentSink& sink) {
  Traversal traversal(graph);
  for (const Index root : graph.roots()) traversal.add(root);
  const std::vector<Index> nodes = traversal.sorted_nodes();
  const std::vector<Index> weights = ConstantsOrder(graph)(nodes);
  const std::vector<Index> constants = load_order(graph, nodes, traversal.constants(), Tag::dram1);
  const std::vector<Index> variables = load_order(graph, nodes, traversal.variables(), Tag::dram0);
  if (nodes.size() > architecture.accumulator_depth) {
    user_error(
        "layer {}: insufficient accumulators, required {} vectors, there are {}; strategy "
        "local-isolated can split a layer",
        quote(layer_name), nodes.size(), architecture.accumulator_depth);
  }
  std::uint64_t needed = weights.size() + constants.size() + variables.size();
  for (const Index s : traversal.saves()) needed += graph.saves()[s].target.is(Tag::local) ? 0 : 1;
  if (needed > local.depth() - local.used()) {
    user_error(
        "layer {}: insufficient local memory, required {} vectors besides the {} in use, there are "
        "{}; strategy local-isolated can split a layer",
        quote(layer_name), needed, local.used(), local.depth());
  }
  Addresses taken;
  PartitionWriter writer(graph, architecture, sink, [&](Address home) {
    taken.push_back(local.allocate(home.ref(), 1)->front());
    return taken.back();
  });
  writer.load(lir::SegmentKind::init, weights, {&constants});
  writer.load(lir::SegmentKind::load, {}, {&variables});
  writer.compute_and_save(nodes, traversal.saves());
  LoweringFigures figures;
  figures.stages = figures.partitions = 1;
  figures.local = {local.used(), needed};
  count(figures.accumulators, nodes.size());
  local.free(taken);
  return figures;
}

}  // namespace tactus::compiler
