// tactus dram: requests of a trace put to a DRAM and its controller, without a machine.

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/args.h"
#include "firmware/cli/column_tables.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/files/info_line.h"
#include "firmware/config/ddr_presets.h"
#include "firmware/driver/common/ddr_figures.h"
#include "firmware/driver/common/dram_trace.h"
#include "isa/support/csv.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/output_file.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

double nanoseconds(DdrClock clocks, const DdrConfig& config) {
  return static_cast<double>(clocks) * config.tck_ps / 1e3;
}

double gigabytes_per_second(std::uint64_t bytes, DdrClock clocks, const DdrConfig& config) {
  return clocks == 0 ? 0 : static_cast<double>(bytes) / nanoseconds(clocks, config);
}

std::string header(const std::vector<Figure>& columns) {
  std::vector<std::string> names;
  for (const Figure& column : columns) names.push_back(column.name);
  return csv_row(names);
}

void write_answers(const std::string& path, const std::vector<DramTraceRequest>& requests,
                   const DramRun& run, const DdrConfig& config) {
  OutputFile file(path);
  file.write(header(dram_answer_columns()));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const DramTraceRequest& request = requests[i];
    const DramAnswer& answer = run.answers[i];
    const double time = static_cast<double>(request.time_ps) / 1e3;
    const double answered = nanoseconds(answer.answered, config);
    file.write(fmt::format("{},{:.3f},{},{},{:#x},{},{:.3f},{:.3f},{},{},{},{}\n", i, time,
                           request.port, request.write ? "write" : "read", request.address,
                           request.bytes, answered, answered - time, answer.bursts, answer.hits,
                           answer.misses, answer.conflicts));
  }
  file.close();
}

void write_commands(const std::string& path, const DramRun& run, const DdrConfig& config) {
  OutputFile file(path);
  file.write(header(dram_command_columns()));
  for (const DdrCommand& command : run.commands) {
    const bool access = command.tag != DdrCommand::nobody;
    file.write(fmt::format("{},{:.3f},{},{},{},{},{},{}\n", command.clock,
                           nanoseconds(command.clock, config), to_text(command.kind),
                           command.bank / config.banks, command.bank % config.banks, command.row,
                           command.column, access ? std::to_string(command.tag) : ""));
  }
  file.close();
}

/// Writes a command trace for DRAMPower 4: clock, command, and bank counted over all groups.
void write_drampower4(OutputFile& file, const DramRun& run) {
  for (const DdrCommand& command : run.commands) {
    file.write(fmt::format("{},{},{}\n", command.clock, to_text(command.kind), command.bank));
  }
}

/// Writes a command trace for DRAMPower 5: clock, command, rank, bank group, bank counted over all
/// groups, row, column, and the data of a burst, which is 0 since the trace of requests has none.
/// The last line is the end of the simulated time.
void write_drampower5(OutputFile& file, const DramRun& run, const DdrConfig& config) {
  const std::string data(2 * config.burst_bytes(), '0');  // two digits a byte
  for (const DdrCommand& command : run.commands) {
    const bool has_data = command.kind == DdrCommandKind::rd ||
                          command.kind == DdrCommandKind::rda ||
                          command.kind == DdrCommandKind::wr || command.kind == DdrCommandKind::wra;
    const bool refresh = command.kind == DdrCommandKind::ref;
    file.write(fmt::format("{},{},0,{},{},{},{}{}{}\n", command.clock,
                           refresh ? "REFA" : to_text(command.kind), command.bank / config.banks,
                           command.bank, command.row, command.column, has_data ? "," : "",
                           has_data ? data : ""));
  }
  const DdrClock last = run.commands.empty() ? 0 : run.commands.back().clock;
  file.write(fmt::format("{},END,0,0,0,0,0\n", std::max(run.end, last)));
}

/// The versions of DRAMPower that differ in the form of their traces.
constexpr std::uint64_t oldest_drampower = 4, newest_drampower = 5;

void write_drampower(const std::string& path, std::uint64_t version, const DramRun& run,
                     const DdrConfig& config) {
  OutputFile file(path);
  if (version == oldest_drampower) {
    write_drampower4(file, run);
  } else {
    write_drampower5(file, run, config);
  }
  file.close();
}

Json latency_json(const DdrLatencies& latencies, const DdrConfig& config) {
  if (latencies.count == 0) return {};
  return {{"accesses", latencies.count},
          {"mean_ns", latencies.mean() * config.tck_ps / 1e3},
          {"max_ns", nanoseconds(latencies.max, config)}};
}

/// Sums over the trace.
struct Sums {
  std::uint64_t reads = 0, writes = 0;  ///< requests
  std::uint64_t bytes_read = 0, bytes_written = 0;
  DdrClock begin = 0, clocks = 0;  ///< clocks from the first arrival to the end of the last data
  DdrFigures figures;
};

Sums sums_of(const std::vector<DramTraceRequest>& requests, const DramRun& run,
             const DdrConfig& config) {
  Sums sums;
  for (const DramTraceRequest& request : requests) {
    ++(request.write ? sums.writes : sums.reads);
    (request.write ? sums.bytes_written : sums.bytes_read) += request.bytes;
  }
  sums.begin = run.answers.front().arrived;
  sums.clocks = run.end - sums.begin;
  const DdrStatistics& s = run.statistics;
  sums.figures.hits = s.hits;
  sums.figures.misses = s.misses;
  sums.figures.conflicts = s.conflicts;
  sums.figures.refreshes = s.refreshes;
  sums.figures.bus_clocks = s.bus_clocks;
  sums.figures.clocks = sums.clocks;
  sums.figures.tck_ps = config.tck_ps;
  sums.figures.bytes = sums.bytes_read + sums.bytes_written;
  sums.figures.time = {s.queue, s.refresh, s.row, s.bus, s.rest};
  return sums;
}

double peak_of(const DdrConfig& config) {
  return gigabytes_per_second(config.burst_bytes(), config.burst_clocks(), config);
}

std::string statistics(const DdrPreset& preset, const Sums& sums, const DramRun& run) {
  const DdrConfig& config = preset.config;
  Json json;
  json["ddr"] = preset.name;
  ddr_parameters().write(json["config"], config);
  json["requests"] = {{"reads", sums.reads}, {"writes", sums.writes}};
  json["bytes_read"] = sums.bytes_read;
  json["bytes_written"] = sums.bytes_written;
  json["clocks"] = sums.clocks;
  json["time_ns"] = nanoseconds(sums.clocks, config);
  json["gb_per_s"] = gigabytes_per_second(sums.figures.bytes, sums.clocks, config);
  json["peak_gb_per_s"] = peak_of(config);
  json["dram"] = to_json(sums.figures);
  for (const DdrPortStatistics& port : run.statistics.ports) {
    json["ports"].push_back({{"port", port.port},
                             {"bytes_read", port.bytes_read},
                             {"bytes_written", port.bytes_written},
                             {"gb_per_s", gigabytes_per_second(port.bytes_read + port.bytes_written,
                                                               sums.clocks, config)},
                             {"reads", latency_json(port.reads, config)},
                             {"writes", latency_json(port.writes, config)}});
  }
  return text_of_json(json, 2) + "\n";
}

std::string latency_text(const DdrLatencies& latencies, const DdrConfig& config) {
  if (latencies.count == 0) return "none";
  return fmt::format("mean {:.1f} ns, most {:.1f} ns, {} accesses",
                     latencies.mean() * config.tck_ps / 1e3, nanoseconds(latencies.max, config),
                     latencies.count);
}

void print(const DdrPreset& preset, const Sums& sums, const DramRun& run) {
  const DdrConfig& config = preset.config;
  const auto rate = [&](std::uint64_t bytes) {
    return gigabytes_per_second(bytes, sums.clocks, config);
  };
  const double all = rate(sums.figures.bytes);
  info_line("DRAM", "{}: {} bits, {:.0f} MT/s, bursts of {} bytes", preset.name, config.bus_bits,
            2e6 / config.tck_ps, config.burst_bytes());
  info_line("requests", "{} reads of {} bytes, {} writes of {} bytes", sums.reads, sums.bytes_read,
            sums.writes, sums.bytes_written);
  info_line("time", "{:.3f} us, {} clocks, from the first arrival to the end of the last data",
            nanoseconds(sums.clocks, config) / 1e3, sums.clocks);
  info_line("bandwidth", "{:.3f} GB/s, {:.1f} % of {:.3f}; reads {:.3f}, writes {:.3f}", all,
            100 * all / peak_of(config), peak_of(config), rate(sums.bytes_read),
            rate(sums.bytes_written));
  info_line("bank states", "{}", to_text(sums.figures));
  for (const DdrPortStatistics& port : run.statistics.ports) {
    if (port.reads.count + port.writes.count == 0) continue;
    const std::string name = fmt::format("port {}", port.port);
    info_line(name.c_str(), "reads: {}; writes, to the controller's buffer: {}",
              latency_text(port.reads, config), latency_text(port.writes, config));
  }
}

/// Throws UserError if a list of commands would have too many refreshes, also those of idle time.
void check_refreshes(const std::string& path, const std::vector<DramTraceRequest>& requests,
                     const DdrConfig& config) {
  constexpr std::uint64_t most_refreshes = std::uint64_t{1} << 22;
  if (config.refresh == DdrRefresh::none) return;
  const std::uint64_t most_ps = most_refreshes * config.t_refi * config.tck_ps;
  if (requests.back().time_ps <= most_ps) return;
  user_error(
      "{}: the last request arrives at {} ns; --commands and --drampower list every refresh, "
      "so they take requests up to {} ns",
      path, requests.back().time_ps / 1000, most_ps / 1000);
}

}  // namespace

std::vector<Figure> dram_answer_columns() {
  return {
      {"request", "count", "number of the request in the trace, from 0"},
      {"time_ns", "ns", "when the request arrives, as the trace says"},
      {"port", "count", "the port at which it arrives"},
      {"operation", "text", "read or write"},
      {"address", "bytes", "its first byte"},
      {"bytes", "bytes", "that it transfers"},
      {"answered_ns", "ns", "end of its read data; of a write: when the controller has all of it"},
      {"latency_ns", "ns", "answered_ns - time_ns"},
      {"bursts", "count", "of the DRAM that the request needs"},
      {"row_hits", "count", "its bursts whose row was open"},
      {"row_misses", "count", "its bursts whose bank was closed"},
      {"row_conflicts", "count", "its bursts whose bank had another row open"}};
}

std::vector<Figure> dram_command_columns() {
  return {{"clock", "clocks", "of the DRAM, in which the command is issued"},
          {"time_ns", "ns", "the same from the start of the trace"},
          {"command", "text", "as in the standard: ACT, RD, WR, PRE, REF, ..."},
          {"bank_group", "count", "bank group that the command is for"},
          {"bank", "count", "bank within the group"},
          {"row", "count", "row that the command opens or reads from"},
          {"column", "count", "column that the command reads or writes"},
          {"request", "count", "the request that it serves; empty: none"}};
}

int dram_command(const Words& words) {
  Args args(
      "dram",
      "Puts the requests of a trace to a DRAM and its controller and prints bandwidth and "
      "latencies. The trace is a table of time_ns, port, operation (read or write), address "
      "and bytes; a header may name \"time_ps\" or \"clock\" for the time.",
      {{"ddr", "NAME|F.json", "the DRAM: a preset of configs/dram or a file"},
       {"output", "F.csv", "where to write when each request was answered"},
       {"commands", "F.csv", "where to write the DRAM's commands"},
       {"drampower", "F.trace", "the same as a trace of commands for DRAMPower"},
       {"drampower-version", "4|5",
        "form of this trace: 4 (default): clock, command, bank; 5 and later: clock, command, rank, "
        "bank group, bank, row, column, data (zeroes)"},
       {"stats", "F.json", "where to write the statistics"}},
      "TRACE.csv");
  if (!args.parse(words)) return exit_ok;
  const std::string& path = only_file(args);
  const auto name = args.text("ddr");
  if (!name) user_error("tactus dram: --ddr NAME|F.json is missing; presets are in configs/dram");
  const std::uint64_t drampower =
      args.number("drampower-version", oldest_drampower, oldest_drampower, newest_drampower);
  if (!args.has("drampower")) args.refuse({"drampower-version"}, "belongs to --drampower");
  const DdrPreset preset = read_ddr_preset(*name);
  for (const char* output : {"output", "commands", "drampower", "stats"}) {
    const auto file = args.text(output);
    if (file && *file != "-") claim_output(*file);
  }
  const auto requests = parse_dram_trace(read_text(path), path, preset.config);
  const bool commands = args.has("commands") || args.has("drampower");
  if (commands) check_refreshes(path, requests, preset.config);
  const DramRun run = run_dram_trace(preset.config, requests, commands);
  const Sums sums = sums_of(requests, run, preset.config);
  if (const auto file = args.text("output")) write_answers(*file, requests, run, preset.config);
  if (const auto file = args.text("commands")) write_commands(*file, run, preset.config);
  if (const auto file = args.text("drampower")) {
    write_drampower(*file, drampower, run, preset.config);
  }
  if (const auto file = args.text("stats")) {
    write_file_atomically(*file, statistics(preset, sums, run));
  }
  print(preset, sums, run);
  return exit_ok;
}

}  // namespace tactus
