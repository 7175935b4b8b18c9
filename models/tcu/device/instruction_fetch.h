// The memory-to-stream half of a TcuDevice's DMA: reads a program from memory and offers its words
// to the unit.
//
// Words come as its StreamReader has them. Where the memory grants direct access (DMI) with the
// very latency of its transactions, and that is short enough for the bursts under way to hide it, a
// word is there in every cycle from the first on. Then the program is read at once, and the fast
// engine may take it in sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/axi/stream_reader.h"
#include "models/tcu/system.h"

namespace tactus {

class InstructionFetch final : public InstructionSource {
 public:
  InstructionFetch(Clock& clock, sc_core::sc_time period, const StreamReader::Config& config,
                   bool trusts_dmi);

  [[nodiscard]] tlm_utils::simple_initiator_socket<BurstPort>& socket() { return reader_.socket; }

  /// Begins with the present cycle: whole words.
  void start(std::uint64_t address, std::uint64_t bytes);
  /// The stream has ended.
  void stop();
  /// What the memory refused, or TLM_OK_RESPONSE. Nothing is offered any more.
  [[nodiscard]] tlm::tlm_response_status error() const { return reader_.error(); }
  /// The cycle in which the last word was taken, once the stream is exhausted.
  [[nodiscard]] Cycle last_taken() const { return last_taken_; }
  /// The first cycle in which a word was offered; ~0: none was yet.
  [[nodiscard]] Cycle first_offered() const { return first_offered_; }
  /// The cycle in which the first word of a program read at once is there; until then the unit has
  /// nothing to do.
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
  const std::uint64_t period_ps_;
  const std::uint64_t word_bytes_;
  const bool trusts_dmi_;
  const Cycle hidden_cycles_;  ///< a latency that the bursts under way hide
  StreamReader reader_;
  std::vector<std::uint8_t> program_;  ///< read at once; empty: the reader has the words
  Cycle first_word_ = 0;               ///< cycle in which it is there, of a program read at once
  std::uint64_t position_ = 0, size_ = 0;
  Cycle last_taken_ = 0, first_offered_ = ~Cycle{0};
};

}  // namespace tactus
