#include "firmware/sweep/run.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "firmware/sweep/order.h"
#include "firmware/sweep/runner.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

/// True for signals that come from outside. All others are caused by the process itself.
bool comes_from_outside(int signal) {
  constexpr int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU};
  return std::find(std::begin(signals), std::end(signals), signal) != std::end(signals);
}

/// The status of an ended job, see results.h.
const char* status_of(const JobResult& result, bool has_figures) {
  if (has_figures) return "ok";
  const bool host = result.exit_code == exit_host_failed || result.exit_code == exit_not_started;
  return !result.timed_out && (host || comes_from_outside(result.signal)) ? "killed" : "failed";
}

/// The error text of a job, without the prefix that the command line prints.
std::string message_of(const JobResult& result) {
  if (result.exit_code == 0) return "the point printed no figures";
  if (result.timed_out) {
    return fmt::format("met its time limit after {:.1f} s (--point-timeout)", result.seconds);
  }
  if (result.signal != 0) {
    return fmt::format("ended by signal {} ({})", result.signal, strsignal(result.signal));
  }
  if (result.exit_code == exit_not_started) return "its process could not be started";
  std::string text = result.messages;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::string prefix = "tactus: error: ";
  if (text.compare(0, prefix.size(), prefix) == 0) text.erase(0, prefix.size());
  return text.empty() ? fmt::format("exit code {} without a message", result.exit_code) : text;
}

/// The parts of a configuration that the compiled program depends on, as text. Points with equal
/// text share the program.
std::string program_of(const Configuration& configuration) {
  std::string text;
  const auto add = [&](const char* section) {
    if (const auto found = configuration.find(section); found != configuration.end()) {
      text += found->dump();
    }
  };
  for (const char* section : {"workload", "architecture", "compiler"}) add(section);
  // The optimising compiler measures programs with the board's memory.
  const auto compiler = configuration.find("compiler");
  if (compiler != configuration.end() && compiler->value("optimise", false)) add("board");
  return text;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    shard.part = read_number<std::size_t>(text.substr(0, slash)).value_or(0);
    shard.parts = read_number<std::size_t>(text.substr(slash + 1)).value_or(0);
  }
  const bool good = slash != std::string::npos && shard.part >= 1 && shard.part <= shard.parts;
  if (!good) user_error("--shard {}: must be i/n with i from 1 to n", quote(text));
  return shard;
}

std::vector<Point> points_of(const Shard& shard, std::vector<Point> points) {
  std::vector<Point> mine;
  for (std::size_t i = shard.part - 1; i < points.size(); i += shard.parts) {
    mine.push_back(std::move(points[i]));
  }
  return mine;
}

Job point_job(const Configuration& configuration, const Limits& limits) {
  Job job{{"sweep", "--point"}, text_of_json(configuration), limits.seconds};
  if (limits.cycles > 0) {
    job.arguments.emplace_back("--max-cycles");
    job.arguments.push_back(std::to_string(limits.cycles));
  }
  return job;
}

Line result_line(const Point& point, const Configuration& configuration, const JobResult& result,
                 const std::string& tool) {
  Line line;
  line["point"] = point.index;
  line["hash"] = point.hash;
  Line figures;
  if (result.exit_code == 0) figures = Line::parse(result.output, nullptr, false);
  const bool good = figures.is_object();
  line["status"] = status_of(result, good);
  line["tool"] = tool;
  line["configuration"] = configuration;
  if (good) {
    line["figures"] = std::move(figures);
  } else {
    line["error"] = message_of(result);
  }
  line["host"] = {{"seconds", result.seconds}};
  return line;
}

std::string point_problem(const Configuration& configuration) {
  try {
    runner_of(configuration).check(configuration);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

void require_some_point(const std::vector<Point>& points, const Configurations& configurations,
                        const std::string& path) {
  std::string first;
  for (const Point& point : points) {
    const std::string problem = point_problem(configurations.of(point));
    if (problem.empty()) return;
    if (first.empty()) first = fmt::format("point {}: {}", point.index, problem);
  }
  if (!first.empty()) user_error("{}: none of the points can be built; {}", path, first);
}

void run_points(const std::vector<Point>& points, const Configurations& configurations,
                ResultsFolder& folder, const RunOfPoints& run) {
  std::vector<const Point*> open;
  for (const Point& point : points) {
    if (!folder.finished(point.hash)) open.push_back(&point);
  }
  StartingOrder order(open.size(),
                      [&](std::size_t i) { return program_of(configurations.of(*open[i])); });
  std::vector<std::size_t> started;  // index in `open`, by number of the job
  const auto next = [&](std::size_t, Job& job) {
    const auto chosen = order.next();
    if (!chosen) return false;
    started.push_back(*chosen);
    job = point_job(configurations.of(*open[*chosen]), run.limits);
    return true;
  };
  const auto done = [&](std::size_t number, const JobResult& result) {
    order.ended(started[number]);
    const Point& point = *open[started[number]];
    const Line line = result_line(point, configurations.of(point), result, run.tool);
    folder.append(line);
    run.report(point, line);
  };
  run_jobs(run.at_once, next, done, run.stop);
  if (!run.stop || !run.stop()) folder.write_csv();
}

}  // namespace tactus::sweep
