// Commands of a DRAM, and who is told of them.
#pragma once

#include <cstdint>

namespace tactus {

/// A number of clocks of the DRAM, from time 0.
using DdrClock = std::uint64_t;
inline constexpr DdrClock never = ~DdrClock{0};

enum class DdrCommandKind : std::uint8_t { act, rd, rda, wr, wra, pre, prea, ref };

/// "ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF".
[[nodiscard]] const char* to_text(DdrCommandKind kind);

struct DdrCommand {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  DdrClock clock = 0;
  DdrCommandKind kind = DdrCommandKind::act;
  std::uint16_t bank = 0;  ///< over all groups: group * banks + bank; 0 for prea, ref
  std::uint16_t column = 0;
  std::uint32_t row = 0;       ///< of act, rd, wr
  std::uint32_t tag = nobody;  ///< of the access it serves
};

/// Is told every command, in order of time.
class DdrObserver {
 public:
  virtual ~DdrObserver() = default;
  virtual void command(const DdrCommand& command) = 0;
  /// An access comes to a port at `clock`; told when it is submitted, which is before that.
  virtual void arrived(unsigned /*port*/, DdrClock /*clock*/) {}
  /// One goes from its port into the scheduler's buffer; in order of time.
  virtual void admitted(unsigned /*port*/, bool /*write*/, DdrClock /*clock*/) {}
};

}  // namespace tactus
