// What a DRAM controller looked like at a clock of the past or present: rows, commands, queues.
//
// A controller works ahead of time and behind it, and its own state is that of the last thing it
// worked out. A history hears what happens and when, and goes through it once more, clock by clock.
// It keeps what lies ahead of it, so somebody who looks at few clocks only should still come by
// from time to time.
//
// As signals, a sample a cycle of a design: taken at the cycle's beginning; commands are those of
// the cycle before it, (t - 1) T < time <= t T.
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
    std::uint32_t row = 0;  ///< open
  };

  /// Observes the controller from here on; `clock` is the design's.
  DdrHistory(DdrController& controller, const Clock& clock);
  ~DdrHistory() override;
  DdrHistory(const DdrHistory&) = delete;
  DdrHistory& operator=(const DdrHistory&) = delete;

  void command(const DdrCommand& command) override;
  void arrived(unsigned port, DdrClock clock) override;
  void admitted(unsigned port, bool write, DdrClock clock) override;

  // As of the beginning of the design's present cycle.
  [[nodiscard]] Bank bank(unsigned bank);
  /// Of the port with this index: accesses that have arrived and are not in the buffer.
  [[nodiscard]] unsigned queue(unsigned port);
  [[nodiscard]] unsigned buffered(bool write);
  /// Commands of the cycle before, in order of time.
  [[nodiscard]] const std::vector<DdrCommand>& commands();
  /// The command in the clock with this number, counted from the first that lies in the cycle
  /// before; null: none.
  [[nodiscard]] const DdrCommand* slot(unsigned number);
  /// The largest number of DRAM clocks that begin in a cycle.
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
  DdrClock refreshed_ = 0;  ///< the last refresh ends
  std::vector<unsigned> queues_;
  unsigned buffered_[2] = {0, 0};
  std::vector<DdrCommand> commands_;
  // What lies ahead, each in order of time.
  std::vector<std::deque<DdrClock>> arrivals_;  ///< by port
  std::deque<Admission> admissions_;
  std::deque<DdrCommand> log_;
};

}  // namespace tactus
