#include "firmware/config/board.h"

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

void decode_all_provenance(ObjectReader reader, Board& board) {
  ProvenanceByKey groups;
  for (const char* group : {"architecture", "*"}) {
    if (reader.has(group)) groups[group] = decode_provenance(reader, group);
  }
  assign_provenance(reader, tcu::architecture_parameters().section(), groups, {"architecture", "*"},
                    board.provenance);
  assign_provenance(reader, board_parameters().section(), groups, {"*"}, board.provenance);
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
