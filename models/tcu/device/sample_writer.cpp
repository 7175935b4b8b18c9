#include "models/tcu/device/sample_writer.h"

#include <algorithm>

#include "models/axi/refusal.h"

namespace tactus {
namespace {

constexpr std::uint64_t burst_bytes = 256;
constexpr unsigned sample_bytes = 8;

}  // namespace

SampleWriter::SampleWriter(const sc_core::sc_module_name& name, Clock& clock, Transport transport)
    : sc_module(name), clock_(clock), port_(clock, transport) {
  port_.on_answer = [this](BurstPort::Burst& burst) { answer(burst); };
}

void SampleWriter::start(std::uint64_t address, std::uint64_t bytes) {
  stop();
  next_ = address;
  left_ = bytes;
  written_ = 0;
  is_open_ = true;
  overflowed_ = false;
  answered_ = 0;
  error_ = tlm::TLM_OK_RESPONSE;
}

void SampleWriter::stop() {
  for (BurstPort::Burst* burst : under_way_) BurstPort::drop(burst);
  under_way_.clear();
  collected_.clear();
  is_open_ = false;
}

void SampleWriter::take(const Sample& sample) {
  for (unsigned i = 0; i < sample_bytes; ++i) {
    collected_.push_back(static_cast<std::uint8_t>(sample.word >> (8 * i)));
  }
  written_ += sample_bytes;
  left_ -= sample_bytes;
  const std::uint64_t at = next_ + collected_.size();
  const bool is_full = left_ == 0;
  overflowed_ = is_full && !sample.last;
  is_open_ = !sample.last && !is_full;
  if (!is_open_ || at % burst_bytes == 0) write();
}

void SampleWriter::write() {
  BurstPort::Burst* const burst = port_.burst(tlm::TLM_WRITE_COMMAND, next_, collected_.size());
  std::copy(collected_.begin(), collected_.end(), burst->bytes.begin());
  next_ += collected_.size();
  collected_.clear();
  under_way_.push_back(burst);
  port_.request(burst);
  port_.send(clock_.end());
}

void SampleWriter::answer(BurstPort::Burst& burst) {
  answered_ = std::max(answered_, burst.answered);
  if (burst.is_response_error()) {
    error_ = burst.get_response_status();
    refused_ = refusal(burst);
    is_open_ = false;
  }
  under_way_.erase(std::find(under_way_.begin(), under_way_.end(), &burst));
  BurstPort::drop(&burst);
  if (!is_open_ && under_way_.empty() && on_end) on_end();
}

}  // namespace tactus
