// A DRAM controller and its banks, command by command, free of SystemC.
//
// Time is whole clocks of the DRAM. The way of an access:
//
//   port queue   from its arrival on; the queue has port_queue places, behind them it waits outside
//   buffer       admitted at a clock k at whose end there is room: one access a clock, ports take
//                turns, one access of a port in xpi_interval clocks. A write is answered at k + 1
//   bank         its first command at k + command_delay or later: PRE and ACT as its row needs,
//   then
//                RD or WR, which frees its place. Of the commands allowed in a clock the one of the
//                oldest access is issued, one a clock
//   data         ends at CL + BL/2 after RD, at CWL + BL/2 after WR. A read is answered then
//
// At every multiple of t_refi a refresh falls due. From then on no other command is issued: PREA as
// soon as all open banks allow it (left out if none is open), REF t_rp later, and t_rfc after that
// the banks are free. Rules between commands: ddr_rules.h. Scheduling: ddr_buffer.h.
//
// Nothing happens until advance() says how far time has come, and what nobody asks for costs
// nothing: refreshes of idle time are made up for in one step, unless somebody watches commands.
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

/// What became of an access, in clocks. For a read the parts add up to data_end - arrived.
struct DdrDone {
  std::uint32_t tag = 0;
  bool write = false;
  DdrRowState row_state = DdrRowState::hit;
  DdrClock arrived = 0;       ///< as submitted
  DdrClock admitted = 0;      ///< into the buffer
  DdrClock command = 0;       ///< RD or WR
  DdrClock data_end = 0;      ///< on the bus
  std::uint64_t queue = 0;    ///< behind other accesses: in the queue, at the bank, on the bus
  std::uint64_t row = 0;      ///< its bank was being prepared for it
  std::uint64_t refresh = 0;  ///< in the buffer while a refresh was due or done
  std::uint64_t bus = 0;      ///< its data: BL/2
  std::uint64_t rest = 0;     ///< command_delay and CL or CWL
};

/// What changes in a DdrCore in the course of time, but for the banks and the buffer.
struct DdrCoreState {
  struct Port {
    DdrAccesses::List queue;  ///< by arrival
    unsigned length = 0;      ///< of the queue
    unsigned taken = 0;       ///< of its accesses, those in the port's places
    DdrClock next_admit = 0;  ///< by xpi_interval
  };

  std::vector<Port> ports_;
  std::size_t turn_ = 0;            ///< the port that is asked first
  std::uint64_t waiting_ = 0;       ///< in all port queues
  DdrClock free_command_ = 0;       ///< the first clock at which a command may be issued
  DdrClock free_admission_ = 0;     ///< the first clock at which an access may be admitted
  DdrClock admission_ = never;      ///< the next one
  bool admission_changes_ = false;  ///< it has to be found again
  DdrClock refresh_due_ = never;
  DdrClock refresh_end_ = 0;  ///< of the last refresh: the banks are free
  DdrClock next_event_ = never;
  DdrStatistics statistics_;
};

class DdrCore : private DdrCoreState {
 public:
  /// A config without ddr_problems(); `ports`: 1 or more, which get the numbers 0, 1, ...
  DdrCore(const DdrConfig& config, unsigned ports) : DdrCore(config, ports, DdrRules(config)) {}
  /// With other rules than the config's timings make, for comparisons with other simulators.
  DdrCore(const DdrConfig& config, unsigned ports, const DdrRules& rules);

  /// An access of one burst that arrives at clock `arrival`, not before what advance() was told
  /// last. `tag` is the caller's name for it. True if the port's queue has room then; otherwise
  /// `taken` says when it has.
  bool submit(unsigned port, DdrClock arrival, std::uint64_t address, bool write,
              std::uint32_t tag);

  /// Does all that happens up to `until`: commands at clocks <= until, admissions at clocks <
  /// until.
  void advance(DdrClock until);

  /// Nothing that somebody waits for happens at an earlier clock, if no access comes that is not
  /// known yet; `never` if nobody waits, as behind writes that are all in the buffer. A read is
  /// known when its RD is issued, an admission one clock after it.
  [[nodiscard]] DdrClock next_event() const { return next_event_; }

  /// An access and a clock.
  struct Mark {
    std::uint32_t tag;
    DdrClock clock;
  };
  // What has happened in advance(), each in order of time; the caller clears them.
  /// Into a port's queue that was full: one clock after it had room, if it has arrived by then.
  std::vector<Mark> taken;
  std::vector<Mark> admitted;  ///< into the buffer
  std::vector<DdrDone> done;   ///< RD or WR issued

  void observe(DdrObserver* observer) { observer_ = observer; }  ///< null: nobody
  [[nodiscard]] bool observed() const { return observer_ != nullptr; }

  /// Nobody waits for an answer: only writes are left, all in the buffer.
  [[nodiscard]] bool answered() const { return waiting_ == 0 && buffer_.reads() == 0; }
  /// Remembers the present state, in which it is answered().
  void mark();
  /// Returns to it; accesses that came since are gone.
  void rewind();
  /// Calls `f` with the tag of each access in the buffer.
  template <typename F>
  void for_each_buffered(F&& f) const {
    buffer_.for_each([&](int slot) { f(accesses_[slot].tag); });
  }

  /// Nothing waits for RD or WR.
  [[nodiscard]] bool idle() const { return buffer_.empty() && waiting_ == 0; }
  [[nodiscard]] const DdrStatistics& statistics() const { return statistics_; }
  /// For bytes and numbers of ports, which the core does not know.
  [[nodiscard]] DdrPortStatistics& port_statistics(unsigned port) {
    return statistics_.ports[port];
  }
  /// Accesses of a port that are not in the buffer, and reads or writes that are.
  [[nodiscard]] std::size_t waiting(unsigned port) const { return ports_[port].length; }
  [[nodiscard]] unsigned buffered(bool write) const { return buffer_.places(write); }
  /// The open row of a bank, or DdrBanks::closed.
  [[nodiscard]] std::int64_t open_row(unsigned bank) const { return banks_.open_row(bank); }
  [[nodiscard]] const AddressMap& address_map() const { return map_; }

 private:
  /// Into the queue, behind those that arrive no later.
  void enqueue(Port& port, int slot) {
    ++port.length;
    if (!port.queue.empty() && accesses_[port.queue.last].arrived > accesses_[slot].arrived) {
      return insert(port, slot);
    }
    accesses_.push_back(port.queue, slot);
  }
  /// The same for one that is not the last.
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
