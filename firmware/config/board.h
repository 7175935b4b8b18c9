// A board: an architecture on an FPGA with a clock and a memory, and where each value comes from.
//
//   {"name": "zcu104", "title": "Xilinx ZCU104",
//    "architecture": "../arch/zcu104.tarch",            a path beside this file, or the keys
//    "clock_mhz": 100, "axi_data_bits": 128, "read_latency": 20, "write_latency": 5,
//    "compared": "ResNet-20: ...",                    with what measured runs the model agrees
//    "provenance": {
//      "architecture": {"published": "architecture file of ...", "date": "2022-08-17"},
//      "read_latency": {"assumed": "why"}}}
//
// In "provenance", "architecture" stands for the keys of the architecture that have no entry of
// their own, "*" for all other keys; a value without any entry is an error. A board of one's own
// may leave out "provenance" and "compared". Latencies are cycles as in BoardValues. Reading is
// strict; errors carry the JSON path.
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
  ProvenanceByKey provenance;  ///< empty if not given
  std::string compared;        ///< with what runs on the board the model agrees; empty: none

  std::string path;  ///< the board's file

  /// A machine of this board; everything the board does not say has its default.
  [[nodiscard]] TcuSimulationConfig simulation_config() const;
};

/// `name`: of a file in configs/boards, or a path (see config_path). Throws UserError.
[[nodiscard]] Board read_board(const std::string& name);
/// The same from text already in memory; `where` stands for the file name.
[[nodiscard]] Board parse_board(std::string_view json_text, const std::string& where);

}  // namespace tactus
