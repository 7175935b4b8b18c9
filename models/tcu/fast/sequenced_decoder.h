// The decoder as known sequences see it (models/tcu/fast/known_sequences.h): its registers, with
// shapes in place of instructions, and what waits and rests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/tcu/decoder/decoder.h"

namespace tactus {

/// Has no data of its own, and costs nothing to make.
class SequencedDecoder : private DecoderItems {
 public:
  explicit SequencedDecoder(Decoder& decoder) : d_(decoder) {}

  [[nodiscard]] DecoderShapes& shapes() { return d_.shapes_; }
  /// Sets the shapes of the instructions in the queue: of the last but one that entered, and of the
  /// last.
  void adopt_shapes(const std::array<std::uint32_t, 2>& shapes);
  /// Sets the instructions in the queue again, in place of their shapes.
  void adopt_instructions(const std::array<tcu::Instruction, 2>& instructions);
  /// The last instruction but one that entered, and the last. Before the first they are NoOps.
  [[nodiscard]] std::array<tcu::Instruction, 2> last_entered();

  /// See models/sim/fast/registers.h; with shapes in place of instructions. There are two parts:
  /// registers for transfers, and all others. `alone`: without the registers by which the other
  /// part affects this one.
  void registers_of_moves(Registers& r, bool alone);
  void registers_but_moves(Registers& r, bool alone);
  /// The instructions at the head and behind it, with which registers_but_moves() begins.
  void registers_of_instructions(Registers& r);
  /// Cycles without progress at the head, up to the timeout.
  [[nodiscard]] std::uint16_t& timer() { return d_.timer_; }

  /// Instructions that entered so far.
  [[nodiscard]] std::uint64_t accepted() const { return d_.accepted_; }
  /// Number of instructions that wait at the head or behind it.
  [[nodiscard]] std::size_t waiting() const { return d_.queue_.count(); }
  /// True if no request is under way; instructions may wait.
  [[nodiscard]] bool rests() const { return rests(all_legs); }
  [[nodiscard]] bool moves_rest() const { return rests(transfer_legs); }
  [[nodiscard]] bool rests_but_moves() const { return rests(all_legs & ~transfer_legs); }
  /// True if a transfer has left the head, but not all of its requests.
  [[nodiscard]] bool moves_dram() const {
    return !d_.host_queue_.empty() || !d_.dram_queue_[0].empty() || !d_.dram_queue_[1].empty();
  }
  /// True if instructions may have to wait at the head for queued transfers or weights.
  [[nodiscard]] bool has_blocks() const { return d_.has_blocks(); }

  /// True if the instruction at the head, or the last one that was there, is a transfer for which
  /// there is no queue.
  [[nodiscard]] bool head_moves_dram() const { return d_.queue_.front().moves_dram(); }
  [[nodiscard]] std::uint32_t head_shape() const { return d_.queue_.front().shape; }
  [[nodiscard]] unsigned head_context() const { return d_.queue_.front().context; }
  /// True if the DRAM port and the host router have received the head's requests.
  [[nodiscard]] bool head_move_has_begun() const;
  /// While `holds`, a transfer at the head waits there, as if earlier ones had to be done first.
  void hold_moves(bool holds) {
    d_.holds_moves_ = holds;
    d_.blocked_ = Decoder::Block::none;
    d_.turned_ = true;
  }
  /// Removes the DataMove at the head, as if it had completed in the last cycle.
  void drop_head();

  /// Notes that `count` instructions retired, the last one in cycle `last`, without any other
  /// counters.
  void note_retires(std::uint64_t count, Cycle last) {
    d_.registers_.program_counter += static_cast<std::uint32_t>(count);
    d_.stats_.last_retire = last;
  }
  /// Resets the counters of retires to an earlier cycle.
  void reset_retires(std::uint32_t program_counter, Cycle last) {
    d_.registers_.program_counter = program_counter;
    d_.stats_.last_retire = last;
  }
  /// Notes that observers know the current levels.
  void adopt_levels() { d_.told_levels_ = d_.levels(); }

 private:
  template <typename Fill>
  void adopt(const Fill& fill);
  [[nodiscard]] bool rests(unsigned legs) const;
  void number_registers(Registers& r, Decoded& d) const;
  void transfer_registers(Registers& r);
  void shape_register(Registers& r, Decoded& d);
  void item_registers(Registers& r, Decoded& d);
  void item_registers(Registers& r, AccumulatorItem& item);
  void item_registers(Registers& r, DramItem& item, std::uint64_t offset);
  /// Saves or loads the bits of the legs `of` in a register of legs.
  static void leg_registers(Registers& r, unsigned& legs, unsigned of);
  void fork_registers(Registers& r, unsigned of);
  void stream_registers(Registers& r, unsigned of);
  void forget_wires();

  Decoder& d_;
};

inline SequencedDecoder sequenced(Decoder& decoder) { return SequencedDecoder(decoder); }

}  // namespace tactus
