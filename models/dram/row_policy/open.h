// Row policy `open`: a row stays open until another row of the bank is needed, or a refresh.
#pragma once

#include "models/dram/row_policy/row_policy.h"

namespace tactus {

class DdrOpenRows final : public DdrRowPolicy {};

}  // namespace tactus
