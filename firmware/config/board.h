// A board: an architecture on an FPGA with a clock and a memory, and where each value comes from.
//
//   {"name": "zcu104", "title": "Xilinx ZCU104",
//    "architecture": "../arch/zcu104.tarch",            a path beside this file, or the keys
//    "clock_mhz": 100, "axi_data_bits": 128, "read_latency": 20, "write_latency": 5,
//    "provenance": {
//      "architecture": {"published": "architecture file of ...", "date": "2022-08-17"},
//      "read_latency": {"assumed": "why"}}}
//
// Every value has an entry in "provenance": the four above and the keys of the architecture, where
// "architecture" stands for those that have none of their own. Latencies are cycles as in
// MachineConfig. Reading is strict; errors carry the JSON path.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "firmware/driver/tcu/simulation.h"
#include "isa/tcu/architecture.h"

namespace tactus {

struct Provenance {
  bool published = false;  ///< else assumed
  std::string text;        ///< the source, or why
  std::string date;        ///< of the source, YYYY-MM or YYYY-MM-DD; empty if assumed
};

struct Board {
  std::string name;
  std::string title;
  tcu::Architecture architecture;
  double clock_mhz = 0;
  unsigned axi_data_bits = 0;
  std::uint64_t read_latency = 0;
  std::uint64_t write_latency = 0;
  std::map<std::string, Provenance, std::less<>> provenance;  ///< by key

  /// The architecture's file if the board names one, else its own; for names of artefacts.
  std::string architecture_path;

  /// A machine of this board; everything the board does not say has its default.
  [[nodiscard]] TcuSimulationConfig simulation_config() const;
};

/// `name`: of a file in configs/boards, or a path (see config_path). Throws UserError.
[[nodiscard]] Board read_board(const std::string& name);
/// The same from text already in memory; `where` stands for the file name.
[[nodiscard]] Board parse_board(std::string_view json_text, const std::string& where);

}  // namespace tactus
