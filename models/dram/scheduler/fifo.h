// Scheduler `fifo`: a bank serves its accesses in order.
#pragma once

#include "models/dram/scheduler/scheduler.h"

namespace tactus {

class DdrFifo final : public DdrBankScheduler {
 public:
  [[nodiscard]] int pick(const DdrAccesses& /*accesses*/, const DdrAccesses::List& queue,
                         std::int64_t /*open_row*/) const override {
    return queue.first;
  }
};

}  // namespace tactus
