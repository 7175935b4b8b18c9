#include "models/sim/trace/tracer.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"

namespace tactus::trace {
namespace {

constexpr std::uint64_t most_ring_bytes = std::uint64_t{256} << 20;

}  // namespace

// The ring also holds the cycle before the oldest that may still be written, in order to find
// changes.
Tracer::Tracer(const Plan& plan, Window window, VcdWriter& writer)
    : plan_(plan), window_(std::move(window)), writer_(writer) {
  const std::uint64_t most = most_ring_bytes / (std::max<std::size_t>(plan.words, 1) * 8) - 2;
  if (window_.pre > most) {
    user_error("--trace-pre {}: the selected signals need {} bytes a cycle; allowed: up to {}",
               window_.pre, plan.words * 8, most);
  }
  ring_cycles_ = window_.pre + 2;
  // A plan with the clock alone has no words, but the ring has at least one: a null pointer would
  // mean to the writer that there is no earlier cycle.
  ring_.resize(std::max<std::size_t>(ring_cycles_ * plan.words, 1));
}

void Tracer::read(const std::vector<Group>& groups, std::uint64_t* snapshot) {
  for (const Group& group : groups) {
    if (group.guard != none && snapshot[group.guard] == 0) continue;
    for (const Group::Item& item : group.items) {
      if (item.flag != nullptr) {
        snapshot[item.slot] = *item.flag ? 1 : 0;
      } else {
        item.read(snapshot + item.slot);
      }
    }
  }
}

void Tracer::settled(Cycle now) {
  reads_ = writes_ = false;
  if (now < window_.first || now > window_.last) return;
  if (!window_.condition) {
    writes_ = true;
  } else if (window_.condition()) {
    writes_ = true;
    open_until_ = window_.post < ~Cycle{0} - now ? now + window_.post + 1 : ~Cycle{0};
  } else {
    writes_ = now < open_until_;
  }
  reads_ = writes_ || window_.pre > 0;
  if (reads_) read(plan_.settled, slot(now));
}

void Tracer::committed(Cycle now) {
  if (!reads_) return;
  read(plan_.committed, slot(now));
  if (now != next_read_) stretch_first_ = now;
  next_read_ = now + 1;
  if (!writes_) return;
  Cycle first = now > window_.pre ? now - window_.pre : 0;
  first = std::max(first, stretch_first_);
  if (next_write_ <= now) first = std::max(first, next_write_);
  for (Cycle cycle = first; cycle <= now; ++cycle) write(cycle);
}

void Tracer::write(Cycle cycle) {
  writer_.write(cycle, slot(cycle), cycle == next_write_ ? slot(cycle - 1) : nullptr);
  next_write_ = cycle + 1;
  if (writer_.full()) return;
  if (cycles_ == 0) first_ = cycle;
  ++cycles_;
}

}  // namespace tactus::trace
