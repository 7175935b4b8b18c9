#include "models/dpas/alu.h"

#include <algorithm>

#include "isa/dpas/alu.h"
#include "models/dpas/signals.h"

namespace tactus::dpas {

Alu::Alu(const sc_core::sc_module_name& name, Clock& clock, RegisterFile& registers,
         Link<Issued>& issued)
    : sc_module(name),
      clock_(clock),
      registers_(registers),
      issued_(issued),
      predicates_(registers.threads()),
      account_("alu", clock, state_table, rest) {}

void Alu::drive() { issued_.ready = clock_.now >= free_at_; }

void Alu::commit() {
  if (issued_.fires()) accept(issued_.bits);
  account_.enter(state(clock_.now));
}

void Alu::accept(const Issued& issued) {
  const Cycle now = clock_.now;
  const Operation& operation = *issued.operation;
  execute_alu(issued.kernel->instruction(operation), registers_.bytes(issued.thread),
              predicates(issued.thread));
  free_at_ = now + operation.occupancy;
  const Cycle done = now + operation.latency;
  drained_at_ = std::max(drained_at_, done);
  registers_.writes(issued.thread, operation.dst, done, Hazard::alu_result);
  for (unsigned i = 0; i < operation.sources; ++i) {
    registers_.stats().reads += operation.source[i].count;
  }
  registers_.stats().writes += operation.dst.count;
  ++stats_.instructions;
  stats_.lanes += operation.lanes;
  stats_.cycles += operation.occupancy;
  ++clock_.progress;
}

Alu::Stats Alu::stats(Cycle now) const {
  Stats stats = stats_;
  if (now < free_at_) stats.cycles -= free_at_ - now;
  return stats;
}

Cycle Alu::next_event(Cycle now) const {
  if (free_at_ > now) return free_at_;
  return drained_at_ > now ? drained_at_ : never;
}

void Alu::describe(const trace::Scope& scope) const {
  scope.channel("issued", issued_);
  scope.reg(
      "busy_left", 8, [this] { return free_at_ > clock_.now ? free_at_ - clock_.now : 0; },
      trace::Radix::decimal);
}

}  // namespace tactus::dpas
