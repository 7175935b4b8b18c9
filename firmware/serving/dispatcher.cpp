#include "firmware/serving/dispatcher.h"

#include <algorithm>
#include <utility>

namespace tactus {

Dispatcher::Dispatcher(Config config)
    : config_(std::move(config)),
      units_(config_.units),
      counts_(config_.models.size()),
      next_(config_.models.size()) {
  for (unsigned m = 0; m < config_.models.size(); ++m) {
    for (const unsigned unit : config_.models[m].units) units_[unit].models.push_back(m);
  }
}

void Dispatcher::free(unsigned unit) { units_[unit].free = true; }

bool Dispatcher::has_request(unsigned model) const {
  const Queue& queue = config_.models[model];
  if (queue.ready) return counts_[model].taken < queue.count;
  return !counts_[model].waiting.empty();
}

/// Lets the requests before `now` arrive, which no unit was free to take.
void Dispatcher::arrive_before(unsigned model, Cycle now) {
  const std::vector<Cycle>& arrivals = config_.models[model].arrivals;
  Counts& counts = counts_[model];
  for (; next_[model] < arrivals.size() && arrivals[next_[model]] < now; ++next_[model]) {
    ++counts.arrived;
    if (config_.most_waiting && counts.waiting.size() >= *config_.most_waiting) {
      ++counts.dropped;
    } else {
      counts.waiting.push_back(arrivals[next_[model]]);
    }
  }
}

void Dispatcher::assign(Cycle now) {
  if (config_.end && now >= *config_.end) return;
  for (Unit& unit : units_) {
    if (!unit.free) continue;
    const std::size_t count = unit.models.size();
    const std::size_t first = config_.order == ServingOrder::turns ? unit.turn : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t chosen = (first + i) % count;
      const unsigned model = unit.models[chosen];
      if (!has_request(model)) continue;
      Counts& counts = counts_[model];
      Cycle arrival = now;
      if (config_.models[model].ready) {
        ++counts.arrived;
      } else {
        arrival = counts.waiting.front();
        counts.waiting.pop_front();
      }
      ++counts.taken;
      unit.taken = Request{model, arrival};
      unit.free = false;
      unit.turn = (chosen + 1) % count;
      break;
    }
  }
}

void Dispatcher::decide(Cycle now) {
  for (unsigned m = 0; m < counts_.size(); ++m) arrive_before(m, now);
  assign(now);
  for (unsigned m = 0; m < counts_.size(); ++m) {
    const std::vector<Cycle>& arrivals = config_.models[m].arrivals;
    for (; next_[m] < arrivals.size() && arrivals[next_[m]] == now; ++next_[m]) {
      ++counts_[m].arrived;
      counts_[m].waiting.push_back(now);
    }
  }
  assign(now);
  for (Counts& counts : counts_) {
    while (config_.most_waiting && counts.waiting.size() > *config_.most_waiting) {
      counts.waiting.pop_back();
      ++counts.dropped;
    }
  }
}

std::optional<Dispatcher::Request> Dispatcher::take(unsigned unit) {
  return std::exchange(units_[unit].taken, std::nullopt);
}

std::optional<Cycle> Dispatcher::next(unsigned unit) const {
  std::optional<Cycle> next;
  for (const unsigned model : units_[unit].models) {
    const std::vector<Cycle>& arrivals = config_.models[model].arrivals;
    if (next_[model] == arrivals.size()) continue;
    const Cycle arrival = arrivals[next_[model]];
    if (!next || arrival < *next) next = arrival;
  }
  if (config_.end && next && *next >= *config_.end) return std::nullopt;
  return next;
}

void Dispatcher::finish() {
  for (unsigned m = 0; m < counts_.size(); ++m) arrive_before(m, ~Cycle{0});
}

}  // namespace tactus
