// tactus report: the results of a sweep as a page.
#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/sweep/report.h"
#include "isa/support/error.h"
#include "isa/support/files.h"

namespace tactus {

int report_command(const Words& words) {
  Args args("report",
            "Writes the results of a sweep as one HTML page: best points, Pareto fronts, latency\n"
            "over what varies, all points. A sweep that still runs shows what it has.",
            {{"output", "F.html", "the page", false, 'o'}}, "DIR");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().size() != 1)
    user_error("tactus report: name exactly one folder of a sweep");
  const auto output = args.text("output");
  if (!output) user_error("tactus report: name the page to write with -o");
  const std::string& folder = args.positional().front();
  const sweep::Results results = sweep::read_results(folder);
  write_file_atomically(*output, sweep::report_html(results));
  fmt::print("{}: {} points\n", *output, results.lines.size());
  return exit_ok;
}

}  // namespace tactus
