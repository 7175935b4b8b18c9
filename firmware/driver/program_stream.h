// The instruction stream: a program's bytes, word by word.
#pragma once

#include <cstdint>
#include <vector>

#include "models/top/top.h"

namespace tactus {

/// Offers the words of one program after the other. After each word it pauses for `gap` cycles.
class ProgramStream final : public InstructionSource {
 public:
  explicit ProgramStream(unsigned word_bytes, Cycle gap = 0) : word_bytes_(word_bytes), gap_(gap) {}

  /// Starts over with a program of whole words.
  void start(std::vector<std::uint8_t> bytes) {
    bytes_ = std::move(bytes);
    position_ = 0;
  }

  const std::uint8_t* word(Cycle now) override {
    return exhausted() || now < next_ ? nullptr : bytes_.data() + position_;
  }
  void taken(Cycle now) override {
    position_ += word_bytes_;
    next_ = now + 1 + gap_;
  }
  [[nodiscard]] bool exhausted() const override { return position_ >= bytes_.size(); }
  /// Words of the present program taken so far.
  [[nodiscard]] std::size_t words_taken() const { return position_ / word_bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
  unsigned word_bytes_;
  Cycle gap_;
  std::size_t position_ = 0;
  Cycle next_ = 0;
};

/// Appends zero bytes (NoOps) until the program is a whole number of instructions and of words.
void pad_program(std::vector<std::uint8_t>& bytes, unsigned instruction_bytes, unsigned word_bytes);

}  // namespace tactus
