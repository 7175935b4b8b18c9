#include "firmware/driver/darwinn/replay.h"

#include <algorithm>

#include <fmt/core.h>

#include "isa/support/error.h"

namespace tactus {
namespace {

using darwinn::Executable;
using darwinn::Hint;
using darwinn::HintKind;

constexpr std::uint64_t picoseconds_per_second = 1000000000000;

/// Returns a * b / c, rounded up. Throws UserError if it exceeds 64 bits.
std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  __extension__ using Wide = unsigned __int128;
  const Wide result = (Wide{a} * b + c - 1) / c;
  if (result > ~std::uint64_t{0}) user_error("a replay of more than 2^64 picoseconds");
  return static_cast<std::uint64_t>(result);
}

bool is_output(const Hint& hint) {
  return hint.kind == HintKind::descriptor && hint.meta->desc == darwinn::output;
}

/// Computes the times of a DMA list, step by step.
class List {
 public:
  List(const LinkValues& link, Picoseconds compute, bool has_output)
      : link_(link), compute_(compute), has_output_(has_output) {}

  void add(ReplayStep step) {
    switch (step.hint.kind) {
      case HintKind::descriptor:
        step.hint.direction == darwinn::infeed ? infeed(step) : outfeed(step);
        break;
      case HintKind::instruction:
        infeed(step);
        break;
      case HintKind::fence:
        fence_ = step.start = step.end = end_;
        break;
      case HintKind::interrupt:
        compute();
        step.start = step.end = end_;
        break;
      case HintKind::none:
        internal_error("a hint without a kind");
    }
    result_.steps.push_back(step);
  }
  /// Time at which the steps added so far, and compute, have ended.
  Picoseconds end() {
    compute();
    return end_;
  }
  ReplayResult& result() { return result_; }

 private:
  void finish(ReplayStep& step, std::uint64_t rate) {
    step.end = step.start + transfer_time(step.bytes, rate);
    end_ = std::max(end_, step.end);
  }
  void infeed(ReplayStep& step) {
    step.start = std::max({out_free_, fence_, link_.outfeed_blocks_infeed ? last_outfeed_ : 0});
    finish(step, link_.out_bytes_per_second);
    out_free_ = step.end;
    last_infeed_ = std::max(last_infeed_, step.end);
  }
  void outfeed(ReplayStep& step) {
    if (has_output_ && is_output(step.hint)) compute();
    step.start = std::max({in_free_, fence_, last_infeed_, computed_ ? result_.compute_end : 0});
    finish(step, link_.in_bytes_per_second);
    in_free_ = step.end;
    last_outfeed_ = std::max(last_outfeed_, step.end);
  }
  /// Sets the time of compute, behind the infeeds added so far. Further calls change nothing.
  void compute() {
    if (computed_) return;
    computed_ = true;
    result_.compute_start = last_infeed_;
    result_.compute_end = last_infeed_ + compute_;
    end_ = std::max(end_, result_.compute_end);
  }

  const LinkValues& link_;
  const Picoseconds compute_;
  const bool has_output_;
  bool computed_ = false;
  Picoseconds out_free_ = 0, in_free_ = 0, fence_ = 0, end_ = 0;
  Picoseconds last_infeed_ = 0, last_outfeed_ = 0;
  ReplayResult result_;
};

bool has_inferred_tail(const Executable& executable) {
  const std::vector<Hint>& hints = executable.hints;
  const bool ends = !hints.empty() && hints.back().kind == HintKind::interrupt;
  return !executable.fully_deterministic && !ends;
}

/// Returns the steps that the device adds to a list that is not fully deterministic: an outfeed of
/// each output, then the interrupt.
std::vector<ReplayStep> inferred_tail(const Executable& executable) {
  std::vector<ReplayStep> tail;
  for (const darwinn::Layer& layer : executable.outputs) {
    ReplayStep step;
    step.inferred = true;
    step.hint.kind = HintKind::descriptor;
    step.hint.direction = darwinn::outfeed;
    step.hint.meta = darwinn::Meta{darwinn::output, darwinn::lower_32bit, 0, layer.name};
    step.hint.size = static_cast<std::int32_t>(layer.padded_bytes());
    step.bytes = layer.padded_bytes();
    tail.push_back(step);
  }
  ReplayStep interrupt;
  interrupt.inferred = true;
  interrupt.hint.kind = HintKind::interrupt;
  interrupt.hint.direction = darwinn::outfeed;
  tail.push_back(interrupt);
  return tail;
}

}  // namespace

std::vector<ReplayStep> dma_list(const Executable& executable) {
  std::vector<ReplayStep> list;
  for (const Hint& hint : executable.hints) {
    ReplayStep step;
    step.hint = hint;
    step.bytes = hint_bytes(executable, hint);
    list.push_back(step);
  }
  if (!has_inferred_tail(executable)) return list;
  const std::vector<ReplayStep> tail = inferred_tail(executable);
  list.insert(list.end(), tail.begin(), tail.end());
  return list;
}

Picoseconds transfer_time(std::int64_t bytes, std::uint64_t bytes_per_second) {
  return scaled(static_cast<std::uint64_t>(bytes), picoseconds_per_second, bytes_per_second);
}

ReplayResult replay(const Executable& executable, const LinkValues& link, std::uint64_t cycles) {
  const std::vector<Hint>& hints = executable.hints;
  const Picoseconds compute = scaled(cycles, picoseconds_per_second, link.core_hz);
  const bool infer = has_inferred_tail(executable);
  const bool listed_output = std::any_of(hints.begin(), hints.end(), is_output);
  List list(link, compute, listed_output || infer);
  const std::vector<ReplayStep> steps = dma_list(executable);
  for (std::size_t i = 0; i < hints.size(); ++i) list.add(steps[i]);
  const Picoseconds listed = list.end();
  for (std::size_t i = hints.size(); i < steps.size(); ++i) list.add(steps[i]);
  const Picoseconds end = list.end();
  ReplayResult result = std::move(list.result());
  result.listed = listed + link.fixed_ps;
  result.total = end + link.fixed_ps;
  result.traffic = darwinn::traffic_of(executable);
  std::int64_t out = result.traffic.out();
  for (const ReplayStep& step : result.steps) out += step.inferred ? step.bytes : 0;
  result.bound = std::max({transfer_time(result.traffic.in(), link.out_bytes_per_second),
                           transfer_time(out, link.in_bytes_per_second), compute}) +
                 link.fixed_ps;
  return result;
}

std::string replay_words(std::uint64_t cycles, const std::string& source) {
  const std::string compute =
      source.empty()
          ? std::string("compute not modelled")
          : fmt::format("compute = single lump of {} estimated cycles from {}", cycles, source);
  return "Edge TPU executable replayed; instruction encoding undocumented; " + compute +
         "; result is a transfer-bound latency; no output values.";
}

}  // namespace tactus
