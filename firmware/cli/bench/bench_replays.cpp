#include "firmware/cli/bench/bench_replays.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/commands.h"
#include "firmware/cli/table.h"
#include "firmware/config/link.h"
#include "firmware/driver/darwinn/replay.h"
#include "firmware/report/version.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/verify.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using bench::ReplayRow;
using Json = nlohmann::ordered_json;

/// Folder in which models are searched.
std::string models_folder(const Args& args) {
  if (const auto folder = args.text("models")) return *folder;
  const char* const shared = std::getenv("TACTUS_SHARED");
  if (shared != nullptr) return std::string(shared) + "/golden/darwinn/tflite";
  return ".";
}

struct ReplayOutcome {
  std::optional<ReplayResult> result;
  std::optional<Picoseconds> caching;  ///< time for loading parameters before the first request
  std::string error;                   ///< empty, and no result: the model file is missing
};

ReplayOutcome run(const ReplayRow& row, const std::string& path) {
  ReplayOutcome outcome;
  if (!std::filesystem::exists(path)) return outcome;
  try {
    const LinkPreset link = read_link(row.link);
    const darwinn::File file(path);
    darwinn::VerifyOptions options;
    options.needs_hints = link.needs_hints;
    (void)darwinn::verify(file.package(), path, options);
    outcome.result = replay(file.package().main(), link, row.cycles);
    outcome.result->steps.clear();  // their names point into the file, which is closed
    if (const darwinn::Executable* const caching = file.package().caching()) {
      outcome.caching = replay(*caching, link, 0).total;
    }
  } catch (const UserError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

double latency_ms(const ReplayResult& result) {
  return static_cast<double>(result.total) / picoseconds_per_ms;
}

double deviation_percent(const ReplayRow& row, const ReplayResult& result) {
  return 100 * (latency_ms(result) / row.published_ms - 1);
}

void add_row(Table& table, const ReplayRow& row, const ReplayOutcome& outcome) {
  table.begin_row();
  table.cell({"model", true}, row.model);
  table.cell({"link", true}, row.link);
  table.cell({"published ms"}, fmt::format("{:g}", row.published_ms));
  std::string replayed, deviation, cycles, bytes, left_out = row.left_out;
  if (const auto& result = outcome.result) {
    replayed = fmt::format("{:.3f}", latency_ms(*result));
    deviation = fmt::format("{:+.1f}", deviation_percent(row, *result));
    cycles = row.cycles == 0 ? "not modelled" : std::to_string(row.cycles);
    bytes = std::to_string(result->traffic.in() + result->traffic.out());
  } else {
    left_out = outcome.error.empty() ? "skipped: model not at hand" : "FAILED: " + outcome.error;
  }
  table.cell({"replay ms"}, replayed);
  table.cell({"%"}, deviation);
  table.cell({"cycles"}, cycles);
  table.cell({"bytes"}, bytes);
  table.cell({"parameters ms"},
             outcome.caching
                 ? fmt::format("{:.3f}", static_cast<double>(*outcome.caching) / picoseconds_per_ms)
                 : "");
  table.cell({"left out of the replay", true}, left_out);
}

Json row_json(const ReplayRow& row, const ReplayOutcome& outcome) {
  Json json{{"model", row.model},
            {"file", row.file},
            {"link", row.link},
            {"status", outcome.result          ? "ok"
                       : outcome.error.empty() ? "skipped"
                                               : "failed"},
            {"error", outcome.error},
            {"published_ms", row.published_ms},
            {"source", row.source},
            {"cycles", row.cycles},
            {"cycles_source", row.cycles_source},
            {"left_out", row.left_out}};
  if (!outcome.result) return json;
  json["words"] = replay_words(row.cycles, row.cycles == 0 ? "" : row.cycles_source);
  json["replay_ps"] = outcome.result->total;
  json["parameters_ps"] = outcome.caching ? Json(*outcome.caching) : Json();
  json["deviation_percent"] = deviation_percent(row, *outcome.result);
  json["bytes_in"] = outcome.result->traffic.in();
  json["bytes_out"] = outcome.result->traffic.out();
  json["bytes"] = darwinn::to_json(outcome.result->traffic);
  return json;
}

void print_notes(const std::vector<ReplayRow>& rows, const std::string& folder) {
  fmt::print(
      "\nreplay: Edge TPU executables replayed as transfers, model R1 (tactus darwinn replay); "
      "instruction encoding undocumented; results are transfer-bound latencies; no output values\n"
      "cycles: compute as a single lump of estimated cycles; not modelled: the replay is bound by "
      "transfers alone, and too low by all of compute\n"
      "parameters: more on the first run, or after their eviction; bytes by class are in --json\n"
      "links: configs/links; two of their constants are fitted to some of these figures, so that "
      "agreement within 15 % is no validation\n"
      "models: looked for in {}\n",
      folder);
  std::set<std::string> sources;
  for (const ReplayRow& row : rows) {
    sources.insert("published: " + row.source);
    if (!row.cycles_source.empty()) sources.insert("cycles: " + row.cycles_source);
  }
  for (const std::string& source : sources) fmt::print("{}\n", source);
}

}  // namespace

int bench_replays(const Args& args, const std::vector<ReplayRow>& all) {
  const std::string filter = args.text("filter").value_or("");
  std::vector<ReplayRow> rows;
  std::string titles;
  for (const ReplayRow& row : all) {
    titles += "\n  " + row.title();
    if (row.title().find(filter) != std::string::npos) rows.push_back(row);
  }
  if (rows.empty())
    user_error("tactus bench: no row contains {}; the rows:{}", quote(filter), titles);
  if (args.has("csv")) user_error("tactus bench: --csv is not for replays; allowed --json");
  if (args.has("list")) {
    for (const ReplayRow& row : rows) fmt::print("{}\n", row.title());
    return exit_ok;
  }
  const std::string folder = models_folder(args);
  Table table;
  Json json = Json::array();
  int code = exit_ok;
  for (const ReplayRow& row : rows) {
    const ReplayOutcome outcome = run(row, folder + "/" + row.file);
    if (!outcome.error.empty()) code = exit_mismatch;
    add_row(table, row, outcome);
    json.push_back(row_json(row, outcome));
  }
  fmt::print("{}", table.text());
  print_notes(rows, folder);
  if (const auto path = args.text("json")) {
    const Json file{
        {"tool", "tactus"}, {"version", version}, {"revision", git_revision}, {"rows", json}};
    write_file_atomically(*path, text_of_json(file, 2) + "\n");
  }
  return code;
}

}  // namespace tactus
