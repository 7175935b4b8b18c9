#include "models/tcu/fast/local_orders.h"

#include "models/tcu/systolic_array/weight_loads.h"

namespace tactus {
namespace {

bool clash(const std::optional<tcu::LocalRange>& a, const std::optional<tcu::LocalRange>& b) {
  return a && b && a->conflicts(*b);
}

}  // namespace

LocalOrders::LocalOrders(const tcu::Architecture& architecture)
    : decides_(LocalOrder::decides(architecture)),
      own_reads_(architecture.shadow_weights == tcu::ShadowWeights::own_reads),
      most_moves_(architecture.dma_queue == 0 ? 0 : architecture.dma_queue + std::size_t{1}) {}

void LocalOrders::restart() {
  moves_.clear();
  loads_.clear();
  last_ = {};
}

/// Returns the number of ranges before the first one that conflicts.
std::uint8_t LocalOrders::newest(const std::vector<Range>& before, const Range& range) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (clash(range, before[i])) return static_cast<std::uint8_t>(i);
  }
  return LocalOrder::any;
}

void LocalOrders::push(std::vector<Range>& before, const Range& range, std::size_t most) {
  if (before.size() == most) before.pop_back();
  before.insert(before.begin(), range);
}

LocalOrder LocalOrders::find(const ProgramItem& item) {
  Range range;
  if (item.local_use != ProgramItem::LocalUse::none) {
    range = {item.local.address, item.local.address + item.size * item.local.step,
             item.local_use == ProgramItem::LocalUse::writes};
  }
  const bool moves = item.moves_dram();
  const bool loads = own_reads_ && item.kind == ProgramItem::Kind::load_weights;
  LocalOrder order;
  // Transfers keep their order anyway.
  if (!moves) order.moves = newest(moves_, range);
  if (range && range->writes) order.loads = newest(loads_, range);
  if (loads) order.overwritten = last_ && last_->writes && clash(range, last_);
  if (moves && most_moves_ != 0) push(moves_, range, most_moves_);
  if (loads) push(loads_, range, WeightLoads::capacity);
  last_ = range;
  return order;
}

}  // namespace tactus
