#include "models/axi/pin_record.h"

#include <algorithm>

#include "isa/support/error.h"
#include "models/sim/bytes.h"

namespace tactus {

void PinRecord::begin() {
  mode_ = Mode::records;
  wires_.clear();
  for (auto& bursts : bursts_) bursts.clear();
  moves_.clear();
  beats_ = {};
}

void PinRecord::note_wires() {
  const auto bit = [](bool drives, Wire wire) { return drives ? unsigned{wire} : 0U; };
  const auto driven = static_cast<std::uint8_t>(
      bit(pins_.ar.ready, ar_ready) | bit(pins_.aw.ready, aw_ready) | bit(pins_.w.ready, w_ready) |
      bit(pins_.r.valid, r_valid) | bit(pins_.b.valid, b_valid));
  if (wires_.empty() || wires_.back().driven != driven) wires_.push_back({clock_.now, driven});
}

void PinRecord::note_beats() {
  if (pins_.r.fires()) ++beats_[0];
  if (pins_.w.fires()) ++beats_[1];
}

std::uint32_t PinRecord::begin_burst(bool writes, std::uint8_t* bytes, unsigned beats) {
  std::vector<Burst>& bursts = bursts_[writes ? 1 : 0];
  bursts.push_back({bytes, beats, {}});
  return static_cast<std::uint32_t>(bursts.size() - 1);
}

void PinRecord::end_burst(bool writes, std::uint32_t number, unsigned beats) {
  Burst& burst = bursts_[writes ? 1 : 0][number];
  burst.bytes = nullptr;
  burst.beats = beats;
}

void PinRecord::postpone(bool writes, std::uint32_t number, std::uint32_t offset,
                         std::uint32_t address, std::uint32_t count) {
  moves_.push_back({clock_.now, number, offset, address, count, writes});
}

void PinRecord::replay(Cycle end) {
  mode_ = end > clock_.now ? Mode::replays : Mode::nothing;
  end_ = end;
  next_wires_ = next_move_ = 0;
  next_ = {};
}

std::uint8_t* PinRecord::data(bool writes, std::size_t number) {
  Burst& burst = bursts_[writes ? 1 : 0][number];
  if (burst.bytes != nullptr) return burst.bytes;
  if (burst.again.empty()) burst.again.resize(std::size_t{burst.beats} * beat_bytes_);
  return burst.again.data();
}

/// Moves the data of the accesses up to cycle `now`. Beats written in cycle `now` are in none of
/// them yet.
void PinRecord::move_until(Cycle now) {
  for (; next_move_ < moves_.size() && moves_[next_move_].at <= now; ++next_move_) {
    const Move& move = moves_[next_move_];
    std::uint8_t* const bytes = data(move.writes, move.number) + move.offset;
    if (move.writes) {
      memory_.write_now(move.address, bytes, move.count);
    } else {
      memory_.read_now(move.address, bytes, move.count);
    }
  }
}

void PinRecord::drive() {
  const Cycle now = clock_.now;
  move_until(now);
  while (next_wires_ < wires_.size() && wires_[next_wires_].from <= now) ++next_wires_;
  const std::uint8_t driven = next_wires_ == 0 ? 0 : wires_[next_wires_ - 1].driven;
  pins_.ar.ready = (driven & ar_ready) != 0;
  pins_.aw.ready = (driven & aw_ready) != 0;
  pins_.w.ready = (driven & w_ready) != 0;
  pins_.r.valid = (driven & r_valid) != 0;
  pins_.b.valid = (driven & b_valid) != 0;
  if (!pins_.r.valid) return;
  const Next& next = next_[0];
  pins_.r.bits = {data(false, next.burst) + std::size_t{next.beat} * beat_bytes_,
                  next.beat + 1 == bursts_[0][next.burst].beats};
}

void PinRecord::commit() {
  const auto pass = [this](bool writes, bool last) {
    --beats_[writes ? 1 : 0];
    Next& next = next_[writes ? 1 : 0];
    ++next.beat;
    if (last) next = {next.burst + 1, 0};
  };
  if (pins_.w.fires()) {
    const Next& next = next_[1];
    copy_block(data(true, next.burst) + std::size_t{next.beat} * beat_bytes_, pins_.w.bits.data,
               beat_bytes_);
    pass(true, pins_.w.bits.last);
  }
  if (pins_.r.fires()) pass(false, pins_.r.bits.last);
  if (clock_.now + 1 == end_) end_replay();
}

Cycle PinRecord::waits(Cycle most) const {
  most = std::min(most, end_ - 1 - clock_.now);
  if (next_wires_ == wires_.size()) return most;
  const Cycle next = wires_[next_wires_].from;
  return next <= clock_.now ? 0 : std::min(most, next - clock_.now);
}

void PinRecord::end_replay() {
  move_until(~Cycle{0});
  mode_ = Mode::nothing;
  if (beats_[0] == 0 && beats_[1] == 0) return;
  internal_error("cycle {}: other beats than before have passed at a DRAM port", clock_.now);
}

}  // namespace tactus
