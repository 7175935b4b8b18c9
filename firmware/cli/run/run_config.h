// A run's whole configuration as a file: what --print-config prints and --config takes. Statistics
// files hold it under the key "rerun", and --config takes them as well.
//
//   {"workload": {"model": "F.tmodel", "inputs": {"x": "x.csv"}},    or "program", "dram0", "dram1"
//    "architecture": {the keys of a .tarch},
//    "board": {"name": "zcu104", "clock_mhz": 100, ...},
//    "run": {"mode": "plain", "engine": "fast", ...}}
//
// Every section and every key may be left out; what is left out is as without the file, except that
// a board that is named supplies what the file does not say of it. Paths start at the file.
// Options of the command line go before the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"

namespace tactus {

/// What a file says of architecture and board; the rest has gone into the plan.
struct RunConfig {
  std::string path;  ///< empty: there is no file
  std::optional<tcu::Architecture> architecture;
  std::string board;               ///< name or path; empty: none
  BoardValues values;              ///< of which the file gives
  std::vector<std::string> given;  ///< these keys

  /// Whether board or architecture has to be looked up under the board's name.
  [[nodiscard]] bool needs_board(bool has_model) const;
};

/// Strict; errors carry the JSON path. Throws UserError.
[[nodiscard]] RunConfig read_run_config(const std::string& path, RunPlan& plan);

/// The plan as such a file, with absolute paths.
[[nodiscard]] std::string run_config_json(const RunPlan& plan);

}  // namespace tactus
