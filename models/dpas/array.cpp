#include "models/dpas/array.h"

#include <algorithm>

#include "models/dpas/events.h"
#include "models/dpas/signals.h"

namespace tactus::dpas {

Array::Array(const sc_core::sc_module_name& name, Clock& clock, const MachineParameters& parameters,
             RegisterFile& registers, Link<Issued>& issued)
    : sc_module(name),
      clock_(clock),
      conflict_cycles_(parameters.profile.bank_conflict_cycles),
      registers_(registers),
      issued_(issued),
      src1_(parameters.profile.src1_buffer_bytes / (8 * parameters.profile.grf_bytes)),
      src2_(parameters.profile.src2_buffer_bytes / (4 * parameters.profile.grf_bytes)),
      account_("array", clock, state_table, rest) {}

void Array::drive() { issued_.ready = clock_.now >= free_at_; }

Array::State Array::state(Cycle now) const {
  if (now < rows_until_) return rows;
  if (now < load_until_) return load_src1;
  if (now < free_at_) return conflict;
  return now < drained_at_ ? drain : rest;
}

Array::Stats Array::stats(Cycle now) const {
  Stats stats = stats_;
  if (now < rows_until_) stats.rows -= rows_until_ - now;
  return stats;
}

void Array::commit() {
  const Cycle now = clock_.now;
  while (first_ != end_ && in_flight_[first_ % most_in_flight].done <= now) {
    const InFlight& done = in_flight_[first_++ % most_in_flight];
    if (clock_.events != nullptr) {
      clock_.events->event({DpasEvent::result, done.thread, done.index});
    }
  }
  if (issued_.fires()) accept(issued_.bits);
  account_.enter(state(now));
}

bool Array::read_operands(const Issued& issued, const DpasForm& form, bool joined) {
  const Operation& operation = *issued.operation;
  RegisterFile::Stats& stats = registers_.stats();
  const unsigned sources = operation.sources;
  const RegisterRange& src1 = operation.source[sources - 2];
  const RegisterRange& src2 = operation.source[sources - 1];
  if (sources == 3) stats.reads += operation.source[0].count;
  // Operand buffers save reads only inside a macro.
  if (!joined) {
    src1_.clear();
    src2_.clear();
  }
  const bool held = form.holds_src1 && src1_.holds_or_takes(src1);
  (held ? stats.saved : stats.reads) += src1.count;
  const bool held2 = form.holds_src2 && src2_.holds_or_takes(src2);
  (held2 ? stats.saved : stats.reads) += src2.count;
  return held;
}

void Array::accept(const Issued& issued) {
  const Cycle now = clock_.now;
  const Operation& operation = *issued.operation;
  const DpasForm& form = issued.kernel->form(operation);
  const bool joined = macro_thread_ == issued.thread;
  const bool held = read_operands(issued, form, joined);
  const unsigned conflicts =
      conflict_cycles_ * (held ? operation.conflicts_held : operation.conflicts);
  rows_until_ = now + form.rows;
  load_until_ = now + (held ? 0 : form.src1_load);
  free_at_ = std::max(rows_until_, load_until_) + conflicts;
  const Cycle done = now + form.latency + conflicts;
  drained_at_ = std::max(drained_at_, done);
  last_result_ = done;
  last_released_ = now + form.released + conflicts;

  std::uint8_t* const bytes = registers_.bytes(issued.thread);
  form.function(form.config, bytes + operation.dst_address, bytes + operation.src_address[0],
                bytes + operation.src_address[1], bytes + operation.src_address[2]);
  registers_.writes(issued.thread, operation.dst, done, Hazard::array_result);
  src1_.drop(operation.dst);
  src2_.drop(operation.dst);
  for (unsigned i = 0; i < operation.sources; ++i) {
    registers_.reads(issued.thread, operation.source[i], last_released_, Hazard::array_sources);
  }
  registers_.stats().writes += operation.dst.count;
  in_flight_[end_++ % most_in_flight] = {done, operation.index, issued.thread};

  if (operation.joins_next && !joined) ++stats_.macros;
  macro_thread_ = operation.joins_next ? issued.thread : nobody;
  ++stats_.instructions;
  stats_.rows += form.rows;
  stats_.macs += form.macs;
  stats_.macs_by_kind[static_cast<std::size_t>(form.mac_kind)] += form.macs;
  stats_.conflict_cycles += conflicts;
  ++clock_.progress;
}

Cycle Array::next_event(Cycle now) const {
  Cycle next = never;
  for (const Cycle at : {rows_until_, load_until_, free_at_, drained_at_}) {
    if (at > now) next = std::min(next, at);
  }
  return next;
}

void Array::describe(const trace::Scope& scope) const {
  scope.channel("issued", issued_);
  const auto left = [this](const Cycle& until) {
    return [this, &until] { return until > clock_.now ? until - clock_.now : 0; };
  };
  scope.reg("rows_left", 16, left(rows_until_), trace::Radix::decimal);
  scope.reg("src1_left", 16, left(load_until_), trace::Radix::decimal);
  scope.reg("busy_left", 16, left(free_at_), trace::Radix::decimal);
  scope.level("in_flight", most_in_flight, [this] { return end_ - first_; });
  scope.reg("in_macro", 1, [this] { return in_macro(); });
}

}  // namespace tactus::dpas
