// A DRAM controller and its banks, simulated command by command, without SystemC.
//
// Time is in whole clocks of the DRAM. Steps of an access:
//
//   port queue   The access waits here from its arrival. The queue has port_queue places; further
//                accesses wait in front of it.
//   buffer       The access is admitted at a clock k at whose end the buffer has room. One access
//                is admitted per clock; ports take turns, or one goes first (ddr_arbitration.h),
//                and a port hands over one access per xpi_interval clocks. A write is answered at
//                k + 1.
//   bank         The first command for the access comes at k + command_delay or later: PRE and ACT
//                as needed, then RD or WR, which frees its place. One command is issued per clock:
//                of those that the rules allow, the command for the oldest access.
//   data         Data ends CL + BL/2 clocks after RD, CWL + BL/2 clocks after WR. A read is
//                answered then.
//
// Rules between commands: ddr_rules.h. Scheduling: ddr_buffer.h. Refreshes:
// refresh/refresh_manager.h.
//
// submit() only appends to a port's queue; advance() computes everything else. Idle time needs no
// calls: the next advance() computes the refreshes that fell due in it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "isa/dram/address_map.h"
#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_access.h"
#include "models/dram/ddr_arbitration.h"
#include "models/dram/ddr_banks.h"
#include "models/dram/ddr_buffer.h"
#include "models/dram/ddr_command.h"
#include "models/dram/ddr_statistics.h"
#include "models/dram/ddr_waits.h"
#include "models/dram/refresh/refresh_manager.h"

namespace tactus {

/// An access whose RD or WR was issued, and the parts of its time, in clocks. The parts from
/// `queue` to `rest` add up to data_end - arrived.
struct DdrDone {
  std::uint32_t tag = 0;
  bool write = false;
  DdrRowState row_state = DdrRowState::hit;
  DdrClock arrived = 0;       ///< clock of arrival, as given to submit()
  DdrClock admitted = 0;      ///< clock of admission to the buffer
  DdrClock command = 0;       ///< clock of RD or WR
  DdrClock data_end = 0;      ///< end of its data on the bus
  std::uint64_t queue = 0;    ///< waiting for other accesses: in queue and buffer, for the bus
  std::uint64_t row = 0;      ///< PRE and ACT of its bank, until its row is open
  std::uint64_t refresh = 0;  ///< at its bank while a refresh was due or in progress
  std::uint64_t bus = 0;      ///< its data on the bus: BL/2
  std::uint64_t rest = 0;     ///< command_delay and CL or CWL
};

/// The part of a DdrCore that changes, without banks and buffer.
struct DdrCoreState {
  struct Port {
    DdrAccesses::List queue;  ///< in order of arrival
    unsigned length = 0;      ///< accesses in the queue
    unsigned taken = 0;       ///< accesses with a place; the others wait in front of the queue
    DdrClock next_admit = 0;  ///< first clock at which xpi_interval allows an admission
  };

  std::vector<Port> ports_;
  std::vector<std::size_t> turns_;     ///< by group: its port whose turn is next
  std::vector<std::uint64_t> served_;  ///< by group: accesses admitted in this window of shares
  DdrClock window_end_ = 0;            ///< of the window in which served_ counts
  std::uint64_t waiting_ = 0;          ///< accesses in all port queues
  DdrClock free_command_ = 0;          ///< first clock at which a command may be issued
  DdrClock free_admission_ = 0;        ///< first clock at which an access may be admitted
  DdrClock admission_ = never;         ///< clock of the next admission
  bool admission_changes_ = false;     ///< true if admission_ must be computed again
  DdrClock next_event_ = never;
  DdrStatistics statistics_;
};

class DdrCore : private DdrCoreState {
 public:
  /// Precondition: ddr_problems() finds nothing in the config, and `ports` is at least 1. Ports are
  /// numbered 0, 1, ...
  DdrCore(const DdrConfig& config, unsigned ports, DdrArbitration arbitration = {})
      : DdrCore(config, ports, DdrRules(config), std::move(arbitration)) {}
  /// Takes the rules between commands from `rules` instead of from the config's timings, for
  /// comparisons with other simulators.
  DdrCore(const DdrConfig& config, unsigned ports, const DdrRules& rules,
          DdrArbitration arbitration = {});

  /// Submits an access of one burst that arrives at clock `arrival`, which must not be before the
  /// last advance(). `tag` is the caller's name for the access. Returns true if the port's queue
  /// has room at that clock; otherwise `taken` reports the access once the queue has room. `party`
  /// is the access's in waits().
  bool submit(unsigned port, DdrClock arrival, std::uint64_t address, bool write, std::uint32_t tag,
              unsigned party = 0);

  /// Computes everything up to `until`: commands at clocks <= until, admissions at clocks < until.
  void advance(DdrClock until);

  /// First clock at which something happens that an initiator waits for, provided that no further
  /// access is submitted. `never` if no initiator waits, for example if only writes are left and
  /// all are in the buffer. The answer of a read is known when its RD is issued, an admission one
  /// clock after it.
  [[nodiscard]] DdrClock next_event() const { return next_event_; }

  /// An access, by its tag, and a clock.
  struct Mark {
    std::uint32_t tag;
    DdrClock clock;
  };
  // Results of advance(), each list in order of time; the caller clears them. `taken` has the
  // accesses that waited for room in their port's queue, with the clock after the one at which the
  // queue had room, even if the access arrives later.
  std::vector<Mark> taken;
  std::vector<Mark> admitted;  ///< accesses admitted to the buffer
  std::vector<DdrDone> done;   ///< accesses whose RD or WR was issued

  void observe(DdrObserver* observer) { observer_ = observer; }  ///< null: none
  [[nodiscard]] bool observed() const { return observer_ != nullptr; }

  /// True if no initiator waits for an answer: only writes are left, all in the buffer.
  [[nodiscard]] bool answered() const { return waiting_ == 0 && buffer_.reads() == 0; }
  /// Saves the state. Precondition: answered().
  void mark();
  /// Restores the saved state. Accesses that arrived after mark() are lost.
  void rewind();
  /// Calls `f` with the tag of each access in the buffer.
  template <typename F>
  void for_each_buffered(F&& f) const {
    buffer_.for_each([&](int slot) { f(accesses_[slot].tag); });
  }

  /// True if no access waits for RD or WR.
  [[nodiscard]] bool idle() const { return buffer_.empty() && waiting_ == 0; }
  [[nodiscard]] const DdrStatistics& statistics() const { return statistics_; }
  /// Whose accesses each party waited for. rewind() does not restore it.
  [[nodiscard]] DdrWaits& waits() { return waits_; }
  /// Statistics of a port. The caller fills in its number and its bytes, which the core does not
  /// know.
  [[nodiscard]] DdrPortStatistics& port_statistics(unsigned port) {
    return statistics_.ports[port];
  }
  /// waiting(): accesses of a port that are not yet in the buffer. buffered(): reads or writes that
  /// are in it.
  [[nodiscard]] std::size_t waiting(unsigned port) const { return ports_[port].length; }
  [[nodiscard]] unsigned buffered(bool write) const { return buffer_.places(write); }
  /// The open row of a bank, or DdrBanks::closed.
  [[nodiscard]] std::int64_t open_row(unsigned bank) const { return banks_.open_row(bank); }

 private:
  /// Inserts an access into the queue behind all accesses that arrive no later.
  void enqueue(Port& port, int slot) {
    ++port.length;
    if (!port.queue.empty() && accesses_[port.queue.last].arrived > accesses_[slot].arrived) {
      return insert(port, slot);
    }
    accesses_.push_back(port.queue, slot);
  }
  /// Inserts an access that arrives before the last one of the queue.
  void insert(Port& port, int slot);
  [[nodiscard]] DdrClock next_admission();
  [[nodiscard]] bool is_ready(const Port& port, DdrClock clock) const;
  [[nodiscard]] std::size_t next_port(DdrClock clock);
  [[nodiscard]] bool goes_before(std::size_t group, std::size_t other) const;
  void admit(DdrClock clock);
  void leave_queue(Port& port, const DdrAccess& access, DdrClock clock);
  void issue(const DdrChoice& choice);
  void finish(const DdrAccess& access, DdrClock clock);
  void refresh();
  void skip_refreshes(DdrClock until);
  void tell(DdrCommandKind kind, DdrClock clock, unsigned bank, const DdrAccess* access) {
    if (observer_ != nullptr) tell_observer(kind, clock, bank, access);
  }
  void tell_observer(DdrCommandKind kind, DdrClock clock, unsigned bank, const DdrAccess* access);
  void find_next_event(DdrClock admission, DdrClock join, DdrClock command);

  DdrConfig config_;
  DdrArbitration arbitration_;
  const bool is_ranked_;
  AddressMap map_;
  DdrBanks banks_;
  DdrAccesses accesses_;
  DdrBuffer buffer_;
  std::unique_ptr<DdrRefreshManager> refresh_;
  DdrObserver* observer_ = nullptr;
  DdrWaits waits_;
  DdrCoreState marked_;
  DdrBanks marked_banks_;
};

}  // namespace tactus
