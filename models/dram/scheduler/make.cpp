#include "isa/support/error.h"
#include "models/dram/scheduler/fifo.h"
#include "models/dram/scheduler/frfcfs.h"
#include "models/dram/scheduler/frfcfs_read_first.h"
#include "models/dram/scheduler/scheduler.h"

namespace tactus {

std::unique_ptr<DdrBankScheduler> make_scheduler(const DdrConfig& config) {
  switch (config.scheduler) {
    case DdrScheduler::fifo:
      return std::make_unique<DdrFifo>();
    case DdrScheduler::frfcfs:
      if (!config.read_priority) return std::make_unique<DdrFrfcfs>(config.cap);
      return std::make_unique<DdrFrfcfsReadFirst>(config.cap, config.write_high_mark,
                                                  config.write_low_mark);
  }
  internal_error("a DRAM controller has no such scheduler");
}

}  // namespace tactus
