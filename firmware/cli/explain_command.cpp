// tactus explain: what a figure of a statistics file means.
#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/driver/machines.h"
#include "firmware/report/figures.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

void print(const Figure& figure) {
  fmt::print("{}{}{}\n    {}\n", figure.name, figure.unit.empty() ? "" : "  ",
             figure.unit.empty() ? "" : "[" + figure.unit + "]", figure.meaning);
}

}  // namespace

int explain_command(const Words& words) {
  Args args(
      "explain",
      "Explains figures of --stats files: by full name (accounting.units.decoder.starved), by\n"
      "its end (decoder.starved) or by a group (roofline). Without a name: all.",
      {{"markdown", "", "print the whole table as Markdown"},
       {"machine", "NAME", "of which machine (default tcu)"}},
      "[NAME]");
  if (!args.parse(words)) return exit_ok;
  const FigureTable figures(machine_info(args.text("machine").value_or("tcu")));
  const std::vector<std::string>& names = args.positional();
  if (args.has("markdown")) {
    if (!names.empty()) user_error("tactus explain: --markdown prints the whole table");
    fmt::print("{}", figures.markdown());
    return exit_ok;
  }
  if (names.empty()) {
    for (const Figure& figure : figures.all()) print(figure);
    return exit_ok;
  }
  std::vector<const Figure*> found;
  for (const std::string& name : names) {
    const auto some = figures.explain(name);
    found.insert(found.end(), some.begin(), some.end());
  }
  for (const Figure* figure : found) print(*figure);
  return exit_ok;
}

}  // namespace tactus
