// State of a DRAM controller at a past or present clock: rows, commands, queues.
//
// A controller computes ahead of time or behind it, so its own state is that of the time computed
// last. A history observes all events with their times and replays them clock by clock. It stores
// the events that lie ahead of the replay, so it should be read from time to time even if few
// clocks are of interest.
//
// As signals it gives one sample per cycle of a design, taken at the beginning of the cycle.
// Commands are those of the cycle before, (t - 1) T < time <= t T.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/dram/ddr_command.h"
#include "models/dram/ddr_controller.h"
#include "models/sim/clock.h"
#include "models/sim/trace/signals.h"

namespace tactus {

class DdrHistory final : public DdrObserver {
 public:
  enum class BankState : std::uint8_t { closed, open, refreshing };
  struct Bank {
    BankState state = BankState::closed;
    std::uint32_t row = 0;  ///< the open row
  };

  /// Observes the controller from now on; `clock` is the design's.
  DdrHistory(DdrController& controller, const Clock& clock);
  ~DdrHistory() override;
  DdrHistory(const DdrHistory&) = delete;
  DdrHistory& operator=(const DdrHistory&) = delete;

  void command(const DdrCommand& command) override;
  void arrived(unsigned port, DdrClock clock) override;
  void admitted(unsigned port, bool write, DdrClock clock) override;

  // State of a bank at the beginning of the design's current cycle.
  [[nodiscard]] Bank bank(unsigned bank);
  /// Accesses of the port with this index that have arrived but are not in the buffer.
  [[nodiscard]] unsigned queue(unsigned port);
  [[nodiscard]] unsigned buffered(bool write);
  /// Commands of the previous cycle, in order of time.
  [[nodiscard]] const std::vector<DdrCommand>& commands();
  /// The command in the DRAM clock number `number` of the previous cycle; null: none.
  [[nodiscard]] const DdrCommand* slot(unsigned number);
  /// Largest number of DRAM clocks that begin in a cycle.
  [[nodiscard]] unsigned slots() const;

  void describe(const trace::Scope& scope);

 private:
  struct Admission {
    DdrClock clock;
    unsigned port;
    bool write;
  };
  void look();
  void advance(DdrClock clock);
  void apply(const DdrCommand& command);
  [[nodiscard]] DdrClock clock_at(std::uint64_t cycle) const;

  DdrController& controller_;
  const Clock& clock_;
  Cycle seen_ = ~Cycle{0};
  DdrClock first_slot_ = 0;
  std::vector<Bank> banks_;
  DdrClock refreshed_ = 0;  ///< end of the last refresh
  std::vector<unsigned> queues_;
  unsigned buffered_[2] = {0, 0};
  std::vector<DdrCommand> commands_;
  // Events ahead of the replay, each list in order of time.
  std::vector<std::deque<DdrClock>> arrivals_;  ///< by port
  std::deque<Admission> admissions_;
  std::deque<DdrCommand> log_;
};

}  // namespace tactus
