#include "models/dpas/lsu/ideal_port.h"

#include <algorithm>

#include "models/dpas/register_file.h"

namespace tactus::dpas {

IdealPort::IdealPort(const sc_core::sc_module_name& name, Clock& clock, Cycle latency,
                     Cycle send_latency, unsigned bytes_per_cycle, MessageQueue& queue)
    : sc_module(name),
      clock_(clock),
      answer_(latency > send_latency ? latency - send_latency - 1 : 0),
      width_(bytes_per_cycle),
      queue_(queue) {}

void IdealPort::take(Message& message) {
  const Cycle now = clock_.now;
  const Cycle beats = std::max<Cycle>(1, (message.bytes + width_ - 1) / width_);
  for (const Rows& rows : message.rows) {
    std::uint8_t* data = message.data.data() + rows.offset;
    std::uint32_t from = rows.address;
    for (std::uint32_t i = 0; i < rows.count; ++i, from += rows.pitch, data += rows.step) {
      if (message.load) {
        memory_.read(from, data, rows.bytes);
      } else {
        memory_.write(from, data, rows.bytes);
      }
    }
  }
  (message.load ? stats_.read_beats : stats_.write_beats) += beats;
  ++(message.load ? stats_.read_bursts : stats_.write_bursts);
  loads_now_ = message.load;
  loads_ += message.load ? 1 : 0;
  busy_until_ = now + beats;
  in_flight_.push_back({&message, busy_until_ - 1 + answer_});
  queue_.pop();
  ++clock_.progress;
}

void IdealPort::commit() {
  const Cycle now = clock_.now;
  if (now >= busy_until_) {
    if (Message* message = queue_.head(now)) take(*message);
  }
  while (!in_flight_.empty() && in_flight_.front().done <= now) {
    Message& message = *in_flight_.front().message;
    in_flight_.pop_front();
    loads_ -= message.load ? 1 : 0;
    ++clock_.progress;
    on_done(message);
  }
}

Cycle IdealPort::next_event(Cycle now) const {
  Cycle next = never;
  if (busy_until_ > now) next = busy_until_;
  if (!queue_.empty()) {
    next = std::min(next, std::max({queue_.head_ready_at(), busy_until_, now + 1}));
  }
  if (!in_flight_.empty()) next = std::min(next, std::max(in_flight_.front().done, now + 1));
  return next;
}

MemoryPort::State IdealPort::state() const {
  const Cycle now = clock_.now;
  if (now < busy_until_) return loads_now_ ? read : write;
  if (loads_ > 0) return wait_memory;
  if (!in_flight_.empty()) return wait_response;
  return queue_.empty() ? rest : payload;
}

MemoryPort::Stats IdealPort::stats(Cycle now) const {
  Stats stats = stats_;
  if (now < busy_until_) (loads_now_ ? stats.read_beats : stats.write_beats) -= busy_until_ - now;
  return stats;
}

void IdealPort::describe(const trace::Scope& scope) const {
  scope.reg(
      "busy_left", 16, [this] { return busy_until_ > clock_.now ? busy_until_ - clock_.now : 0; },
      trace::Radix::decimal);
  scope.level("in_flight", queue_.capacity(), [this] { return in_flight_.size(); });
}

}  // namespace tactus::dpas
