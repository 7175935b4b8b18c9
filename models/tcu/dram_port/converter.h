// Converter: turns vector requests into AXI bursts, vectors into beats and back.
//
// m = N / scalars per beat beats a vector. Requests longer than floor(256 / m) vectors are split.
// Four 2-entry queues at its borders (requests, data out, R, B). Reads and writes exclude each
// other: a read address issues only while no write is outstanding and the other way round. A write
// request stays at the head until the last beat of its data has left, so the next write address
// follows the previous burst's data. Writing: registered serializer, one beat a cycle. Reading: a
// vector is offered the cycle after its last beat (m > 1), in the same cycle (m = 1). Address =
// vector address * vector bytes + offset register, in 32 bits. Source: spec section 10.1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/axi/axi.h"
#include "models/axi/beat_queue.h"
#include "models/sim/clock.h"
#include "models/sim/fork.h"
#include "models/sim/queue.h"
#include "models/tcu/decoder/decoder.h"
#include "models/tcu/tcu.h"

namespace tactus {

class Converter final : public sc_core::sc_module {
 public:
  Converter(const sc_core::sc_module_name& name, Clock& clock,
            const tcu::Architecture& architecture, unsigned beat_bytes, unsigned port,
            const ConfigRegisters& registers, DramLinks& tcu, AxiLinks& axi);

  void drive();
  void commit();

  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// Numbers of the current beats in their vectors.
  [[nodiscard]] unsigned beat_phase() const {
    return (word_index_ << 1 | (word_valid_ ? 1U : 0U)) << 16 | beats_received_ << 1 |
           (vector_valid_ ? 1U : 0U);
  }
  [[nodiscard]] bool idle() const {
    return requests_.empty() && vectors_out_.empty() && !word_valid_ && read_beats_.empty() &&
           !vector_valid_ && beats_received_ == 0 && outstanding_reads_ == 0 &&
           outstanding_writes_ == 0;
  }
  [[nodiscard]] std::string waits_for() const;
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] unsigned outstanding_reads() const { return outstanding_reads_; }
  [[nodiscard]] unsigned outstanding_writes() const { return outstanding_writes_; }
  /// The request at the head is a write, and none of its vectors is here.
  [[nodiscard]] bool lacks_vectors() const {
    return !requests_.empty() && requests_.front().write && !word_valid_ && vectors_out_.empty();
  }

 private:
  /// The part of the head request that fits one burst.
  struct Piece {
    AxiAddress address;
    bool last = true;  ///< last burst of its request
  };
  [[nodiscard]] Piece piece(const DramRequest& request) const {
    const std::uint64_t left = request.size + 1 - vectors_issued_;
    const std::uint64_t vectors = std::min(left, vectors_per_burst_);
    Piece piece;
    piece.last = vectors == left;
    // The RTL adds in the width of a vector address, so the later pieces of a request that runs
    // past the depth wrap; within a piece addresses run on.
    const std::uint64_t vector = (request.address + vectors_issued_) & address_mask_;
    piece.address.address =
        static_cast<std::uint32_t>(vector * vector_bytes_ + registers_.dram_offset[port_]);
    piece.address.length = static_cast<std::uint16_t>(vectors * beats_per_vector_ - 1);
    piece.address.cache = registers_.dram_cache[port_];
    return piece;
  }
  [[nodiscard]] AxiBeat beat() const {
    return {word_[word_now_].data() + word_index_ * beat_bytes_,
            beats_sent_ == piece_.address.length};
  }
  [[nodiscard]] VectorRef vector_in() {
    return beats_per_vector_ == 1 ? read_beats_.front().data : vector_[1 - filling_].data();
  }
  void pieces_registers(Registers& r);
  void commit_request();
  void commit_write_data();
  void commit_read_data();

  Clock& clock_;
  const ConfigRegisters& registers_;
  DramLinks& tcu_;
  AxiLinks& axi_;
  const tcu::VectorKernels& kernels_;
  unsigned port_;
  unsigned beat_bytes_;
  unsigned lanes_;
  unsigned lanes_per_beat_;
  unsigned vector_bytes_;
  unsigned beats_per_vector_;  ///< m
  std::uint64_t vectors_per_burst_;
  std::uint64_t address_mask_;  ///< mask of a vector address

  Queue<DramRequest, QueueKind::plain, 2> requests_;
  std::uint64_t vectors_issued_ = 0;  ///< vectors of the request at the head, in earlier bursts
  Piece piece_;                       ///< piece offered in this cycle
  enum WriteLeg : unsigned { leg_address = 1, leg_data = 2 };
  Fork write_fork_;  ///< fork of a write's piece: its address, and its data up to the last beat
  unsigned outstanding_reads_ = 0;
  unsigned outstanding_writes_ = 0;

  BlockRing vectors_out_;              ///< 2-entry queue of vectors to write
  std::vector<std::uint8_t> word_[2];  ///< the serializer's vector, as bytes, and the one before
  unsigned word_now_ = 0;              ///< which of the two
  unsigned word_index_ = 0;
  bool word_valid_ = false;
  unsigned beats_sent_ = 0;  ///< beats of the current burst

  BeatQueue read_beats_;                 ///< beats as lanes
  std::vector<std::uint8_t> vector_[2];  ///< one being offered, one being filled
  unsigned filling_ = 0;
  unsigned beats_received_ = 0;
  bool vector_valid_ = false;
  std::vector<std::uint8_t> lanes_in_;
  Queue<AxiResponse, QueueKind::plain, 2> responses_;
  bool copies_;  ///< bytes are lanes
};

}  // namespace tactus
