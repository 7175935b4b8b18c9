// The memory side on AXI4 pins: rows of messages become INCR bursts of whole beats.
//
// One address a cycle, reads and writes in the order of the messages; the beats of a write leave
// one a cycle from the cycle on in which its address is offered, and what comes next waits for the
// last of them. Bursts have up to 256 beats and do not cross 4 KB. Rows that follow each other in
// memory share bursts. A store that covers a beat in part reads its beats first and merges them, as
// memories without byte enables need it. A burst waits while one in the other direction touches
// the same beats. Data that comes in cycle c may be used in c + 1. Ours, like all of the memory
// side.
#pragma once

#include <array>
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

  /// `most` bursts each way are in flight at most.
  AxiPort(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes, unsigned most,
          MessageQueue& queue, AxiLinks& pins);
  /// What answers at the pins; before the first cycle.
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
    none,        ///< the first message has no burst ready
    empty,       ///< it has no bytes to move
    read,        ///< its address is offered
    merge,       ///< the address of a read before a store is offered
    merge_data,  ///< and its data comes
    write,       ///< address and data are offered
  };
  /// The burst that is being requested.
  struct Piece {
    Message* message = nullptr;
    std::uint32_t address = 0;  ///< of its first beat
    std::uint32_t beats = 0;
    std::uint32_t skip = 0;    ///< bytes of the first beat before the message's
    std::uint32_t bytes = 0;   ///< of the message
    std::uint32_t offset = 0;  ///< in its data
  };
  struct Burst {
    Piece piece;
    bool merge = false;          ///< a read whose data goes to merged_
    std::uint32_t received = 0;  ///< beats
  };
  using Bursts = Ring<Burst, most_bursts>;

  void next_piece();
  void advance();
  [[nodiscard]] bool overlaps(const Bursts& bursts) const;
  [[nodiscard]] const std::uint8_t* write_beat() const;
  void commit_write();
  void commit_read_data();
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
  bool address_sent_ = false;         ///< of a write
  std::uint32_t beats_sent_ = 0;      ///< of a write
  std::vector<std::uint8_t> merged_;  ///< beats of a store that covers some in part
  bool is_merged_ = false;            ///< the write's beats are there, else in the message
  Bursts reads_, writes_;
  unsigned loads_ = 0;  ///< read bursts of loads and stores in flight
  bool moved_ = false;  ///< something passed the pins in the last cycle
  State state_ = rest;
  Stats stats_;
};

}  // namespace tactus::dpas
