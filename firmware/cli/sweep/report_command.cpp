// tactus report: the results of a sweep as a page.
#include <filesystem>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/sweep/report.h"
#include "isa/support/error.h"
#include "isa/support/files.h"

namespace tactus {
namespace {

void write_csv(const sweep::ResultTables& tables, const std::string& path) {
  const std::filesystem::path name(path);
  const std::string constants =
      (name.parent_path() / (name.stem().string() + ".constants.csv")).string();
  write_file_atomically(path, to_csv(tables.points));
  write_file_atomically(constants, to_csv(tables.constants));
  fmt::print("{}: {} points; {}: what they have in common\n", path, tables.points.rows.size(),
             constants);
}

}  // namespace

int report_command(const Words& words) {
  Args args("report",
            "Writes the results of a sweep as one HTML page (best points, Pareto fronts, latency\n"
            "over what varies, all points) or as a table. A sweep that still runs shows what it\n"
            "has.",
            {{"output", "F.html", "the page"},
             {"csv", "F.csv",
              "a table: what the sweep varies, then the figures that differ; what all points have "
              "in common goes to F.constants.csv"},
             {"markdown", "F.md", "both tables as Markdown"}},
            "DIR");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().size() != 1)
    user_error("tactus report: name exactly one folder of a sweep");
  const auto output = args.text("output");
  const auto csv = args.text("csv");
  const auto markdown = args.text("markdown");
  if (!output && !csv && !markdown) {
    user_error(
        "tactus report: name the page to write with -o, or a table with --csv or --markdown");
  }
  const std::string& folder = args.positional().front();
  const sweep::Results results = sweep::read_results(folder);
  if (results.lines.empty()) user_error("{}: no point of the sweep is finished", results.folder);
  if (output) {
    write_file_atomically(*output, sweep::report_html(results));
    fmt::print("{}: {} points\n", *output, results.lines.size());
  }
  if (!csv && !markdown) return exit_ok;
  const sweep::ResultTables tables = sweep::to_tables(results);
  if (csv) write_csv(tables, *csv);
  if (markdown) {
    write_file_atomically(*markdown, fmt::format("{}\n{}", to_markdown(tables.points),
                                                 to_markdown(tables.constants)));
    fmt::print("{}: {} points\n", *markdown, results.lines.size());
  }
  return exit_ok;
}

}  // namespace tactus
