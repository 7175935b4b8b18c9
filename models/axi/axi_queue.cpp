#include "models/axi/axi_queue.h"

#include <algorithm>

#include "models/sim/trace/signals.h"

namespace tactus {
namespace {

template <typename Q, typename T>
void drive_channel(Q& queue, Link<T>& in, Link<T>& out) {
  // Most channels are empty, and their wires show it already.
  if (queue.empty() && in.ready && !out.valid) return;
  in.ready = queue.can_enqueue();
  out.valid = !queue.empty();
  if (out.valid) out.bits = queue.front();
}

template <typename Q, typename T>
void commit_channel(Clock& clock, Q& queue, const Link<T>& in, const Link<T>& out) {
  const bool enqueue = in.fires();
  if (!enqueue && !out.fires()) return;
  ++clock.progress;
  if (queue.commit(enqueue, in.bits, out.ready)) ++clock.turns;
}

/// What a queue of one entry gives in a stretch in which it takes `in`: its entry and all but the
/// last.
template <typename Q, typename T>
const T* delayed(Q& queue, const T* in, std::array<T, longest_stretch>& stretch, Cycle cycles) {
  stretch[0] = queue.front();
  std::copy_n(in, cycles - 1, stretch.begin() + 1);
  return stretch.data();
}

}  // namespace

AxiQueue::AxiQueue(const sc_core::sc_module_name& name, Clock& clock, unsigned beat_bytes,
                   AxiLinks& master, AxiLinks& slave)
    : sc_module(name),
      clock_(clock),
      beat_bytes_(beat_bytes),
      master_(master),
      slave_(slave),
      w_(beat_bytes),
      r_(beat_bytes) {}

void AxiQueue::drive() {
  drive_channel(ar_, master_.ar, slave_.ar);
  drive_channel(aw_, master_.aw, slave_.aw);
  drive_channel(w_, master_.w, slave_.w);
  drive_channel(r_, slave_.r, master_.r);
  drive_channel(b_, slave_.b, master_.b);
}

void AxiQueue::redrive() {
  if (slave_.ar.valid) slave_.ar.bits = ar_.front();
  if (slave_.aw.valid) slave_.aw.bits = aw_.front();
  if (slave_.w.valid) slave_.w.bits = w_.front();
  if (master_.r.valid) master_.r.bits = r_.front();
}

void AxiQueue::commit() {
  commit_channel(clock_, ar_, master_.ar, slave_.ar);
  commit_channel(clock_, aw_, master_.aw, slave_.aw);
  commit_channel(clock_, w_, master_.w, slave_.w);
  commit_channel(clock_, r_, slave_.r, master_.r);
  commit_channel(clock_, b_, slave_.b, master_.b);
}

bool AxiQueue::offer_stretch(Cycle cycles) {
  const bool bursts = slave_.ar.fires();
  if (!is_stretch(slave_, bursts) || r_.count() != 1 || r_.front().last != bursts) return false;
  if (bursts) slave_.ar.stretch = delayed(ar_, master_.ar.stretch, address_stretch_, cycles);
  return true;
}

void AxiQueue::stretch(Cycle cycles) {
  ++clock_.progress;
  if (slave_.ar.fires()) {
    slave_.ar.bits = slave_.ar.stretch[cycles - 1];
    ar_.commit(true, master_.ar.stretch[cycles - 1], true);
  }
  master_.r.stretch = delayed(r_, slave_.r.stretch, beat_stretch_, cycles);
  master_.r.bits = master_.r.stretch[cycles - 1];
  r_.commit(true, slave_.r.stretch[cycles - 1], true);
}

void AxiQueue::describe(const trace::Scope& scope) const {
  scope.level("ar", 2, [this] { return ar_.count(); });
  scope.level("aw", 2, [this] { return aw_.count(); });
  scope.level("w", 2, [this] { return w_.count(); });
  scope.level("r", 2, [this] { return r_.count(); });
  scope.level("b", 2, [this] { return b_.count(); });
}

}  // namespace tactus
