// State of a DRAM controller at a past or present clock: rows, commands, queues.
//
// A controller computes ahead of the present or behind it, so its own state belongs to the clock
// computed last. A history observes all events with their clocks and replays them clock by clock,
// up to the clock that is asked for. It stores the events that lie ahead of the replay. If it is
// not read for thousands of commands, it replays past ones unasked, so that the store stays small.
//
// describe() offers this state as signals with one sample per cycle of the design, taken at the
// beginning of the cycle. The commands of cycle t are those of the cycle before: (t - 1) T < time
// <= t T, where T is the design's clock period.
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

  /// Observes the controller from now on. `clock` is the clock of the design.
  DdrHistory(DdrController& controller, const Clock& clock);
  ~DdrHistory() override;
  DdrHistory(const DdrHistory&) = delete;
  DdrHistory& operator=(const DdrHistory&) = delete;

  void command(const DdrCommand& command) override;
  void arrived(unsigned port, DdrClock clock) override;
  void admitted(unsigned port, bool write, DdrClock clock) override;

  // These functions return the state at the beginning of the design's current cycle.
  [[nodiscard]] Bank bank(unsigned bank);
  /// Accesses that have arrived at a port, an index into DdrController::ports(), but are not in the
  /// buffer.
  [[nodiscard]] unsigned queue(unsigned port);
  /// Reads or writes in the scheduler's buffer.
  [[nodiscard]] unsigned buffered(bool write);
  /// Commands of the design's previous cycle, in order of time.
  [[nodiscard]] const std::vector<DdrCommand>& commands();
  /// The command at DRAM clock `number` of the design's previous cycle, counted from 0; null: none.
  [[nodiscard]] const DdrCommand* slot(unsigned number);
  /// Largest number of DRAM clocks that begin in one cycle of the design.
  [[nodiscard]] unsigned slots() const;

  /// Declares the state as signals below `scope`.
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
  Cycle seen_ = ~Cycle{0};   ///< cycle of the design that was replayed last
  DdrClock first_slot_ = 0;  ///< first DRAM clock of the previous cycle
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
