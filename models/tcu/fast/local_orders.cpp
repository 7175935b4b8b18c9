#include "models/tcu/fast/local_orders.h"

#include "models/tcu/systolic_array/weight_loads.h"

namespace tactus {

LocalOrders::LocalOrders(const tcu::Architecture& architecture)
    : decides_(LocalOrder::decides(architecture)),
      own_reads_(architecture.shadow_weights == tcu::ShadowWeights::own_reads),
      most_moves_(architecture.dma_queue == 0 ? 0 : architecture.dma_queue + std::size_t{1}) {}

void LocalOrders::restart() {
  moves_.clear();
  loads_.clear();
  last_ = {};
}

/// How many ranges come before the first that clashes.
std::uint8_t LocalOrders::newest(const std::vector<Range>& before, const Range& range) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (range.clashes(before[i])) return static_cast<std::uint8_t>(i);
  }
  return LocalOrder::any;
}

void LocalOrders::push(std::vector<Range>& before, const Range& range, std::size_t most) {
  if (before.size() == most) before.pop_back();
  before.insert(before.begin(), range);
}

LocalOrder LocalOrders::find(const ProgramItem& item) {
  const Range range{item.local_use(), item.local.address,
                    item.local.address + item.size * item.local.step};
  const bool moves = item.moves_dram();
  const bool loads = own_reads_ && item.kind == ProgramItem::Kind::load_weights;
  LocalOrder order;
  // Moves among themselves keep their order.
  if (!moves) order.moves = newest(moves_, range);
  if (range.writes()) order.loads = newest(loads_, range);
  if (loads) order.overwritten = last_.writes() && range.clashes(last_);
  if (moves && most_moves_ != 0) push(moves_, range, most_moves_);
  if (loads) push(loads_, range, WeightLoads::capacity);
  last_ = range;
  return order;
}

}  // namespace tactus
