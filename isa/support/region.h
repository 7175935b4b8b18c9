// A named part of a program.
#pragma once

#include <cstdint>
#include <string>

namespace tactus {

/// Consecutive instructions, usually a layer.
struct Region {
  std::string name;
  std::uint64_t first = 0;
  std::uint64_t count = 0;  ///< 1 or more

  bool operator==(const Region& o) const {
    return name == o.name && first == o.first && count == o.count;
  }
};

}  // namespace tactus
