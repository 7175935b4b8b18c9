// Files that the board and the architecture of a model name.
#pragma once

#include <string>
#include <vector>

#include "isa/tcu/model_file.h"

namespace tactus::tcu {

/// Names of files, not of presets, among the DRAMs of the model's board.
[[nodiscard]] inline std::vector<std::string*> dram_files(ModelFile& model) {
  std::vector<std::string*> files;
  const auto add = [&](std::string& name) {
    if (name.find_first_of("/.") != std::string::npos) files.push_back(&name);
  };
  if (!model.board) return files;
  add(model.board->values.ddr);
  if (model.board->values.board_memory) add(model.board->values.board_memory->preset);
  return files;
}

}  // namespace tactus::tcu
