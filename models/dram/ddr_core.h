// A DRAM controller and its banks, command by command, free of SystemC.
//
// Time is whole clocks of the DRAM. An access waits in its port's queue, enters the scheduler's
// buffer at some clock k (ports take turns; one access a clock, one of a port in xpi_interval
// clocks, if the buffer has room at the end of k), and may have its first command at
// k + command_delay. One command a clock: of those allowed, that of the oldest access. The command
// RD or WR at clock c frees its place; read data ends at c + CL + BL/2, a write's at c + CWL +
// BL/2. Rules between commands: see DdrRules in ddr_core.cpp. Source: spec section 5.5, JEDEC.
//
// Nothing happens until advance() is told how far time has come, and what nobody asks for costs
// nothing: refreshes of idle time are made up for in one step, unless somebody watches commands.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/dram/address_map.h"
#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_statistics.h"

namespace tactus {

using DdrClock = std::uint64_t;
inline constexpr DdrClock never = ~DdrClock{0};

enum class DdrCommandKind : std::uint8_t { act, rd, rda, wr, wra, pre, prea, ref };
/// "ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF".
[[nodiscard]] const char* to_text(DdrCommandKind kind);

struct DdrCommand {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  DdrClock clock = 0;
  DdrCommandKind kind = DdrCommandKind::act;
  std::uint16_t bank = 0;  ///< over all groups; 0 for prea, ref
  std::uint32_t row = 0;   ///< of act; of rd and wr the open row
  std::uint16_t column = 0;
  std::uint32_t tag = nobody;  ///< of the access it serves
};

/// Is told every command, in order of time.
class DdrObserver {
 public:
  virtual ~DdrObserver() = default;
  virtual void command(const DdrCommand& command) = 0;
};

/// How an access found its bank.
enum class DdrRowState : std::uint8_t { hit, miss, conflict };

/// What became of an access, in clocks. The parts of its way add up to `answered` - `arrived`.
struct DdrDone {
  std::uint32_t tag = 0;
  bool write = false;
  DdrRowState row_state = DdrRowState::hit;
  DdrClock arrived = 0;   ///< as submitted
  DdrClock admitted = 0;  ///< into the scheduler's buffer
  DdrClock command = 0;   ///< RD or WR
  DdrClock data_end = 0;  ///< on the bus
  std::uint32_t queue = 0, row = 0, refresh = 0, bus = 0, rest = 0;
};

class DdrCore {
 public:
  /// `ports`: 1 or more.
  DdrCore(const DdrConfig& config, unsigned ports);

  /// An access of one burst that arrives at clock `arrival`, which must be later than advance() has
  /// come to. `tag` is the caller's name for it. Returns true if the port's queue has room then;
  /// otherwise taken() says when it has.
  bool submit(unsigned port, DdrClock arrival, std::uint64_t address, bool write,
              std::uint32_t tag);

  /// Does all that happens up to and including `until`: commands at clocks <= until, admissions at
  /// clocks < until.
  void advance(DdrClock until);

  /// The earliest clock at which something may happen to an access that waits, if none comes that
  /// is not known yet; `never` if none waits.
  [[nodiscard]] DdrClock next_event() const;

  /// An access and a clock.
  struct Mark {
    std::uint32_t tag;
    DdrClock clock;
  };
  /// What has happened in advance(), in order of time; the caller clears them.
  std::vector<Mark> taken;     ///< into a port's queue that was full
  std::vector<Mark> admitted;  ///< into the scheduler's buffer: a write is answered here
  std::vector<DdrDone> done;   ///< RD or WR issued, data_end known

  void observe(DdrObserver* observer) { observer_ = observer; }  ///< null: nobody

  [[nodiscard]] bool idle() const;
  [[nodiscard]] const DdrStatistics& statistics() const { return statistics_; }
  static constexpr std::int64_t closed = -1;
  /// The open row of a bank, or `closed`, as of the last advance().
  [[nodiscard]] std::int64_t open_row(unsigned bank) const;
  [[nodiscard]] const AddressMap& address_map() const { return map_; }
};

}  // namespace tactus
