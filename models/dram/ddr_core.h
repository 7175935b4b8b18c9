// A DRAM controller and its banks, simulated command by command, without SystemC.
//
// Time is in whole clocks of the DRAM. Steps of an access:
//
//   port queue   from its arrival on; the queue has port_queue places, further accesses wait in
//                front of it
//   buffer       admitted at a clock k at whose end there is room: one access per clock, ports take
//                turns, one access of a port per xpi_interval clocks. A write is answered at k + 1
//   bank         its first command at k + command_delay or later: PRE and ACT as needed, then RD
//                or WR, which frees its place. One command is issued per clock; of those allowed,
//                that of the oldest access
//   data         ends at CL + BL/2 after RD, at CWL + BL/2 after WR. A read is answered then
//
// At every multiple of t_refi a refresh falls due. From then on no other command is issued: PREA as
// soon as all open banks allow it (left out if none is open), REF t_rp later, and t_rfc after that
// the banks are free. Rules between commands: ddr_rules.h. Scheduling: ddr_buffer.h.
//
// The state changes only in advance(). Idle time costs nothing: its refreshes are computed in one
// step, unless an observer watches commands.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dram/address_map.h"
#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_access.h"
#include "models/dram/ddr_banks.h"
#include "models/dram/ddr_buffer.h"
#include "models/dram/ddr_command.h"
#include "models/dram/ddr_statistics.h"

namespace tactus {

/// Composition of an access's time, in clocks. For a read the parts add up to data_end - arrived.
struct DdrDone {
  std::uint32_t tag = 0;
  bool write = false;
  DdrRowState row_state = DdrRowState::hit;
  DdrClock arrived = 0;     ///< as submitted
  DdrClock admitted = 0;    ///< clock of admission to the buffer
  DdrClock command = 0;     ///< clock of RD or WR
  DdrClock data_end = 0;    ///< end of its data on the bus
  std::uint64_t queue = 0;  ///< waiting for other accesses: in the queue, at the bank, for the bus
  std::uint64_t row = 0;    ///< preparing its bank: PRE, ACT
  std::uint64_t refresh = 0;  ///< in the buffer while a refresh was due or in progress
  std::uint64_t bus = 0;      ///< its data on the bus: BL/2
  std::uint64_t rest = 0;     ///< command_delay and CL or CWL
};

/// The changing state of a DdrCore, except banks and buffer.
struct DdrCoreState {
  struct Port {
    DdrAccesses::List queue;  ///< in order of arrival
    unsigned length = 0;      ///< accesses in the queue
    unsigned taken = 0;       ///< those of them that have a place of the port
    DdrClock next_admit = 0;  ///< next admission allowed by xpi_interval
  };

  std::vector<Port> ports_;
  std::size_t turn_ = 0;            ///< port that is considered first
  std::uint64_t waiting_ = 0;       ///< accesses in all port queues
  DdrClock free_command_ = 0;       ///< first clock at which a command may be issued
  DdrClock free_admission_ = 0;     ///< first clock at which an access may be admitted
  DdrClock admission_ = never;      ///< clock of the next admission
  bool admission_changes_ = false;  ///< the next admission must be found again
  DdrClock refresh_due_ = never;
  DdrClock refresh_end_ = 0;  ///< end of the last refresh, when the banks are free
  DdrClock next_event_ = never;
  DdrStatistics statistics_;
};

class DdrCore : private DdrCoreState {
 public:
  /// Precondition: ddr_problems() finds nothing in the config, and `ports` is at least 1. Ports are
  /// numbered 0, 1, ...
  DdrCore(const DdrConfig& config, unsigned ports) : DdrCore(config, ports, DdrRules(config)) {}
  /// Uses other rules than those of the config's timings, for comparisons with other simulators.
  DdrCore(const DdrConfig& config, unsigned ports, const DdrRules& rules);

  /// Submits an access of one burst that arrives at clock `arrival`, which must not be before the
  /// last advance(). `tag` is the caller's name for it. Returns true if the port's queue has room
  /// at that clock; otherwise `taken` tells when it has.
  bool submit(unsigned port, DdrClock arrival, std::uint64_t address, bool write,
              std::uint32_t tag);

  /// Computes everything up to `until`: commands at clocks <= until, admissions at clocks < until.
  void advance(DdrClock until);

  /// First clock at which something happens that an initiator waits for, if no unknown access
  /// arrives; `never` if no initiator waits, e.g. behind writes that are all in the buffer. A read
  /// is known when its RD is issued, an admission one clock after it.
  [[nodiscard]] DdrClock next_event() const { return next_event_; }

  /// An access and a clock.
  struct Mark {
    std::uint32_t tag;
    DdrClock clock;
  };
  // Results of advance(), each in order of time; the caller clears them. `taken`: accesses that had
  // to wait for room in their port's queue, one clock after there was room if they had arrived by
  // then.
  std::vector<Mark> taken;
  std::vector<Mark> admitted;  ///< accesses admitted to the buffer
  std::vector<DdrDone> done;   ///< accesses whose RD or WR was issued

  void observe(DdrObserver* observer) { observer_ = observer; }  ///< null: none
  [[nodiscard]] bool observed() const { return observer_ != nullptr; }

  /// True if no initiator waits for an answer: only writes are left, all in the buffer.
  [[nodiscard]] bool answered() const { return waiting_ == 0 && buffer_.reads() == 0; }
  /// Saves the state. Precondition: answered().
  void mark();
  /// Restores the saved state; accesses that arrived since are lost.
  void rewind();
  /// Calls `f` with the tag of each access in the buffer.
  template <typename F>
  void for_each_buffered(F&& f) const {
    buffer_.for_each([&](int slot) { f(accesses_[slot].tag); });
  }

  /// True if no access waits for RD or WR.
  [[nodiscard]] bool idle() const { return buffer_.empty() && waiting_ == 0; }
  [[nodiscard]] const DdrStatistics& statistics() const { return statistics_; }
  /// Statistics that the caller fills in, since the core does not know bytes and numbers of ports.
  [[nodiscard]] DdrPortStatistics& port_statistics(unsigned port) {
    return statistics_.ports[port];
  }
  /// Accesses of a port that are not in the buffer; reads or writes that are in the buffer.
  [[nodiscard]] std::size_t waiting(unsigned port) const { return ports_[port].length; }
  [[nodiscard]] unsigned buffered(bool write) const { return buffer_.places(write); }
  /// The open row of a bank, or DdrBanks::closed.
  [[nodiscard]] std::int64_t open_row(unsigned bank) const { return banks_.open_row(bank); }

 private:
  /// Inserts an access into the queue behind those that arrive no later.
  void enqueue(Port& port, int slot) {
    ++port.length;
    if (!port.queue.empty() && accesses_[port.queue.last].arrived > accesses_[slot].arrived) {
      return insert(port, slot);
    }
    accesses_.push_back(port.queue, slot);
  }
  /// Inserts an access that is not the last.
  void insert(Port& port, int slot);
  [[nodiscard]] DdrClock next_admission();
  void admit(DdrClock clock);
  void leave_queue(Port& port, const DdrAccess& access, DdrClock clock);
  void issue(const DdrChoice& choice);
  void finish(const DdrAccess& access, DdrClock clock);
  void refresh();
  void tell(DdrCommandKind kind, DdrClock clock, unsigned bank, const DdrAccess* access) {
    if (observer_ != nullptr) tell_observer(kind, clock, bank, access);
  }
  void tell_observer(DdrCommandKind kind, DdrClock clock, unsigned bank, const DdrAccess* access);
  void find_next_event(DdrClock admission, DdrClock join, DdrClock command);

  DdrConfig config_;
  AddressMap map_;
  DdrBanks banks_;
  DdrAccesses accesses_;
  DdrBuffer buffer_;
  DdrObserver* observer_ = nullptr;
  DdrCoreState marked_;
  DdrBanks marked_banks_;
};

}  // namespace tactus
