// A board: an architecture on an FPGA with a clock and a memory, and the provenance of each value.
//
//   {"name": "zcu104", "title": "Xilinx ZCU104",
//    "architecture": "../arch/zcu104.tarch",            path relative to this file, or an object
//    "clock_mhz": 100, "axi_data_bits": 128, "read_latency": 20, "write_latency": 5,
//    "compared": "ResNet-20: ...",                    measured runs that the model agrees with
//    "provenance": {
//      "architecture": {"published": "architecture file of ...", "date": "2022-08-17"},
//      "read_latency": {"assumed": "why"}}}
//
// In "provenance", "architecture" stands for all keys of the architecture without an entry, "*" for
// all other keys; a value without an entry is an error. A user's board may omit "provenance" and
// "compared". Latencies are in cycles, as in BoardValues. Reading is strict; errors carry the JSON
// path.
#pragma once

#include <string>
#include <string_view>

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/board_values.h"
#include "isa/support/provenance.h"
#include "isa/tcu/architecture.h"

namespace tactus {

struct Board : BoardValues {
  std::string name;
  std::string title;
  tcu::Architecture architecture;
  ProvenanceByKey provenance;  ///< empty if the file has none
  std::string compared;  ///< measured runs on the board that the model agrees with; empty: none

  std::string path;  ///< path of the board's file

  /// Configuration of a machine with this board; values that the board does not set have their
  /// defaults.
  [[nodiscard]] TcuSimulationConfig simulation_config() const;
};

/// Reads a board by the name of a file in configs/boards, or by path (see config_path). Throws
/// UserError.
[[nodiscard]] Board read_board(const std::string& name);
/// Reads text that is already in memory; `where` stands for the file name.
[[nodiscard]] Board parse_board(std::string_view json_text, const std::string& where);

}  // namespace tactus
