#include "models/axi/memory_account.h"

#include <algorithm>

namespace tactus {

void MemoryAccount::change(Kind kind) {
  const Cycle now = clock_.now;
  if (kind_ != Kind::nothing && now > since_) intervals_.push_back({since_, now, kind_, false, {}});
  kind_ = kind;
  since_ = now;
}

void MemoryAccount::settle(Kind kind, const AnswerTimes* times) {
  for (Interval& interval : intervals_) {
    if (interval.kind != kind || interval.known) continue;
    interval.known = true;
    if (times != nullptr) interval.times = *times;
  }
  // In order of time.
  while (!intervals_.empty() && intervals_.front().known) {
    enter(intervals_.front());
    intervals_.pop_front();
  }
}

void MemoryAccount::enter(const Interval& interval) {
  const AnswerTimes& times = interval.times;
  Cycle at = interval.from;
  const auto until = [&](std::uint64_t ps, State state) {
    const Cycle end = (ps + clock_.period_ps - 1) / clock_.period_ps;
    if (end <= at || at >= interval.to) return;
    account_.enter_at(state, at);
    at = std::min(end, interval.to);
  };
  until(times.path_in, path);
  until(times.queue, queue);
  until(times.refresh, refresh);
  until(times.row, row);
  until(times.bus, bus);
  if (at < interval.to) account_.enter_at(path, at);
  account_.enter_at(rest, interval.to);
}

}  // namespace tactus
