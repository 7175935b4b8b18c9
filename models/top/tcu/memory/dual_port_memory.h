// Dual-port memory of vectors: local memory and the accumulators' storage.
//
// Each port takes one request a cycle; the ports are independent. A write is taken together with
// its data and lands at the clock edge. Read data is offered one cycle after the request and waits
// in a 3-entry queue; a read is taken while fewer than 2 entries are stored, so a stalled reader
// lets 3 reads through. Read and write of one address in the same cycle: the read sees the old
// vector. Contents start as zero. Vectors at or beyond the depth: reads give zeroes, writes are
// lost. Source: hardware spec sections 2.6 and 16.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/events.h"
#include "models/sim/queue.h"
#include "models/top/tcu/channels.h"

namespace tactus {

class DualPortMemory final : public sc_core::sc_module {
 public:
  struct Stats {
    std::array<std::uint64_t, 2> reads{}, writes{};  ///< vectors, ports A and B
  };

  /// The events of ports A and B.
  struct EventKinds {
    std::array<EventKind, 2> read, write;
  };
  /// Of one port in one cycle.
  enum State : unsigned { reads, writes, wait_reader, wait_data, rest };
  static constexpr std::array<UnitState, 5> state_table{{
      {"read", StateKind::busy, "a vector is read"},
      {"write", StateKind::busy, "a vector is written"},
      {"wait_reader", StateKind::stall, "a read waits because vectors read before are not taken"},
      {"wait_data", StateKind::stall, "a write waits for its vector"},
      {"idle", StateKind::idle, "no request"},
  }};

  /// `depth` in vectors. Throws UserError if the host cannot hold depth * vector_bytes.
  DualPortMemory(const sc_core::sc_module_name& name, Clock& clock, std::uint64_t depth,
                 std::uint64_t vector_bytes, const EventKinds& kinds, MemoryPort& port_a,
                 MemoryPort& port_b);

  void drive();   ///< read_data.valid, read_data.bits
  void accept();  ///< request.ready, write_data.ready; needs the requests driven
  void commit();
  [[nodiscard]] bool moves() const {  ///< see models/sim/engine.h
    return ports_[0]->request.fires() || ports_[1]->request.fires() ||
           ports_[0]->read_data.fires() || ports_[1]->read_data.fires();
  }
  bool redrive() {
    drive();
    return true;
  }
  void repeat() { commit(); }
  [[nodiscard]] Cycle steady(Cycle most) const;
  void offer_run(Cycle cycles);  ///< the vectors that are read; moves nothing
  void run(Cycle cycles);        ///< needs the requests and the vectors to be written

  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  [[nodiscard]] std::uint64_t vector_bytes() const { return vector_bytes_; }
  /// Lanes of one vector; address < depth.
  [[nodiscard]] const std::uint8_t* vector(std::uint64_t address) const {
    return storage_.get() + address * vector_bytes_;
  }
  [[nodiscard]] std::uint8_t* vector(std::uint64_t address) {
    return storage_.get() + address * vector_bytes_;
  }
  /// No read data waits on either port.
  [[nodiscard]] bool idle() const { return state_[0].data.empty() && state_[1].data.empty(); }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  void describe(const trace::Scope& scope) const;
  /// Settled wires of this cycle.
  [[nodiscard]] static State state(const MemoryPort& port) {
    const Link<MemoryRequest>& request = port.request;
    if (!request.valid) return rest;
    if (request.bits.write) return request.ready ? writes : wait_data;
    return request.ready ? reads : wait_reader;
  }

 private:
  struct PortState {
    explicit PortState(std::uint64_t vector_bytes) : data(4, vector_bytes) {}
    BlockRing data;          ///< read data in order, the newest possibly still on its way
    bool in_flight = false;  ///< a read was issued in the cycle before: not in the queue yet
    [[nodiscard]] std::size_t stored() const { return data.count() - (in_flight ? 1 : 0); }
    std::vector<VectorRef> run;  ///< what leaves in a run
  };

  [[nodiscard]] bool reads_port(unsigned p) const {
    return ports_[p]->request.fires() && !ports_[p]->request.bits.write;
  }
  [[nodiscard]] bool writes_port(unsigned p) const {
    return ports_[p]->request.fires() && ports_[p]->request.bits.write;
  }
  void finish_reads(unsigned port, Cycle cycles);
  void take_read(unsigned port);
  void take_write(unsigned port);

  Clock& clock_;
  std::uint64_t depth_;
  std::uint64_t vector_bytes_;
  EventKinds kinds_;
  std::array<MemoryPort*, 2> ports_;
  std::array<PortState, 2> state_;
  struct Free {
    void operator()(std::uint8_t* p) const { std::free(p); }
  };
  /// From calloc: pages that are never touched cost nothing.
  std::unique_ptr<std::uint8_t[], Free> storage_;
  std::vector<std::uint8_t> zero_;  ///< read beyond the depth
  Stats stats_;
};

}  // namespace tactus
