// The load/store unit: converts messages from the issue stage to rows of bytes in memory.
//
// The unit reads the sources of a message for 8 cycles (published), and the data of a store for one
// more cycle per register. Then the message waits in a queue that all threads share; the memory
// side (memory_port.h) takes messages in order. All registers of a load may be used from the cycle
// after its last byte has arrived. Bytes of a block outside its surface are zero for a load and not
// written by a store. A message with bytes outside all buffers is an error that names the
// instruction. Messages stay in the unit until they are answered; a full unit stalls the issue
// stage.
#pragma once

#include <cstdint>
#include <functional>

#include <systemc>

#include "models/dpas/lsu/memory_map.h"
#include "models/dpas/lsu/memory_port.h"
#include "models/dpas/register_file.h"

namespace tactus::dpas {

class LoadStoreUnit final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t loads = 0, stores = 0;
    /// Bytes that kernels asked for, inside surfaces.
    std::uint64_t bytes_loaded = 0, bytes_stored = 0;
  };

  LoadStoreUnit(const sc_core::sc_module_name& name, Clock& clock,
                const MachineParameters& parameters, RegisterFile& registers, Link<Issued>& issued);
  /// Connects the memory side. Call it before the first cycle.
  void attach(MemoryPort& port);

  void drive();
  void commit();
  [[nodiscard]] Cycle next_event(Cycle now) const { return port_->next_event(now); }

  [[nodiscard]] bool takes() const { return !queue_.full(); }
  [[nodiscard]] MessageQueue& queue() { return queue_; }
  [[nodiscard]] MemoryMap& memory_map() { return memory_map_; }
  [[nodiscard]] MemoryPort& port() { return *port_; }
  [[nodiscard]] const MemoryPort& port() const { return *port_; }
  /// Number of messages that wait or are in flight.
  [[nodiscard]] unsigned messages() const { return queue_.in_use(); }
  [[nodiscard]] bool idle() const { return queue_.in_use() == 0; }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Account& account() { return account_; }
  void describe(const trace::Scope& scope) const;

  /// Called when a message is answered; the registers of a load may be used in the next cycle.
  std::function<void(const Issued&)> on_done;

 private:
  void accept(const Issued& issued);
  /// Sets the rows of a 2D block message, from the block's surface and position.
  void block_rows(Message& message, const Instruction& instruction, const std::uint8_t* registers);
  /// Sets the rows of a message with one address per channel.
  void element_rows(Message& message, const Instruction& instruction,
                    const std::uint8_t* registers);
  void check(const Message& message, std::uint64_t address, std::uint64_t bytes);
  static void add_rows(Message& message, Rows rows);
  void done(Message& message);
  void take_data(Message& message, const Instruction& instruction,
                 const std::uint8_t* registers) const;
  void place_data(const Message& message, const Instruction& instruction,
                  std::uint8_t* registers) const;
  template <typename Move>
  void each_element(const Message& message, const Instruction& instruction, Move&& move) const;

  Clock& clock_;
  unsigned grf_bytes_;
  Cycle send_latency_;
  RegisterFile& registers_;
  Link<Issued>& issued_;
  MessageQueue queue_;
  MemoryMap memory_map_;
  MemoryPort* port_ = nullptr;
  Stats stats_;
  Account account_;
};

}  // namespace tactus::dpas
