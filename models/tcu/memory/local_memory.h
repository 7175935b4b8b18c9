// Local memory: a dual-port memory whose ports have accounts. The accumulators' memory has none,
// since the account of the accumulators shows what its ports do.
#pragma once

#include <array>
#include <string>

#include "models/tcu/events.h"
#include "models/tcu/memory/dual_port_memory.h"

namespace tactus {

class LocalMemory final : public DualPortMemory {
 public:
  LocalMemory(const sc_core::sc_module_name& name, Clock& clock,
              const tcu::Architecture& architecture, MemoryPort& port_a, MemoryPort& port_b)
      : DualPortMemory(name, clock, architecture.local_depth, architecture.vector_bytes(),
                       {{TcuEvent::local_read_a, TcuEvent::local_read_b},
                        {TcuEvent::local_write_a, TcuEvent::local_write_b}},
                       port_a, port_b),
        account_a_("local_a", clock, state_table, rest),
        account_b_("local_b", clock, state_table, rest) {}

  void move() {
    DualPortMemory::move();
    account_a_.enter(edge().ports[0].state);
    account_b_.enter(edge().ports[1].state);
  }
  void commit() {
    decide();
    move();
  }
  void registers(Registers& r, unsigned port) {
    DualPortMemory::registers(r, port);
    (port == 0 ? account_a_ : account_b_).registers(r);
  }
  [[nodiscard]] std::array<Account*, 2> accounts() { return {&account_a_, &account_b_}; }
  [[nodiscard]] static std::string waits_for() { return "read data that nobody takes"; }

 private:
  Account account_a_, account_b_;
};

}  // namespace tactus
