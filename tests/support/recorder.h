// Records the events of a run with their cycles. Tests compare the recorded lists with expected
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "models/tcu/events.h"

namespace tactus {

using Cycles = std::vector<Cycle>;

/// Stores the cycle and operands of every event, without the data of vectors and beats.
class Recorder final : public EventSink {
 public:
  struct Entry {
    Cycle cycle;
    EventKind kind;
    unsigned port;
    std::uint64_t a, b, c;
  };

  void event(const Event& e) override { entries_.push_back({0, e.kind, e.port, e.a, e.b, e.c}); }
  /// Sets the cycle of the events since the last call, which arrive before their cycle is known.
  void end_of_cycle(Cycle cycle) override {
    for (; stamped_ < entries_.size(); ++stamped_) entries_[stamped_].cycle = cycle;
  }

  [[nodiscard]] std::vector<Entry> of(EventKind kind, unsigned port = 0) const {
    std::vector<Entry> found;
    for (const Entry& e : entries_) {
      if (e.kind == kind && e.port == port) found.push_back(e);
    }
    return found;
  }
  [[nodiscard]] Cycles cycles_of(EventKind kind, unsigned port = 0) const {
    Cycles cycles;
    for (const Entry& e : of(kind, port)) cycles.push_back(e.cycle);
    return cycles;
  }
  /// Returns the first operand of each event: an address, or the last flag of a beat.
  [[nodiscard]] std::vector<std::uint64_t> operands_of(EventKind kind, unsigned port = 0) const {
    std::vector<std::uint64_t> operands;
    for (const Entry& e : of(kind, port)) operands.push_back(e.a);
    return operands;
  }

  /// first() and last() return the cycle of the first and of the last event; they throw if there
  /// was none.
  [[nodiscard]] Cycle first(EventKind kind, unsigned port = 0) const {
    return cycles_of(kind, port).at(0);
  }
  [[nodiscard]] Cycle last(EventKind kind, unsigned port = 0) const {
    const Cycles cycles = cycles_of(kind, port);
    return cycles.at(cycles.size() - 1);
  }

  [[nodiscard]] Cycle accepted(std::size_t i) const {
    return cycles_of(TcuEvent::instruction_accepted).at(i);
  }
  [[nodiscard]] Cycle retired(std::size_t i) const { return cycles_of(TcuEvent::retired).at(i); }
  /// Returns the first cycle of instruction i at the decoder's head: one cycle after the
  /// instruction was accepted, or after the previous one retired.
  [[nodiscard]] Cycle head(std::size_t i) const {
    const Cycle earliest = accepted(i) + 1;
    return i == 0 || retired(i - 1) < earliest ? earliest : retired(i - 1) + 1;
  }

 private:
  std::vector<Entry> entries_;
  std::size_t stamped_ = 0;  ///< number of entries whose cycle is known
};

/// Returns `count` cycles: `first`, `first` + `step`, ...
[[nodiscard]] inline Cycles steps(Cycle first, std::uint64_t count, Cycle step = 1) {
  Cycles cycles;
  for (std::uint64_t i = 0; i < count; ++i) cycles.push_back(first + i * step);
  return cycles;
}

[[nodiscard]] inline Cycles joined(std::initializer_list<Cycles> parts) {
  Cycles all;
  for (const Cycles& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace tactus
