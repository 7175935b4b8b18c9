// tactus replay: golden logs against the simulation.
#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/replay/replay.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

/// Returns the files as given; for a folder all its .txt files, sorted.
std::vector<std::string> expand(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".txt") found.push_back(entry.path().string());
    }
    if (found.empty()) user_error("{}: the folder holds no .txt logs", path);
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace

int replay_command(const Words& words) {
  Args args("replay",
            "Runs the program of each golden log under the log's conditions and compares every\n"
            "event of every cycle and the memories. Folders stand for the .txt files in them.",
            {engine_option(),
             {"shuffle-seed", "N", "evaluate units in random order (whole-top logs)"},
             {"quiet", "", "print differences and the total only"}},
            "LOG...");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().empty()) user_error("tactus replay: name at least one log or folder");
  ReplayOptions options;
  options.engine = read_engine(args);
  if (args.has("shuffle-seed")) {
    options.shuffle_seed =
        static_cast<std::uint32_t>(args.number("shuffle-seed", 0, 0, 0xFFFFFFFF));
  }
  std::uint64_t equal = 0;
  std::uint64_t different = 0;
  std::uint64_t events = 0;
  for (const std::string& path : expand(args.positional())) {
    const LogReplayResult result = replay(read_golden_log(path), options);
    events += result.events;
    if (!result.difference.empty()) {
      ++different;
      fmt::print("{}\n", result.difference);
      continue;
    }
    ++equal;
    if (!args.has("quiet")) {
      fmt::print("{}: equal ({} events, {} memory lines)\n", path, result.events,
                 result.memory_lines);
    }
  }
  fmt::print("{} logs equal, {} different, {} events compared\n", equal, different, events);
  return different == 0 ? exit_ok : exit_mismatch;
}

}  // namespace tactus
