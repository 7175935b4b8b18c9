#include "models/axi/memory_account.h"

#include "isa/support/error.h"

namespace tactus {

void MemoryAccount::remember() {
  const Cycle now = clock_.now;
  if (now > since_) intervals_.push_back({since_, now, kind_, false, {}});
}

void MemoryAccount::taken(Kind kind, const AnswerTimes* times) {
  static constexpr AnswerTimes unknown;
  const AnswerTimes& way = times != nullptr ? *times : unknown;
  // In most cases the slave was waiting for this beat or response, and no other interval is open.
  if (kind == kind_ && intervals_.empty()) {
    kind_ = Kind::nothing;
    if (clock_.now > since_) enter(since_, clock_.now, way);
    since_ = clock_.now;
    return;
  }
  wait(Kind::nothing);
  settle(kind, way);
}

void MemoryAccount::mark() {
  if (wants_times()) internal_error("{}: a mark while an answer is waited for", account_.unit());
  account_.save(marked_);
}

void MemoryAccount::rewind() {
  kind_ = Kind::nothing;
  intervals_.clear();
  account_.restore(marked_);
}

void MemoryAccount::settle(Kind kind, const AnswerTimes& times) {
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    Interval& interval = intervals_[i];
    if (interval.kind != kind || interval.known) continue;
    interval.known = true;
    interval.times = times;
  }
  // The account is entered in order of time.
  while (!intervals_.empty() && intervals_.front().known) {
    const Interval& first = intervals_.front();
    enter(first.from, first.to, first.times);
    intervals_.pop_front();
  }
}

void MemoryAccount::enter(Cycle from, Cycle to, const AnswerTimes& times) {
  // In most cases the access is on its way back during the whole interval.
  if (clock_.time_of(from) < times.bus) return enter_parts(from, to, times);
  account_.enter_at(path, from);
  account_.enter_at(rest, to);
}

void MemoryAccount::enter_parts(Cycle from, Cycle to, const AnswerTimes& times) {
  std::uint64_t from_time = clock_.time_of(from);
  const std::uint64_t last_time = clock_.time_of(to - 1);
  const auto until = [&](std::uint64_t time, State state) {
    if (time <= from_time || from == to) return;
    account_.enter_at(state, from);
    // Most parts end before the interval or after it, which needs no division.
    from = time > last_time ? to : clock_.first_cycle_from(time);
    from_time = clock_.time_of(from);
  };
  until(times.path_in, path);
  until(times.queue, queue);
  until(times.refresh, refresh);
  until(times.row, row);
  until(times.bus, bus);
  if (from < to) account_.enter_at(path, from);
  account_.enter_at(rest, to);
}

}  // namespace tactus
