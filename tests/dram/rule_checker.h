// Checks a log of DRAM commands against JEDEC's rules, in the form of section 5.5 of the
// specification, for each pair of commands. The checker is written from the specification alone and
// does not use the controller's tables.
#pragma once

#include <string>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_command.h"

namespace tactus::dram {

struct Violation {
  std::size_t command;  ///< index of the later command in the log
  std::string what;     ///< "tRCD: ACT at 5, RD at 7 of bank 3"
  std::string rule;     ///< "tRCD"
};

/// Returns all broken rules. With `with_rows` it also compares the rows of ACT, RD and WR.
[[nodiscard]] std::vector<Violation> broken_rules(const DdrConfig& config,
                                                  const std::vector<DdrCommand>& log,
                                                  bool with_rows);

}  // namespace tactus::dram
