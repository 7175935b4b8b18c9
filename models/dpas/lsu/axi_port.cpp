#include "models/dpas/lsu/axi_port.h"

#include <algorithm>
#include <cstring>

#include "isa/support/error.h"
#include "models/axi/axi_signals.h"
#include "models/dpas/events.h"
#include "models/dpas/register_file.h"

namespace tactus::dpas {
namespace {

constexpr std::uint32_t page_bytes = 4096;
constexpr std::uint32_t most_beats = 256;

}  // namespace

AxiPort::AxiPort(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes,
                 unsigned most, MessageQueue& queue, AxiLinks& pins)
    : sc_module(name),
      clock_(clock),
      beat_bytes_(beat_bytes),
      most_(std::min(most, most_bursts)),
      queue_(queue),
      pins_(pins),
      merged_(std::size_t{most_beats} * beat_bytes) {}

/// Does nothing until the sources of the first message have been read.
void AxiPort::next_piece() {
  Message* message = queue_.head(clock_.now);
  if (message == nullptr) return;
  piece_.message = message;
  if (message->rows.empty()) {
    phase_ = Phase::empty;
    return;
  }
  const Rows& rows = message->rows[message->rectangle];
  const std::uint32_t from = rows.address + message->row * rows.pitch + message->in_row;
  piece_.skip = from % beat_bytes_;
  piece_.address = from - piece_.skip;
  const std::uint32_t room =
      std::min(most_beats * beat_bytes_, page_bytes - piece_.address % page_bytes) - piece_.skip;
  piece_.bytes = std::min(rows.bytes - message->in_row, room);
  piece_.beats = (piece_.skip + piece_.bytes + beat_bytes_ - 1) / beat_bytes_;
  piece_.offset = rows.offset + message->row * rows.step + message->in_row;
  const bool whole = piece_.skip == 0 && piece_.bytes % beat_bytes_ == 0;
  phase_ = message->load ? Phase::read : whole ? Phase::write : Phase::merge;
  is_merged_ = false;
  address_sent_ = false;
  beats_sent_ = 0;
}

/// True if one of `bursts` touches a beat of the current piece.
bool AxiPort::overlaps(const Bursts& bursts) const {
  const std::uint64_t from = piece_.address;
  const std::uint64_t to = from + std::uint64_t{piece_.beats} * beat_bytes_;
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const Piece& other = bursts[i].piece;
    if (other.address < to && from < other.address + std::uint64_t{other.beats} * beat_bytes_) {
      return true;
    }
  }
  return false;
}

const std::uint8_t* AxiPort::write_beat() const {
  const std::size_t at = std::size_t{beats_sent_} * beat_bytes_;
  return is_merged_ ? merged_.data() + at : piece_.message->data.data() + piece_.offset + at;
}

void AxiPort::drive() {
  if (phase_ == Phase::none && !queue_.empty()) next_piece();
  const bool reading = phase_ == Phase::read || phase_ == Phase::merge;
  pins_.ar.valid = reading && reads_.size() < most_ && !overlaps(writes_);
  if (pins_.ar.valid) {
    pins_.ar.bits = {piece_.address, static_cast<std::uint16_t>(piece_.beats - 1), 0};
  }
  const bool writing = phase_ == Phase::write;
  const bool may_begin = writing && (address_sent_ || beats_sent_ > 0 ||
                                     (writes_.size() < most_ && !overlaps(reads_)));
  pins_.aw.valid = may_begin && !address_sent_;
  if (pins_.aw.valid) {
    pins_.aw.bits = {piece_.address, static_cast<std::uint16_t>(piece_.beats - 1), 0};
  }
  pins_.w.valid = may_begin && beats_sent_ < piece_.beats;
  if (pins_.w.valid) pins_.w.bits = {write_beat(), beats_sent_ + 1 == piece_.beats};
  pins_.r.ready = true;
  pins_.b.ready = true;
}

MemoryPort::State AxiPort::find_state() const {
  if (pins_.r.fires() && pins_.w.fires()) return read_write;
  if (pins_.r.fires()) return read;
  if (pins_.w.fires()) return write;
  if (pins_.ar.fires() || pins_.aw.fires()) return address;
  if (pins_.ar.valid || pins_.aw.valid || pins_.w.valid) return wait_slave;
  if (phase_ != Phase::none && phase_ != Phase::merge_data) return wait_order;
  if (!reads_.empty()) return wait_memory;
  if (!writes_.empty()) return wait_response;
  return queue_.empty() ? rest : payload;
}

void AxiPort::commit() {
  state_ = find_state();
  if (clock_.events != nullptr) tell_events();
  moved_ = false;
  stats_.both += pins_.r.fires() && pins_.w.fires() ? 1 : 0;
  if (phase_ == Phase::empty) {
    phase_ = Phase::none;
    moved_ = true;
    queue_.pop();
    on_done(*piece_.message);
  }
  if (pins_.ar.fires()) {
    ++stats_.read_bursts;
    reads_.push_back({piece_, phase_ == Phase::merge, 0});
    moved_ = true;
    if (phase_ == Phase::merge) {
      phase_ = Phase::merge_data;
    } else {
      ++piece_.message->outstanding;
      advance();
    }
  }
  if (phase_ == Phase::write) commit_write();
  if (pins_.r.fires()) commit_read_data();
  if (pins_.b.fires()) {
    moved_ = true;
    Message& message = *writes_.front().piece.message;
    writes_.pop_front();
    answered(message);
  }
  if (moved_) ++clock_.progress;
}

void AxiPort::commit_write() {
  if (pins_.aw.fires()) {
    ++stats_.write_bursts;
    ++piece_.message->outstanding;
    writes_.push_back({piece_, false, 0});
    address_sent_ = true;
    moved_ = true;
  }
  if (pins_.w.fires()) {
    ++stats_.write_beats;
    ++beats_sent_;
    moved_ = true;
  }
  if (address_sent_ && beats_sent_ == piece_.beats) advance();
}

/// Advances the message past the current piece.
void AxiPort::advance() {
  Message& message = *piece_.message;
  const Rows& rows = message.rows[message.rectangle];
  message.in_row += piece_.bytes;
  if (message.in_row == rows.bytes) {
    message.in_row = 0;
    if (++message.row == rows.count) {
      message.row = 0;
      ++message.rectangle;
    }
  }
  phase_ = Phase::none;
  if (message.rectangle < message.rows.size()) return;
  message.sent = true;
  queue_.pop();
}

void AxiPort::commit_read_data() {
  moved_ = true;
  ++stats_.read_beats;
  Burst& burst = reads_.entry(0);
  const Piece& piece = burst.piece;
  if (burst.merge) {
    std::memcpy(merged_.data() + std::size_t{burst.received} * beat_bytes_, pins_.r.bits.data,
                beat_bytes_);
  } else {
    // The bytes of this beat that belong to the message: [from, to).
    const std::uint32_t begin = burst.received * beat_bytes_;
    const std::uint32_t from = std::max(begin, piece.skip);
    const std::uint32_t to = std::min(begin + beat_bytes_, piece.skip + piece.bytes);
    std::memcpy(piece.message->data.data() + piece.offset + (from - piece.skip),
                pins_.r.bits.data + (from - begin), to - from);
  }
  if (++burst.received < piece.beats) return;
  if (burst.merge) {
    std::memcpy(merged_.data() + piece_.skip, piece_.message->data.data() + piece_.offset,
                piece_.bytes);
    is_merged_ = true;
    phase_ = Phase::write;
    reads_.pop_front();
    return;
  }
  Message& message = *piece.message;
  reads_.pop_front();
  answered(message);
}

void AxiPort::answered(Message& message) {
  if (--message.outstanding == 0 && message.sent) on_done(message);
}

Cycle AxiPort::next_event(Cycle now) const {
  const Cycle next = now + 1;  // the cycle that the clock shows after commit()
  if (moved_) return next;
  if (pins_.ar.valid || pins_.aw.valid || pins_.w.valid) return next;
  Cycle event = never;
  if (phase_ == Phase::none && !queue_.empty()) event = std::max(next, queue_.head_ready_at());
  if (target_->idle()) return event;
  const Cycle most = event == never ? Cycle{1} << 32 : event - next;
  return std::min(event, next + target_->waits(most));
}

std::string AxiPort::waits_for() const {
  if (pins_.ar.valid && !pins_.ar.ready) return "memory to take the address of a read";
  if (pins_.aw.valid && !pins_.aw.ready) return "memory to take the address of a write";
  if (pins_.w.valid && !pins_.w.ready) return "memory to take write data";
  if (!reads_.empty()) {
    return fmt::format("data of {} read bursts, the oldest at 0x{:x}", reads_.size(),
                       reads_.front().piece.address);
  }
  if (!writes_.empty()) {
    return fmt::format("the responses to {} write bursts, the oldest at 0x{:x}", writes_.size(),
                       writes_.front().piece.address);
  }
  return {};
}

void AxiPort::tell_events() const {
  EventSink& sink = *clock_.events;
  if (pins_.ar.fires()) {
    sink.event({DpasEvent::ar, 0, pins_.ar.bits.address, pins_.ar.bits.length, 0});
  }
  if (pins_.aw.fires()) {
    sink.event({DpasEvent::aw, 0, pins_.aw.bits.address, pins_.aw.bits.length, 0});
  }
  if (pins_.w.fires()) {
    sink.event({DpasEvent::w, 0, pins_.w.bits.last ? 1U : 0U, 0, 0, pins_.w.bits.data});
  }
  if (pins_.r.fires()) sink.event({DpasEvent::r, 0});
  if (pins_.b.fires()) sink.event({DpasEvent::b, 0});
}

void AxiPort::describe(const trace::Scope& scope) const {
  trace::describe_axi(scope, pins_);
  scope.state(
      "phase", 3, [this] { return phase_; },
      "0 none, 1 empty, 2 read, 3 merge, 4 merge data, 5 write");
  scope.level("reads", most_bursts, [this] { return reads_.size(); });
  scope.level("writes", most_bursts, [this] { return writes_.size(); });
}

}  // namespace tactus::dpas
