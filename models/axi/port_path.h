// The path from an AXI slave to a memory controller: interconnect, clock crossing, width
// conversion, division into chunks, chunks in flight, write buffer.
//
// T: period of the design's clock, P: period of the port's clock, which is p/q times as fast
// (port_clock.h). A beat of the design is n = max(1, design bytes / port bytes) beats of the port.
// All times are in the unit of sc_time::value(); on the port, everything happens at edges of P.
//
//   Read    An address taken in cycle c is at the port at the first edge of P from (c + 1) T + half
//           the interconnect's latency on. It crosses in half the crossing clocks, rounded down.
//           Its chunks go out in order, each when the chunk `outstanding` before it has come back.
//           They reach the controller half the fixed latency later. The data of an access is back
//           half the fixed latency and the rest of the crossing after the controller's answer. From
//           then on its beats pass the R channel of the port, one each P, in order over all bursts.
//           The other half of the interconnect's latency later they are at the slave.
//   Write   A beat taken in cycle c enters the port at the first edge of P from (c + 1) T +
//           half the interconnect's latency on. Its n port beats pass the W channel, one each P.
//           The slave takes beats while fewer than write_buffer_beats of them have not passed. A
//           chunk goes out when its last beat has passed and its address has come. The response is
//           at the slave both halves of the fixed latency, the crossing and half the interconnect's
//           latency later; later still if the controller has no room.
//
// Without other accesses, a read's first beat comes fixed + interconnect + crossing * P + the
// controller's time after the edge of its address, rounded up to edges of P and then of T.
// Throughput: at most `outstanding` chunks in the latency of one chunk, and one port beat each P.
//
// For the slave the path is a non-blocking target that fills in BeatTimes, and a WriteChannel. For
// the controller it has two initiators, one for reads and one for writes. They use four phases,
// with accesses of at most access_bytes that do not cross a multiple of it, and with arrivals at a
// socket in order of time. Controllers that answer immediately work, too. The controller reads and
// writes the data. Source: spec sections 5.2 to 5.4.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/axi/beat_times.h"
#include "models/axi/path_config.h"
#include "models/axi/port_clock.h"
#include "models/axi/ring.h"
#include "models/axi/write_channel.h"
#include "models/dram/ddr_protocol.h"
#include "models/sim/clock.h"

namespace tactus {

class PortPath final : public sc_core::sc_module,
                       public WriteChannel,
                       private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_target_socket<PortPath> socket{"socket"};
  using ControllerSocket = tlm_utils::simple_initiator_socket_tagged<PortPath, 32, DdrProtocol>;
  ControllerSocket reads{"reads"};
  ControllerSocket writes{"writes"};

  /// `period` is T; `beat_bytes` is the size of a beat of the design.
  PortPath(const sc_core::sc_module_name& name, Clock& clock, const sc_core::sc_time& period,
           unsigned beat_bytes, const PathConfig& config);
  ~PortPath() override;

  std::uint64_t take_beat(std::uint64_t time) override;
  [[nodiscard]] std::uint64_t room_behind(std::size_t beats) const override {
    if (beats >= drained_.size()) return ~std::uint64_t{0};
    return drained_[(oldest_drained_ + beats) % drained_.size()];
  }
  void reset() override;
  /// Tells the path that the controller is pulled (models/sim/pulled_memory.h), so that calls to it
  /// give the kernel nothing to do.
  void set_pulled() { pulled_ = true; }

  [[nodiscard]] const PathConfig& config() const { return config_; }
  /// Every request arrives at the controller at least this time after its call, and after the
  /// answer that it waited for. A request that waited for an END_REQ is made within that call and
  /// may arrive at its time.
  [[nodiscard]] sc_core::sc_time lookahead() const;
  /// Every beat and response comes at least this time after the controller's answer.
  [[nodiscard]] std::uint64_t answer_delay() const;

 private:
  /// A burst of the slave in flight.
  struct Burst {
    tlm::tlm_generic_payload* payload = nullptr;  ///< null: free
    BeatTimes* times = nullptr;
    std::uint64_t from = 0;    ///< time: a read's address has crossed; a write's is at the port
    unsigned port_beats = 0;   ///< all port beats of the burst
    unsigned cut = 0;          ///< port beats that are in chunks
    unsigned returned = 0;     ///< port beats of a read that have passed the R channel
    unsigned open = 0;         ///< chunks not yet sent, plus accesses not yet answered
    std::uint64_t answer = 0;  ///< time: end of a write's accesses so far, with the crossing
  };
  struct Access;
  /// Consecutive port beats of a burst. `outstanding` limits the number of chunks in flight.
  struct Chunk {
    Burst* burst;
    std::uint64_t ready;    ///< time: may go out from then on
    unsigned first, count;  ///< port beats
  };
  /// One of the `outstanding` places of a direction, and the chunk that was sent from it last.
  struct Place {
    unsigned open = 0;       ///< accesses not yet answered
    std::uint64_t done = 0;  ///< time: last answer so far, at the port
  };
  /// The state of one direction: reads or writes.
  struct Direction {
    ControllerSocket* socket = nullptr;
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    std::uint64_t there = 0;          ///< time from the port to the controller
    std::uint64_t back = 0;           ///< time from the controller to the port
    std::uint64_t back_crossing = 0;  ///< time of the crossing on the way back
    GrowingRing<Chunk> waiting;
    std::vector<Place> places;  ///< chunks take them in turn
    std::size_t next_place = 0;
    std::uint64_t last_issue = 0;  ///< time: the last chunk went out
    GrowingRing<Access*> to_send;  ///< accesses, in order
    std::vector<Access*> free;
    Access* request_phase = nullptr;  ///< sent, and not yet taken by the controller
    std::uint64_t free_from = 0;      ///< time: the controller took the last access

    [[nodiscard]] bool may_leave() { return !waiting.empty() && places[next_place].open == 0; }
    [[nodiscard]] bool may_send() { return !to_send.empty() && request_phase == nullptr; }
  };
  enum : unsigned { read = 0, write = 1 };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(int direction, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void free(tlm::tlm_generic_payload* payload) override;

  /// The time to which annotated delays are added.
  [[nodiscard]] std::uint64_t present() const {
    return pulled_ ? 0 : sc_core::sc_time_stamp().value();
  }
  Burst* new_burst(tlm::tlm_generic_payload& payload, std::uint64_t from);
  void begin_read(tlm::tlm_generic_payload& payload, std::uint64_t now);
  [[nodiscard]] unsigned chunk_beats(const Burst& burst) const;
  void plan_write_chunk();
  void form_write_chunks();
  void issue(Direction& direction);
  void make_accesses(Direction& direction, const Chunk& chunk, std::uint64_t time);
  Access* new_access(Direction& direction);
  void send(Direction& direction);
  void answered(Access& access, std::uint64_t time);
  void return_reads();
  /// Adds the parts of an answer's time to BeatTimes, for the beats of the burst before `until`.
  static void add_answer(const Access& access, std::size_t until);
  void finish(Burst* burst, std::uint64_t time);
  static void reset(Direction& direction);

  Clock& clock_;
  bool pulled_ = false;
  const PathConfig config_;
  PortClock port_;
  unsigned beat_bytes_;
  unsigned n_;                    ///< port beats per beat of the design
  unsigned port_bytes_;           ///< bytes of the burst in one port beat
  std::uint64_t in_[2], out_[2];  ///< time of the interconnect there and back, by direction
  std::array<Direction, 2> directions_;

  /// Accesses of reads whose data has not passed the R channel, in order.
  GrowingRing<Access*> returning_;
  std::uint64_t r_free_ = 0;       ///< edge of P from which on a beat may pass the R channel
  GrowingRing<Burst*> addressed_;  ///< writes whose chunks are not all formed, in order
  unsigned next_write_beats_ = 0;  ///< port beats in the next chunk of the oldest write
  /// Beats it needs in passed_; all ones: no write.
  std::size_t next_write_needs_ = ~std::size_t{0};
  GrowingRing<std::uint64_t> passed_;  ///< edges of P at which beats without a chunk have passed W
  std::uint64_t w_edge_ = 0;           ///< edge of P at which the last beat has passed W
  /// Times at which the last write_buffer_beats beats have passed; 0: none yet.
  std::vector<std::uint64_t> drained_;
  std::size_t oldest_drained_ = 0;

  std::vector<std::unique_ptr<Burst>> bursts_;
  std::vector<Burst*> free_bursts_;
  std::vector<std::unique_ptr<Access>> accesses_;
};

}  // namespace tactus
