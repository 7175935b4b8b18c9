// A DRAM controller with its DRAM behind TLM-2.0 sockets, command by command (see ddr_core.h).
//
// Protocol: approximately timed, four phases, times as annotated delays that count from the call.
//   BEGIN_REQ   one access of at most burst_bytes() that does not cross a multiple of that. It
//               arrives at now + delay, rounded up to a clock edge of the DRAM (multiples of
//               tck_ps from time 0). Arrivals through one socket do not go back in time.
//   END_REQ     when the port's queue has taken it: returned (TLM_UPDATED, delay unchanged) if
//   there
//               is room, else called backwards when there is. Until then the socket must not begin
//               another request: that is the back pressure.
//   BEGIN_RESP  called backwards once the time is known, which may be before that time: the delay
//               says when. A read: the end of its data on the bus. A write, posted: when the
//               scheduler's buffer has taken it. Answers of a socket may overtake each other;
//               TLM_COMPLETED, TLM_UPDATED with END_RESP or a later END_RESP end the access.
// b_transport is refused, because an access's time depends on what comes after it. Debug transport
// is answered at once. No DMI. Errors answer at once with TLM_COMPLETED: byte enables, an address
// beyond the capacity or 32 bits, an access across a burst's boundary.
//
// Data is read and written when the access enters the scheduler's buffer, so that all ports see one
// order.
//
// Cost: one or two activations of the kernel an access; none for idle time and refreshes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <systemc>
#include <tlm>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_core.h"
#include "models/dram/sparse_memory.h"

namespace tactus {

/// Where the time of one access went, in ps; the parts add up to the time from its arrival to its
/// answer. A payload that carries this extension when it comes has it filled in when it is
/// answered.
struct DdrTimes final : tlm::tlm_extension<DdrTimes> {
  std::uint64_t queue = 0;    ///< behind other accesses: port, buffer, bank, bus turn-around
  std::uint64_t row = 0;      ///< its row was closed, or another was open
  std::uint64_t refresh = 0;  ///< behind a refresh
  std::uint64_t bus = 0;      ///< its own data on the bus
  std::uint64_t rest = 0;     ///< what the quickest access has too: clock edge, command, latency
  DdrRowState row_state = DdrRowState::hit;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new DdrTimes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DdrTimes&>(other);
  }
};

class DdrController final : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<DdrController> socket{"socket"};

  /// `ports`: the controller port of each binding of the socket, in the order of binding; several
  /// may share one. Their numbers are names only; ports take turns in the order of first mention.
  DdrController(const sc_core::sc_module_name& name, const DdrConfig& config,
                std::vector<unsigned> ports);
  ~DdrController() override;

  /// A promise of all that are bound: no request arrives earlier than this after its call. It lets
  /// several commands be worked out in one activation, and answers be known earlier; no time
  /// changes. Zero at first.
  void set_lookahead(const sc_core::sc_time& time);

  /// Does everything up to now, so that statistics, observers and bank states are up to date.
  void catch_up();

  /// Null: nobody watches. Commands are told in order of time, when they are worked out: up to the
  /// lookahead before their time, or much later in idle time; catch_up() makes up.
  void observe(DdrObserver* observer);

  [[nodiscard]] const DdrConfig& config() const { return config_; }
  [[nodiscard]] const DdrStatistics& statistics() const;
  /// The open row of a bank, or DdrCore::closed, as of the last command worked out.
  [[nodiscard]] std::int64_t open_row(unsigned bank) const;
  [[nodiscard]] SparseMemory& memory() { return memory_; }
  [[nodiscard]] const SparseMemory& memory() const { return memory_; }

 private:
  struct Access;

  tlm::tlm_sync_enum nb_transport_fw(int binding, tlm::tlm_generic_payload& transaction,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void b_transport(int binding, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int binding, tlm::tlm_generic_payload& transaction);
  bool get_direct_mem_ptr(int binding, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);
  void work();

  DdrConfig config_;
  std::vector<unsigned> port_of_binding_;  ///< index of the core's port
  std::unique_ptr<DdrCore> core_;
  SparseMemory memory_;
  sc_core::sc_event event_;
  std::vector<Access> accesses_;  ///< by tag
  std::vector<std::uint32_t> free_tags_;
  std::uint64_t lookahead_ps_ = 0;
};

}  // namespace tactus
