#include "firmware/config/board.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/architecture_table.h"

namespace tactus {
namespace {

/// True for paths, which are relative to the file that holds them; false for names.
bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || !std::filesystem::path(name).extension().empty();
}

/// Parameters that the board sets; they need a provenance. Optional ones are left out, except a
/// host_us other than 0.
ParameterSection given_parameters(const Board& board) {
  ParameterSection section = board_parameters().section();
  const auto absent = [&](const ParameterInfo& info) {
    if (!info.optional) return false;
    return info.key != "host_us" || board.host_us == 0;
  };
  auto& all = section.parameters;
  all.erase(std::remove_if(all.begin(), all.end(), absent), all.end());
  return section;
}

/// Parameters that the board's memory sets. Optional ones belong to the instruction stream.
ParameterSection given_memory_parameters(const BoardMemory& memory) {
  ParameterSection section = memory_section();
  auto& all = section.parameters;
  const auto absent = [&](const ParameterInfo& info) {
    return info.key == "arbitration" ? memory.arbitration.empty() : info.optional && !memory.stream;
  };
  all.erase(std::remove_if(all.begin(), all.end(), absent), all.end());
  return section;
}

void decode_all_provenance(ObjectReader reader, Board& board) {
  ProvenanceByKey groups;
  for (const char* group : {"architecture", "*"}) {
    if (reader.has(group)) groups[group] = decode_provenance(reader, group);
  }
  assign_provenance(reader, tcu::architecture_parameters().section(), groups, {"architecture", "*"},
                    board.provenance);
  assign_provenance(reader, given_parameters(board), groups, {"*"}, board.provenance);
  if (board.board_memory) {
    ObjectReader memory = reader.get_object("memory");
    if (memory.has("*")) groups["*"] = decode_provenance(memory, "*");
    ProvenanceByKey assigned;
    assign_provenance(memory, given_memory_parameters(*board.board_memory), groups, {"*"},
                      assigned);
    memory.finish();
    for (auto& [key, provenance] : assigned) {
      board.provenance["memory." + key] = std::move(provenance);
    }
  }
  reader.finish();
}

/// Reads the architecture: a path relative to the board's file, or the architecture itself.
void decode_board_architecture(ObjectReader& root, const std::string& where, Board& board) {
  if (!root.is_string("architecture")) {
    board.architecture =
        tcu::decode_architecture(root.get_object("architecture"), MissingKeys::allowed);
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

TcuSimulationConfig Board::simulation_config() const { return tcu_config(*this, architecture); }

Board parse_board(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  Board board;
  board.path = where;
  board.name = root.get_string("name");
  board.title = root.get_string("title");
  decode_board_architecture(root, where, board);
  board_parameters().read(root, board);
  const bool chosen = root.has("memory_model");
  if (board.board_memory && !chosen) board.memory_model = MemoryModel::board;
  if (board.memory_model == MemoryModel::board && !root.has("memory")) {
    root.add_problem("memory", "missing key; memory_model \"board\" needs it");
  }
  if (board.board_memory) {
    std::string& preset = board.board_memory->preset;
    if (is_path(preset)) preset = resolve_beside(where, preset);
  }
  if (root.has("compared")) board.compared = root.get_string("compared");
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
  const bool sound = !document.problems().any();
  if (sound) {
    for (const MemoryProblem& problem : memory_problems(board, board.architecture)) {
      document.problems().add(problem.path, problem.what);
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
