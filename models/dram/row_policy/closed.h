// Row policy `closed`: every access closes its row.
#pragma once

#include "models/dram/row_policy/row_policy.h"

namespace tactus {

class DdrClosedRows final : public DdrRowPolicy {
 public:
  [[nodiscard]] bool closes_behind(const DdrAccesses& /*accesses*/,
                                   const DdrAccesses::List& /*queue*/,
                                   int /*slot*/) const override {
    return true;
  }
};

}  // namespace tactus
