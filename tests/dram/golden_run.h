// Recorded runs of DRAMSys 5.1: requests with their times, and commands.
//
// The data exist in two forms: the archive tests/golden/dram (clocks, as differences), and the
// files from which it was made, golden/dram/dramsys in the folder TACTUS_SHARED (picoseconds,
// .csv.gz).
#pragma once

#include <string>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_command.h"

namespace tactus::dram {

struct GoldenRequest {
  std::uint64_t arrival_ps = 0;
  bool write = false;
  std::uint64_t address = 0;
  DdrClock begin_req = 0;   ///< when the request is offered
  DdrClock end_req = 0;     ///< when the request is accepted
  DdrClock begin_resp = 0;  ///< end of the request's data
};

struct GoldenRun {
  std::string name;  ///< name of the form memory/trace.controller
  std::string controller;
  DdrConfig config;  ///< DRAM and controller as configured in DRAMSys
  std::vector<GoldenRequest> requests;
  std::vector<DdrCommand> commands;  ///< without rows and columns; tags are numbers of requests

  [[nodiscard]] DdrClock arrival(std::size_t request) const {
    return (requests[request].arrival_ps + config.tck_ps - 1) / config.tck_ps;
  }
};

/// Returns the names of a controller's archived runs, such as "ddr4_2400/seq_read.fifo_open".
[[nodiscard]] std::vector<std::string> packed_runs(const std::string& controller);
[[nodiscard]] GoldenRun read_packed_run(const std::string& name);
/// Returns the names of the runs in a folder with original files.
[[nodiscard]] std::vector<std::string> original_runs(const std::string& folder,
                                                     const std::string& controller);
[[nodiscard]] GoldenRun read_original_run(const std::string& folder, const std::string& name);

}  // namespace tactus::dram
