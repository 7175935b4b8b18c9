// Checks a log of DRAM commands against the rules of JEDEC as section 5.5 of the specification has
// them, one pair of commands at a time. Knows nothing of the controller's tables: it is written
// from the specification alone.
#pragma once

#include <string>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_command.h"

namespace tactus::dram {

struct Violation {
  std::size_t command;  ///< number of the later one in the log
  std::string what;     ///< "tRCD: ACT at 5, RD at 7 of bank 3"
  std::string rule;     ///< "tRCD"
};

/// Rows of ACT, RD and WR are compared if `with_rows`.
[[nodiscard]] std::vector<Violation> broken_rules(const DdrConfig& config,
                                                  const std::vector<DdrCommand>& log,
                                                  bool with_rows);

}  // namespace tactus::dram
