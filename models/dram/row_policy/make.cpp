#include "isa/support/error.h"
#include "models/dram/row_policy/closed.h"
#include "models/dram/row_policy/open.h"
#include "models/dram/row_policy/row_policy.h"
#include "models/dram/row_policy/timeout.h"

namespace tactus {

std::unique_ptr<DdrRowPolicy> make_row_policy(const DdrConfig& config) {
  switch (config.page_policy) {
    case DdrPagePolicy::open:
      return std::make_unique<DdrOpenRows>();
    case DdrPagePolicy::closed:
      return std::make_unique<DdrClosedRows>();
    case DdrPagePolicy::timeout:
      return std::make_unique<DdrTimeoutRows>(config.page_timeout.value_or(0));
  }
  internal_error("a DRAM controller has no such page policy");
}

}  // namespace tactus
