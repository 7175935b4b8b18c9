#include "models/tcu/device/instruction_fetch.h"

#include <algorithm>

namespace tactus {
namespace {

/// The end of a program is left to the units, so that the cycle of its last word is known: more
/// instructions than may have entered and not retired.
constexpr std::uint64_t last_instructions = 64;

}  // namespace

InstructionFetch::InstructionFetch(Clock& clock, const StreamReader::Config& config,
                                   bool trusts_dmi)
    : clock_(clock),
      word_bytes_(config.word_bytes),
      trusts_dmi_(trusts_dmi),
      hidden_cycles_(std::uint64_t{config.bursts - 1} *
                     std::min(256U, config.burst_bytes / config.word_bytes)),
      reader_("fetch", clock, config) {}

void InstructionFetch::start(std::uint64_t address, std::uint64_t bytes) {
  program_.clear();
  position_ = 0;
  size_ = bytes;
  first_offered_ = ~Cycle{0};
  if (!read_at_once(address, bytes)) reader_.start(bytes, address);
}

void InstructionFetch::stop() {
  reader_.stop();
  program_.clear();
  position_ = size_ = 0;
}

bool InstructionFetch::read_at_once(std::uint64_t address, std::uint64_t bytes) {
  if (!trusts_dmi_) return false;
  tlm::tlm_generic_payload access;
  access.set_command(tlm::TLM_READ_COMMAND);
  access.set_address(address);
  tlm::tlm_dmi dmi;
  if (!reader_.socket->get_direct_mem_ptr(access, dmi) || !dmi.is_read_allowed()) return false;
  const Cycle latency = clock_.first_cycle_from(dmi.get_read_latency().value());
  if (latency > hidden_cycles_) return false;
  program_.resize(bytes);
  access.set_data_ptr(program_.data());
  access.set_data_length(static_cast<unsigned>(bytes));
  access.set_streaming_width(static_cast<unsigned>(bytes));
  if (reader_.socket->transport_dbg(access) != bytes) {
    program_.clear();
    return false;
  }
  // Known sequences may take words that no cycle asks for, so this cycle is not left to word().
  first_word_ = first_offered_ = clock_.now + latency;
  return true;
}

const std::uint8_t* InstructionFetch::word(Cycle now) {
  if (exhausted()) return nullptr;
  const std::uint8_t* word = nullptr;
  if (!program_.empty()) {
    if (now >= first_word_) word = program_.data() + position_;
  } else if (reader_.available()) {
    word = reader_.word();
    first_offered_ = reader_.first_available();
  }
  return word;
}

void InstructionFetch::taken(Cycle now) {
  position_ += word_bytes_;
  if (program_.empty()) reader_.take();
  if (!exhausted()) return;
  last_taken_ = now;
  if (on_end) on_end();
}

bool InstructionFetch::waits_for_memory() const {
  return program_.empty() ? reader_.waits_for_memory() && error() == tlm::TLM_OK_RESPONSE
                          : clock_.now < first_word_;
}

std::optional<InstructionSource::Program> InstructionFetch::program() const {
  if (program_.empty() || clock_.now < first_word_) return {};
  return Program{program_.data(),  size_, nullptr, size_ / word_bytes_, position_ / word_bytes_,
                 last_instructions};
}

}  // namespace tactus
