// tactus samples: decodes the performance sampler's words and counts what units waited for.
#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/driver/tcu/sample_file.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Patterns printed for each class; the JSON file has all.
constexpr std::size_t shown_patterns = 5;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// A pattern as text: a letter for each channel, that of the instruction stream first.
std::string pattern_text(std::uint16_t pattern) {
  std::string text;
  for (unsigned channel = sample_channels.size(); channel-- > 0;) {
    text += ".wrM"[channel_state(std::uint64_t{pattern} << 32, channel)];
  }
  return text;
}

std::optional<SampleProgram> read_program(const Args& args) {
  const auto path = args.text("program");
  const auto architecture = args.text("arch");
  const auto model_path = args.text("model");
  SampleProgram program;
  if (model_path) {
    if (path || architecture) {
      user_error("tactus samples: give --model, or --program with --arch, not both");
    }
    Model model = read_model(*model_path, ProgramChecks::permissive);
    program.architecture = model.file.arch;
    program.bytes = std::move(model.program);
  } else if (path && architecture) {
    program.architecture = read_architecture_option(*architecture);
    program.bytes = read_file(*path);
    check_program(program.architecture, program.bytes, *path, ProgramChecks::permissive);
  } else if (path || architecture) {
    user_error("tactus samples: --program and --arch go together");
  } else if (args.has("first-pc")) {
    user_error("tactus samples: --first-pc needs --program or --model");
  } else {
    return std::nullopt;
  }
  program.first_counter = args.number("first-pc", 0, 0, 0xFFFFFFFF);
  return program;
}

/// Looks for a later beginning of the program that fits the samples, since drivers run instructions
/// of their own before it. Returns a hint for the message, or an empty text.
std::string other_beginning(const std::vector<std::uint64_t>& words, SampleProgram program,
                            bool from_start) {
  constexpr std::uint64_t farthest = 64;
  for (program.first_counter = 0; program.first_counter <= farthest; ++program.first_counter) {
    const SampleAnalysis analysis = analyse_samples(words, &program, from_start);
    if (analysis.contradiction.empty() && analysis.analysed > words.size() / 2) {
      return fmt::format(", unless it begins at another program counter (--first-pc {} fits)",
                         program.first_counter);
    }
  }
  return {};
}

void print_table(const SampleAnalysis& analysis) {
  fmt::print("{:<14}{} in the file", "samples", analysis.samples);
  if (analysis.before > 0) {
    fmt::print(", {} before the program left out", analysis.before);
  }
  if (analysis.after > 0) {
    fmt::print(", {} beyond the program left out", analysis.after);
  }
  fmt::print("\n");
  if (analysis.analysed == 0) {
    fmt::print("{:<14}none is left\n", "analysed");
    return;
  }
  fmt::print("{:<14}{}, program counter {} .. {}\n\n", "analysed", analysis.analysed,
             analysis.first_counter, analysis.last_counter);
  fmt::print(
      "Percent of samples in which a channel of the decoder has a handshake / waits (valid, "
      "not ready):\n");
  fmt::print("{:<34}{:>9}{:>7}", "at the head", "samples", "%");
  for (std::size_t c = sample_channels.size(); c-- > 0;) fmt::print("{:>12}", sample_channels[c]);
  fmt::print("\n");
  for (const SampleClass& one : analysis.classes) {
    fmt::print("{:<34}{:>9}{:>7.1f}", one.name, one.samples,
               percent(one.samples, analysis.analysed));
    for (std::size_t c = sample_channels.size(); c-- > 0;) {
      const auto& states = one.states[c];
      fmt::print("{:>12}",
                 fmt::format("{:.0f} / {:.0f}", percent(states[channel_moves], one.samples),
                             percent(states[channel_waits], one.samples)));
    }
    fmt::print("\n");
  }
  fmt::print(
      "\nPatterns, one letter a channel in the order above: M handshake, w valid and waits, r "
      "ready only, . neither:\n");
  for (const SampleClass& one : analysis.classes) {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> patterns;
    for (const auto& [pattern, count] : one.patterns) patterns.emplace_back(count, pattern);
    std::stable_sort(patterns.begin(), patterns.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < std::min(shown_patterns, patterns.size()); ++i) {
      fmt::print("{:<34}{:>9}{:>7.1f}  {}\n", i == 0 ? one.name : "", patterns[i].first,
                 percent(patterns[i].first, one.samples), pattern_text(patterns[i].second));
    }
    if (patterns.size() > shown_patterns) {
      fmt::print("{:<34}and {} more patterns\n", "", patterns.size() - shown_patterns);
    }
  }
}

std::string json(const SampleAnalysis& analysis) {
  Json root;
  root["tool"] = "tactus";
  root["version"] = version;
  root["samples"] = analysis.samples;
  root["before_program"] = analysis.before;
  root["beyond_program"] = analysis.after;
  root["analysed"] = analysis.analysed;
  root["first_counter"] = analysis.first_counter;
  root["last_counter"] = analysis.last_counter;
  root["classes"] = Json::array();
  for (const SampleClass& one : analysis.classes) {
    Json entry;
    entry["name"] = one.name;
    entry["samples"] = one.samples;
    for (std::size_t c = 0; c < sample_channels.size(); ++c) {
      const auto& states = one.states[c];
      entry["channels"][sample_channels[c]] = {{"moves", states[channel_moves]},
                                               {"waits", states[channel_waits]},
                                               {"ready", states[channel_is_ready]},
                                               {"idle", states[channel_idle]}};
    }
    entry["patterns"] = Json::array();
    for (const auto& [pattern, count] : one.patterns) {
      entry["patterns"].push_back({{"bits", fmt::format("0x{:04x}", pattern)},
                                   {"channels", pattern_text(pattern)},
                                   {"samples", count}});
    }
    root["classes"].push_back(std::move(entry));
  }
  return text_of_json(root, 2) + "\n";
}

}  // namespace

int samples_command(const Words& words) {
  Args args("samples",
            "Decodes the words of the performance sampler and counts, for each kind of instruction "
            "at the decoder's head, which channels had a handshake and which waited.",
            {{"program", "F.tprog", "the program that ran: tells the kinds of instructions apart"},
             {"arch", "NAME|F.tarch", "architecture of the program"},
             {"model", "F.tmodel", "the model that ran, instead of program and architecture"},
             {"first-pc", "N", "program counter of the program's first instruction (default 0)"},
             {"from-start", "", "do not skip to the first decrease of the program counter"},
             {"json", "F.json", "write all counts"}},
            "F.tsample");
  if (!args.parse(words)) return exit_ok;
  const std::string path = only_file(args);
  const auto json_path = args.text("json");
  const std::optional<SampleProgram> program = read_program(args);
  const bool from_start = args.has("from-start");
  const std::vector<std::uint64_t> samples = read_samples(path);
  const SampleAnalysis analysis =
      analyse_samples(samples, program ? &*program : nullptr, from_start);
  if (!analysis.contradiction.empty()) {
    user_error("{}: the samples are not of this program{}: {}", path,
               other_beginning(samples, *program, from_start), analysis.contradiction);
  }
  if (json_path) write_file_atomically(*json_path, json(analysis));
  print_table(analysis);
  return exit_ok;
}

}  // namespace tactus
