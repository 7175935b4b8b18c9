// A DRAM controller with its DRAM behind TLM-2.0 sockets, command by command (see ddr_core.h).
//
// Protocol: approximately timed, four phases; times are annotated delays, which count from the
// call.
//   BEGIN_REQ   one access of at most burst_bytes() that does not cross a multiple of that. It
//               arrives at now + delay; the controller sees it at the next edge of its clock
//               (multiples of tck_ps from time 0). Arrivals at a socket do not go back in time.
//   END_REQ     when the port's queue has taken it: returned (TLM_UPDATED, the delay as it came) if
//               there is room, else called backwards when there is. Until then the initiator must
//               not begin another request: that is the back pressure.
//   BEGIN_RESP  called backwards as soon as its time is known, which the delay tells. A read: the
//   end
//               of its data on the bus. A write, which is posted: one clock after it has entered
//               the scheduler's buffer. Answers may overtake each other, and none waits for the
//               END_RESP of another: return TLM_COMPLETED, or END_RESP with TLM_UPDATED.
// Errors are answered at once with TLM_COMPLETED: byte enables, addresses beyond the capacity or 32
// bits, an access across a burst's boundary. b_transport is refused, because the time of an access
// depends on what comes after it. Debug transport is answered at once. No DMI.
//
// Data is read and written when an access enters the scheduler's buffer, so all ports see one
// order.
//
// Cost: one or two activations of the kernel an access, none where it is pulled
// (models/sim/pulled_memory.h); nothing for idle time and refreshes.
#pragma once

#include <cstdint>
#include <vector>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <systemc>
#include <tlm>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_core.h"
#include "models/dram/sparse_memory.h"
#include "models/sim/pulled_memory.h"

namespace tactus {

/// Where the time of one access went, in ps; the parts add up to the time from its arrival to its
/// answer. A payload that carries this extension has it filled in when it is answered. A write is
/// answered before its bank is known, so it has queue and rest only.
struct DdrTimes final : tlm::tlm_extension<DdrTimes> {
  std::uint64_t queue = 0;    ///< behind other accesses: port, buffer, bank, turn of the bus
  std::uint64_t row = 0;      ///< its row was not open: PRE, ACT
  std::uint64_t refresh = 0;  ///< behind a refresh
  std::uint64_t bus = 0;      ///< its own data on the bus
  std::uint64_t rest = 0;     ///< what the quickest access has too: clock edge, command, latency
  DdrRowState row_state = DdrRowState::hit;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new DdrTimes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DdrTimes&>(other);
  }
};

class DdrController final : public sc_core::sc_module, public PulledMemory {
 public:
  SC_HAS_PROCESS(DdrController);

  tlm_utils::multi_passthrough_target_socket<DdrController> socket{"socket"};

  /// `ports`: the controller port of each binding of the socket, in the order of binding; several
  /// may share one. Their numbers are only names. Ports take turns in the order of first mention.
  DdrController(const sc_core::sc_module_name& name, const DdrConfig& config,
                const std::vector<unsigned>& ports);

  /// A promise for all that are bound: a request arrives no earlier than this after its call, and
  /// after the answer it waited for. It lets several commands be worked out in one activation and
  /// answers be known earlier; no time changes. Zero at first. While a request is held back,
  /// nothing beyond now is worked out; the initiator's next one comes from within the call of
  /// END_REQ, or keeps the promise.
  void set_lookahead(const sc_core::sc_time& time);

  /// From now on it is pulled, and does not ask the kernel to wake it. All initiators pull.
  void set_pulled() { pulled_ = true; }

  /// Works out everything up to now: statistics, observers and bank states are up to date.
  void catch_up() { work(); }
  /// The same up to a time in ps, for a design that runs ahead of the kernel: no later than the
  /// kernel's next activity.
  void catch_up(std::uint64_t ps);

  /// Null: nobody watches. Commands are told in order of time, when they are worked out: up to the
  /// lookahead before their time, a refresh as a whole when it falls due; or much later where
  /// nobody waits for them, see catch_up().
  void observe(DdrObserver* observer) { core_.observe(observer); }

  void read_now(std::uint64_t address, std::uint8_t* bytes, std::size_t count) override;
  void write_now(std::uint64_t address, const std::uint8_t* bytes, std::size_t count) override;

  /// Where it is pulled and nobody watches.
  [[nodiscard]] bool rewinds() const override { return pulled_ && !core_.observed(); }
  void mark() override;
  void rewind() override;

  [[nodiscard]] const DdrConfig& config() const { return config_; }
  /// The numbers of the ports, by the index that observers hear.
  [[nodiscard]] const std::vector<unsigned>& ports() const { return ports_; }
  [[nodiscard]] const DdrCore& core() const { return core_; }
  /// As of what was worked out last.
  [[nodiscard]] const DdrStatistics& statistics() const { return core_.statistics(); }
  /// The open row of a bank, or DdrBanks::closed, as of what was worked out last.
  [[nodiscard]] std::int64_t open_row(unsigned bank) const { return core_.open_row(bank); }
  /// Bank, row and column of an address.
  [[nodiscard]] DdrAddress locate(std::uint64_t address) const {
    return core_.address_map().decode(address);
  }
  [[nodiscard]] SparseMemory& memory() { return memory_; }
  [[nodiscard]] const SparseMemory& memory() const { return memory_; }

 private:
  /// One that is on its way, by its tag.
  struct Access {
    tlm::tlm_generic_payload* transaction = nullptr;
    unsigned binding = 0;
    std::uint64_t arrival_ps = 0;
  };

  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t count) const {
    return address < end_ && count <= end_ - address;
  }
  /// False, with the response set, for what is refused.
  bool check(tlm::tlm_generic_payload& transaction) const;
  void move_data(tlm::tlm_generic_payload& transaction);
  tlm::tlm_sync_enum nb_transport_fw(int binding, tlm::tlm_generic_payload& transaction,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void b_transport(int binding, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int binding, tlm::tlm_generic_payload& transaction);
  bool get_direct_mem_ptr(int binding, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);

  std::uint32_t new_tag();
  void go_on(std::uint64_t ps) override;
  void work();
  void work_until(DdrClock clock);
  void schedule();
  void end_request(const DdrCore::Mark& mark);
  void admit(const DdrCore::Mark& mark);
  void finish(const DdrDone& done);
  void answer(Access& access, std::uint64_t time_ps);
  /// The time that annotated delays are added to.
  [[nodiscard]] std::uint64_t now_ps() const {
    return pulled_ ? 0 : sc_core::sc_time_stamp().value();
  }

  DdrConfig config_;
  std::uint64_t tck_;                      ///< ps
  std::uint64_t burst_bytes_;              ///< a power of two
  std::uint64_t end_;                      ///< of the addresses
  std::vector<unsigned> ports_;            ///< the numbers in use
  std::vector<unsigned> port_of_binding_;  ///< index into ports_
  DdrCore core_;
  SparseMemory memory_;
  sc_core::sc_event event_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_tags_;
  unsigned blocked_ = 0;  ///< requests that no port has taken
  std::uint64_t lookahead_ps_ = 0;
  bool pulled_ = false;
  DdrClock worked_ = 0;  ///< all up to this clock is worked out
  DdrClock marked_worked_ = 0;
};

}  // namespace tactus
