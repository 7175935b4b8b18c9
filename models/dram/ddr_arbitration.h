// Which port of a memory controller hands over its next access: the configuration of the choice in
// DdrCore.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dram/ddr_command.h"

namespace tactus {

/// Ports are in groups. The choice is first between groups, then the ports of a group take turns.
/// By default there is one group, so that all ports take turns.
struct DdrArbitration {
  enum class Between {
    turns,   ///< there is one group
    ranks,   ///< the group with the lower number goes first, also in the scheduler's buffer
    shares,  ///< the group whose accesses in this window, one more included, are the smallest part
             ///< of its share
  };
  Between between = Between::turns;
  std::vector<unsigned> group;  ///< of each port; empty: all in group 0
  unsigned groups = 1;
  std::vector<std::uint64_t> shares;  ///< of each group, relative to each other; 0: goes last
  DdrClock window = 4096;             ///< counts of shares begin anew at its multiples; at least 1
};

}  // namespace tactus
