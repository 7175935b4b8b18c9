#include "firmware/python/sweep.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"

namespace tactus::python {

std::vector<sweep::Line> run_sweep(const SweepRequest& request,
                                   const std::function<void(const sweep::Line&)>& report,
                                   const std::function<bool()>& stop) {
  const sweep::Definition definition =
      parse_as(FileKind::sweep, request.where, request.definition,
               [&] { return sweep::parse_definition(request.definition, request.where); });
  const sweep::Points all = sweep::points(definition);
  const sweep::Configurations configurations(definition);
  sweep::require_some_point(all.points, configurations, request.where);
  if (request.folder.empty()) user_error("tactus.sweep: name the folder of the results");
  // The command line has the same name of the tool, so that each can continue the other's folder.
  const std::string tool = fmt::format("tactus {} ({})", version, git_revision);
  sweep::ResultsFolder folder(request.folder, request.definition, all.points, tool,
                              request.retry_failed);
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  sweep::run_points(all.points, configurations, folder,
                    {request.jobs == 0 ? cores : request.jobs, tool, request.limits,
                     [&](const sweep::Point&, const sweep::Line& line) { report(line); }, stop});
  std::vector<sweep::Line> lines = folder.results().lines;
  std::sort(lines.begin(), lines.end(), [](const sweep::Line& a, const sweep::Line& b) {
    return a.at("point").get<std::uint64_t>() < b.at("point").get<std::uint64_t>();
  });
  return lines;
}

}  // namespace tactus::python
