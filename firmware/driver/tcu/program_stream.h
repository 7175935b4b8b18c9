// The instruction stream: a program's bytes, word by word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/axi/stream_reader.h"
#include "models/tcu/system.h"

namespace tactus {

/// Offers the words of one program after the other, with a pause of `gap` cycles after each word.
/// With a reader, a word is available when the reader has read it.
class ProgramStream final : public InstructionSource {
 public:
  explicit ProgramStream(unsigned word_bytes, Cycle gap = 0) : word_bytes_(word_bytes), gap_(gap) {}

  /// Starts at the first word of a program of whole words.
  void start(std::vector<std::uint8_t> bytes) {
    own_ = std::move(bytes);
    start(own_, word_bytes_);
  }
  /// Starts at the first word of a program of whole instructions. The program is not copied, so it
  /// must outlive its use. Zero bytes (NoOps) pad it to a whole number of words and instructions.
  void start(const std::vector<std::uint8_t>& program, unsigned instruction_bytes);

  /// Sets the reader; null: all words are available at once.
  void read_through(StreamReader* reader) { reader_ = reader; }

  const std::uint8_t* word(Cycle now) override {
    if (exhausted() || now < next_) return nullptr;
    if (reader_ != nullptr && !available()) return nullptr;
    return position_ < whole_ ? program_ + position_ : rest_.data() + (position_ - whole_);
  }
  void taken(Cycle now) override {
    position_ += word_bytes_;
    next_ = now + 1 + gap_;
    if (reader_ != nullptr) reader_->take();
  }
  [[nodiscard]] bool exhausted() const override { return position_ >= size_; }
  [[nodiscard]] bool waits_for_memory() const override {
    return reader_ != nullptr && reader_->waits_for_memory();
  }
  [[nodiscard]] Cycle waits(Cycle now, Cycle most) const override {
    if (now < next_) return std::min(most, next_ - now);
    if (now == next_) return 0;  // the reader has not been asked for this word yet
    return reader_ == nullptr ? 0 : reader_->waits(most);
  }
  [[nodiscard]] Account* memory_account() override {
    return reader_ == nullptr ? nullptr : &reader_->account();
  }
  [[nodiscard]] std::optional<Program> program() const override {
    if (gap_ != 0 || reader_ != nullptr) return {};
    return Program{program_, whole_, rest_.data(), size_ / word_bytes_, words_taken()};
  }
  void seek(std::uint64_t taken) override {
    position_ = taken * word_bytes_;
    next_ = 0;
  }
  /// Bytes of the program, padding included.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Words of the program taken so far.
  [[nodiscard]] std::size_t words_taken() const { return position_ / word_bytes_; }

 private:
  [[nodiscard]] bool available();

  std::vector<std::uint8_t> own_;
  const std::uint8_t* program_ = nullptr;
  std::size_t whole_ = 0;           ///< bytes of the program's whole words
  std::vector<std::uint8_t> rest_;  ///< bytes of the program behind its whole words, and padding
  std::size_t size_ = 0;            ///< bytes with padding
  unsigned word_bytes_;
  Cycle gap_;
  StreamReader* reader_ = nullptr;
  std::size_t position_ = 0;
  Cycle next_ = 0;
};

}  // namespace tactus
