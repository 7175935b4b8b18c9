// Reads the chosen signals of every cycle inside a window and hands them to a waveform file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/sim/trace/cycle_watcher.h"
#include "models/sim/trace/selection.h"
#include "models/sim/trace/vcd_writer.h"

namespace tactus::trace {

/// A cycle is traced if it is in first..last and, if there is a condition, at most `pre` cycles
/// before or `post` cycles after a cycle in which the condition holds.
struct Window {
  Cycle first = 0;
  Cycle last = ~Cycle{0};
  /// Condition on registers; read when the wires of a cycle have settled.
  std::function<bool()> condition;
  Cycle pre = 0, post = 0;
};

/// Cycles outside first..last cost nothing. Inside, a cycle without the condition costs two calls
/// that return at once. Exception: `pre` cycles need a ring, so every cycle in first..last is read,
/// and is written only when the window opens.
class Tracer final : public CycleWatcher {
 public:
  /// Throws UserError if the ring would be larger than 256 MiB.
  Tracer(const Plan& plan, Window window, VcdWriter& writer);

  [[nodiscard]] Cycle next(Cycle now) const override {
    if (now > window_.last || writer_.full()) return ~Cycle{0};
    return std::max(now, window_.first);
  }
  void settled(Cycle now) override;
  void committed(Cycle now) override;

  /// Reads the values of a moment into a snapshot.
  static void read(const std::vector<Group>& groups, std::uint64_t* snapshot);

  /// Cycles written so far.
  [[nodiscard]] Cycle cycles() const { return cycles_; }
  /// The first of them.
  [[nodiscard]] Cycle first() const { return first_; }

 private:
  [[nodiscard]] std::uint64_t* slot(Cycle cycle) {
    return ring_.data() + cycle % ring_cycles_ * plan_.words;
  }
  void write(Cycle cycle);

  const Plan& plan_;
  Window window_;
  VcdWriter& writer_;
  Cycle ring_cycles_;
  std::vector<std::uint64_t> ring_;
  bool reads_ = false;       ///< this cycle is read
  bool writes_ = false;      ///< this cycle is written
  Cycle open_until_ = 0;     ///< cycles before this one are written because of `post`
  Cycle stretch_first_ = 0;  ///< first of the cycles that were read without a gap
  Cycle next_read_ = ~Cycle{0};
  Cycle next_write_ = ~Cycle{0};  ///< one after the last cycle written
  Cycle cycles_ = 0;
  Cycle first_ = 0;
};

}  // namespace tactus::trace
