#include "firmware/cli/run/run_outputs.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/core.h>

#include "firmware/cli/parameter_options.h"
#include "firmware/cli/table.h"
#include "firmware/cli/verbosity.h"
#include "firmware/report/layer_table.h"
#include "firmware/report/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// Names of the memories as text: "dram0, dram1, local or acc".
std::string memory_list(const MachineInfo& machine) {
  std::string text;
  for (std::size_t i = 0; i < machine.memories.size(); ++i) {
    const bool last = i + 1 == machine.memories.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " or " : ", ", machine.memories[i].name);
  }
  return text;
}

/// Parses "BEGIN:END", the first vector and the one behind the last, as slices are written.
bool parse_range(std::string_view text, Dump& dump) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    return value;
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto first = number(text.substr(0, colon));
  const auto end = number(text.substr(colon + 1));
  if (!first || !end || *end <= *first) return false;
  dump.first = *first;
  dump.count = *end - *first;
  return true;
}

Dump parse_dump(const std::string& text, const MachineInfo& machine) {
  std::string allowed;
  const std::size_t equals = text.find('=');
  const std::size_t bracket = std::min(text.find('['), equals);
  for (std::size_t i = 0; i < machine.memories.size(); ++i) {
    allowed += fmt::format("{}{}", i == 0 ? "" : ", ", machine.memories[i].name);
    if (equals >= text.size() - 1 || text.substr(0, bracket) != machine.memories[i].name) continue;
    Dump dump{i, text.substr(equals + 1)};
    if (bracket == equals) return dump;
    const bool closed = text[equals - 1] == ']';
    if (closed &&
        parse_range(std::string_view(text).substr(bracket + 1, equals - bracket - 2), dump)) {
      return dump;
    }
    user_error(
        "tactus run: --dump {}: {} is not [BEGIN:END], the first vector and the one behind the "
        "last",
        quote(text), quote(text.substr(bracket, equals - bracket)));
  }
  user_error("tactus run: --dump {} is not MEMORY=F or MEMORY[BEGIN:END]=F; allowed memories: {}",
             quote(text), allowed);
}

std::string option_name(std::string_view key) { return GivenOutputs{"", true}.name(key).substr(2); }

}  // namespace

std::vector<Args::Option> run_output_options(RunOutput::Group group, const MachineInfo& machine) {
  std::vector<Args::Option> options;
  for (const RunOutput& output : run_outputs()) {
    if (output.group != group) continue;
    std::string sentence(output.sentence);
    if (const auto at = sentence.find("{}"); at != std::string::npos) {
      sentence.replace(at, 2, memory_list(machine));
    }
    options.push_back({option_name(output.key), std::string(output.value), std::move(sentence),
                       output.repeatable});
  }
  std::vector<Args::Option> windows;
  if (group == RunOutput::Group::timeline) {
    windows = parameter_options(timeline_parameters().section(), "");
  }
  if (group == RunOutput::Group::waveform) {
    windows = parameter_options(trace_parameters().section(), "");
  }
  options.insert(options.end(), windows.begin(), windows.end());
  return options;
}

RunOutputs read_run_outputs(const Args& args, const MachineInfo& machine) {
  GivenOutputs given{"tactus run: ", true};
  for (const std::string& key : run_output_keys()) {
    if (args.has(option_name(key))) given.texts[key] = args.texts(option_name(key));
  }
  RunOutputs outputs = read_run_outputs(given);
  for (const std::string& text : args.texts("dump")) {
    outputs.dumps.push_back(parse_dump(text, machine));
  }
  return outputs;
}

std::FILE* screen(const RunOutputs& outputs) {
  // With --quiet standard output is discarded.
  return outputs.to_standard_output && verbosity() > Verbosity::quiet ? stderr : stdout;
}

void claim_outputs(RunOutputs& outputs) {
  for (const RunOutput& output : run_outputs()) {
    if (output.path == nullptr) continue;
    if (const auto& path = *output.path(outputs)) claim_output(*path);
  }
  for (const Dump& dump : outputs.dumps) claim_output(dump.path);
}

void tell_notes(const RunRecorder& recorder) {
  for (const std::string& text : recorder.warnings()) print_warning(text);
  for (const std::string& text : recorder.notes()) print_note(text);
}

std::string layers_text(const RunDocument& document) {
  Table layers(layer_table(document));
  if (layers.rows.empty()) {
    return "\nThe run names no layers; --regions 20 cuts the program into 20 parts.\n";
  }
  std::string text = "\n" + layers.text();
  for (const std::string& finding :
       prediction_findings(document.images.front().run->accounting, document.expected)) {
    text += finding + "\n";
  }
  return text;
}

}  // namespace tactus
