// The memory side on AXI4 pins. It transfers the rows of messages in INCR bursts of whole beats.
//
// One address is issued per cycle, reads and writes in the order of the messages. The beats of a
// write leave one per cycle, starting with the cycle in which its address is offered; the next
// burst waits until the last beat has left. Bursts have up to 256 beats and do not cross 4 KB. Rows
// that are consecutive in memory share bursts. A store that covers a beat in part first reads its
// beats and merges them, as memories without byte enables require. A burst waits while a burst in
// the other direction touches the same beats. Data that arrives in cycle c may be used in c + 1.
// All rules of the memory side are Tactus's own.
#pragma once

#include <vector>

#include <systemc>

#include "models/axi/axi.h"
#include "models/axi/axi_target.h"
#include "models/axi/ring.h"
#include "models/dpas/lsu/memory_port.h"

namespace tactus::dpas {

class AxiPort final : public sc_core::sc_module, public MemoryPort {
 public:
  static constexpr unsigned most_bursts = 64;

  /// At most `most` bursts are in flight in each direction.
  AxiPort(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes, unsigned most,
          MessageQueue& queue, AxiLinks& pins);
  /// Connects the AXI4 slave at the pins. Call it before the first cycle.
  void attach(AxiTarget& target) { target_ = &target; }
  [[nodiscard]] AxiTarget& target() { return *target_; }

  void drive() override;
  void commit() override;
  [[nodiscard]] Cycle next_event(Cycle now) const override;
  [[nodiscard]] State state() const override { return state_; }
  [[nodiscard]] bool idle() const override {
    return queue_.empty() && reads_.empty() && writes_.empty();
  }
  [[nodiscard]] bool waits_for_memory() const override { return target_->waits_for_memory(); }
  [[nodiscard]] Stats stats(Cycle /*now*/) const override { return stats_; }
  [[nodiscard]] std::string waits_for() const override;
  void describe(const trace::Scope& scope) const override;

 private:
  enum class Phase : std::uint8_t {
    none,        ///< no burst is being requested
    empty,       ///< the first message has no bytes
    read,        ///< a read's address is offered
    merge,       ///< the address of the read before a partial store is offered
    merge_data,  ///< the data of that read is awaited
    write,       ///< a write's address and data are offered
  };
  /// A burst of a message: the part of a row that it transfers.
  struct Piece {
    Message* message = nullptr;
    std::uint32_t address = 0;  ///< address of its first beat
    std::uint32_t beats = 0;
    std::uint32_t skip = 0;    ///< bytes of the first beat before the message's bytes
    std::uint32_t bytes = 0;   ///< bytes of the message in this burst
    std::uint32_t offset = 0;  ///< offset in the message's data
  };
  struct Burst {
    Piece piece;
    bool merge = false;          ///< true: a read for a store, whose data goes to merged_
    std::uint32_t received = 0;  ///< beats received
  };
  using Bursts = Ring<Burst, most_bursts>;

  /// Makes the next burst of the first message.
  void next_piece();
  void advance();
  [[nodiscard]] bool overlaps(const Bursts& bursts) const;
  [[nodiscard]] const std::uint8_t* write_beat() const;
  void commit_write();
  void commit_read_data();
  /// Counts the answer to a burst. Reports the message when all bursts are answered.
  void answered(Message& message);
  void tell_events() const;
  [[nodiscard]] State find_state() const;

  Clock& clock_;
  unsigned beat_bytes_;
  unsigned most_;
  MessageQueue& queue_;
  AxiLinks& pins_;
  AxiTarget* target_ = nullptr;

  Phase phase_ = Phase::none;
  Piece piece_;
  bool address_sent_ = false;         ///< true if the write's address has been sent
  std::uint32_t beats_sent_ = 0;      ///< beats of the write that have been sent
  std::vector<std::uint8_t> merged_;  ///< beats of a burst that a store covers only in part
  bool is_merged_ = false;  ///< true: the write's beats are in merged_; else in the message
  Bursts reads_, writes_;
  bool moved_ = false;  ///< true if the last cycle had a handshake or ended a message
  State state_ = rest;
  Stats stats_;
};

}  // namespace tactus::dpas
