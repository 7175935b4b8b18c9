// tactus cache: the folder in which bench and sweep keep compiled programs.
#include <charconv>
#include <chrono>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/bench/cache_folder.h"
#include "firmware/bench/program_cache.h"
#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/table.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using bench::CacheFolder;

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// Parses a size such as "500M", "2G" or "1500000": bytes; K, M and G are 1e3, 1e6 and 1e9.
std::uint64_t parse_size(const std::string& text) {
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  std::uint64_t factor = 1;
  std::string_view unit(end, static_cast<std::size_t>(last - end));
  if (unit == "K") factor = 1'000;
  if (unit == "M") factor = 1'000'000;
  if (unit == "G") factor = 1'000'000'000;
  constexpr std::uint64_t most = 1'000'000'000'000'000;
  if (error != std::errc() || (factor == 1 && !unit.empty()) || number > most / factor) {
    user_error(
        "tactus cache limit: \"{}\" is no size; allowed: bytes, or a number with K, M or G, to "
        "1000000G",
        text);
  }
  return number * factor;
}

std::string date(std::filesystem::file_time_type used) {
  const auto ago = std::filesystem::file_time_type::clock::now() - used;
  const auto then = std::chrono::system_clock::now() -
                    std::chrono::duration_cast<std::chrono::system_clock::duration>(ago);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(then);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

/// Describes the program of an entry; for an entry that cannot be read, says so.
std::vector<std::string> describe(const std::string& path) {
  const std::optional<std::string> key = bench::ProgramCache::key_of(path);
  const auto json = json_or_discarded(key.value_or(""));
  if (!json.is_object()) return {"(damaged)", "", ""};
  const auto& array = json["architecture"];
  return {json.contains("network") ? json.value("network", "")
                                   : "ONNX " + json.value("onnx", "").substr(0, 8),
          fmt::format("{0}x{0}", array.value("array_size", 0)),
          json.contains("optimise")
              ? "optimised"
              : json.value("strategy", "") + (json.value("compat", false) ? " compat" : "")};
}

void print_list(const CacheFolder& folder) {
  Table table({{"used", true}, {"size"}, {"network", true}, {"array"}, {"strategy", true}});
  for (const CacheFolder::Entry& entry : folder.entries()) {
    table.row({date(entry.used), megabytes(entry.bytes)});
    for (std::string& cell : describe(entry.path)) table.rows.back().push_back(std::move(cell));
  }
  fmt::print("{}", table.text());
}

void print_size(const std::string& path, const CacheFolder& folder) {
  std::uint64_t bytes = 0;
  const std::vector<CacheFolder::Entry> entries = folder.entries();
  for (const CacheFolder::Entry& entry : entries) bytes += entry.bytes;
  fmt::print("{}: {} programs, {} of {}\n", path, entries.size(), megabytes(bytes),
             megabytes(folder.limit()));
}

}  // namespace

int cache_command(const Words& words) {
  Args args(
      "cache",
      "Shows and clears the folder in which bench and sweep keep compiled programs:\n"
      "  tactus cache             its place, size and limit\n"
      "  tactus cache list        what is in it, the program used last first\n"
      "  tactus cache clean       removes all programs\n"
      "  tactus cache limit SIZE  sets the limit (500M, 2G; at first 1073.7M); programs used\n"
      "                           longest ago go first",
      {}, "[list | clean | limit SIZE]");
  if (!args.parse(words)) return exit_ok;
  const std::optional<std::string> path = bench::ProgramCache::default_folder();
  if (!path) user_error("tactus cache: neither XDG_CACHE_HOME nor HOME is set: nothing is kept");
  CacheFolder folder(*path);
  const std::vector<std::string>& what = args.positional();
  if (what.empty() || (what.size() == 1 && what[0] == "size")) {
    print_size(*path, folder);
  } else if (what.size() == 1 && what[0] == "list") {
    print_list(folder);
  } else if (what.size() == 1 && what[0] == "clean") {
    fmt::print("{} programs removed\n", folder.clean());
  } else if (what.size() == 2 && what[0] == "limit") {
    folder.set_limit(parse_size(what[1]));
    print_size(*path, folder);
  } else {
    user_error("tactus cache: {} is not known; allowed: list, clean, limit SIZE",
               quote(fmt::format("{}", fmt::join(what, " "))));
  }
  return exit_ok;
}

}  // namespace tactus
