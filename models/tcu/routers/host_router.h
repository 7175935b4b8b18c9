// Host router: connects local memory port B with the two DRAM ports.
//
// Combinational, no queue inside: one control item is consumed together with each vector, strictly
// in program order. So data read by a later move enters local memory only after every vector of an
// earlier write has been handed to its DRAM port. Source: hardware spec section 6.
#pragma once

#include <array>
#include <string>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/tcu/channels.h"

namespace tactus {

struct HostRouterLinks {
  Link<HostDataflow>& control;
  MemoryPort& local;                         ///< port B
  std::array<Link<VectorRef>*, 2> dram_in;   ///< from DRAM
  std::array<Link<VectorRef>*, 2> dram_out;  ///< to DRAM
};

class HostRouter final : public sc_core::sc_module {
 public:
  enum State : std::uint8_t { pass, wait_local, wait_dram0, wait_dram1, rest };
  static constexpr std::array<UnitState, 5> state_table{{
      {"pass", StateKind::busy, "a vector passes"},
      {"wait_local", StateKind::stall, "the vector to be written has not come from local memory"},
      {"wait_dram0", StateKind::stall,
       "DRAM port 0 has not read the next vector, or does not take a vector to be written"},
      {"wait_dram1", StateKind::stall,
       "DRAM port 1 has not read the next vector, or does not take a vector to be written"},
      {"idle", StateKind::idle, "no transfer"},
  }};

  HostRouter(const sc_core::sc_module_name& name, const Clock& clock, const HostRouterLinks& links);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("control", links_.control);
    list.consumes("read_data", links_.local.read_data);
    list.produces("write_data", links_.local.write_data);
    list.consumes("dram0_in", *links_.dram_in[0]);
    list.produces("dram0_out", *links_.dram_out[0]);
    list.consumes("dram1_in", *links_.dram_in[1]);
    list.produces("dram1_out", *links_.dram_out[1]);
  }
  void drive();
  void accept();
  void commit() {
    decide();
    move();
  }

  void decide() { state_ = state(); }
  void move() { account_.enter(state_); }
  /// See models/sim/activity.h. There is no register: while vectors pass, others come.
  [[nodiscard]] bool sleeps() const { return state_ != pass; }
  void describe(const trace::Scope& scope) const;

  void registers(Registers& r) { account_.registers(r); }
  [[nodiscard]] std::array<Account*, 1> accounts() { return {&account_}; }
  /// There is nothing inside.
  [[nodiscard]] static bool idle() { return true; }
  [[nodiscard]] static std::string waits_for() { return "nothing"; }

 private:
  [[nodiscard]] State state() const;

  HostRouterLinks links_;
  State state_ = rest;  ///< state of the current cycle
  Account account_;
};

}  // namespace tactus
