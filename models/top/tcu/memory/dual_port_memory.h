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

  void drive() {  ///< read_data.valid, read_data.bits
    drive<0>();
    drive<1>();
  }
  void accept() {  ///< request.ready, write_data.ready; needs the requests driven
    accept<0>();
    accept<1>();
  }
  void commit() {
    // Both reads before both writes: a read of an address written in this cycle sees the old
    // vector.
    take_read<0>();
    take_read<1>();
    take_write<0>();
    take_write<1>();
  }
  [[nodiscard]] bool moves() const {  ///< see models/sim/engine.h
    return ports_[0]->request.fires() || ports_[1]->request.fires() ||
           ports_[0]->read_data.fires() || ports_[1]->read_data.fires();
  }
  bool redrive() {
    redrive<0>();
    redrive<1>();
    return true;
  }
  void repeat() { commit(); }
  [[nodiscard]] Cycle steady(Cycle most) const;
  void offer_run(Cycle cycles);  ///< the vectors that are read; moves nothing
  void run(Cycle cycles);        ///< needs the requests and the vectors to be written
  /// run() where port B reads in every cycle, one vector is waiting there, and what port A writes
  /// is made of the vector that leaves: combine(i, vector read, where to write) for the i-th cycle.
  /// May write in place.
  template <typename Combine>
  void run_updates(Cycle cycles, const Combine& combine);

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
  /// Vectors read at the port and not taken yet.
  [[nodiscard]] std::size_t waiting(unsigned port) const { return state_[port].data.count(); }
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
  // The port is a template argument where every cycle passes: its state lies at a fixed place.
  template <unsigned p>
  void drive() {
    const bool valid = !state_[p].data.empty();
    ports_[p]->read_data.valid = valid;
    if (valid) ports_[p]->read_data.bits = state_[p].data.front();
  }
  template <unsigned p>
  void redrive() {
    if (ports_[p]->read_data.valid) ports_[p]->read_data.bits = state_[p].data.front();
  }
  template <unsigned p>
  void accept() {
    MemoryPort& port = *ports_[p];
    const bool write = port.request.bits.write;
    port.request.ready = write ? bool{port.write_data.valid} : state_[p].stored() < 2;
    port.write_data.ready = port.request.valid && write;
  }
  template <unsigned p>
  void take_read() {
    PortState& state = state_[p];
    const bool leaves = ports_[p]->read_data.fires();
    const bool enters = reads_port(p);
    if (!leaves && !enters && !state.in_flight) return;
    if (leaves != enters || state.in_flight != enters) ++clock_.turns;
    state.in_flight = enters;
    if (leaves) {
      state.data.pop();
      ++clock_.progress;
    }
    if (!enters) return;
    ++stats_.reads[p];
    const std::uint64_t address = ports_[p]->request.bits.address;
    if (clock_.events != nullptr) tell(kinds_.read[p], address, nullptr);
    copy_block(state.data.push(), vector_or_zero(address), vector_bytes_);
  }
  template <unsigned p>
  void take_write() {
    if (!writes_port(p)) return;
    ++stats_.writes[p];
    const std::uint64_t address = ports_[p]->request.bits.address;
    const VectorRef data = ports_[p]->write_data.bits;
    if (clock_.events != nullptr) tell(kinds_.write[p], address, data);
    if (address < depth_) copy_block(vector(address), data, vector_bytes_);
  }
  void tell(EventKind kind, std::uint64_t address, VectorRef data);
  [[nodiscard]] VectorRef vector_or_zero(std::uint64_t address) const {
    return address < depth_ ? vector(address) : zero_.data();
  }
  void finish_reads(unsigned port, Cycle cycles);
  void shift_reads(unsigned port, VectorRef vector);
  /// In one of two places, for the one that is read and the one that leaves.
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
  ZeroedBytes storage_;
  std::vector<std::uint8_t> zero_;    ///< read beyond the depth
  std::vector<std::uint8_t> copies_;  ///< of two vectors, see copy_of()
  Stats stats_;
};

template <typename Combine>
void DualPortMemory::run_updates(Cycle cycles, const Combine& combine) {
  const MemoryRequest* written = ports_[0]->request.run;
  const MemoryRequest* read = ports_[1]->request.run;
  VectorRef leaves = state_[1].data.front();
  for (Cycle i = 0; i < cycles; ++i) {
    // What is read waits for one cycle, where only this cycle's write could change it.
    VectorRef enters = vector_or_zero(read[i].address);
    if (read[i].address == written[i].address) enters = copy_of(enters, i);
    if (written[i].address < depth_) combine(i, leaves, vector(written[i].address));
    leaves = enters;
  }
  shift_reads(1, leaves);
  stats_.writes[0] += cycles;
  stats_.reads[1] += cycles;
}

}  // namespace tactus
