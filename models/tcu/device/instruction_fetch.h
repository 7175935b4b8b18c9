// The memory-to-stream channel of a TcuDevice's DMA: reads a program from memory and offers its
// words to the unit.
//
// Words are available as its StreamReader has them. If the memory grants direct access (DMI) with
// the same latency as its transactions, and the bursts in flight hide this latency, a word is
// available in every cycle from the first one on. Then the whole program is read at once, and the
// fast engine may take it in sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/axi/stream_reader.h"
#include "models/tcu/system.h"

namespace tactus {

class InstructionFetch final : public InstructionSource {
 public:
  InstructionFetch(Clock& clock, const StreamReader::Config& config, bool trusts_dmi);

  [[nodiscard]] tlm_utils::simple_initiator_socket<BurstPort>& socket() { return reader_.socket; }

  /// Starts reading `bytes` bytes, whole words, in the current cycle.
  void start(std::uint64_t address, std::uint64_t bytes);
  /// Ends the stream.
  void stop();
  /// Error response of the memory, or TLM_OK_RESPONSE. After an error no more words are offered.
  [[nodiscard]] tlm::tlm_response_status error() const { return reader_.error(); }
  /// The cycle in which the last word was taken, once the stream is exhausted.
  [[nodiscard]] Cycle last_taken() const { return last_taken_; }
  /// See AxiSlave::on_serial.
  void set_on_serial(std::function<void()> call) { reader_.set_on_serial(std::move(call)); }
  /// The words for the refused access.
  [[nodiscard]] std::string refused() const { return reader_.refused(); }
  /// Time at which the error has stopped the stream.
  [[nodiscard]] std::uint64_t error_time() const { return reader_.error_time(); }
  /// The first cycle in which a word was available; ~0: none was yet.
  [[nodiscard]] Cycle first_offered() const { return first_offered_; }
  /// Cycle in which the first word of a program that is read at once is available; until then the
  /// unit has nothing to do.
  [[nodiscard]] Cycle first_word() const { return program_.empty() ? 0 : first_word_; }
  /// Called in the cycle in which the last word is taken.
  std::function<void()> on_end;

  const std::uint8_t* word(Cycle now) override;
  void taken(Cycle now) override;
  [[nodiscard]] bool exhausted() const override { return position_ >= size_; }
  [[nodiscard]] bool waits_for_memory() const override;
  [[nodiscard]] std::optional<Program> program() const override;
  void seek(std::uint64_t taken) override { position_ = taken * word_bytes_; }
  [[nodiscard]] Account* memory_account() override { return &reader_.account(); }

 private:
  [[nodiscard]] bool read_at_once(std::uint64_t address, std::uint64_t bytes);

  const Clock& clock_;
  const std::uint64_t word_bytes_;
  const bool trusts_dmi_;
  const Cycle hidden_cycles_;  ///< a latency that the bursts under way hide
  StreamReader reader_;
  std::vector<std::uint8_t> program_;  ///< read at once; empty: the reader has the words
  /// Cycle in which the first word of a program that is read at once is available.
  Cycle first_word_ = 0;
  std::uint64_t position_ = 0, size_ = 0;
  Cycle last_taken_ = 0, first_offered_ = ~Cycle{0};
};

}  // namespace tactus
