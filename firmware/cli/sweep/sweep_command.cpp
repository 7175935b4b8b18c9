// tactus sweep: many points of one network, board, architecture and compiler; tactus codesign: of
// one Stripe program, with a page.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <new>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/run/interrupt.h"
#include "firmware/cli/standard_output.h"
#include "firmware/cli/sweep/sweep_cluster.h"
#include "firmware/cli/verbosity.h"
#include "firmware/config/config_files.h"
#include "firmware/report/version.h"
#include "firmware/sweep/check_points.h"
#include "firmware/sweep/report.h"
#include "firmware/sweep/run.h"
#include "firmware/sweep/runner.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

using sweep::Definition;
using sweep::Line;
using sweep::Point;
using sweep::Points;

std::string tool_name() { return fmt::format("tactus {} ({})", version, git_revision); }

/// Prints a text without buffering, so that readers can follow a sweep.
void say(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

/// Prints one line for each point and, on a terminal, the remaining time.
class Report {
 public:
  Report(std::size_t total, std::size_t at_once)
      : progress_(total), total_(total), at_once_(at_once) {
    show();
  }

  void point(const Point& point, const Line& line) {
    ++done_;
    progress_.clear();
    if (line["status"] == "ok") {
      say(fmt::format("point {:<6} {:>12} cycles  {:>13}\n", point.index,
                      line["figures"]["cycles"].get<std::uint64_t>(),
                      time_text(line["figures"]["latency_ms"].get<double>())));
    } else {
      const std::string text =
          fmt::format("point {:<6} {}: {}\n", point.index, line["status"].get<std::string>(),
                      line["error"].get<std::string>());
      if (verbosity() > Verbosity::quiet) {
        say(text);
      } else {
        fmt::print(stderr, "tactus: {}: {}", coloured("error"), text);
      }
    }
    show();
  }
  /// Erases the line with the remaining time.
  void clear() { progress_.clear(); }
  [[nodiscard]] double seconds() const { return progress_.seconds(); }

 private:
  void show() {
    if (done_ == total_) return;
    const double each = seconds() / static_cast<double>(done_);
    progress_.draw(fmt::format(
        "{} of {} points, {} at once{}", done_, total_, at_once_,
        done_ == 0 ? ""
                   : fmt::format(", about {} left",
                                 duration_text(each * static_cast<double>(total_ - done_)))));
  }
  Progress progress_;
  std::size_t total_, at_once_, done_ = 0;
};

/// Text with the values of the axes and derived keys at a point.
std::string varied(const Definition& definition, const sweep::Configuration& configuration) {
  std::vector<std::string> keys;
  definition.axes.append_keys(keys);
  for (const auto& derived : definition.derived) keys.push_back(derived.key);
  std::string text;
  for (const std::string& key : keys) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key,
                        text_of_json(sweep::get_key(configuration, key)));
  }
  return text;
}

/// Estimates the time of a sweep from its first, middle and last point, which it runs.
void estimate(const std::vector<Point>& points, const sweep::Configurations& configurations,
              std::size_t at_once, const sweep::Limits& limits) {
  std::vector<std::size_t> probes{0, points.size() / 2, points.size() - 1};
  probes.resize(
      static_cast<std::size_t>(std::unique(probes.begin(), probes.end()) - probes.begin()));
  double seconds = 0;
  run_jobs(
      at_once,
      [&](std::size_t number, Job& job) {
        if (number == probes.size()) return false;
        job = sweep::point_job(configurations.of(points[probes[number]]), limits);
        return true;
      },
      [&](std::size_t number, const JobResult& result) {
        const Line line = sweep::result_line(points[probes[number]], {}, result, "");
        if (line["status"] != "ok") {
          fmt::print("point {} fails: {}\n", points[probes[number]].index,
                     line["error"].get<std::string>());
        }
        seconds += result.seconds;
      });
  const double each = seconds / static_cast<double>(probes.size());
  fmt::print(
      "estimated time {} with {} at once; {} points were run for it, {:.2f} s each\n",
      duration_text(each * static_cast<double>(points.size()) / static_cast<double>(at_once)),
      at_once, probes.size(), each);
}

std::string dropped(const Definition& definition, const Points& all) {
  std::string text;
  const bool random = definition.sampling == sweep::Sampling::random;
  if (random && all.points.size() < definition.sample_points) {
    text += fmt::format("{} of the {} points asked for, after a look at {}\n", all.points.size(),
                        definition.sample_points, all.looked_at);
  }
  if (all.dropped > 0) text += fmt::format("{} points dropped by constraints\n", all.dropped);
  if (all.duplicates > 0) {
    text += fmt::format("{} points have the configuration of another\n", all.duplicates);
  }
  return text;
}

/// Writes the page that tactus codesign adds to a folder of results.
void write_page(const std::string& folder) {
  const sweep::Results results = sweep::read_results(folder);
  if (results.lines.empty()) return;
  const std::string path = folder + "/codesign.html";
  write_file_atomically(path, sweep::report_html(results));
  say(fmt::format("page in {}\n", path));
}

int run_merge(const std::string& command, const std::vector<std::string>& folders,
              const std::string& target) {
  if (folders.empty()) user_error("tactus {} merge: name the folders to join", command);
  const sweep::Merged merged = sweep::merge(folders, target);
  fmt::print("{}: {} of {} points, {} of them failed\n", target, merged.points - merged.missing,
             merged.points, merged.failed);
  return merged.missing + merged.failed == 0 ? exit_ok : exit_mismatch;
}

/// Says where the results are and how many points failed. Returns the exit code.
int say_results(const sweep::ResultsFolder& folder, const std::string& folder_name) {
  std::size_t failed = 0;
  std::size_t killed = 0;
  for (const Line& line : folder.results().lines) {
    failed += line["status"] == "ok" ? 0 : 1;
    killed += line["status"] == "killed" ? 1 : 0;
  }
  say(fmt::format(
      "results in {0}/results.jsonl and {0}/results.csv{1}{2}\n", folder_name,
      failed > 0 ? fmt::format("; {} failed", counted(failed, "point")) : "",
      killed > 0 ? fmt::format(", {} of them killed, which the same command runs again", killed)
                 : ""));
  return failed > 0 ? exit_mismatch : exit_ok;
}

int run_sweep(const Args& args, const std::string& path, const sweep::Limits& limits,
              bool only_stripe) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t at_once = args.number("jobs", cores, 1, 1024);
  const std::string text = read_text(path);
  const auto beside = args.text("beside");
  const std::string where =
      beside ? *beside + "/" + std::filesystem::path(path).filename().string() : path;
  const Definition definition = parse_as(
      FileKind::sweep, path, text, [&] { return sweep::parse_definition(text, path, where); });
  if (only_stripe &&
      std::string_view(definition.base_of_all.runner->subject) != "workload.stripe") {
    user_error(
        "{}:/base/workload/stripe: is missing: tactus codesign studies Stripe programs; "
        "networks and matrix products are swept by tactus sweep",
        path);
  }
  Points all = sweep::points(definition);
  const sweep::Configurations configurations(definition);
  sweep::require_some_point(all.points, configurations, path);
  const auto shard = sweep::parse_shard(args.text("shard").value_or("1/1"));
  const std::vector<Point> mine = sweep::points_of(shard, all.points);
  if (args.has("check")) {
    fmt::print("{}: {}\n{}", definition.name, counted(mine.size(), "point"),
               dropped(definition, all));
    const std::string problems = sweep::machine_problems(definition, mine, configurations);
    if (problems.empty()) return exit_ok;
    fmt::print(stderr, "tactus: {}: {}", coloured("error"), problems);
    return exit_mismatch;
  }
  if (args.has("dry-run")) {
    for (const Point& point : mine)
      fmt::print("{:>6}  {}\n", point.index, varied(definition, configurations.of(point)));
    fmt::print("{}{}\n", counted(mine.size(), "point"),
               shard.parts > 1 ? fmt::format(" of {} in this shard", all.points.size()) : "");
    fmt::print("{}", dropped(definition, all));
    if (!mine.empty()) estimate(mine, configurations, at_once, limits);
    return exit_ok;
  }

  const auto folder_name = args.text("output");
  if (!folder_name) user_error("tactus {}: name the folder of the results with -o", args.command());
  const std::string tool = tool_name();
  keep_going_without_reader();
  sweep::ResultsFolder folder(*folder_name, text, all.points, tool, args.has("retry-failed"));
  const auto still_open = [&] {
    return static_cast<std::size_t>(std::count_if(
        mine.begin(), mine.end(), [&](const Point& p) { return !folder.finished(p.hash); }));
  };
  const std::size_t open = still_open();
  say(fmt::format("{}: {} points, {} of them to run\n{}", definition.name, mine.size(), open,
                  dropped(definition, all)));
  Report report(open, at_once);
  {
    const DeferSignals defer;
    sweep::run_points(mine, configurations, folder,
                      {at_once, tool, limits,
                       [&](const Point& point, const Line& line) { report.point(point, line); },
                       [] { return DeferSignals::received() != 0; }});
  }
  report.clear();
  if (const int signal = DeferSignals::received(); signal != 0) {
    fmt::print(
        stderr,
        "tactus: interrupted: {} of {} points are stored in {}; the same command goes on with "
        "the rest\n",
        mine.size() - still_open(), mine.size(), *folder_name);
    die_of(signal);
  }
  if (open > 0) {
    say(fmt::format("{} in {:.1f} s, {:.0f} a minute\n", counted(open, "point"), report.seconds(),
                    60 * static_cast<double>(open) / report.seconds()));
  }
  return say_results(folder, *folder_name);
}

int run_point(const sweep::Limits& limits) {
  const bench::ProgramCache cache(bench::ProgramCache::default_folder());
  try {
    fmt::print("{}\n", sweep::evaluate(read_text("/dev/stdin"), cache, limits.cycles));
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "tactus: error: the host is out of memory\n");
    return sweep::exit_host_failed;
  }
  return exit_ok;
}

/// Runs both commands, sweep and codesign; the latter also writes its page.
int run_command_of(const std::string& command, const std::string& about, const Words& words) {
  const bool codesign = command == "codesign";
  std::vector<Args::Option> options{
      {"output", "DIR", "folder of the results"},
      {"jobs", "N", "points at once (default: cores)", false, 'j'},
      {"shard", "i/n", "only part i of n, for n machines"},
      {"retry-failed", "", "run points again that failed before"},
      {"max-cycles", "N", "a point that is not done after N cycles has failed"},
      {"point-timeout", "S", "a point that takes more than S seconds here has failed"},
      {"beside", "DIR", "files that the sweep names lie in DIR (default: beside the file)"},
      {"check", "",
       "check the definition and every machine of its points with its memory, and count the "
       "points; compile, run and write nothing"},
      {"dry-run", "", "list the points and estimate the time, write nothing"},
      {"point", "", "run one point, a configuration on standard input (used for the processes)",
       false, 0, "", true}};
  for (Args::Option& option : submit_options()) options.push_back(std::move(option));
  Args args(command, about, options,
            codesign ? "NAME|SPEC.json | merge DIR... | status DIR"
                     : "NAME|SWEEP.json | merge DIR... | status DIR");
  if (!args.parse(words)) return exit_ok;
  const sweep::Limits limits{args.number("max-cycles", 0, 1, ~std::uint64_t{0}),
                             args.real("point-timeout", 0, 0, 31'536'000)};
  if (args.has("point")) return run_point(limits);
  std::vector<std::string> names = args.positional();
  const auto output = args.text("output");
  int code = exit_ok;
  refuse_submit_options(args);
  if (!names.empty() && names.front() == "status") {
    if (names.size() != 2) user_error("tactus {} status: name one folder", command);
    return sweep_status(names.back());
  }
  if (!names.empty() && names.front() == "merge") {
    if (!output) user_error("tactus {} merge: name the target folder with -o", command);
    names.erase(names.begin());
    code = run_merge(command, names, *output);
  } else {
    if (names.size() != 1)
      user_error("tactus {}: name exactly one sweep: a file, or a name of configs/{}", command,
                 codesign ? "codesign" : "sweeps");
    const std::string path = file_or_config_path(codesign ? "codesign" : "sweeps", names.front());
    if (args.has("submit")) return submit_sweep(args, path);
    code = run_sweep(args, path, limits, codesign);
  }
  if (codesign && output && !args.has("check") && !args.has("dry-run")) write_page(*output);
  return code;
}

}  // namespace

int sweep_command(const Words& words) {
  return run_command_of(
      "sweep",
      "Simulates every point of a sweep. Interrupted at any moment, the same command goes on.\n"
      "`tactus sweep merge DIR... -o DIR` joins the results of shards, `tactus sweep status DIR`\n"
      "shows how far a sweep is, also while it runs and on another machine.\n"
      "Exit code 1: some points failed (or, merging, are missing).",
      words);
}

int codesign_command(const Words& words) {
  return run_command_of(
      "codesign",
      "Sweeps the machine under a Stripe program: passes rendered for each point, checked by the\n"
      "interpreter, lowered, simulated. A point's line has latency, kernels, units, energy,\n"
      "predicted beside measured time, design ideas; DIR/codesign.html shows them.\n"
      "It is a sweep: interrupted at any moment, the same command goes on; shards, `merge` and\n"
      "configs/sweeps/slurm.sh work as for tactus sweep. Exit code 1: some points failed.",
      words);
}

}  // namespace tactus
