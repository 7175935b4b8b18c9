#include "models/axi/boundary_splitter.h"

#include "models/axi/axi_signals.h"
#include "models/sim/events.h"

namespace tactus {
namespace {

constexpr unsigned page_bytes = 4096;

}  // namespace

BoundarySplitter::BoundarySplitter(const sc_core::sc_module_name& name, Clock& clock,
                                   unsigned beat_bytes, unsigned port, const AxiEventKinds& events,
                                   AxiLinks& upstream, AxiLinks& pins)
    : sc_module(name),
      clock_(clock),
      beat_bytes_(beat_bytes),
      port_(port),
      events_(events),
      upstream_(upstream),
      pins_(pins) {}

void BoundarySplitter::cut(Channel& channel, const AxiAddress& burst) const {
  channel.piece = burst;
  channel.last_piece = true;
  const unsigned in_page = burst.address % page_bytes;
  const unsigned span = burst.length * beat_bytes_;  // one beat short of the burst's bytes
  const bool split = span > page_bytes || in_page + span > page_bytes + 1;
  if (!split) return;
  const unsigned total = burst.length + 1;
  const unsigned left = total - channel.beats_issued;
  const unsigned room =
      (channel.beats_issued == 0 ? page_bytes - in_page : page_bytes) / beat_bytes_;
  const unsigned beats = left < room ? left : room;
  channel.piece.address = burst.address + channel.beats_issued * beat_bytes_;
  channel.piece.length = static_cast<std::uint16_t>(beats - 1);
  channel.last_piece = beats == left;
}

void BoundarySplitter::drive() {
  // A channel without an address shows the ready of a burst that is not split.
  reads_.last_piece = writes_.last_piece = true;
  // A read enters the length of the whole burst in `lengths`, with its first piece. A write enters
  // the length of each piece.
  const bool read = upstream_.ar.valid;
  if (read) cut(reads_, upstream_.ar.bits);
  reads_.fork.offer(read, reads_.beats_issued == 0 ? leg_address | leg_length : leg_address);
  pins_.ar.valid = reads_.fork.pending(leg_address);
  pins_.ar.bits = reads_.piece;

  const bool write = upstream_.aw.valid;
  if (write) cut(writes_, upstream_.aw.bits);
  writes_.fork.offer(write, leg_address | leg_length | leg_response);
  pins_.aw.valid = writes_.fork.pending(leg_address);
  pins_.aw.bits = writes_.piece;

  const bool length_valid = writes_.lengths.has_output(writes_.fork.pending(leg_length));
  pins_.w.valid = upstream_.w.valid && length_valid;
  pins_.w.bits = write_beat();
}

/// These functions return the beat on the wires with `last` regenerated.
AxiBeat BoundarySplitter::write_beat() const {
  return {upstream_.w.bits.data,
          writes_.beats_passed == writes_.lengths.output(writes_.piece.length)};
}
AxiBeat BoundarySplitter::read_beat() const {
  return {pins_.r.bits.data,
          reads_.beats_passed == reads_.lengths.output(upstream_.ar.bits.length)};
}

void BoundarySplitter::accept() {
  const bool read_length = reads_.lengths.has_output(reads_.fork.pending(leg_length));
  pins_.r.ready = read_length && upstream_.r.ready;
  upstream_.r.valid = read_length && pins_.r.valid;
  upstream_.r.bits = read_beat();
  read_length_taken_ = pins_.r.fires() && upstream_.r.bits.last;
  read_ready_ = (pins_.ar.ready ? leg_address : 0U) |
                (reads_.lengths.can_enqueue(read_length_taken_) ? leg_length : 0U);
  upstream_.ar.ready = reads_.fork.all(read_ready_) && reads_.last_piece;

  const bool length_valid = writes_.lengths.has_output(writes_.fork.pending(leg_length));
  upstream_.w.ready = length_valid && pins_.w.ready;
  write_length_taken_ = pins_.w.fires() && pins_.w.bits.last;

  const std::uint8_t keep_leg = writes_.last_piece ? 1 : 0;
  const bool flag = keep_response_.has_output(writes_.fork.pending(leg_response));
  const bool keep = keep_response_.output(keep_leg) != 0;
  pins_.b.ready = flag && (!keep || upstream_.b.ready);
  upstream_.b.valid = flag && keep && pins_.b.valid;
  response_taken_ = pins_.b.fires();

  write_ready_ = (pins_.aw.ready ? leg_address : 0U) |
                 (writes_.lengths.can_enqueue(write_length_taken_) ? leg_length : 0U) |
                 (keep_response_.can_enqueue(response_taken_) ? leg_response : 0U);
  upstream_.aw.ready = writes_.fork.all(write_ready_) && writes_.last_piece;
}

void BoundarySplitter::commit_fork(Channel& channel, bool valid, unsigned ready) {
  if (!valid) return;
  const bool all = channel.fork.all(ready);
  const unsigned done = channel.fork.after(ready);
  const unsigned issued = !all                 ? channel.beats_issued
                          : channel.last_piece ? 0
                                               : channel.beats_issued + channel.piece.length + 1;
  channel.fork.move(done);
  channel.beats_issued = issued;
}

void BoundarySplitter::commit() {
  if (clock_.events != nullptr) tell_events();
  if (upstream_.ar.valid || pins_.r.fires()) commit_reads();
  if (upstream_.aw.valid || pins_.w.fires() || response_taken_) commit_writes();
}

void BoundarySplitter::commit_reads() {
  const unsigned fires = reads_.fork.fires(read_ready_);
  const bool length = (fires & leg_length) != 0;
  commit_fork(reads_, upstream_.ar.valid, read_ready_);
  reads_.lengths.commit(length, upstream_.ar.bits.length, read_length_taken_);
  if (fires != 0) ++clock_.progress;
  stats_.read_bursts += pins_.ar.fires() ? 1 : 0;
  if (!pins_.r.fires()) return;
  ++stats_.read_beats;
  pass_beat(reads_.beats_passed, upstream_.r.bits.last);
}

void BoundarySplitter::commit_writes() {
  const unsigned fires = writes_.fork.fires(write_ready_);
  const unsigned piece_length = writes_.piece.length;
  const std::uint8_t keep = writes_.last_piece ? 1 : 0;
  commit_fork(writes_, upstream_.aw.valid, write_ready_);
  writes_.lengths.commit((fires & leg_length) != 0, piece_length, write_length_taken_);
  keep_response_.commit((fires & leg_response) != 0, keep, response_taken_);
  if (fires != 0) ++clock_.progress;
  stats_.write_bursts += pins_.aw.fires() ? 1 : 0;
  if (pins_.w.fires()) {
    ++stats_.write_beats;
    pass_beat(writes_.beats_passed, pins_.w.bits.last);
  }
  if (!response_taken_) return;
  ++clock_.progress;
  ++stats_.write_responses;
  stats_.last_write_response = clock_.now;
}

void BoundarySplitter::pass_beat(unsigned& passed, bool last) {
  ++clock_.progress;
  passed = last ? 0 : passed + 1;
}

void BoundarySplitter::tell_events() const {
  EventSink& sink = *clock_.events;
  if (pins_.ar.fires()) {
    const AxiAddress& a = pins_.ar.bits;
    sink.event({events_.read_address, port_, a.address, a.length, a.cache});
  }
  if (pins_.aw.fires()) {
    const AxiAddress& a = pins_.aw.bits;
    sink.event({events_.write_address, port_, a.address, a.length, a.cache});
  }
  if (pins_.w.fires()) {
    sink.event({events_.write_data, port_, pins_.w.bits.last ? 1U : 0U, 0, 0, pins_.w.bits.data});
  }
  if (pins_.r.fires()) sink.event({events_.read_data, port_});
  if (pins_.b.fires()) sink.event({events_.write_response, port_});
}

void BoundarySplitter::describe(const trace::Scope& scope) const {
  trace::describe_axi(scope, upstream_);
  const auto channel = [&](const char* name, const Channel& c) {
    const trace::Scope part = scope.part(name);
    part.level("lengths", 2, [&c] { return c.lengths.count(); });
    part.reg(
        "beats_issued", 9, [&c] { return c.beats_issued; }, trace::Radix::decimal);
    part.reg(
        "beats_passed", 9, [&c] { return c.beats_passed; }, trace::Radix::decimal);
    part.state(
        "done", 3, [&c] { return c.fork.done(); },
        "legs taken: 1 address, 2 length, 4 response flag");
  };
  channel("reads", reads_);
  channel("writes", writes_);
  scope.level("response_flags", 2, [this] { return keep_response_.count(); });
}

}  // namespace tactus
