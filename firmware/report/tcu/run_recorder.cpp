#include "firmware/report/tcu/run_recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "firmware/driver/common/memory_system.h"
#include "firmware/driver/tcu/timeline_tracks.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

std::string unit_name(unsigned unit) { return fmt::format("unit {}", unit); }

RunOutputs of_tcus(RunOutputs outputs, const TcuMachines& machines, LayerSignal& layers) {
  layers.add_to(outputs.trace);
  if (machines.count() > 1) outputs.timeline_options.machine = unit_name(0);
  for (unsigned u = 1; u < machines.count(); ++u) {
    outputs.timeline_options.in_ns |= machines.period(u) != machines.period(0);
  }
  return outputs;
}

}  // namespace

// ---- the signal ---------------------------------------------------------------------------------

std::uint32_t LayerSignal::counter() const {
  return simulation_.system().tcu().decoder().registers().program_counter;
}

void LayerSignal::begin_program() {
  first_ = counter();
  runs_ = true;
}

/// Number of the layer of the instruction that retires next; outside of all layers, the number of
/// layers.
std::uint64_t LayerSignal::layer() const {
  if (!runs_) return regions_.size();
  const std::uint32_t instruction = counter() - first_;
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), instruction,
      [](std::uint64_t index, const tcu::LayerEntry& region) { return index < region.first; });
  if (after == regions_.begin()) return regions_.size();
  const auto& region = *std::prev(after);
  const bool inside = instruction - region.first < region.count;
  return inside ? static_cast<std::uint64_t>(after - regions_.begin()) - 1 : regions_.size();
}

void LayerSignal::describe(const trace::Scope& top) const {
  if (regions_.empty()) return;
  std::string note;
  for (std::size_t i = 0; i <= regions_.size(); ++i) {
    std::string name = i < regions_.size() ? printable(regions_[i].name, 100) : "(none)";
    for (char& c : name) {
      if (c == ',' || c == ';' || c == ' ') c = '_';  // these characters separate names in the note
    }
    note += fmt::format("{}{:x} {}", i == 0 ? "" : ", ", i, name);
  }
  top.state(
      "layer", trace::bits_for(regions_.size()), [this] { return layer(); }, note.c_str());
}

void LayerSignal::add_to(TraceOptions& options) {
  options.surroundings = [this](const trace::Scope& top) {
    if (MemorySystem* const memory = simulation_.memory_system()) memory->describe(top);
    describe(top);
  };
}

// ---- the recorder -------------------------------------------------------------------------------

TcuRunRecorder::TcuRunRecorder(RunOutputs outputs, TcuMachines& machines,
                               const std::vector<tcu::LayerEntry>& layers, const std::string& of,
                               const RunObservers& others)
    : LayerSignal(layers, machines[0]),
      RunRecorder(
          of_tcus(std::move(outputs), machines, *this), machines[0],
          [&] { return std::make_unique<TcuTimelineTracks>(machines[0]); }, of, others),
      machines_(machines) {
  for (unsigned u = 1; u < machines.count(); ++u) {
    add_machine(unit_name(u), machines[u], std::make_unique<TcuTimelineTracks>(machines[u]));
  }
  if (!outputs_.samples) return;
  samples_ = std::make_unique<SampleFile>(*outputs_.samples);
  machines[0].system().on_sample = [this](const Sample& sample) { samples_->add(sample); };
}

std::optional<TcuRunResult> TcuRunRecorder::run_images(const ImagesToRun& task,
                                                       const RunRequest& request,
                                                       const TcuRunOptions& options,
                                                       const std::function<bool()>& ends,
                                                       TcuImages& made) {
  made.tcus = machines_.count();
  const bool several = made.tcus > 1;
  if (several) {
    ImageResult image = run_once(task.config, task.model, task.inputs.front(), request, options);
    made.alone = image.probe.value_or(image.run.cycles);
    if (ends()) return std::nullopt;
    if (image.run.end != RunEnd::finished) return std::move(image.run);
  } else {
    begin_run("preparation", {});
  }
  std::vector<ImageResult>& images = made.images;
  images.resize(task.runs);
  std::size_t begun = 0;
  std::vector<bool> finished(images.size());
  std::optional<TcuRunResult> cut_off;
  const auto run_image = [&](unsigned unit, Host& host, std::size_t i) {
    if (i != 0 && ends()) return false;
    ++begun;
    begin_image(fmt::format("image {}", i), task.model.program, unit);
    TcuRunOptions own = options;
    if (unit == 0) own.retire_log = retires();
    images[i] = host.run_image(task.inputs[i % task.inputs.size()], own);
    // Outputs of an image that has run before are those it had.
    if (i >= task.inputs.size()) images[i].outputs.clear();
    const TcuRunResult& run = images[i].run;
    end_image(run.accounting, unit);
    made.retired += run.retired;
    finished[i] = run.end == RunEnd::finished;
    if (several && !finished[i] && !ends()) cut_off = run;
    return bool{finished[i]};
  };
  std::optional<TcuRunResult> stuck = machines_.deal(task.model, request, images.size(), run_image);
  if (cut_off) stuck = std::move(cut_off);
  made.shared_memory = machines_.shared_memory();
  // Several units keep the images before the first that has not finished; one keeps that, too.
  const auto cut = std::find(finished.begin(), finished.end(), false) - finished.begin();
  images.resize(several ? static_cast<std::size_t>(cut) : begun);
  return stuck;
}

void TcuRunRecorder::begin_image(const std::string& name, const std::vector<std::uint8_t>& program,
                                 unsigned machine) {
  RunRecorder::begin_image(name, program, machine);
  if (machine == 0) begin_program();
}

void TcuRunRecorder::finish() {
  RunRecorder::finish();
  if (!samples_) return;
  if (std::string problem = samples_->finish(); !problem.empty()) {
    failures_.push_back(std::move(problem));
    samples_.reset();
  }
}

std::string TcuRunRecorder::files_text() const {
  std::string text = RunRecorder::files_text();
  if (samples_) {
    const std::uint64_t dropped = machines_[0].system().sampler()->stats().dropped;
    text +=
        fmt::format("{:<14}{} in {}\n", "samples", samples_->summary(dropped), *outputs_.samples);
  }
  return text;
}

}  // namespace tactus
