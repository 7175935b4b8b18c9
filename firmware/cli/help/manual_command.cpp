// tactus manual: the manual page, made of the commands' own descriptions.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "firmware/cli/command_table.h"
#include "firmware/report/version.h"

namespace tactus {
namespace {

/// Escapes a text for a manual page: characters that groff would interpret.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool at_start = i == 0 || text[i - 1] == '\n';
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

/// Formats paragraphs; lines that begin with a blank are printed unchanged.
std::string paragraphs(const std::string& text) {
  std::string out;
  bool verbatim = false;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const bool as_is = !line.empty() && line[0] == ' ';
    if (as_is != verbatim) out += as_is ? ".nf\n" : ".fi\n";
    verbatim = as_is;
    out += roff(line) + "\n";
    at = end + 1;
  }
  return out + (verbatim ? ".fi\n" : "");
}

std::string option_text(const Args::Option& option) {
  std::string term = option.letter == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", option.letter);
  term += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.value.empty()) term += fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n{}\n{}\n", term, roff(option.help));
}

}  // namespace

int manual_command(const Words& words) {
  Args args("manual", "Prints the manual page: tactus manual | man -l -", {});
  if (!args.parse(words)) return exit_ok;
  const CommandGroup& all = all_commands();
  std::string out = fmt::format(".TH TACTUS 1 \"\" \"Tactus {}\" \"User Commands\"\n", version);
  out += ".SH NAME\ntactus \\- cycle\\-accurate simulator of tensor accelerators\n";
  out += ".SH SYNOPSIS\n\\fBtactus\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  out += fmt::format(".SH DESCRIPTION\n{}\n", roff(all.introduction));
  out += ".SH COMMANDS\n";
  for (const ListedCommand& command : list_commands()) {
    out += fmt::format(".SS \"tactus {}{}{}\"\n", roff(command.name),
                       command.options.empty() ? "" : " [options]",
                       command.positional.empty() ? "" : " " + roff(command.positional));
    out += paragraphs(command.summary);
    for (const Args::Option& option : command.options) out += option_text(option);
  }
  out += fmt::format(".SH EXIT STATUS\n{}\n", roff(all.conclusion));
  fmt::print("{}", out);
  return exit_ok;
}

}  // namespace tactus
