// Dual-port memory of vectors: local memory and the accumulators' storage.
//
// Each port takes one request a cycle; the ports are independent. A write is taken together with
// its data and lands at the clock edge. Read data is offered one cycle after the request and waits
// in a 3-entry queue; a read is taken while fewer than 2 entries are stored, so a stalled reader
// lets 3 reads through. Read and write of one address in the same cycle: the read sees the old
// vector. Contents start as zero. Vectors at or beyond the depth: reads give zeroes, writes are
// lost. Source: hardware spec sections 2.6 and 16.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/events.h"
#include "models/sim/queue.h"
#include "models/tcu/channels.h"

namespace tactus {

class DualPortMemory : public sc_core::sc_module {
 public:
  struct Stats {
    std::array<std::uint64_t, 2> reads{}, writes{};  ///< vectors, ports A and B
  };

  /// The events of ports A and B.
  struct EventKinds {
    std::array<EventKind, 2> read, write;
  };
  /// States of one port, one for each cycle.
  enum State : std::uint8_t { reads, writes, wait_reader, wait_data, rest };
  static constexpr std::array<UnitState, 5> state_table{{
      {"read", StateKind::busy, "a vector is read"},
      {"write", StateKind::busy, "a vector is written"},
      {"wait_reader", StateKind::stall,
       "a read waits because vectors read earlier have not been taken"},
      {"wait_data", StateKind::stall, "a write waits for its vector"},
      {"idle", StateKind::idle, "no request"},
  }};

  /// `depth` in vectors. Throws UserError if the host cannot hold depth * vector_bytes.
  DualPortMemory(const sc_core::sc_module_name& name, Clock& clock, std::uint64_t depth,
                 std::uint64_t vector_bytes, const EventKinds& kinds, MemoryPort& port_a,
                 MemoryPort& port_b);

  template <typename List>
  void border(List& list) {  ///< see Border
    const unsigned address_bits = std::max(1U, tcu::address_bits(depth_));
    list.consumes("request_a", ports_[0]->request, address_bits);
    list.consumes("write_data_a", ports_[0]->write_data);
    list.produces("read_data_a", ports_[0]->read_data);
    list.consumes("request_b", ports_[1]->request, address_bits);
    list.consumes("write_data_b", ports_[1]->write_data);
    list.produces("read_data_b", ports_[1]->read_data);
  }
  void drive() {  ///< read_data.valid, read_data.bits
    drive_port<0>();
    drive_port<1>();
  }
  void accept() {  ///< request.ready, write_data.ready; needs the requests driven
    accept_port<0>();
    accept_port<1>();
  }
  void commit() {
    decide();
    move();
  }

  /// Changes of one port at the clock edge.
  struct PortEdge {
    bool leaves, enters, writes;  ///< read data, a read request, a write request
    State state;
  };
  struct Edge {
    std::array<PortEdge, 2> ports;
    bool rests;  ///< no register moves
  };

 private:
  struct PortState {
    explicit PortState(std::uint64_t vector_bytes) : data(4, vector_bytes) {}
    BlockRing data;          ///< read data in order, the newest possibly still on its way
    bool in_flight = false;  ///< a read was issued in the cycle before: not in the queue yet
    [[nodiscard]] std::size_t stored() const { return data.count() - (in_flight ? 1 : 0); }
  };

 public:
  void decide();
  [[nodiscard]] const Edge& edge() const { return edge_; }
  [[nodiscard]] bool sleeps() const { return edge_.rests; }  ///< models/sim/activity.h
  void move() {
    if (edge_.rests) return;
    // Both reads before both writes: a read of an address written in this cycle sees the old
    // vector.
    take_read<0>();
    take_read<1>();
    take_write<0>();
    take_write<1>();
  }
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
  [[nodiscard]] bool idle() const { return idle(0) && idle(1); }
  [[nodiscard]] bool idle(unsigned port) const { return state_[port].data.empty(); }
  /// Vectors read at the port and not taken yet.
  [[nodiscard]] std::size_t waiting(unsigned port) const { return state_[port].data.count(); }
  /// See models/sim/fast/registers.h.
  void registers(Registers& r) {
    registers(r, 0);
    registers(r, 1);
  }
  void registers(Registers& r, unsigned port);
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  /// Zeroes beyond the depth.
  [[nodiscard]] VectorRef vector_or_zero(std::uint64_t address) const {
    return address < depth_ ? vector(address) : zero_.data();
  }
  void describe(const trace::Scope& scope) const;

 private:
  [[nodiscard]] static State state(const MemoryPort& port);
  // The port is a template argument in functions that run in every cycle, so that its state has a
  // constant address.
  template <unsigned p>
  void drive_port() {
    ports_[p]->read_data.valid = !state_[p].data.empty();
    if (!state_[p].data.empty()) ports_[p]->read_data.bits = state_[p].data.front();
  }
  template <unsigned p>
  void accept_port() {
    MemoryPort& port = *ports_[p];
    const bool write = port.request.bits.write;
    port.request.ready = write ? bool{port.write_data.valid} : state_[p].stored() < 2;
    port.write_data.ready = port.request.valid && write;
  }
  template <unsigned p>
  void take_read() {
    PortState& state = state_[p];
    const PortEdge& edge = edge_.ports[p];
    state.in_flight = edge.enters;
    if (edge.leaves) {
      state.data.pop();
      ++clock_.progress;
    }
    if (!edge.enters) return;
    ++stats_.reads[p];
    const std::uint64_t address = ports_[p]->request.bits.address;
    if (clock_.events != nullptr) tell(kinds_.read[p], address, nullptr);
    std::uint8_t* const kept = state.data.push();
    if (!clock_.timing_only) copy_block(kept, vector_or_zero(address), vector_bytes_);
  }
  template <unsigned p>
  void take_write() {
    if (!edge_.ports[p].writes) return;
    ++stats_.writes[p];
    const std::uint64_t address = ports_[p]->request.bits.address;
    const VectorRef data = ports_[p]->write_data.bits;
    if (clock_.events != nullptr) tell(kinds_.write[p], address, data);
    if (clock_.timing_only) return;
    if (address < depth_) copy_block(vector(address), data, vector_bytes_);
  }
  void tell(EventKind kind, std::uint64_t address, VectorRef data);

  Clock& clock_;
  std::uint64_t depth_;
  std::uint64_t vector_bytes_;
  EventKinds kinds_;
  std::array<MemoryPort*, 2> ports_;
  std::array<PortState, 2> state_;
  Edge edge_{};
  ZeroedBytes storage_;
  std::vector<std::uint8_t> zero_;  ///< read beyond the depth
  Stats stats_;
};

}  // namespace tactus
