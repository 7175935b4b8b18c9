// A memory of fixed latency and width, for studies in which other memory effects should not matter.
//
// The port takes messages in order. Each occupies it for ceil(bytes / width) cycles, at least 1.
// The data of a load may be used `latency` cycles after issue if the port takes the message at once
// and for one cycle; each further cycle of waiting or at the port adds one. A store is answered
// after the same time. Bytes are read and written when the port takes the message. The rules are
// Tactus's own.
#pragma once

#include <systemc>

#include "models/axi/ring.h"
#include "models/dpas/lsu/memory_port.h"
#include "models/dram/sparse_memory.h"

namespace tactus::dpas {

class IdealPort final : public sc_core::sc_module, public MemoryPort {
 public:
  /// `latency` counts in cycles from issue. It includes the `send_latency` cycles in which the
  /// load/store unit reads the sources.
  IdealPort(const sc_core::sc_module_name& name, Clock& clock, Cycle latency, Cycle send_latency,
            unsigned bytes_per_cycle, MessageQueue& queue);

  void drive() override {}
  void commit() override;
  [[nodiscard]] Cycle next_event(Cycle now) const override;
  [[nodiscard]] State state() const override;
  [[nodiscard]] bool idle() const override { return in_flight_.empty() && queue_.empty(); }
  [[nodiscard]] bool waits_for_memory() const override { return !idle(); }
  [[nodiscard]] Stats stats(Cycle now) const override;
  [[nodiscard]] std::string waits_for() const override { return {}; }
  void describe(const trace::Scope& scope) const override;

  [[nodiscard]] SparseMemory& memory() { return memory_; }

 private:
  struct InFlight {
    Message* message;
    Cycle done;
  };
  void take(Message& message);

  Clock& clock_;
  Cycle answer_;  ///< cycles from its last cycle at the port to the answer
  unsigned width_;
  MessageQueue& queue_;
  SparseMemory memory_;
  Ring<InFlight, most_messages> in_flight_;
  unsigned loads_ = 0;      ///< loads in in_flight_
  bool loads_now_ = false;  ///< true if the message at the port is a load
  Cycle busy_until_ = 0;    ///< first cycle in which the port may take a message
  Stats stats_;
};

}  // namespace tactus::dpas
