// A DRAM controller with its DRAM, simulated command by command (see ddr_core.h).
//
// Protocol (ddr_protocol.h): approximately timed, four phases; times are annotated delays, counted
// from the call.
//   BEGIN_REQ   one access of at most burst_bytes() that crosses no multiple of burst_bytes(). It
//               arrives at now + delay; the controller sees it at the next edge of its clock
//               (multiples of tck_ps from time 0). Arrivals at a socket must be in order of time.
//   END_REQ     tells that the port's queue has taken the access. If the queue has room, the call
//               of BEGIN_REQ returns it (TLM_UPDATED, delay unchanged); else it comes on the
//               backward path when there is room. Until then the initiator must not begin another
//               request; this is the back pressure.
//   BEGIN_RESP  comes on the backward path as soon as the time of the answer is known; the delay
//               gives that time. A read is answered at the end of its data on the bus. A write is
//               posted: it is answered one clock after it has entered the scheduler's buffer.
//               Answers may overtake each other, and none waits for the END_RESP of another: the
//               initiator returns TLM_COMPLETED, or END_RESP with TLM_UPDATED.
// A write may have byte enables, one for each byte. Errors are answered at once with TLM_COMPLETED
// and a response status: a command that is neither read nor write, an address beyond the capacity
// or 32 bits, an access of no bytes or across a burst's boundary, a streaming width below the
// length. b_transport is refused, because the time of an access depends on later accesses. Debug
// transport is answered at once, without byte enables. There is no DMI.
//
// Data is read and written when an access enters the scheduler's buffer, so all ports see one
// order.
//
// Cost: the SystemC kernel activates the controller once or twice per access, and never for idle
// time or refreshes. It never activates a controller that is pulled (models/sim/pulled_memory.h).
#pragma once

#include <cstdint>
#include <vector>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <systemc>
#include <tlm>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_core.h"
#include "models/dram/ddr_protocol.h"
#include "models/dram/sparse_memory.h"
#include "models/sim/postponed_moves.h"
#include "models/sim/pulled_memory.h"

namespace tactus {

/// The parts of an access's time, in the unit of sc_time::value(). They add up to the time from its
/// arrival to its answer. The controller fills in this extension when it answers, if the payload
/// carries it. A write is answered before its bank serves it, so it has only `queue` and `rest`.
struct DdrTimes final : tlm::tlm_extension<DdrTimes> {
  std::uint64_t queue = 0;    ///< waiting for other accesses: port, buffer, bank, bus
  std::uint64_t row = 0;      ///< opening its row: PRE, ACT
  std::uint64_t refresh = 0;  ///< waiting for a refresh
  std::uint64_t bus = 0;      ///< its own data on the bus
  std::uint64_t rest = 0;     ///< the minimum of every access: clock edge, command, latency
  DdrRowState row_state = DdrRowState::hit;
  PartOfBurst part;  ///< set by the initiator, if the moves of its data may be postponed

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new DdrTimes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DdrTimes&>(other);
  }
};

class DdrController final : public sc_core::sc_module, public PulledMemory {
 public:
  using SC_CURRENT_USER_MODULE = DdrController;  // what SC_HAS_PROCESS defines before SystemC 3

  tlm_utils::multi_passthrough_target_socket<DdrController, 32, DdrProtocol> socket{"socket"};

  /// `ports` gives the controller port of each binding of the socket, in the order of binding;
  /// several bindings may share a port. The numbers serve only as names. Ports take turns in the
  /// order in which `ports` first names them.
  /// With an `arbitration`, its groups are by these ports.
  DdrController(const sc_core::sc_module_name& name, const DdrConfig& config,
                const std::vector<unsigned>& ports, DdrArbitration arbitration = {});

  /// Sets the lookahead, which all initiators promise: a request arrives at least `time` after its
  /// call, and at least `time` after the answer that it waited for. The controller then computes
  /// several commands in one activation and knows answers earlier; the times that it computes do
  /// not change. The default is zero. While a request waits for its END_REQ, nothing beyond the
  /// present is computed. The initiator must make its next request within the call of END_REQ, or
  /// keep the promise.
  void set_lookahead(const sc_core::sc_time& time);

  /// Makes the controller pulled (models/sim/pulled_memory.h): it no longer asks the kernel to wake
  /// it, and all initiators must pull it.
  void set_pulled() { pulled_ = true; }

  /// Computes everything up to the present, so that statistics, observers and bank states are up to
  /// date.
  void catch_up() { work(); }
  /// Computes everything up to a time, for a design that runs ahead of the kernel. The time
  /// must not be later than the kernel's next activity.
  void catch_up(std::uint64_t time);

  /// Sets the observer; null: none. It receives commands in order of time, when they are computed.
  /// That is up to the lookahead before their time, and much later than their time if no initiator
  /// waits for them (see catch_up()). The commands of a refresh come together when it falls due.
  void observe(DdrObserver* observer) { core_.observe(observer); }

  /// Keeps account of whose accesses each party waits for (ddr_waits.h). An initiator that shares
  /// the controller with others must not rewind it.
  void set_parties(unsigned parties) { core_.waits().set_parties(parties); }
  /// Sets the party of a binding of the socket, for its accesses from now on. The default is 0.
  void set_party(std::size_t binding, unsigned party) { party_of_binding_.at(binding) = party; }
  [[nodiscard]] const DdrWaits& waits() { return core_.waits(); }

  void read_now(std::uint64_t address, std::uint8_t* bytes, std::size_t count) override;
  void write_now(std::uint64_t address, const std::uint8_t* bytes, std::size_t count) override;

  /// True if the controller is pulled and has no observer.
  [[nodiscard]] bool rewinds() const override { return pulled_ && !core_.observed(); }
  void mark() override;
  void rewind() override;

  [[nodiscard]] const DdrConfig& config() const { return config_; }
  /// The numbers of the ports. The `port` that an observer receives is an index into them.
  [[nodiscard]] const std::vector<unsigned>& ports() const { return ports_; }
  /// First address beyond the DRAM or 32 bits.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] const DdrCore& core() const { return core_; }
  /// Statistics up to the time computed last.
  [[nodiscard]] const DdrStatistics& statistics() const { return core_.statistics(); }
  /// The open row of a bank, or DdrBanks::closed, at the time computed last.
  [[nodiscard]] std::int64_t open_row(unsigned bank) const { return core_.open_row(bank); }
  [[nodiscard]] SparseMemory& memory() { return memory_; }
  [[nodiscard]] const SparseMemory& memory() const { return memory_; }

 private:
  /// An access in progress. Its tag is its index in accesses_.
  struct Access {
    tlm::tlm_generic_payload* transaction = nullptr;
    unsigned binding = 0;
    std::uint64_t arrival = 0;
  };

  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t count) const {
    return address < end_ && count <= end_ - address;
  }
  /// Returns false and sets the response status if the transaction is refused.
  bool check(tlm::tlm_generic_payload& transaction) const;
  void move_data(tlm::tlm_generic_payload& transaction);
  void move_or_postpone(tlm::tlm_generic_payload& transaction);
  tlm::tlm_sync_enum nb_transport_fw(int binding, tlm::tlm_generic_payload& transaction,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void b_transport(int binding, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int binding, tlm::tlm_generic_payload& transaction);
  bool get_direct_mem_ptr(int binding, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);

  std::uint32_t new_tag();
  void go_on(std::uint64_t time) override;
  void work();
  void work_until(DdrClock clock);
  void schedule();
  void end_request(const DdrCore::Mark& mark);
  void admit(const DdrCore::Mark& mark);
  void finish(const DdrDone& done);
  void answer(Access& access, std::uint64_t time);
  /// The time to which annotated delays are added.
  [[nodiscard]] std::uint64_t present() const {
    return pulled_ ? 0 : sc_core::sc_time_stamp().value();
  }

  DdrConfig config_;
  std::uint64_t tck_;            ///< period of the DRAM clock, in the kernel's unit of time
  std::uint64_t burst_bytes_;    ///< a power of two
  std::uint64_t end_;            ///< first address beyond the DRAM or 32 bits
  std::vector<unsigned> ports_;  ///< the distinct numbers, in the order of their first binding
  std::vector<unsigned> port_of_binding_;  ///< index into ports_
  std::vector<unsigned> party_of_binding_;
  DdrCore core_;
  SparseMemory memory_;
  sc_core::sc_event event_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_tags_;
  unsigned blocked_ = 0;  ///< requests that wait for their END_REQ
  std::uint64_t lookahead_ = 0;
  bool pulled_ = false;
  DdrClock worked_ = 0;  ///< everything up to this clock is computed
  DdrClock marked_worked_ = 0;
};

}  // namespace tactus
