// Splits bursts at multiples of 4096 bytes, which AXI bursts must not cross.
//
// An address passes in the cycle in which it arrives. A burst that crosses a boundary is issued in
// pieces, one a cycle: up to the boundary, whole pages, the rest. Bookkeeping queues of 2 entries
// limit the port to 3 read and 3 write bursts in flight. LAST is regenerated: for the whole burst
// towards the Converter, for each piece towards the pins. Only the last response to a split write
// is forwarded. The RTL's test is off by one: a burst that spills exactly one beat over a boundary
// passes whole. Source: hardware spec section 10.3.
#pragma once

#include <systemc>

#include "models/axi/axi.h"
#include "models/axi/axi_events.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/sim/fork.h"
#include "models/sim/queue.h"

namespace tactus {

class BoundarySplitter final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t read_bursts = 0, write_bursts = 0;  ///< at the pins
    std::uint64_t read_beats = 0, write_beats = 0;    ///< at the pins
    std::uint64_t write_responses = 0;                ///< at the pins
    Cycle last_write_response = 0;                    ///< cycle of the last response
  };

  /// `port` and `events` are used only for events. `upstream` is the AXI queue's side, `pins` the
  /// memory's.
  BoundarySplitter(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes,
                   unsigned port, const AxiEventKinds& events, AxiLinks& upstream, AxiLinks& pins);

  void drive();   ///< drives ar, aw and w towards the pins
  void accept();  ///< drives all readies, and r and b; call it when the pins are driven
  void commit();

  void registers(Registers& r);                     ///< see models/sim/fast/registers.h
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  [[nodiscard]] bool idle() const {
    return reads_.lengths.empty() && writes_.lengths.empty() && keep_response_.empty();
  }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  void describe(const trace::Scope& scope) const;

 private:
  using Lengths = Queue<unsigned, QueueKind::pipe_flow, 2>;

  /// State of one address channel: the burst that is being split, and the fork that issues its
  /// pieces.
  struct Channel {
    Lengths lengths;            ///< lengths of bursts whose data has not passed yet
    unsigned beats_issued = 0;  ///< beats of the burst at the input that earlier pieces have
    AxiAddress piece;           ///< piece offered in this cycle
    bool last_piece = true;
    Fork fork;                  ///< sends the piece to its legs
    unsigned beats_passed = 0;  ///< beats passed of the burst at the head of `lengths`
  };
  enum Leg : unsigned { leg_address = 1, leg_length = 2, leg_response = 4 };

  /// Sets the next piece of a burst.
  void cut(Channel& channel, const AxiAddress& burst) const;
  /// Does the clock edge of the fork and of the count of issued beats.
  void commit_fork(Channel& channel, bool valid, unsigned ready);
  [[nodiscard]] AxiBeat read_beat() const;
  [[nodiscard]] AxiBeat write_beat() const;
  void tell_events() const;
  void commit_reads();
  void commit_writes();
  void pass_beat(unsigned& passed, bool last);

  Clock& clock_;
  unsigned beat_bytes_;
  unsigned port_;
  AxiEventKinds events_;
  AxiLinks& upstream_;
  AxiLinks& pins_;
  Channel reads_, writes_;
  Queue<std::uint8_t, QueueKind::pipe_flow, 2> keep_response_;  ///< 1: forward, 0: drop
  // Wires of this cycle, set by accept().
  unsigned read_ready_ = 0, write_ready_ = 0;
  bool read_length_taken_ = false, write_length_taken_ = false, response_taken_ = false;
  Stats stats_;
};

}  // namespace tactus
