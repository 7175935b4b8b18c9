#include "firmware/sweep/run.h"

#include <charconv>
#include <cstring>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

bool read_number(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// What the command line prints before the message itself.
std::string message_of(const JobResult& result) {
  if (result.signal != 0) {
    return fmt::format("ended by signal {} ({})", result.signal, strsignal(result.signal));
  }
  std::string text = result.messages;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::string prefix = "tactus: error: ";
  if (text.compare(0, prefix.size(), prefix) == 0) text.erase(0, prefix.size());
  return text.empty() ? fmt::format("exit code {} without a message", result.exit_code) : text;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  const bool good = slash != std::string::npos && read_number(text.substr(0, slash), shard.part) &&
                    read_number(text.substr(slash + 1), shard.parts) && shard.part >= 1 &&
                    shard.part <= shard.parts;
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

Job point_job(const Point& point) { return {{"sweep", "--point"}, point.configuration.dump()}; }

Line result_line(const Point& point, const JobResult& result, const std::string& tool) {
  Line line;
  line["point"] = point.index;
  line["hash"] = point.hash;
  Line figures;
  if (result.exit_code == 0) figures = Line::parse(result.output, nullptr, false);
  const bool good = figures.is_object();
  line["status"] = good ? "ok" : "failed";
  line["tool"] = tool;
  line["configuration"] = point.configuration;
  if (good) {
    line["figures"] = std::move(figures);
  } else {
    line["error"] = result.exit_code == 0 ? "the point printed no figures" : message_of(result);
  }
  line["host"] = {{"seconds", result.seconds}};
  return line;
}

void run_points(const std::vector<Point>& points, ResultsFolder& folder, std::size_t at_once,
                const std::string& tool,
                const std::function<void(const Point&, const Line&)>& report) {
  std::vector<const Point*> open;
  for (const Point& point : points) {
    if (!folder.finished(point.hash)) open.push_back(&point);
  }
  const auto next = [&](std::size_t number, Job& job) {
    if (number == open.size()) return false;
    job = point_job(*open[number]);
    return true;
  };
  run_jobs(at_once, next, [&](std::size_t number, const JobResult& result) {
    const Line line = result_line(*open[number], result, tool);
    folder.append(line);
    report(*open[number], line);
  });
  folder.write_csv();
}

}  // namespace tactus::sweep
