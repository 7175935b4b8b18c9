#include "models/axi/axi_queue.h"

#include "models/sim/trace/signals.h"

namespace tactus {
namespace {

template <typename Q, typename T>
void drive_channel(Q& queue, Link<T>& in, Link<T>& out) {
  // Most queues are empty, and their wires show that already.
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
  queue.commit(enqueue, in.bits, out.ready);
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

void AxiQueue::commit() {
  commit_channel(clock_, ar_, master_.ar, slave_.ar);
  commit_channel(clock_, aw_, master_.aw, slave_.aw);
  commit_channel(clock_, w_, master_.w, slave_.w);
  commit_channel(clock_, r_, slave_.r, master_.r);
  commit_channel(clock_, b_, slave_.b, master_.b);
}

void AxiQueue::describe(const trace::Scope& scope) const {
  scope.level("ar", 2, [this] { return ar_.count(); });
  scope.level("aw", 2, [this] { return aw_.count(); });
  scope.level("w", 2, [this] { return w_.count(); });
  scope.level("r", 2, [this] { return r_.count(); });
  scope.level("b", 2, [this] { return b_.count(); });
}

}  // namespace tactus
