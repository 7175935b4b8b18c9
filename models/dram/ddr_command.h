// Commands of a DRAM, and the interface of their observers.
#pragma once

#include <cstdint>

namespace tactus {

/// Number of a DRAM clock, counted from time 0.
using DdrClock = std::uint64_t;
inline constexpr DdrClock never = ~DdrClock{0};

enum class DdrCommandKind : std::uint8_t { act, rd, rda, wr, wra, pre, prea, ref };

/// Name of a command: "ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF".
[[nodiscard]] const char* to_text(DdrCommandKind kind);

struct DdrCommand {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  DdrClock clock = 0;
  DdrCommandKind kind = DdrCommandKind::act;
  std::uint16_t bank = 0;  ///< group * banks + bank in the group; 0 for prea and ref
  std::uint16_t column = 0;
  std::uint32_t row = 0;       ///< for act, rd, wr
  std::uint32_t tag = nobody;  ///< tag of the access that the command serves; nobody: no access
};

/// Receives every command, in order of time.
class DdrObserver {
 public:
  virtual ~DdrObserver() = default;
  virtual void command(const DdrCommand& command) = 0;
  /// An access arrives at a port at `clock`. Called when the access is submitted, which is not
  /// later.
  virtual void arrived(unsigned /*port*/, DdrClock /*clock*/) {}
  /// An access enters the scheduler's buffer from its port at `clock`. Called in order of time.
  virtual void admitted(unsigned /*port*/, bool /*write*/, DdrClock /*clock*/) {}
};

}  // namespace tactus
