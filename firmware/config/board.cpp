#include "firmware/config/board.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "firmware/config/config_files.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/architecture_table.h"

namespace tactus {
namespace {

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

using ProvenanceByKey = std::map<std::string, Provenance, std::less<>>;

/// Gives each key of a section its own entry, else the first of the groups that is there.
void assign_provenance(ObjectReader& reader, const ParameterSection& section,
                       const ProvenanceByKey& groups, const std::vector<std::string>& order,
                       Board& board) {
  for (const ParameterInfo& parameter : section.parameters) {
    if (parameter.type == ParameterType::other) continue;
    const auto group = std::find_if(order.begin(), order.end(), [&](const std::string& name) {
      return groups.find(name) != groups.end();
    });
    const bool own = reader.has(parameter.key) || group == order.end();
    board.provenance[parameter.key] =
        own ? decode_provenance(reader, parameter.key) : groups.at(*group);
  }
}

void decode_all_provenance(ObjectReader reader, Board& board) {
  ProvenanceByKey groups;
  for (const char* group : {"architecture", "*"}) {
    if (reader.has(group)) groups[group] = decode_provenance(reader, group);
  }
  assign_provenance(reader, tcu::architecture_parameters().section(), groups, {"architecture", "*"},
                    board);
  assign_provenance(reader, board_parameters().section(), groups, {"*"}, board);
  reader.finish();
}

/// A path beside the board's file, or the architecture itself.
void decode_board_architecture(ObjectReader& root, const std::string& where, Board& board) {
  if (!root.is_string("architecture")) {
    board.architecture = tcu::decode_architecture(root.get_object("architecture"));
    return;
  }
  try {
    board.architecture =
        tcu::read_architecture(resolve_beside(where, root.get_string("architecture")));
  } catch (const UserError& error) {
    root.add_problem("architecture", error.what());
  }
}

}  // namespace

TcuSimulationConfig Board::simulation_config() const {
  TcuSimulationConfig config;
  static_cast<BoardValues&>(config) = *this;
  config.architecture = architecture;
  return config;
}

Board parse_board(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  Board board;
  board.path = where;
  board.name = root.get_string("name");
  board.title = root.get_string("title");
  decode_board_architecture(root, where, board);
  board_parameters().read(root, board);
  if (root.has("provenance")) decode_all_provenance(root.get_object("provenance"), board);
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
