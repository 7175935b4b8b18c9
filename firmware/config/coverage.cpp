#include "firmware/config/coverage.h"

#include <algorithm>
#include <initializer_list>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "isa/tcu/architecture_table.h"

namespace tactus {
namespace {

using Texts = std::vector<std::string>;

/// Values of the machine that no recording of the RTL has; see models/README.md, Accuracy.
Texts not_recorded(const TcuSimulationConfig& config) {
  const tcu::Architecture& a = config.architecture;
  const auto is_one_of = [](std::uint64_t value, std::initializer_list<std::uint64_t> recorded) {
    return std::find(recorded.begin(), recorded.end(), value) != recorded.end();
  };
  Texts texts;
  if (!is_one_of(a.array_size, {4, 8, 16, 32})) {
    texts.push_back(fmt::format("array size {}", a.array_size));
  }
  if (!is_one_of(config.axi_data_bits, {32, 64, 128})) {
    texts.push_back(fmt::format("AXI of {} bits", config.axi_data_bits));
  }
  if (a.data_type != tcu::DataType::fp16bp8 && a.data_type != tcu::DataType::fp32bp16) {
    texts.emplace_back(info(a.data_type).name);
  }
  if (!is_one_of(a.simd_registers_depth, {1, 3, 4})) {
    texts.push_back(fmt::format("{} SIMD registers", a.simd_registers_depth));
  }
  return texts;
}

/// Extensions that the machine has and no RTL has.
Texts extensions(const tcu::Architecture& a) {
  Texts texts;
  for (const auto& parameter : tcu::architecture_parameters()) {
    const std::string_view name = tcu::extension_name(parameter.key);
    const bool is_off = std::holds_alternative<std::monostate>(parameter.get(a));
    if (!name.empty() && !is_off) texts.emplace_back(name);
  }
  return texts;
}

/// What a board's file says about its comparison with measured runs, if this machine has all values
/// of the board. Empty if no such board exists.
std::string measured_board(const TcuSimulationConfig& config) {
  for (const std::string& name : config_names("boards")) {
    const Board board = read_board(name);
    if (board.compared.empty()) continue;
    const TcuSimulationConfig own = board.simulation_config();
    if (board_parameters().differences(own, config, true).empty()) {
      return fmt::format("memory of board {}: {}", name, board.compared);
    }
  }
  return {};
}

std::string memory_coverage(const TcuSimulationConfig& config) {
  if (config.memory) return "memory of your own";
  if (config.memory_model == MemoryModel::fixed) return "memory of fixed latency, as in recordings";
  std::string measured = measured_board(config);
  if (!measured.empty()) return measured;
  return fmt::format("{}: modelled, not compared with a board's runs", memory_text(config));
}

}  // namespace

std::string coverage_text(const TcuSimulationConfig& config, unsigned units) {
  const Texts outside = not_recorded(config), own = extensions(config.architecture);
  std::string text;
  if (!outside.empty()) {
    text += fmt::format("{}: modelled from the RTL's source, not compared with recordings; ",
                        fmt::join(outside, ", "));
  }
  if (!own.empty()) {
    text += fmt::format("{}: of Tactus's own, in no RTL; ", fmt::join(own, ", "));
  }
  if (text.empty()) text = "the unit is covered by recordings of the RTL; ";
  text += memory_coverage(config);
  return units == 1 ? text : text + "; several units: not compared with hardware";
}

}  // namespace tactus
