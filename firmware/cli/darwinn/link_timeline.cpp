#include "firmware/cli/darwinn/link_timeline.h"

#include <algorithm>

#include "isa/support/text.h"

namespace tactus {
namespace {

// Numbers of the first lanes of the tracks. The further lanes of a track follow it.
constexpr unsigned host_track = 100, out_track = 200, compute_track = 300, in_track = 400;
constexpr unsigned request_track = 500;

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
  add_track(host_track, "host");
  add_track(out_track, "to the device");
  add_track(compute_track, compute);
  add_track(in_track, "from the device");
  add_track(request_track, "requests");
}

void LinkTimeline::add_track(unsigned number, const std::string& name) {
  tracks_[number] = {name, {0}};
  writer_.track(number, name);
}

/// Returns the number of the first lane of the track that is free from `from` on, and takes it
/// until `to`. Makes a lane if none is free.
unsigned LinkTimeline::lane(unsigned track, Picoseconds from, Picoseconds to) {
  auto& [name, ends] = tracks_.at(track);
  const auto free =
      std::find_if(ends.begin(), ends.end(), [&](Picoseconds end) { return end <= from; });
  const auto number = track + static_cast<unsigned>(free - ends.begin());
  if (free == ends.end()) {
    ends.push_back(to);
    writer_.track(number, name + ", " + std::to_string(ends.size()));
  } else {
    *free = to;
  }
  return number;
}

void LinkTimeline::request(const std::string& name, Picoseconds from, Picoseconds to) {
  slice(request_track, name, "request", from, to);
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
  writer_.slice(lane(track, from, to), TraceWriter::text(name, category, arguments),
                static_cast<double>(from) / per_us, static_cast<double>(to - from) / per_us);
}

}  // namespace tactus
