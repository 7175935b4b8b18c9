#include "firmware/report/tcu/device_observer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/timeline_tracks.h"
#include "firmware/report/run_document.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/tcu/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/tcu/layout.h"

namespace tactus {

DeviceObserver::DeviceObserver(TcuDevice& device)
    : device_(device), accountant_(device.system(), device.cycles()) {
  show(device.system(), device.cycles());
  device.on_begin = [this] { begin(); };
  device.on_end = [this](bool failed) { end(failed); };
  device.on_simulation_end = [this] { finish(); };
}

DeviceObserver::~DeviceObserver() {
  try {
    finish();
  } catch (const std::exception& error) {
    SC_REPORT_WARNING(device_message_type, error.what());
  }
  device_.on_begin = device_.on_advance = device_.on_simulation_end = nullptr;
  device_.on_end = nullptr;
  device_.until_border = nullptr;
  if (model_ != nullptr) device_.system().tcu().decoder().on_retire = nullptr;
  if (timeline_) observe_accounts(nullptr);
  observe(nullptr);
}

void DeviceObserver::trace(const std::string& vcd, TraceOptions options) {
  options.vcd = vcd;
  trace_ = std::make_unique<RunTrace>(*this, options, "tactus", device_.name());
}

void DeviceObserver::timeline(const std::string& json, const TimelineOptions& options) {
  auto tracks = std::make_unique<TcuTimelineTracks>(*this, device_.system());
  timeline_ = std::make_unique<Timeline>(json, *this, std::move(tracks), options);
  observe(&*timeline_);
  observe_accounts(&*timeline_);
}

void DeviceObserver::name_layers(const Model& model) {
  model_ = &model;
  device_.system().tcu().decoder().on_retire = [this](Cycle, std::uint32_t) { count_retire(); };
  device_.until_border = [this] { return until_border(); };
  device_.on_advance = [this] { pass_border(); };
}

/// True if `program`, which memory holds, is the model's program followed only by the NoOps of the
/// padding.
bool DeviceObserver::holds(const std::vector<std::uint8_t>& program, const Model& model) const {
  const std::vector<std::uint8_t>& known = model.program;
  return program.size() >= known.size() &&
         std::equal(known.begin(), known.end(), program.begin()) &&
         std::all_of(program.begin() + static_cast<std::ptrdiff_t>(known.size()), program.end(),
                     [](std::uint8_t byte) { return byte == 0; });
}

void DeviceObserver::begin() {
  const std::uint64_t instruction =
      tcu::InstructionLayout(device_.system().architecture()).instruction_bytes();
  std::vector<std::uint8_t> program;
  if (timeline_ || model_ != nullptr) program = device_.program();
  running_ = model_ != nullptr && holds(program, *model_) ? model_ : nullptr;
  if (timeline_) {
    program.resize(program.size() / instruction * instruction);
    timeline_->begin_run(fmt::format("program {}", results_.size()), program);
  }
  result_ = TcuRunResult();
  began_ = device_.cycles().begin();
  first_ = device_.cycles().now;
  border_ = false;
  result_.retired = 0;
  retired_before_ = device_.system().tcu().decoder().stats().retired;
  begin_counts(device_.system(), result_);
  std::vector<Region> regions;
  if (running_ != nullptr) {
    result_.instructions = running_->program.size() / instruction;
    regions = tcu::regions_of(running_->file.layers);
  }
  accountant_.begin(result_.instructions, regions);
}

void DeviceObserver::count_retire() {
  if (++result_.retired != accountant_.next_border()) return;
  border_ = true;
  device_.system().pause();
}

void DeviceObserver::pass_border() {
  if (!border_) return;
  border_ = false;
  accountant_.border(result_.retired);
}

void DeviceObserver::end(bool failed) {
  const Decoder::Stats& stats = device_.system().tcu().decoder().stats();
  result_.retired = stats.retired - retired_before_;
  if (running_ == nullptr) result_.instructions = result_.retired;
  if (result_.retired > 0) {
    result_.last_retire = result_.last_retire_padded = stats.last_retire - first_;
  }
  result_.cycles = result_.last_retire_padded;
  result_.accounting = accountant_.end(result_.retired);
  end_counts(device_.system(), first_, result_);
  if (timeline_) timeline_->end_run(result_.accounting);
  const std::uint64_t time = device_.cycles().begin() - began_;
  const bool follows = device_.cycles().edges != nullptr && time > 0;
  clock_mhz_.push_back(follows ? 1e9 * static_cast<double>(now() - first_) /
                                     static_cast<double>(femtoseconds(time))
                               : 1e9 / static_cast<double>(period_fs()));
  results_.push_back(result_);
  models_.push_back(running_);
  failed_.push_back(failed);
}

void DeviceObserver::finish() {
  if (finished_) return;
  finished_ = true;
  std::string failure;
  if (trace_) failure = trace_->finish();
  if (timeline_) timeline_->close();
  if (!failure.empty()) throw UserError(failure);
}

namespace {

using DeviceJson = nlohmann::ordered_json;

/// Makes all figures with these names null.
void remove_figures(DeviceJson& json, const std::vector<std::string_view>& names) {
  if (json.is_array()) {
    for (DeviceJson& item : json) remove_figures(item, names);
  }
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      value = DeviceJson();
    } else if (name != "figures" && name != "config") {
      remove_figures(value, names);
    }
  }
}

/// Statistics in which nothing stands for what the model cannot say.
std::string without(const TcuSystem::Absent& absent, const MachineInfo& info,
                    const std::string& statistics) {
  DeviceJson json = json_of_text(statistics);
  std::vector<std::string_view> names = absent.counters;
  for (const auto* figures : {&info.run_figures, &info.layer_figures}) {
    for (const FigureInfo& figure : *figures) {
      const auto& of = absent.counters;
      if (std::find(of.begin(), of.end(), figure.of) != of.end()) names.push_back(figure.name);
    }
  }
  if (absent.lost_cycles) {
    names.insert(names.end(), {"lost_cycles", "lost", "main_reason", "roofline", "macs",
                               "macs_per_cycle", "bytes_read", "bytes_written"});
  }
  remove_figures(json, names);
  for (DeviceJson* const part : {&json["accounting"], &json["images"][0]["accounting"]}) {
    for (const std::string_view unit : absent.units) {
      (*part)["units"][std::string(unit)] = DeviceJson();
      DeviceJson& ports = (*part)[std::string(info.traffic.name)];
      if (ports.contains(std::string(unit))) ports[std::string(unit)] = DeviceJson();
    }
    if (absent.kinds) (*part)["instructions"] = DeviceJson();
  }
  json["replaced_units"] = absent.units;
  return text_of_json(json, 2) + "\n";
}

}  // namespace

std::string DeviceObserver::summary() const {
  const bool knows_lost = !device_.system().absent().lost_cycles;
  std::string text;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Counters& totals = results_[i].accounting.totals;
    text += fmt::format("program {}: {} cycles, {} lost{}", i, results_[i].accounting.cycles,
                        knows_lost ? std::to_string(lost_total(totals)) : "an unknown number",
                        failed_[i] ? "; it failed: a memory refused an access" : "");
    std::vector<LostCycles> lost;
    if (knows_lost) lost = lost_cycles(totals);
    lost.resize(std::min<std::size_t>(3, lost.size()));
    for (const LostCycles& reason : lost) {
      text +=
          fmt::format("\n{:10}  {}", reason.cycles, totals.info->time.reasons[reason.reason].title);
    }
    text += '\n';
  }
  return text;
}

std::string DeviceObserver::statistics(std::size_t program) const {
  if (program >= results_.size()) {
    user_error("{}: statistics of program {}; ended so far: {}", device_.name(), program,
               results_.size());
  }
  const TcuRunResult& result = results_[program];
  const tcu::Architecture& architecture = device_.system().architecture();
  RunDocument document;
  document.clock_mhz = clock_mhz_[program];
  document.back_to_back = false;
  document.rates = machine().rates();
  document.configuration = {{"architecture", json_of_text(tcu::to_json(architecture, -1))},
                            {"axi_data_bits", device_.config().system.axi_data_bits},
                            {"clock_mhz", document.clock_mhz}};
  if (const Model* const model = models_[program]) {
    document.configuration["model"] = model->path;
    document.expected = expectations(model->file.layers);
    document.macs = tcu::macs_of(model->file.layers);
    document.batch = model->file.batch;
  }
  ReportedRun run;
  run.run = &result;
  run.cycles = result.cycles;
  run.last_retire = result.last_retire;
  run.own = own_figures(result, architecture, std::nullopt);
  document.images.push_back(std::move(run));
  document.first_cycle = first_;
  document.total_cycles = result.accounting.cycles;
  const TcuSystem::Absent absent = device_.system().absent();
  const std::string text = stats_json(document);
  return absent.units.empty() ? text : without(absent, device_.system().info(), text);
}

}  // namespace tactus
