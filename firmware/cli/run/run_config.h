// A run's whole configuration as a file: what --print-config prints and --config takes. Statistics
// files hold it under the key "rerun", and --config takes them as well.
//
//   {"workload": {"model": "F.tmodel", "inputs": {"x": "x.csv"}},    or "program", "dram0", "dram1"
//    "architecture": {the keys of a .tarch},
//    "board": {"name": "zcu104", "clock_mhz": 100, ...},
//    "run": {"mode": "plain", "engine": "fast", ...}}
//
// Every section and every key may be left out and then has the value it has without the file; keys
// of a named board that are left out have the board's values. Paths are relative to the file.
// Options of the command line take precedence over the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"

namespace tactus {

/// Architecture and board of a file; everything else has been copied to the plan.
struct RunConfig {
  std::string path;  ///< empty: there is no file
  std::optional<tcu::Architecture> architecture;
  std::string board;               ///< name or path; empty: none
  BoardValues values;              ///< values of the file
  std::vector<std::string> given;  ///< keys that the file has

  /// True if board or architecture must be looked up by the board's name.
  [[nodiscard]] bool needs_board(bool has_model) const;
};

/// Reads a file, strictly. Throws UserError with the JSON path.
[[nodiscard]] RunConfig read_run_config(const std::string& path, RunPlan& plan);

/// Returns the plan in the form of such a file, with absolute paths.
[[nodiscard]] std::string run_config_json(const RunPlan& plan);

}  // namespace tactus
