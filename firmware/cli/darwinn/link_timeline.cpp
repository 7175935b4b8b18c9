#include "firmware/cli/darwinn/link_timeline.h"

#include <algorithm>

#include "isa/support/text.h"

namespace tactus {
namespace {

// Numbers of the tracks; tracks of requests follow.
constexpr unsigned host_track = 1, out_track = 2, compute_track = 3, in_track = 4;
constexpr unsigned request_track = 10;

}  // namespace

std::string step_text(const darwinn::Executable& executable, const ReplayStep& step) {
  const darwinn::Hint& hint = step.hint;
  std::string text;
  switch (hint.kind) {
    case darwinn::HintKind::descriptor: {
      const std::string_view layer = hint.meta->name.value_or("");
      text = fmt::format("{}{}{}",
                         hint.meta->desc == darwinn::scratch
                             ? (hint.direction == darwinn::infeed ? "SCRATCH IN" : "SCRATCH OUT")
                             : darwinn::base_name(hint.meta->desc),
                         layer.empty() ? "" : " ", printable(layer));
      break;
    }
    case darwinn::HintKind::instruction:
      text = fmt::format("INSTRUCTIONS {} of {}", hint.number, executable.chunks.size());
      break;
    case darwinn::HintKind::interrupt:
      text = fmt::format("INTERRUPT {}", hint.number);
      break;
    case darwinn::HintKind::fence:
    case darwinn::HintKind::none:
      text = "FENCE";
  }
  return step.inferred ? text + " (inferred)" : text;
}

LinkTimeline::LinkTimeline(const std::string& path, const std::string& compute)
    : writer_(path, "1 us is 1 us") {
  writer_.track(host_track, "host");
  writer_.track(out_track, "to the device");
  writer_.track(compute_track, compute);
  writer_.track(in_track, "from the device");
}

void LinkTimeline::request(const std::string& name, Picoseconds from, Picoseconds to) {
  const auto lane = static_cast<std::size_t>(
      std::find_if(lanes_.begin(), lanes_.end(), [&](Picoseconds end) { return end <= from; }) -
      lanes_.begin());
  const auto track = request_track + static_cast<unsigned>(lane);
  if (lane == lanes_.size()) {
    lanes_.push_back(0);
    writer_.track(track, lane == 0 ? "requests" : "requests, " + std::to_string(lane + 1));
  }
  lanes_[lane] = to;
  slice(track, name, "request", from, to);
}

void LinkTimeline::host(const std::string& name, Picoseconds from, Picoseconds to) {
  slice(host_track, name, "host", from, to);
}

void LinkTimeline::compute(const std::string& name, Picoseconds from, Picoseconds to) {
  slice(compute_track, name, "compute", from, to);
}

void LinkTimeline::steps(const darwinn::Executable& executable,
                         const std::vector<ReplayStep>& steps, Picoseconds from) {
  for (const ReplayStep& step : steps) {
    const bool in = step.hint.direction == darwinn::infeed;
    slice(in ? out_track : in_track, step_text(executable, step), "transfer", from + step.start,
          from + step.end, step.bytes);
  }
}

void LinkTimeline::slice(unsigned track, const std::string& name, std::string_view category,
                         Picoseconds from, Picoseconds to, std::int64_t bytes) {
  if (from == to) return;
  constexpr double per_us = 1e6;
  const std::string arguments =
      bytes > 0 ? "{\"bytes\":" + std::to_string(bytes) + "}" : std::string();
  writer_.slice(track, TraceWriter::text(name, category, arguments),
                static_cast<double>(from) / per_us, static_cast<double>(to - from) / per_us);
}

}  // namespace tactus
