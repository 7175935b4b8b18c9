// The result of checking a program for reads of memory that nothing has written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/quantity.h"

namespace tactus {

struct UnwrittenReads {
  std::string_view place;          ///< noun of what is counted: vector of a TCU, else register
  std::uint64_t count = 0;         ///< vectors or registers that are read
  std::uint64_t instructions = 0;  ///< instructions with such reads
  /// "instruction 3 reads local 4, which nothing has written"; empty: there is none.
  std::string first;

  /// Adds the reads of a later program; the first read stays that of the earlier program.
  UnwrittenReads& operator+=(const UnwrittenReads& other) {
    place = other.place;
    count += other.count;
    instructions += other.instructions;
    if (first.empty()) first = other.first;
    return *this;
  }

  /// The first one and how many there are.
  [[nodiscard]] std::string text() const {
    return fmt::format("{} ({} in {} in all)", first, counted(count, place),
                       counted(instructions, "instruction"));
  }
};

}  // namespace tactus
