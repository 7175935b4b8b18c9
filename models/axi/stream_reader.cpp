#include "models/axi/stream_reader.h"

#include <algorithm>

#include "isa/support/error.h"

namespace tactus {
namespace {

constexpr unsigned most_beats = 256;

StreamReader::Config limited(StreamReader::Config config) {
  config.burst_bytes = std::min(config.burst_bytes, most_beats * config.word_bytes);
  return config;
}

}  // namespace

StreamReader::StreamReader(const sc_core::sc_module_name& name, Clock& clock,
                           sc_core::sc_time period, const Config& config)
    : sc_module(name),
      clock_(clock),
      period_ps_(period.value()),
      config_(limited(config)),
      account_("stream_memory", clock) {
  socket.register_nb_transport_bw(this, &StreamReader::nb_transport_bw);
}

StreamReader::~StreamReader() = default;

void StreamReader::free(tlm::tlm_generic_payload* payload) {
  free_.push_back(static_cast<Burst*>(payload));
}

void StreamReader::start(std::uint64_t bytes) {
  // The target still answers them, and keeps them until then.
  for (Burst* burst : bursts_) burst->release();
  bursts_.clear();
  asked_ = 0;
  size_ = bytes;
  account_.wait(MemoryAccount::Kind::nothing);
  request(clock_.now * period_ps_);
}

void StreamReader::request(std::uint64_t edge) {
  while (bursts_.size() < config_.bursts && asked_ < size_) {
    if (free_.empty()) {
      free_.push_back(all_.emplace_back(std::make_unique<Burst>()).get());
      free_.back()->bytes.resize(config_.burst_bytes);
      free_.back()->set_mm(this);
      free_.back()->set_extension(&free_.back()->times);
    }
    Burst& burst = *free_.back();
    free_.pop_back();
    burst.acquire();
    burst.times.clear();
    const auto bytes =
        static_cast<unsigned>(std::min<std::uint64_t>(config_.burst_bytes, size_ - asked_));
    burst.words = bytes / config_.word_bytes;
    burst.next = 0;
    burst.set_command(tlm::TLM_READ_COMMAND);
    burst.set_address(asked_);
    burst.set_data_ptr(burst.bytes.data());
    burst.set_data_length(bytes);
    burst.set_streaming_width(bytes);
    burst.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    asked_ += bytes;
    bytes_read_ += bytes;
    bursts_.push_back(&burst);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::sc_time::from_value(edge - sc_core::sc_time_stamp().value());
    ++clock_.transactions;
    (void)socket->nb_transport_fw(burst, phase, delay);
  }
}

tlm::tlm_sync_enum StreamReader::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase,
                                                 sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  if (payload.is_response_error()) {
    internal_error("{}: the memory refuses bytes 0x{:x}", name(), payload.get_address());
  }
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

bool StreamReader::available() {
  const bool there = !waits_for_memory();
  account_.wait(there ? MemoryAccount::Kind::nothing : MemoryAccount::Kind::beat);
  return there;
}

void StreamReader::take() {
  Burst& burst = *bursts_.front();
  const std::vector<AnswerTimes>& answers = burst.times.answers;
  const auto part = std::find_if(answers.begin(), answers.end(),
                                 [&](const AnswerTimes& a) { return a.until_beat > burst.next; });
  account_.taken(MemoryAccount::Kind::beat, part == answers.end() ? nullptr : &*part);
  if (++burst.next < burst.words) return;
  bursts_.pop_front();
  burst.release();
  request((clock_.now + 1) * period_ps_);
}

}  // namespace tactus
