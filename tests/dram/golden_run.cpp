#include "tests/dram/golden_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace tactus::dram {
namespace {

DdrConfig memory_config(const fs::path& folder) {
  std::ifstream file(folder / "spec.json");
  const auto spec = nlohmann::json::parse(file);
  const auto& t = spec.at("timing_in_clocks");
  const bool ddr4 = spec.at("memoryType") == "DDR4";
  const auto clocks = [&t](const char* key, const char* other) {
    return (t.contains(key) ? t.at(key) : t.at(other)).get<unsigned>();
  };
  DdrConfig c;
  c.bus_bits = spec.at("width").get<unsigned>() * spec.at("nbrOfDevices").get<unsigned>();
  c.burst_length = spec.at("burstLength");
  c.bank_groups = ddr4 ? spec.at("nbrOfBankGroups").get<unsigned>() : 1;
  c.banks = spec.at("nbrOfBanks").get<unsigned>() / c.bank_groups;
  c.rows = spec.at("nbrOfRows");
  c.columns = spec.at("nbrOfColumns");
  c.tck_ps = t.at("tCK");
  c.cl = t.at("RL");
  c.cwl = t.at("WL");
  c.t_rcd = t.at("RCD");
  c.t_rp = t.at("RP");
  c.t_ras = t.at("RAS");
  c.t_rc = t.at("RC");
  c.t_faw = t.at("FAW");
  c.t_rrd_s = clocks("RRD_S", "RRD");
  c.t_rrd_l = clocks("RRD_L", "RRD");
  c.t_ccd_s = clocks("CCD_S", "CCD");
  c.t_ccd_l = clocks("CCD_L", "CCD");
  c.t_wr = t.at("WR");
  c.t_rtp = t.at("RTP");
  c.t_wtr_s = clocks("WTR_S", "WTR");
  c.t_wtr_l = clocks("WTR_L", "WTR");
  c.t_turn = ddr4 ? 1 + t.at("WPRE").get<unsigned>() : 2;
  c.t_rfc = t.at("RFC");
  c.t_refi = t.at("REFI");
  return c;
}

/// Sets the controller as described in the README of the golden data.
void set_controller(const std::string& controller, DdrConfig& c) {
  const bool frfcfs = controller == "frfcfs_open";
  c.scheduler = frfcfs ? DdrScheduler::frfcfs : DdrScheduler::fifo;
  c.buffer = frfcfs ? 32 : 8;
  c.cap = 0;
  c.read_priority = false;
  c.page_policy = controller == "fifo_closed" ? DdrPagePolicy::closed : DdrPagePolicy::open;
  c.refresh = controller == "fifo_open_noref" ? DdrRefresh::none : DdrRefresh::all_bank;
}

DdrCommandKind kind_of(const std::string& name) {
  const std::vector<std::string> names{"ACT", "RD", "RDA", "WR", "WRA", "PREPB", "PREAB", "REFAB"};
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw std::runtime_error("unknown command " + name);
  return static_cast<DdrCommandKind>(at - names.begin());
}

DdrCommand command_of(DdrClock clock, const std::string& kind, unsigned bank,
                      const std::string& request) {
  DdrCommand command;
  command.clock = clock;
  command.kind = kind_of(kind);
  const bool all = command.kind == DdrCommandKind::prea || command.kind == DdrCommandKind::ref;
  command.bank = static_cast<std::uint16_t>(all ? 0 : bank);
  if (!request.empty()) command.tag = static_cast<std::uint32_t>(std::stoul(request));
  return command;
}

fs::path packed_folder() { return fs::path(TACTUS_GOLDEN_DIR) / "dram"; }

GoldenRun start(const fs::path& folder, const std::string& name) {
  GoldenRun run;
  run.name = name;
  run.controller = name.substr(name.find('.') + 1);
  run.config = memory_config(folder / name.substr(0, name.find('/')));
  set_controller(run.controller, run.config);
  return run;
}

/// Returns the cells of a .csv.gz file without its first line.
std::vector<std::vector<std::string>> read_table(const fs::path& path) {
  const std::string command = "gzip -dc '" + path.string() + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error(command);
  std::string text;
  char block[65536];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, n);
  if (::pclose(pipe) != 0) throw std::runtime_error(command);
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream split(line);
    for (std::string cell; std::getline(split, cell, ',');) cells.push_back(cell);
    if (line.back() == ',') cells.emplace_back();
    rows.push_back(cells);
  }
  return rows;
}

std::vector<std::string> runs_of(const fs::path& folder, const std::string& end,
                                 const std::string& controller) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.size() <= end.size() || file.substr(file.size() - end.size()) != end) continue;
    names.push_back(entry.path().parent_path().filename().string() + "/" +
                    file.substr(0, file.size() - end.size()) + "." + controller);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> packed_runs(const std::string& controller) {
  return runs_of(packed_folder(), ".trace", controller);
}

std::vector<std::string> original_runs(const std::string& folder, const std::string& controller) {
  return runs_of(folder, ".trace.csv.gz", controller);
}

GoldenRun read_packed_run(const std::string& name) {
  GoldenRun run = start(packed_folder(), name);
  std::ifstream trace(packed_folder() / (name.substr(0, name.find('.')) + ".trace"));
  std::ifstream file(packed_folder() / name);
  std::uint64_t time_ns = 0, delta = 0;
  std::string kind, address, line;
  while (trace >> delta >> kind >> address) {
    time_ns += delta;
    GoldenRequest request;
    request.arrival_ps = time_ns * 1000;
    request.write = kind == "w";
    request.address = std::stoull(address, nullptr, 16);
    run.requests.push_back(request);
  }
  DdrClock clock = 0;
  for (GoldenRequest& request : run.requests) {
    DdrClock accepted = 0, answered = 0;
    file >> delta >> accepted >> answered;
    clock += delta;
    request.begin_req = clock;
    request.end_req = clock + accepted;
    request.begin_resp = request.end_req + answered;
  }
  std::getline(file, line);
  std::getline(file, line);
  if (line != "commands") throw std::runtime_error(name + ": no commands");
  clock = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    unsigned bank = 0;
    std::string request;
    cells >> delta >> kind >> bank >> request;
    clock += delta;
    run.commands.push_back(command_of(clock, kind, bank, request));
  }
  return run;
}

GoldenRun read_original_run(const std::string& folder, const std::string& name) {
  GoldenRun run = start(folder, name);
  const fs::path base = folder;
  const DdrClock tck = run.config.tck_ps;
  for (const auto& row : read_table(base / (name.substr(0, name.find('.')) + ".trace.csv.gz"))) {
    GoldenRequest request;
    request.arrival_ps = std::stoull(row.at(0)) * 1000;
    request.write = row.at(1) == "write";
    request.address = std::stoull(row.at(2), nullptr, 16);
    run.requests.push_back(request);
  }
  const auto results = read_table(base / (name + ".result.csv.gz"));
  if (results.size() != run.requests.size()) throw std::runtime_error(name + ": results missing");
  for (std::size_t i = 0; i < results.size(); ++i) {
    run.requests[i].begin_req = std::stoull(results[i].at(1)) / tck;
    run.requests[i].end_req = std::stoull(results[i].at(2)) / tck;
    run.requests[i].begin_resp = std::stoull(results[i].at(3)) / tck;
  }
  for (const auto& row : read_table(base / (name + ".commands.csv.gz"))) {
    run.commands.push_back(command_of(std::stoull(row.at(0)) / tck, row.at(2),
                                      static_cast<unsigned>(std::stoul(row.at(4))), row.at(9)));
  }
  return run;
}

}  // namespace tactus::dram
