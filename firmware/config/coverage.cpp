#include "firmware/config/coverage.h"

#include <algorithm>
#include <iterator>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "isa/tcu/architecture_table.h"

namespace tactus {
namespace {

using Texts = std::vector<std::string>;

/// An elaboration of the RTL of which recordings are in tests/golden.
struct Elaboration {
  std::uint64_t array_size;
  tcu::DataType type;
  std::uint64_t axi_data_bits, simd_registers;
};
constexpr Elaboration recorded[] = {
    {4, tcu::DataType::fp16bp8, 32, 3},  {4, tcu::DataType::fp16bp8, 64, 1},
    {4, tcu::DataType::fp32bp16, 64, 4}, {8, tcu::DataType::fp16bp8, 64, 1},
    {8, tcu::DataType::fp16bp8, 128, 1}, {16, tcu::DataType::fp16bp8, 128, 1},
    {32, tcu::DataType::fp16bp8, 128, 1}};

/// Says which values of the machine no recording has, or that none has them together. Empty if an
/// elaboration with them was recorded; see models/README.md, Accuracy.
std::string not_recorded(const TcuSimulationConfig& config) {
  const tcu::Architecture& a = config.architecture;
  Texts texts;
  const auto check = [&](const auto& value, auto Elaboration::*member, const std::string& text) {
    const bool known = std::any_of(std::begin(recorded), std::end(recorded),
                                   [&](const Elaboration& e) { return e.*member == value; });
    if (!known) texts.push_back(text);
  };
  check(a.array_size, &Elaboration::array_size, fmt::format("array size {}", a.array_size));
  check(config.axi_data_bits, &Elaboration::axi_data_bits,
        fmt::format("AXI of {} bits", config.axi_data_bits));
  check(a.data_type, &Elaboration::type, std::string(info(a.data_type).name));
  check(a.simd_registers_depth, &Elaboration::simd_registers,
        fmt::format("{} SIMD registers", a.simd_registers_depth));
  if (!texts.empty()) {
    return fmt::format("{}: modelled from the RTL's source, not compared with recordings; ",
                       fmt::join(texts, ", "));
  }
  const bool together =
      std::any_of(std::begin(recorded), std::end(recorded), [&](const Elaboration& e) {
        return e.array_size == a.array_size && e.type == a.data_type &&
               e.axi_data_bits == config.axi_data_bits &&
               e.simd_registers == a.simd_registers_depth;
      });
  if (together) return {};
  return fmt::format(
      "array size {}, {}, AXI of {} bits and {} SIMD register{}: each in recordings of the RTL, "
      "but "
      "not together; ",
      a.array_size, info(a.data_type).name, config.axi_data_bits, a.simd_registers_depth,
      a.simd_registers_depth == 1 ? "" : "s");
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
/// of the board and its architecture. Empty if no such board exists.
std::string measured_board(const TcuSimulationConfig& config) {
  for (const std::string& name : config_names("boards")) {
    const Board board = read_board(name);
    if (board.compared.empty()) continue;
    const TcuSimulationConfig own = board.simulation_config();
    const bool same_unit =
        tcu::architecture_parameters().differences(own.architecture, config.architecture).empty();
    if (same_unit && board_parameters().differences(own, config, true).empty()) {
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
  const Texts own = extensions(config.architecture);
  std::string text = not_recorded(config);
  if (!own.empty()) {
    text += fmt::format("{}: of Tactus's own, in no RTL; ", fmt::join(own, ", "));
  }
  if (text.empty()) text = "the unit is covered by recordings of the RTL; ";
  text += memory_coverage(config);
  return units == 1 ? text : text + "; several units: not compared with hardware";
}

}  // namespace tactus
