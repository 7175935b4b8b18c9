#include "models/axi/stream_reader.h"

#include <algorithm>

#include "models/sim/turns.h"

namespace tactus {
namespace {

constexpr unsigned most_beats = 256;

StreamReader::Config limited(StreamReader::Config config) {
  config.burst_bytes = std::min(config.burst_bytes, most_beats * config.word_bytes);
  return config;
}

}  // namespace

StreamReader::StreamReader(const sc_core::sc_module_name& name, Clock& clock, const Config& config)
    : sc_module(name),
      clock_(clock),
      port_(clock, config.transport),
      config_(limited(config)),
      account_("stream_memory", clock) {}

void StreamReader::start(std::uint64_t bytes, std::uint64_t address) {
  // The target still answers dropped bursts that were sent.
  for (const Read& read : reads_) BurstPort::drop(read.burst);
  reads_.clear();
  asked_ = address;
  left_ = bytes;
  started_ = clock_.now;
  first_available_ = unknown_cycle;
  front_since_ = clock_.begin();
  account_.wait(MemoryAccount::Kind::nothing);
  request(clock_.begin());
}

void StreamReader::request(std::uint64_t edge) {
  while (reads_.size() < config_.bursts && left_ > 0) {
    const std::uint64_t room = config_.burst_bytes - asked_ % config_.burst_bytes;
    const std::uint64_t bytes = std::min(room, left_);
    BurstPort::Burst* const burst = port_.burst(tlm::TLM_READ_COMMAND, asked_, bytes);
    reads_.push_back({burst, static_cast<unsigned>(bytes / config_.word_bytes)});
    asked_ += bytes;
    left_ -= bytes;
    bytes_read_ += bytes;
    port_.request(burst);
  }
  send(edge);
}

void StreamReader::send(std::uint64_t edge) {
  // The memory has done what is due, so that it finds the same requests waiting in every engine.
  if (pulled_ != nullptr) pull(std::min(edge, clock_.middle_of(clock_.now)));
  port_.send(edge);
}

void StreamReader::pull(std::uint64_t ps) {
  if (clock_.turn != nullptr) return clock_.turn->reach(ps);
  pulled_->pull(ps);
}

tlm::tlm_response_status StreamReader::error() const {
  if (reads_.empty()) return tlm::TLM_OK_RESPONSE;
  const BurstPort::Burst& burst = *reads_.front().burst;
  return burst.is_over && burst.is_response_error() ? burst.get_response_status()
                                                    : tlm::TLM_OK_RESPONSE;
}

bool StreamReader::available() {
  if (port_.has_to_send()) send(clock_.begin());
  if (pulled_ != nullptr && waits_for_memory()) pull(clock_.middle_of(clock_.now));
  const bool there = !waits_for_memory();
  if (there && first_available_ == unknown_cycle && !reads_.empty()) {
    const BurstPort::Burst& first = *reads_.front().burst;
    const std::uint64_t time = first.times.at.empty() ? first.answered : first.times.at.front();
    first_available_ = std::max(started_, clock_.first_cycle_from(time));
  }
  account_.wait(there ? MemoryAccount::Kind::nothing : MemoryAccount::Kind::beat);
  return there;
}

Cycle StreamReader::waits(Cycle most) const {
  // The account needs a call of available() in the first cycle.
  if (pulled_ == nullptr || started_ == clock_.now) return 0;
  if (port_.has_to_send() || !waits_for_memory()) return 0;
  const std::uint64_t next = next_word();
  if (next != BurstPort::never) {
    const Cycle at = clock_.first_cycle_from(next);
    return at <= clock_.now ? 0 : std::min(most, at - clock_.now);
  }
  // If others share the memory, Turn::wait() ends with the answer.
  if (clock_.turn != nullptr) return most;
  return std::min<Cycle>(most,
                         pulled_->periods_before_pull(clock_.middle_of(clock_.now), clock_.period));
}

void StreamReader::take() {
  Read& read = reads_.front();
  const std::vector<AnswerTimes>& answers = read.burst->times.answers;
  const auto part = std::find_if(answers.begin(), answers.end(),
                                 [&](const AnswerTimes& a) { return a.until_beat > read.next; });
  account_.taken(MemoryAccount::Kind::beat, part == answers.end() ? nullptr : &*part);
  if (++read.next < read.words) return;
  // The burst is kept, since its last word is read up to the end of the cycle.
  if (taken_ != nullptr) BurstPort::drop(taken_);
  taken_ = read.burst;
  reads_.pop_front();
  front_since_ = clock_.end();
  request(clock_.end());
}

}  // namespace tactus
