#include "firmware/cli/sweep/sweep_cluster.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/core.h>

#include "firmware/cli/commands.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/table.h"
#include "firmware/config/config_files.h"
#include "firmware/process/find_program.h"
#include "firmware/sweep/results.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

/// Quotes a word for a shell, if necessary.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Progress of one folder.
struct Part {
  std::string name;
  std::size_t total = 0, ok = 0, failed = 0, killed = 0;
  double seconds = 0;  ///< host time of all its points
  std::string last;    ///< time since it was last written to, as text
};

Part part_of(const std::string& folder, const std::string& name,
             std::map<std::string, std::string>& statuses) {
  const sweep::Results results = sweep::read_results(folder);
  Part part;
  part.name = name;
  part.total = results.total;
  for (const sweep::Line& line : results.lines) {
    const auto status = line["status"].get<std::string>();
    part.ok += status == "ok" ? 1 : 0;
    part.failed += status == "failed" ? 1 : 0;
    part.killed += status == "killed" ? 1 : 0;
    if (line.contains("host")) part.seconds += line["host"].value("seconds", 0.0);
    // A point with results in several folders counts once, with its best status.
    std::string& known = statuses[line["hash"].get<std::string>()];
    if (known.empty() || status == "ok" || known == "killed") known = status;
  }
  std::error_code error;
  const auto written = fs::last_write_time(folder + "/results.jsonl", error);
  if (!error) {
    const auto age = fs::file_time_type::clock::now() - written;
    part.last = duration_text(std::max(0.0, std::chrono::duration<double>(age).count())) + " ago";
  }
  return part;
}

/// Number of a shard: 12 for "shard-12"; 0 for another name.
std::size_t shard_number(const std::string& name) {
  constexpr std::string_view prefix = "shard-";
  if (name.compare(0, prefix.size(), prefix) != 0) return 0;
  const std::string digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 9) return 0;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::stoul(digits);
}

/// Folders of shards that have begun, by number, and the folder itself if it contains results.
std::vector<std::pair<std::string, std::string>> folders_of(const std::string& folder) {
  std::vector<std::pair<std::size_t, std::string>> shards;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool begun = fs::exists(entry.path() / "points.csv", error);
    if (const std::size_t number = shard_number(name); number != 0 && begun) {
      shards.emplace_back(number, name);
    }
  }
  if (error) user_error("{}: cannot be read: {}", folder, error.message());
  std::sort(shards.begin(), shards.end());
  std::vector<std::pair<std::string, std::string>> folders;
  for (const auto& [number, name] : shards) folders.emplace_back(folder + "/" + name, name);
  if (fs::exists(folder + "/points.csv")) folders.emplace_back(folder, "here");
  return folders;
}

}  // namespace

std::vector<Args::Option> submit_options() {
  const std::string group = "On a cluster";
  std::vector<Args::Option> options{
      {"submit", "slurm", "submit the sweep as a job array of Slurm, and write DIR/submit.sh"},
      {"shards", "N[%M]",
       "jobs that the points are shared out to (default 4), M at most at a time"},
      {"sbatch", "OPTION", "an option of sbatch for all jobs, such as --sbatch=--time=2:00:00",
       true},
      {"wait", "", "return when the results are joined in DIR/all"}};
  for (Args::Option& option : options) option.group = group;
  return options;
}

void refuse_submit_options(const Args& args) {
  if (args.has("submit")) return;
  args.refuse({"shards", "sbatch", "wait"}, "needs --submit slurm");
}

int submit_sweep(const Args& args, const std::string& sweep) {
  if (*args.text("submit") != "slurm") {
    user_error("tactus {}: --submit {} is not allowed; allowed: slurm", args.command(),
               quote(*args.text("submit")));
  }
  const auto folder = args.text("output");
  if (!folder) user_error("tactus {}: name the folder of the results with -o", args.command());
  args.refuse({"shard", "jobs", "beside", "check", "dry-run"},
              "is for a sweep on this machine, not with --submit");
  if (!fs::exists(sweep)) user_error("{}: no such file", sweep);
  const std::string script = (fs::path(config_folder()) / "sweeps/slurm.sh").string();
  if (!fs::exists(script)) user_error("{}: no such file, which submits sweeps", script);
  if (!find_program("sbatch")) {
    user_error("tactus {}: sbatch is not installed here; on Debian: apt-get install slurm-client",
               args.command());
  }
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  std::string command = fmt::format("TACTUS={} bash {} {} {} {}", shell_word(program),
                                    shell_word(script), shell_word(fs::absolute(sweep).string()),
                                    shell_word(fs::absolute(*folder).string()),
                                    shell_word(args.text("shards").value_or("4")));
  for (const char* name : {"max-cycles", "point-timeout"}) {
    if (const auto value = args.text(name)) {
      command += fmt::format(" --{} {}", name, shell_word(*value));
    }
  }
  for (const char* name : {"retry-failed", "wait"}) {
    if (args.has(name)) command += fmt::format(" --{}", name);
  }
  for (const std::string& option : args.texts("sbatch")) command += " " + shell_word(option);
  fs::create_directories(*folder, error);
  if (error) user_error("{}: cannot be created: {}", *folder, error.message());
  const std::string file = *folder + "/submit.sh";
  rewrite_own_file(
      file, "#!/bin/sh\n# Submits the sweep; again: it goes on where it was.\n" + command + "\n");
  std::fflush(stdout);
  const int status = std::system(("sh " + shell_word(file)).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_internal;
}

int sweep_status(const std::string& folder) {
  if (!fs::is_directory(folder)) user_error("{}: no folder", folder);
  const auto folders = folders_of(folder);
  if (folders.empty()) {
    if (fs::exists(folder + "/sweep.json")) {
      (void)sweep::read_definition_text(folder);
      fmt::print("{}: submitted, no shard has begun\n", folder);
      return exit_mismatch;
    }
    user_error("{}: no folder of a sweep: it has neither results nor shards", folder);
  }
  std::map<std::string, std::string> statuses;  // status of each point, by hash
  Table table;
  std::size_t total = 0;
  for (const auto& [path, name] : folders) {
    const Part part = part_of(path, name, statuses);
    total = std::max(total, part.total);
    const std::size_t done = part.ok + part.failed;
    table.begin_row();
    table.cell({"folder", true}, part.name);
    table.cell({"ok"}, std::to_string(part.ok));
    table.cell({"failed"}, std::to_string(part.failed));
    table.cell({"killed"}, std::to_string(part.killed));
    table.cell({"last result"}, part.last);
    table.cell({"host time a point"},
               done == 0 ? "" : duration_text(part.seconds / static_cast<double>(done)));
  }
  std::size_t ok = 0, failed = 0;
  for (const auto& [hash, status] : statuses) {
    ok += status == "ok" ? 1 : 0;
    failed += status == "failed" ? 1 : 0;
  }
  const std::size_t open = total - std::min(total, ok + failed);
  fmt::print("{}", table.text());
  fmt::print("{}: {} of {} points ok, {} failed, {} to run{}\n", folder, ok, total, failed, open,
             fs::exists(folder + "/all/results.csv") ? "; joined in " + folder + "/all" : "");
  return ok == total ? exit_ok : exit_mismatch;
}

}  // namespace tactus
