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
#include <vector>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/events.h"
#include "models/sim/fast/edge_fields.h"
#include "models/sim/fast/facts.h"
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
  /// Of one port in one cycle.
  enum State : std::uint8_t { reads, writes, wait_reader, wait_data, rest };
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

  // See models/sim/engine.h.
  /// Of one port.
  struct PortEdge {
    bool leaves, enters, writes;  ///< read data, a read request, a write request
    State state;
    static constexpr auto fields() {
      return edge_fields(
          edge_field("leaves", &PortEdge::leaves), edge_field("enters", &PortEdge::enters),
          edge_field("writes", &PortEdge::writes), edge_field("state", &PortEdge::state));
    }
  };
  struct Edge {
    std::array<PortEdge, 2> ports;
    bool turns, rests;
    static constexpr auto fields() {
      return edge_fields(edge_field("ports", &Edge::ports), edge_field("turns", &Edge::turns),
                         edge_field("rests", &Edge::rests));
    }
  };

 private:
  struct PortState {
    explicit PortState(std::uint64_t vector_bytes) : data(4, vector_bytes) {}
    BlockRing data;          ///< read data in order, the newest possibly still on its way
    bool in_flight = false;  ///< a read was issued in the cycle before: not in the queue yet
    [[nodiscard]] std::size_t stored() const { return data.count() - (in_flight ? 1 : 0); }
    [[nodiscard]] auto fact_list() const {
      return list_facts(fact<2>("reads", data.count()), fact<1>("in_flight", in_flight));
    }
    std::vector<VectorRef> stretch;  ///< what leaves in a stretch
  };

 public:
  [[nodiscard]] auto fact_list() const {
    return list_facts(fact_group("port_a", state_[0].fact_list()),
                      fact_group("port_b", state_[1].fact_list()));
  }
  [[nodiscard]] auto facts() const { return fact_list().packed(); }
  void decide();
  [[nodiscard]] const Edge& edge() const { return edge_; }
  void recall(const Edge& edge) {
    edge_ = edge;
    if (edge.rests) return;
    show<0>();
    show<1>();
  }
  void move() {
    if (edge_.rests) return;
    // Both reads before both writes: a read of an address written in this cycle sees the old
    // vector.
    take_read<0>();
    take_read<1>();
    take_write<0>();
    take_write<1>();
  }
  [[nodiscard]] Cycle steady(Cycle most) const;
  void offer_stretch(Cycle cycles);  ///< the vectors that are read; moves nothing
  void stretch(Cycle cycles);        ///< needs the requests and the vectors to be written
  /// The same for a stretch of updates: port B reads in every cycle, one vector is waiting there,
  /// and port A writes what `combine` makes of the vector that leaves port B. Calls combine(i,
  /// count, read, written) for `count` cycles from the i-th on, whose vectors lie one behind the
  /// other in memory; `read` and `written` may be the same place. In
  /// models/tcu/fast/memory_stretch.h.
  template <typename Combine>
  void stretch_updates(Cycle cycles, const Combine& combine);

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
  // The port is a template argument where every cycle passes: its state lies at a fixed place.
  template <unsigned p>
  void drive_port() {
    ports_[p]->read_data.valid = !state_[p].data.empty();
    show<p>();
  }
  template <unsigned p>
  void show() {
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
  void finish_reads(unsigned port, Cycle cycles);
  void shift_reads(unsigned port, VectorRef vector);
  /// A copy of the vector. It lasts until the second call after this one.
  [[nodiscard]] VectorRef copy_of(VectorRef vector, Cycle i) {
    std::uint8_t* copy = copies_.data() + (i & 1) * vector_bytes_;
    copy_block(copy, vector, vector_bytes_);
    return copy;
  }

  Clock& clock_;
  std::uint64_t depth_;
  std::uint64_t vector_bytes_;
  EventKinds kinds_;
  std::array<MemoryPort*, 2> ports_;
  std::array<PortState, 2> state_;
  Edge edge_{};
  ZeroedBytes storage_;
  std::vector<std::uint8_t> zero_;    ///< read beyond the depth
  std::vector<std::uint8_t> copies_;  ///< of two vectors, see copy_of()
  Stats stats_;
};

static_assert(names_all_fields<DualPortMemory::PortEdge>());
static_assert(names_all_fields<DualPortMemory::Edge>());

}  // namespace tactus
