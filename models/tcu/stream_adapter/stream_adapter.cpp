#include "models/tcu/stream_adapter/stream_adapter.h"

#include <algorithm>
#include <numeric>

#include "models/sim/bytes.h"
#include "models/tcu/channel_signals.h"

namespace tactus {

// Serializer and deserializer are the ring with other limits: one holds one word, the other one
// instruction, and both may refill in the cycle in which they run empty.
StreamAdapter::StreamAdapter(const sc_core::sc_module_name& name, Clock& clock, unsigned word_bytes,
                             unsigned instruction_bytes, Bytes& words, Bytes& instructions)
    : sc_module(name),
      clock_(clock),
      word_bytes_(word_bytes),
      instruction_bytes_(instruction_bytes),
      words_(words),
      instructions_(instructions),
      account_("stream", clock, state_table, rest) {
  capacity_ = std::lcm(word_bytes, instruction_bytes);
  wires_ = word_bytes == instruction_bytes;
  refills_ = capacity_ == std::max(word_bytes, instruction_bytes);
  ring_.resize(std::size_t{2} * capacity_);
}

void StreamAdapter::drive() {
  if (wires_) {
    instructions_.valid = words_.valid;
    instructions_.bits = words_.bits;
    return;
  }
  instructions_.valid = stored_ >= instruction_bytes_;
  instructions_.bits = ring_.data() + read_;
}

// Bit operations instead of branches, here and in commit(), since branches would be hard to
// predict.
void StreamAdapter::accept() {
  const bool room = stored_ + word_bytes_ <= capacity_;
  const bool empties = refills_ & instructions_.fires() & (stored_ == instruction_bytes_);
  words_.ready = wires_ ? bool{instructions_.ready} : room | empties;
}

StreamAdapter::State StreamAdapter::state() const {
  if (instructions_.valid) return instructions_.ready ? pass : wait_decoder;
  return clock_.input_ended ? rest : wait_words;
}

void StreamAdapter::commit() {
  account_.enter(state());
  if (wires_) return;
  const auto advance = [this](unsigned position, unsigned bytes) {
    const auto next = position + bytes;
    return next == ring_.size() ? 0 : next;
  };
  const unsigned leaves{instructions_.fires()};
  const unsigned enters{words_.fires()};
  if (enters != 0) copy_block(ring_.data() + write_, words_.bits, word_bytes_);
  read_ = advance(read_, leaves * instruction_bytes_);
  write_ = advance(write_, enters * word_bytes_);
  stored_ += enters * word_bytes_ - leaves * instruction_bytes_;
  clock_.progress += enters + leaves;
}

void StreamAdapter::load(const std::uint8_t* bytes, std::uint64_t left) {
  read_ = static_cast<unsigned>(left % ring_.size());
  write_ = static_cast<unsigned>((left + stored_) % ring_.size());
  for (unsigned i = 0; i < stored_; ++i) ring_[(left + i) % ring_.size()] = bytes[i];
}

void StreamAdapter::add_phases(Phases& phases) {
  phases.settle.insert(phases.settle.end(), {[this] { drive(); }, [this] { accept(); }});
  phases.commit.emplace_back([this] { commit(); });
}

void StreamAdapter::describe(const trace::Scope& scope) const {
  scope.channel("words", words_, ByteCount{word_bytes_});
  scope.channel("instructions", instructions_, ByteCount{instruction_bytes_});
  scope.level("bytes_stored", capacity_, [this] { return stored_; });
}

}  // namespace tactus
