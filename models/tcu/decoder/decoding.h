// What the decoder makes of an instruction: the requests to the units, which are its legs, with the
// fields of each.
#pragma once

#include <array>
#include <cstdint>

#include "isa/tcu/instruction.h"
#include "isa/tcu/instruction_kind.h"
#include "models/tcu/channels.h"
#include "models/tcu/decoder/local_order.h"
#include "models/tcu/systolic_array/weight_loads.h"

namespace tactus {

/// Legs and items, as the decoder and its decoding name them.
struct DecoderItems {
  /// Mask of an address or a size of so many bits.
  static constexpr std::uint64_t mask_of(unsigned bits) {
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }

  /// Streams to which an instruction sends requests. A set of them is a bit mask.
  /// Decoder::make_streams() has the same order.
  enum Leg : unsigned {
    leg_dataflow = 1,
    leg_local_a = 2,
    leg_local_b = 4,
    leg_accumulator = 8,
    leg_array = 16,
    leg_dram0 = 32,
    leg_dram1 = 64,
    leg_host = 128,
    leg_dais = 256,
  };
  static constexpr unsigned leg_count = 9;
  static constexpr unsigned all_legs = (1U << leg_count) - 1;
  /// Legs without a queue: their items stay at the head.
  static constexpr unsigned local_legs = leg_local_a | leg_local_b;
  /// Legs of transfers.
  static constexpr unsigned transfer_legs = leg_local_b | leg_dram0 | leg_dram1 | leg_host;
  [[nodiscard]] static Leg dram_leg(unsigned port) { return port == 0 ? leg_dram0 : leg_dram1; }

  struct AccumulatorItem {
    AccumulatorControl control;
    std::uint64_t size = 0;
    std::uint64_t step = 0;
    std::uint32_t form = 0;  ///< index in DecoderShapes::Table::forms, with Clock::timing_only
  };

  struct DramItem {
    DramRequest request;
    std::uint64_t step = 0;  ///< 0: one request for the whole range
  };

  /// A decoded instruction: its fields, truncated to the widths of the streams that use them.
  struct Decoded {
    tcu::Instruction raw;
    tcu::InstructionKind kind = tcu::InstructionKind::no_op;
    unsigned context = 0;  ///< code of the instruction's first state in the account
    std::uint64_t vectors = 0;
    unsigned legs = 0;
    unsigned moves = 0;  ///< legs that it has in the queue for transfers
    Dataflow dataflow;
    bool local_write = false;
    bool local_reverse = false;
    std::uint64_t local_base = 0;
    std::uint64_t local_size = 0;
    std::uint64_t local_step = 0;
    /// Range of local vectors that it may use. Set only in machines with extensions.
    std::uint64_t local_low = 0, local_high = 0;
    bool is_sent = false;  ///< true once its weights have been sent
    WeightLoad weights;    ///< used if weights have reads of their own
    AccumulatorItem accumulator;
    ArrayControl array;
    DaisControl dais;
    HostDataflow host;
    DramItem dram;
    std::uint32_t shape = 0;  ///< index in DecoderShapes::Table::shapes, with Clock::timing_only
    LocalOrder order;         ///< order at the head, in machines with extensions
    /// True if it has requests to port B of local memory at the head, as transfers have.
    [[nodiscard]] bool moves_dram() const { return (legs & leg_local_b) != 0; }
  };
};

/// Decodes instructions for one machine.
class Decoding : private DecoderItems {
 public:
  /// `sends_weights`: weights have reads of their own.
  Decoding(const tcu::Architecture& architecture, bool sends_weights);

  void decode(const tcu::Instruction& raw, Decoded& d) const;

 private:
  void decode_mat_mul(Decoded& d) const;
  void decode_dram_move(Decoded& d) const;
  void decode_accumulator_move(Decoded& d) const;
  void require_table(const tcu::Instruction& raw) const;
  void decode_load_weights(Decoded& d) const;
  void decode_weight_load(Decoded& d, std::uint64_t size, bool zeroes) const;
  void decode_simd(Decoded& d) const;
  void decode_dais(Decoded& d) const;
  void decode_load_lut(Decoded& d) const;
  void decode_load_activation(Decoded& d) const;
  void set_local_range(Decoded& d) const;
  void set_local(Decoded& d, unsigned leg, bool write, std::uint64_t size) const;
  void set_accumulator(Decoded& d, bool read, bool accumulate) const;

  const tcu::Architecture architecture_;
  const tcu::InstructionLayout layout_;
  const bool sends_weights_;
  const bool queues_transfers_;
  const std::uint64_t local_mask_;        ///< mask of addresses and sizes
  const std::uint64_t accumulator_mask_;  ///< mask of addresses
  const std::array<std::uint64_t, 2> dram_mask_;
};

}  // namespace tactus
