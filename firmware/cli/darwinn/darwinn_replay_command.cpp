// tactus darwinn replay: the transfers of an Edge TPU executable over a host link.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/darwinn/darwinn_commands.h"
#include "firmware/cli/darwinn/link_timeline.h"
#include "firmware/cli/darwinn/replay_page.h"
#include "firmware/cli/darwinn/replay_series.h"
#include "firmware/cli/table.h"
#include "firmware/config/link.h"
#include "firmware/driver/darwinn/link_replay.h"
#include "isa/darwinn/verify.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using darwinn::Executable;
using Json = nlohmann::ordered_json;

/// Compute time as one block, and the source of its value.
struct Compute {
  std::uint64_t cycles = 0;
  std::string source;  ///< empty: compute is not modelled
};

Compute compute_of(const Args& args, const darwinn::File& file) {
  const auto other = args.text("cycles-from");
  if (other && args.has("cycles")) {
    user_error("tactus darwinn replay: give --cycles or --cycles-from, not both");
  }
  if (args.has("cycles")) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    const std::uint64_t cycles = args.number("cycles", 0, 0, most);
    return {cycles, cycles == 0 ? "" : "the command line"};
  }
  if (!other) {
    const std::uint64_t cycles = file.package().main().cycle_estimate();
    if (cycles == 0) return {};
    return {cycles, "the package"};
  }
  const darwinn::File from(*other);
  print_warnings(from.warnings());
  (void)darwinn::verify(from.package(), from.name());
  const std::uint64_t cycles = from.package().main().cycle_estimate();
  if (cycles == 0) user_error("{}: the package estimates no cycles", *other);
  return {cycles, *other + ", whose instructions are others"};
}

/// True if the link is modelled by its parts (R2), false if by a rate (R1).
bool takes_parts(const Args& args) {
  const std::string model = args.text("model").value_or("r1");
  if (model == "r1" || model == "r2") return model == "r2";
  user_error("tactus darwinn replay: --model {} is not allowed; allowed \"r1\", \"r2\"",
             quote(model));
}

LinkReplayResult run(const Executable& executable, const LinkPreset& link, std::uint64_t cycles,
                     bool parts) {
  if (parts) return replay_on_link(executable, link, cycles);
  LinkReplayResult result;
  static_cast<ReplayResult&>(result) = replay(executable, link, cycles);
  return result;
}

std::string words_of(const darwinn::File& file, const Compute& compute, const LinkPreset& link) {
  std::string text = replay_words(compute.cycles, compute.source);
  if (!link.needs_hints) {
    text += " The list of DMA hints stands in for the device's own fetches.";
  }
  if (!file.package().main().fully_deterministic) {
    text += " Outputs and interrupt are not in the list: inferred tail.";
  }
  return text;
}

Json traffic_json(const darwinn::Traffic& traffic) {
  Json json = darwinn::to_json(traffic);
  json["in"] = traffic.in();
  json["out"] = traffic.out();
  return json;
}

Json result_json(const Executable& executable, const LinkReplayResult& result) {
  Json steps = Json::array();
  for (const ReplayStep& step : result.steps) {
    steps.push_back({{"what", step_text(executable, step)},
                     {"bytes", step.bytes},
                     {"start_ps", step.start},
                     {"end_ps", step.end},
                     {"inferred", step.inferred}});
  }
  return {{"type", darwinn::type_name(executable.type)},
          {"total_ps", result.total},
          {"listed_ps", result.listed},
          {"bound_ps", result.bound},
          {"compute_start_ps", result.compute_start},
          {"compute_end_ps", result.compute_end},
          {"bytes", traffic_json(result.traffic)},
          {"to_device", to_json(result.out)},
          {"to_host", to_json(result.in)},
          {"steps", steps}};
}

void print_json(const darwinn::File& file, const Compute& compute, const LinkPreset& link,
                const LinkReplayResult& main, const std::optional<LinkReplayResult>& caching,
                bool parts) {
  Json json{{"file", file.name()},
            {"sha256", file.sha256()},
            {"model", parts ? "R2" : "R1"},
            {"words", words_of(file, compute, link)},
            {"link", {{"name", link.name}, {"title", link.title}}},
            {"cycles", compute.cycles}};
  link_parameters().write(json["link"], link);
  json["main"] = result_json(file.package().main(), main);
  if (caching) json["parameter_caching"] = result_json(*file.package().caching(), *caching);
  fmt::print("{}\n", text_of_json(json, 1));
}

/// Adds a request that starts at `from`. Loading of parameters is a request of its own, before the
/// inference.
void add_to(LinkTimeline& timeline, const Executable& executable, const ReplayResult& result,
            Picoseconds from) {
  timeline.request(std::string(darwinn::type_name(executable.type)), from, from + result.total);
  timeline.steps(executable, result.steps, from);
  timeline.compute("compute", from + result.compute_start, from + result.compute_end);
}

void print_wire(const char* way, const LinkFigures& figures, Picoseconds total) {
  fmt::print("  wire {}: {} transactions, {} bytes, {} with packets, busy {:.1f} % of the time\n",
             way, figures.transactions, figures.bytes, figures.wire_bytes,
             100.0 * static_cast<double>(figures.busy) / static_cast<double>(total));
}

void print_result(const Executable& executable, const LinkReplayResult& result, bool parts) {
  Table table({{"  transfer", true}, {"bytes"}, {"start ms"}, {"end ms"}});
  const auto ms = [](Picoseconds time) {
    return fmt::format("{:.6f}", static_cast<double>(time) / picoseconds_per_ms);
  };
  for (const ReplayStep& step : result.steps) {
    table.row({"  " + step_text(executable, step), step.bytes > 0 ? std::to_string(step.bytes) : "",
               ms(step.start), ms(step.end)});
  }
  fmt::print("{}", table.text());
  const darwinn::Traffic& traffic = result.traffic;
  fmt::print(
      "  bytes: instructions {}, inputs {}, parameters {}, scratch in {}, outputs {}, "
      "scratch out {}\n",
      traffic.instructions, traffic.inputs, traffic.parameters, traffic.scratch_in, traffic.outputs,
      traffic.scratch_out);
  if (!parts) return;
  print_wire("to the device", result.out, result.total);
  print_wire("to the host", result.in, result.total);
}

void print_text(const darwinn::File& file, const Compute& compute, const LinkPreset& link,
                const LinkReplayResult& main, const std::optional<LinkReplayResult>& caching,
                bool parts) {
  fmt::print("{}\n\n", words_of(file, compute, link));
  fmt::print("{:<22}{}\n", "file", file.name());
  fmt::print(
      "{:<22}{}: {}, {:g} MB/s out, {:g} MB/s in{}, {:g} ms a request\n", "link", link.name,
      link.title,
      static_cast<double>(parts ? link.wire_bytes_per_second : link.out_bytes_per_second) / 1e6,
      static_cast<double>(parts ? link.wire_bytes_per_second : link.in_bytes_per_second) / 1e6,
      parts ? " on the wire" : "", static_cast<double>(link.fixed_ps) / picoseconds_per_ms);
  const auto time = [](Picoseconds ps) {
    return time_text(static_cast<double>(ps) / picoseconds_per_ms);
  };
  fmt::print("{:<22}{} ps = {} ({}){}\n", "latency", main.total, time(main.total),
             parts ? "R2" : "R1",
             parts ? "" : fmt::format(", {} if all overlapped", time(main.bound)));
  if (main.listed != main.total) {
    fmt::print("{:<22}{} ps without the inferred tail\n", "", main.listed);
  }
  if (caching) {
    fmt::print("{:<22}{} ps = {} more on the first run, or after its parameters were evicted\n",
               "parameter caching", caching->total, time(caching->total));
  }
  fmt::print("\n{}\n", darwinn::type_name(file.package().main().type));
  print_result(file.package().main(), main, parts);
  if (!caching) return;
  fmt::print("\nPARAMETER_CACHING\n");
  print_result(*file.package().caching(), *caching, parts);
}

/// Reads a file. Throws UserError if it cannot be replayed over the link.
std::unique_ptr<const darwinn::File> read_replayable(const Args& args, const LinkPreset& link,
                                                     const std::string& path) {
  auto file = std::make_unique<const darwinn::File>(path);
  darwinn::VerifyOptions options;
  options.needs_hints = link.needs_hints && !args.has("descriptors");
  if (const auto token = args.text("token")) {
    options.resident_token = parse_address(*token, "tactus darwinn replay: --token");
  }
  print_warnings(file->warnings());
  print_warnings(darwinn::verify(file->package(), path, options));
  const std::string_view chip = *file->package().main().chip;
  if (!darwinn::is_edge_tpu(chip)) {
    user_error("{}: {}: for chip {}, whose programs run on the TCU; a replay is for beagle", path,
               darwinn::name(darwinn::Code::chip), quote(chip));
  }
  return file;
}

/// Results of one file.
struct Replayed {
  Replayed(const Args& args, const LinkPreset& link, const std::string& path)
      : file(read_replayable(args, link, path)),
        compute(compute_of(args, *file)),
        words(words_of(*file, compute, link)),
        parts(takes_parts(args)),
        main(run(file->package().main(), link, compute.cycles, parts)) {
    if (const Executable* const one = file->package().caching()) {
      caching = run(*one, link, 0, parts);
    }
  }
  std::unique_ptr<const darwinn::File> file;
  Compute compute;
  std::string words;
  bool parts;
  LinkReplayResult main;
  std::optional<LinkReplayResult> caching;
};

/// Replays several models in turn, or one model repeatedly.
int replay_series(const Args& args, const LinkPreset& link) {
  args.refuse({"timeline", "report"}, "is for one request of one file");
  constexpr std::uint64_t most_requests = 1000000;
  const std::vector<std::string>& paths = args.positional();
  const std::uint64_t requests = args.number("requests", paths.size(), 1, most_requests);
  std::vector<Replayed> replayed;
  std::vector<SeriesModel> models;
  for (const std::string& path : paths) {
    replayed.emplace_back(args, link, path);
    const Replayed& one = replayed.back();
    SeriesModel model{one.file.get(), one.main.total, std::nullopt, one.words};
    if (one.caching) model.caching = one.caching->total;
    models.push_back(std::move(model));
  }
  const ReplaySeries series(std::move(models), requests);
  fmt::print("{}", args.has("json") ? series.json() : series.text());
  return exit_ok;
}

}  // namespace

int darwinn_replay(const Words& words) {
  Args args("darwinn replay",
            "Replays an Edge TPU executable as a series of transfers. Nothing is computed, and "
            "there are no output values.",
            {{"link", "NAME|F.json", "host link, of configs/links or a file (required)"},
             {"cycles", "N",
              "compute as one lump of N cycles (default: the package's estimate, if "
              "it has one; 0: none)"},
             {"cycles-from", "F2", "compute as estimated by another package, of the same network"},
             {"descriptors", "",
              "the device asks for its transfers itself: runs over USB what has "
              "no fully deterministic hints, with an inferred tail"},
             {"token", "N",
              "token of the parameters that are on the chip already, for a package with "
              "EXECUTION_ONLY alone"},
             {"model", "R",
              "r1 (default): each transfer at the link's fitted rate; r2: through the "
              "SystemC model of the link, packet by packet"},
             {"timeline", "F.json", "write a timeline, for https://ui.perfetto.dev"},
             {"report", "F.html", "write a page with all of it, for any browser"},
             {"requests", "N",
              "number of requests, one after the other, to several files in turn; prints which of "
              "them load parameters, and their latencies"},
             {"json", "", "print all figures as JSON"}},
            "FILE ...");
  if (!args.parse(words)) return exit_ok;
  if (!args.has("link")) {
    user_error("tactus darwinn replay: --link NAME is missing; such as usb3, usb2, pcie");
  }
  const LinkPreset link = read_link(*args.text("link"));
  for (const char* output : {"timeline", "report"}) {
    if (const auto path = args.text(output)) claim_output(*path);
  }
  if (args.positional().empty()) user_error("tactus darwinn replay: name a file");
  if (args.has("requests") || args.positional().size() > 1) return replay_series(args, link);
  const Replayed replayed(args, link, args.positional().front());
  const auto& [file, compute, text, parts, main, caching] = replayed;
  if (const auto path = args.text("timeline")) {
    LinkTimeline timeline(*path, "compute (a lump)");
    if (caching) add_to(timeline, *file->package().caching(), *caching, 0);
    add_to(timeline, file->package().main(), main, caching ? caching->total : 0);
    timeline.close(text);
  }
  if (const auto path = args.text("report")) {
    write_file_atomically(*path, replay_page_html({*file, link, text, parts, main, caching}));
  }
  if (args.has("json")) {
    print_json(*file, compute, link, main, caching, parts);
  } else {
    print_text(*file, compute, link, main, caching, parts);
  }
  return exit_ok;
}

}  // namespace tactus
