// Row policy `timeout`: a row is closed when its bank has had no access for page_timeout clocks.
#pragma once

#include "models/dram/row_policy/row_policy.h"

namespace tactus {

class DdrTimeoutRows final : public DdrRowPolicy {
 public:
  explicit DdrTimeoutRows(DdrClock timeout) : timeout_(timeout) {}
  [[nodiscard]] DdrClock timeout() const override { return timeout_; }

 private:
  DdrClock timeout_;
};

}  // namespace tactus
