#include "models/top/stream_adapter/stream_adapter.h"

#include <algorithm>
#include <numeric>

#include "models/sim/bytes.h"
#include "models/top/channel_signals.h"

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
  if (word_bytes == instruction_bytes) {
    mode_ = Mode::wires;
  } else if (word_bytes % instruction_bytes == 0) {
    mode_ = Mode::serializer;
  } else if (instruction_bytes % word_bytes == 0) {
    mode_ = Mode::deserializer;
  } else {
    mode_ = Mode::ring;
  }
  capacity_ = std::lcm(word_bytes, instruction_bytes);
  ring_.resize(std::size_t{2} * capacity_);
}

void StreamAdapter::drive() {
  if (mode_ == Mode::wires) {
    instructions_.valid = words_.valid;
    instructions_.bits = words_.bits;
    return;
  }
  instructions_.valid = stored_ >= instruction_bytes_;
  instructions_.bits = ring_.data() + read_;
}

bool StreamAdapter::word_ready() const {
  const auto empties = [this] { return instructions_.fires() && stored_ == instruction_bytes_; };
  switch (mode_) {
    case Mode::wires:
      return instructions_.ready;
    case Mode::serializer:
      return stored_ == 0 || empties();
    case Mode::deserializer:
      return stored_ < instruction_bytes_ || empties();
    case Mode::ring:
      return stored_ + word_bytes_ <= capacity_;
  }
  return false;
}

void StreamAdapter::accept() { words_.ready = word_ready(); }

StreamAdapter::State StreamAdapter::state() const {
  if (instructions_.valid) return instructions_.ready ? pass : wait_decoder;
  return clock_.stream_ended ? rest : wait_words;
}

void StreamAdapter::commit() {
  account_.enter(state());
  if (mode_ == Mode::wires || (!instructions_.fires() && !words_.fires())) return;
  const auto advance = [this](unsigned position, unsigned bytes) {
    const auto next = position + bytes;
    return next == ring_.size() ? 0 : next;
  };
  if (instructions_.fires()) {
    read_ = advance(read_, instruction_bytes_);
    stored_ -= instruction_bytes_;
    ++clock_.progress;
    ++clock_.turns;
  }
  if (words_.fires()) {
    copy_block(ring_.data() + write_, words_.bits, word_bytes_);
    write_ = advance(write_, word_bytes_);
    stored_ += word_bytes_;
    ++clock_.progress;
    ++clock_.turns;
  }
}

void StreamAdapter::describe(const trace::Scope& scope) const {
  scope.channel("words", words_, trace::ByteCount{word_bytes_});
  scope.channel("instructions", instructions_, trace::ByteCount{instruction_bytes_});
  scope.level("bytes_stored", capacity_, [this] { return stored_; });
}

}  // namespace tactus
