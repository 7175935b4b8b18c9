// tactus run: one model or program on one machine.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "firmware/cli/commands.h"
#include "firmware/cli/interrupt.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/run_config.h"
#include "firmware/cli/run_plan.h"
#include "firmware/cli/run_report.h"
#include "firmware/cli/standard_output.h"
#include "firmware/driver/tcu/sample_file.h"
#include "firmware/driver/tcu/timeline_tracks.h"
#include "firmware/report/fan.h"
#include "firmware/report/timeline.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/output_file.h"
#include "isa/tcu/vectors_file.h"

namespace tactus {
namespace {

/// Writes event lines "cycle EVENT...". A failure to write stops the file and not the run.
class EventFile final : public EventLines {
 public:
  EventFile(const EventFormat& format, const std::string& path) : EventLines(format), file_(path) {}
  /// Throws UserError for the first write that failed.
  void close() {
    if (failure_) throw UserError(*failure_);
    file_.close();
  }

 private:
  void lines(Cycle cycle, const std::vector<std::string>& lines) override {
    if (failure_) return;
    try {
      for (const std::string& line : lines) file_.write(fmt::format("{} {}\n", cycle, line));
    } catch (const UserError& error) {
      failure_ = error.what();
    }
  }
  OutputFile file_;
  std::optional<std::string> failure_;
};

/// Everything `tactus run` holds while it runs.
class Runner {
 public:
  explicit Runner(RunPlan plan) : plan_(std::move(plan)), simulation_(plan_.config) {}

  ~Runner() {
    std::error_code ignored;
    if (made_output_) std::filesystem::remove(*plan_.output, ignored);  // only if it is empty
  }

  int run() {
    prepare_files();
    const auto start = std::chrono::steady_clock::now();
    std::optional<DeferSignals> defer;
    if (trace_) defer.emplace();
    std::optional<TcuRunResult> stuck;
    try {
      stuck = simulate();
    } catch (const Interrupted&) {
      // What was traced is closed below.
    }
    report_.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.total_cycles = simulation_.now();
    finish_observers();
    if (const int signal = DeferSignals::received(); signal != 0) stop_by(signal);
    defer.reset();
    if (!stuck && report_.images.back().run.end != RunEnd::finished) {
      stuck = report_.images.back().run;
    }
    // Whatever cannot be written costs itself only: the rest of the result is not lost.
    write_files(stuck.has_value());
    print_summary();
    if (!stuck) print_outputs();
    if (stuck) fmt::print(stderr, "tactus: {}\n", stuck_message(plan_, *stuck));
    if (!failures_.empty()) throw UserError(fmt::format("{}", fmt::join(failures_, "\n")));
    return stuck ? exit_stuck : exit_ok;
  }

 private:
  /// Opens or checks what is written later, so that a wrong path costs no simulation.
  void prepare_files() {
    keep_going_without_reader();
    if (plan_.events) {
      events_ = std::make_unique<EventFile>(simulation_.machine().event_format(), *plan_.events);
      event_fan_.add(events_.get());
    }
    if (plan_.trace.vcd) {
      const std::string& of = plan_.model ? plan_.model->path : plan_.workload.program;
      trace_ = std::make_unique<RunTrace>(simulation_, plan_.trace, of);
    }
    if (plan_.samples) {
      samples_ = std::make_unique<SampleFile>(*plan_.samples);
      simulation_.system().on_sample = [this](const Sample& sample) { samples_->add(sample); };
    }
    if (plan_.timeline) {
      timeline_ = std::make_unique<Timeline>(*plan_.timeline, simulation_,
                                             std::make_unique<TcuTimelineTracks>(simulation_),
                                             plan_.timeline_options);
      event_fan_.add(timeline_.get());
      account_fan_.add(timeline_.get());
    }
    if (plan_.report) account_fan_.add(&report_.activity);
    if (!event_fan_.empty()) simulation_.observe(&event_fan_);
    if (!account_fan_.empty()) simulation_.observe_accounts(&account_fan_);
    if (plan_.output) {
      std::error_code error;
      made_output_ = std::filesystem::create_directories(*plan_.output, error);
      if (error) user_error("{}: cannot be made: {}", *plan_.output, error.message());
      for (const Tensor& tensor : tensors(plan_.model->file.outputs)) {
        for (const char* extension : {".csv", ".bin"})
          claim_output(output_base(tensor.name) + extension);
      }
    }
  }

  /// A signal has ended a traced run at a report of its progress.
  void stop_by(int signal) const {
    fmt::print(stderr, "tactus: stopped by a signal after {} cycles; {}\n", simulation_.now(),
               trace_ ? "waveform: " + trace_->summary() : failures_.front());
    die_of(signal);
  }

  void finish_observers() {
    if (trace_) {
      if (std::string problem = trace_->finish(); !problem.empty()) {
        failures_.push_back(std::move(problem));
        trace_.reset();
      }
    }
    if (samples_) {
      if (std::string problem = samples_->finish(); !problem.empty()) {
        failures_.push_back(std::move(problem));
        samples_.reset();
      }
    }
  }

  void print_summary() const {
    if (!report_.images.empty()) fmt::print(screen(), "{}", summary_text(run_document(report_)));
    if (trace_) fmt::print(screen(), "{:<14}{}\n", "waveform", trace_->summary());
    if (samples_) {
      fmt::print(screen(), "{:<14}{} in {}\n", "samples",
                 samples_->summary(simulation_.system().sampler()->stats().dropped),
                 *plan_.samples);
    }
  }

  /// Where the summary goes: not among figures or events on standard output.
  [[nodiscard]] std::FILE* screen() const {
    for (const auto& path : {plan_.stats, plan_.report, plan_.events}) {
      if (path == standard_output) return stderr;
    }
    return stdout;
  }

  std::optional<TcuRunResult> simulate() {
    Progress progress((plan_.model ? plan_.model->program.size() : plan_.program.size()) /
                      simulation_.instruction_bytes() * plan_.images.size());
    TcuRunOptions options;
    options.max_cycles = plan_.max_cycles.value_or(0);
    options.regions = plan_.regions;
    if (plan_.retire_log) options.retire_log = &retires_;
    std::uint64_t before = 0;
    options.progress = [&](Cycle, std::uint64_t instructions) {
      if (DeferSignals::received() != 0) throw Interrupted{};
      progress.update(simulation_.now(), before + instructions);
    };
    if (!plan_.model) {
      for (unsigned p = 0; p < 2; ++p) {
        if (!plan_.dram[p].empty()) simulation_.write_dram(p, 0, plan_.dram[p]);
      }
      begin_timeline("program", plan_.program);
      report_.activity.start(simulation_.now());
      report_.images.push_back({simulation_.run(plan_.program, options), std::nullopt, {}});
      end_timeline();
      return std::nullopt;
    }
    Host host(simulation_, *plan_.model, plan_.mode);
    begin_timeline("preparation", {});
    if (auto stuck = host.prepare()) return stuck;
    for (const TensorData& image : plan_.images) {
      begin_timeline(fmt::format("image {}", report_.images.size()), plan_.model->program);
      if (report_.images.empty()) report_.activity.start(simulation_.now());
      report_.images.push_back(host.run_image(image, options));
      report_.activity.stop();
      end_timeline();
      if (report_.images.back().run.end != RunEnd::finished) break;
      before += report_.images.back().run.retired;
    }
    return std::nullopt;
  }

  void begin_timeline(const std::string& name, const std::vector<std::uint8_t>& program) {
    if (timeline_) timeline_->begin_run(name, program);
  }
  void end_timeline() {
    if (timeline_) timeline_->end_run(report_.images.back().run.accounting);
  }

  template <typename Write>
  void attempt(Write&& write) {
    try {
      write();
    } catch (const UserError& error) {
      failures_.emplace_back(error.what());
    }
  }

  void write_files(bool stuck) {
    if (events_) attempt([&] { events_->close(); });
    if (timeline_) attempt([&] { close_timeline(); });
    if (plan_.retire_log) attempt([&] { write_retire_log(); });
    if (!report_.images.empty()) {
      if (plan_.stats) {
        attempt([&] { write_file_atomically(*plan_.stats, stats_json(run_document(report_))); });
      }
      if (plan_.report) {
        attempt(
            [&] { write_file_atomically(*plan_.report, run_page_html(run_document(report_))); });
      }
    }
    for (const Dump& dump : plan_.dumps) attempt([&] { write_dump(dump); });
    if (plan_.output && !stuck) attempt([&] { write_outputs(); });
  }

  void close_timeline() {
    timeline_->close();
    if (const auto note = timeline_->note()) {
      fmt::print(stderr, "tactus: {}: {}\n", *plan_.timeline, *note);
    }
  }

  void write_retire_log() {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(retires_.size() * 4);
    for (const std::uint32_t cycle : retires_) {
      for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(cycle >> (8 * i)));
    }
    write_file_atomically(*plan_.retire_log, bytes);
  }

  /// A memory; of a bank its initial contents where those are longer (the offset registers reach
  /// beyond the depth).
  void write_dump(const Dump& dump) {
    OutputFile file(dump.path);
    std::uint64_t end = simulation_.memory_bytes(dump.memory);
    if (dump.memory < std::size(plan_.dram)) {
      end = std::max<std::uint64_t>(end, plan_.dram[dump.memory].size());
    }
    const std::uint64_t vector = simulation_.machine().rates().vector_bytes;
    const std::uint64_t chunk = std::max<std::uint64_t>(1, (1 << 20) / vector) * vector;
    for (std::uint64_t at = 0; at < end; at += chunk) {
      const auto bytes = simulation_.read_memory(dump.memory, at, std::min(chunk, end - at));
      file.write(bytes.data(), bytes.size());
    }
    file.close();
  }

  /// All images of one output, one after the other.
  [[nodiscard]] std::vector<std::uint8_t> output(const std::string& name) const {
    std::vector<std::uint8_t> data;
    for (const ImageResult& image : report_.images) {
      const auto& one = image.outputs.at(name);
      data.insert(data.end(), one.begin(), one.end());
    }
    return data;
  }

  /// Path of an output's files without their extensions.
  [[nodiscard]] std::string output_base(std::string name) const {
    for (char& c : name) {
      if (std::string_view("/\\:*?\"<>| ").find(c) != std::string_view::npos) c = '_';
    }
    return *plan_.output + "/" + name;
  }

  void write_outputs() {
    for (const auto& [name, data] : report_.images.front().outputs) {
      const std::string base = output_base(name);
      tcu::write_vectors_csv(base + ".csv", output(name), plan_.config.architecture);
      tcu::write_vectors_raw(base + ".bin", output(name), plan_.config.architecture);
      fmt::print(screen(), "{:<14}{} in {}.csv and .bin\n", "output", name, base);
    }
  }

  void print_outputs() const {
    if (plan_.output || !plan_.model) return;
    constexpr std::size_t most = 16;
    const tcu::Architecture& architecture = plan_.config.architecture;
    const unsigned scalar = info(architecture.data_type).storage_bytes;
    std::vector<std::uint8_t> lanes;
    for (std::size_t i = 0; i < report_.images.size(); ++i) {
      for (const auto& [name, data] : report_.images[i].outputs) {
        const std::size_t count = data.size() / scalar;
        lanes.resize(data.size());
        tcu::vector_kernels(architecture.data_type).from_bytes(data.data(), lanes.data(), count);
        fmt::print(screen(), "{:<14}{} image {}:", "output", name, i);
        for (std::size_t k = 0; k < std::min(count, most); ++k) {
          fmt::print(
              screen(), " {:g}",
              to_real(architecture.data_type, tcu::lane(architecture.data_type, lanes.data(), k)));
        }
        fmt::print(screen(), "{}\n", count > most ? fmt::format(" ... ({} scalars)", count) : "");
      }
    }
  }

  RunPlan plan_;
  TcuSimulation simulation_;
  RunReport report_{
      plan_, {}, 0, 0, simulation_.machine().rates(), Activity(simulation_.info().time)};
  std::vector<std::uint32_t> retires_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<RunTrace> trace_;
  std::unique_ptr<SampleFile> samples_;
  std::unique_ptr<Timeline> timeline_;
  EventFan event_fan_;
  AccountFan account_fan_;
  std::vector<std::string> failures_;  ///< of writing files; the result stands
  bool made_output_ = false;           ///< the output folder was not there before
};

/// --trace-list needs a machine, but nothing to run on it.
int list_command(const Args& args) {
  const TcuSimulation simulation(plan_machine(args));
  fmt::print("{}", signal_list(simulation, read_trace_options(args)));
  return exit_ok;
}

}  // namespace

int run_command(const Words& words) {
  Args args("run", "Runs a compiled model or a program on the cycle-exact machine.", run_options());
  if (!args.parse(words)) return exit_ok;
  if (args.has("trace-list")) return list_command(args);
  RunPlan plan = plan_run(args);
  if (args.has("print-config")) {
    fmt::print("{}", run_config_json(plan));
    return exit_ok;
  }
  return Runner(std::move(plan)).run();
}

}  // namespace tactus
