// The program that sequences take: its bytes, and the instructions from the last rest on.
//
// Instructions that have entered the decoder are numbered by place. The two instructions before the
// program, which the slots of the decoder's queue still show, have places 0 and 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/tcu/fast/known_design.h"
#include "models/tcu/fast/local_orders.h"
#include "models/tcu/fast/program_items.h"
#include "models/tcu/system.h"

namespace tactus {

class SequenceProgram {
 public:
  struct Known {
    ProgramItem item;
    std::uint32_t shape = 0;
  };

  SequenceProgram(InstructionSource& source, StreamAdapter& stream, Decoder& decoder,
                  const tcu::Architecture& architecture, unsigned word_bytes);

  /// Reads what the source offers. Returns the instruction that is accepted next; none if it is
  /// unknown or if the program ends soon.
  [[nodiscard]] std::optional<std::uint64_t> find();
  /// Begins a sequence before instruction `next`. Adds shapes to `design`.
  void begin(std::uint64_t next, KnownDesign& design);
  /// Ends a path: instructions before `next` are no longer needed.
  void drop_before(std::uint64_t next);
  /// Reads the items before instruction `upto`. Returns false if one of them cannot be taken in a
  /// sequence.
  [[nodiscard]] bool know(std::uint64_t upto) {
    return place_of(upto) <= first_place_ + items_.size() || know_more(upto);
  }
  /// An instruction that is known.
  [[nodiscard]] const Known& operator[](std::uint64_t instruction) const {
    return items_[place_of(instruction) - first_place_];
  }
  /// Number of instructions.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// A number for the distance of the program's end when this instruction is the next to be
  /// accepted. It is 0 for all instructions that are far from the end. For each of the last few it
  /// differs, and depends on the number of bytes after the last instruction.
  [[nodiscard]] std::uint64_t ending(std::uint64_t next) const {
    const std::uint64_t left = count_ - next;
    return left >= many_ ? 0 : (leftover_ + 1) * many_ - left;
  }
  /// Returns the bytes of an instruction, valid until the next call of a function.
  [[nodiscard]] const std::uint8_t* instruction(std::uint64_t number) {
    return bytes(number * items_of_.instruction_bytes(), items_of_.instruction_bytes());
  }
  /// Sets stream and source to this instruction, which is accepted next, and gives the decoder the
  /// shapes or the instructions that entered before it.
  void load(std::uint64_t next);
  void show_shapes();
  void show_instructions(std::uint64_t next);

 private:
  [[nodiscard]] static std::uint64_t place_of(std::uint64_t instruction) { return instruction + 2; }
  [[nodiscard]] bool know_more(std::uint64_t upto);
  [[nodiscard]] tcu::Instruction entered(std::uint64_t place);
  [[nodiscard]] const std::uint8_t* bytes(std::uint64_t at, std::uint64_t count);

  InstructionSource& source_;
  StreamAdapter& stream_;
  Decoder& decoder_;
  ProgramItems items_of_;
  LocalOrders orders_;
  KnownDesign* design_ = nullptr;
  unsigned word_bytes_;

  InstructionSource::Program program_;
  std::uint64_t count_ = 0;
  std::uint64_t in_sequences_ = 0;  ///< number of instructions, from the first on, to be taken
  std::uint64_t leftover_ = 0;      ///< bytes after the last instruction, too few for another one
  /// If at least this many instructions have not been accepted when an interval begins, the
  /// interval does not reach the end of the stream.
  std::uint64_t many_ = 0;
  std::vector<std::uint8_t> torn_;  ///< a part of the program that is not contiguous in memory
  /// Instructions that entered before the program
  std::array<tcu::Instruction, 2> entered_before_;
  std::vector<Known> items_;  ///< items from first_place_ on
  std::uint64_t first_place_ = 0;
  std::optional<std::uint64_t> last_access_;  ///< last address of the accumulators
};

}  // namespace tactus
