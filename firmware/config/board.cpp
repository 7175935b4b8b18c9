#include "firmware/config/board.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "firmware/config/config_files.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"

namespace tactus {
namespace {

constexpr std::uint64_t most_latency_cycles = 1000000;
constexpr double most_megahertz = 100000;

constexpr std::array<std::string_view, 11> architecture_keys{
    "data_type",     "array_size",        "dram0_depth",          "dram1_depth",
    "local_depth",   "accumulator_depth", "simd_registers_depth", "stride0_depth",
    "stride1_depth", "number_of_threads", "thread_queue_depth"};
constexpr std::array<std::string_view, 4> board_keys{"clock_mhz", "axi_data_bits", "read_latency",
                                                     "write_latency"};

/// YYYY-MM or YYYY-MM-DD.
bool is_date(std::string_view text) {
  if (text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : (text[i] < '0' || text[i] > '9')) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  const int month = number(5);
  const int day = text.size() == 10 ? number(8) : 1;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

Provenance decode_provenance(ObjectReader& parent, std::string_view key) {
  ObjectReader reader = parent.get_object(key);
  Provenance provenance;
  const auto published = reader.get_optional_string("published");
  const auto assumed = reader.get_optional_string("assumed");
  if (parent.has(key) && published.has_value() == assumed.has_value()) {
    parent.add_problem(key, "must have either \"published\" with \"date\" or \"assumed\"");
  }
  provenance.published = published.has_value();
  provenance.text = published ? *published : assumed.value_or("");
  if (published) {
    provenance.date = reader.get_string("date");
    if (!provenance.date.empty() && !is_date(provenance.date)) {
      reader.add_problem("date",
                         quote(provenance.date) + " is no date; allowed YYYY-MM-DD, YYYY-MM");
    }
  }
  reader.finish();
  if (published.has_value() != assumed.has_value() && provenance.text.empty()) {
    parent.add_problem(key, "must say where the value comes from, is empty");
  }
  return provenance;
}

void decode_all_provenance(ObjectReader reader, Board& board) {
  const bool whole = reader.has("architecture");
  if (whole) board.provenance["architecture"] = decode_provenance(reader, "architecture");
  for (const std::string_view key : architecture_keys) {
    if (!whole || reader.has(key)) {
      board.provenance[std::string(key)] = decode_provenance(reader, key);
    } else {
      board.provenance[std::string(key)] = board.provenance["architecture"];
    }
  }
  board.provenance.erase("architecture");
  for (const std::string_view key : board_keys) {
    board.provenance[std::string(key)] = decode_provenance(reader, key);
  }
  reader.finish();
}

/// A path beside the board's file, or the architecture itself.
void decode_board_architecture(ObjectReader& root, const std::string& where, Board& board) {
  if (!root.is_string("architecture")) {
    board.architecture = tcu::decode_architecture(root.get_object("architecture"),
                                                  tcu::ThreadKeys::mandatory, where);
    board.architecture_path = where;
    return;
  }
  board.architecture_path = resolve_beside(where, root.get_string("architecture"));
  try {
    board.architecture = tcu::read_architecture(board.architecture_path);
  } catch (const UserError& error) {
    root.add_problem("architecture", error.what());
  }
}

}  // namespace

TcuSimulationConfig Board::simulation_config() const {
  TcuSimulationConfig config;
  config.architecture = architecture;
  config.clock_mhz = clock_mhz;
  config.axi_data_bits = axi_data_bits;
  config.read_latency = read_latency;
  config.write_latency = write_latency;
  return config;
}

Board parse_board(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  Board board;
  board.name = root.get_string("name");
  board.title = root.get_string("title");
  decode_board_architecture(root, where, board);
  board.clock_mhz = root.get_real("clock_mhz", 0, most_megahertz);
  board.axi_data_bits = root.get_u32("axi_data_bits", 32, 1024);
  board.read_latency = root.get_u64("read_latency", 1, most_latency_cycles);
  board.write_latency = root.get_u64("write_latency", 1, most_latency_cycles);
  decode_all_provenance(root.get_object("provenance"), board);
  root.finish();
  if (!document.problems().concerns("/architecture") &&
      !document.problems().concerns("/axi_data_bits")) {
    try {
      check_axi_width(board.architecture, board.axi_data_bits);
    } catch (const UserError& error) {
      root.add_problem("axi_data_bits", error.what());
    }
  }
  document.problems().throw_if_any();
  return board;
}

Board read_board(const std::string& name) {
  const std::string path = config_path("boards", name);
  const std::string text = read_text(path);
  return parse_as(FileKind::board, path, text, [&] { return parse_board(text, path); });
}

}  // namespace tactus
