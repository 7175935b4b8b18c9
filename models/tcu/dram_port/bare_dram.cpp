#include "models/tcu/dram_port/bare_dram.h"

#include <utility>

#include "models/tcu/events.h"

namespace tactus {

BareDram::BareDram(const sc_core::sc_module_name& name, Clock& clock, Config config,
                   DramLinks& links)
    : sc_module(name), clock_(clock), config_(std::move(config)), links_(links) {}

void BareDram::advance(std::deque<Range>& ranges) {
  ++ranges.front().address;
  if (--ranges.front().left == 0) ranges.pop_front();
}

std::vector<std::uint8_t>& BareDram::vector(std::uint64_t address) {
  auto [it, inserted] = vectors_.try_emplace(address);
  if (inserted) {
    it->second.resize(config_.vector_bytes);
    config_.fill(address, it->second.data());
  }
  return it->second;
}

void BareDram::draw_stalls(StallGenerator& stalls) {
  stall_control_ = stalls.draw();
  stall_in_ = stalls.draw();
  stall_out_ = stalls.draw();
}

void BareDram::drive() {
  links_.request.ready = !stall_control_;
  links_.out.ready = !stall_out_;
  links_.in.valid = !stall_in_ && !reads_.empty() && reads_.front().available <= clock_.now;
  if (links_.in.valid) links_.in.bits = vector(reads_.front().address).data();
}

void BareDram::commit() {
  const auto event = [this](const Event& e) {
    if (clock_.events != nullptr) clock_.events->event(e);
  };
  if (links_.in.fires()) {
    event({TcuEvent::dram_in, config_.port});
    advance(reads_);
  }
  if (links_.request.fires()) {
    const DramRequest& r = links_.request.bits;
    event({TcuEvent::dram_control, config_.port, r.write ? 1U : 0U, r.address, r.size});
    (r.write ? writes_ : reads_)
        .push_back({r.address, r.size + 1, clock_.now + config_.read_latency});
  }
  if (links_.out.fires()) {
    event({TcuEvent::dram_out, config_.port, 0, 0, 0, links_.out.bits});
    written_.emplace_back(links_.out.bits, links_.out.bits + config_.vector_bytes);
  }
  write();
}

/// Data may overtake its control, which waits in the decoder while it is not taken.
void BareDram::write() {
  while (!writes_.empty() && !written_.empty()) {
    if (config_.keep_writes) vector(writes_.front().address) = written_.front();
    written_.pop_front();
    advance(writes_);
  }
}

}  // namespace tactus
