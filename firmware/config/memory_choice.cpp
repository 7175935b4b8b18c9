#include "firmware/config/memory_choice.h"

#include "firmware/config/memory.h"
#include "isa/support/error.h"

namespace tactus {

void choose_memory(
    BoardValues& board, const std::string& where,
    const std::function<std::string(const Parameter<BoardValues>& parameter)>& given) {
  std::string memory;   // name of the memory model's parameter; empty: not given
  std::string latency;  // name of the first latency that was given; empty: none
  bool ddr = false;
  for (const Parameter<BoardValues>& p : board_parameters()) {
    if (p.key == "memory_model") memory = given(p);
    if (p.key == "ddr") ddr = !given(p).empty();
  }
  const bool fixed = !memory.empty() && board.memory_model == MemoryModel::fixed;
  if (ddr && !board.board_memory && !fixed) {
    board.board_memory = plain_memory(board.axi_data_bits);
    board.memory_model = MemoryModel::board;
  }
  for (const Parameter<BoardValues>& p : board_parameters()) {
    if (!is_fixed_latency(p.key)) continue;
    const std::string name = given(p);
    if (name.empty()) continue;
    if (!memory.empty() && board.memory_model == MemoryModel::board) {
      user_error("{}{} belongs to {} fixed, not to the board's memory", where, name, memory);
    }
    board.memory_model = MemoryModel::fixed;
    if (latency.empty()) latency = name;
  }
  if (board.memory_model == MemoryModel::board) return;
  for (const Parameter<BoardValues>& p : board_parameters()) {
    const std::string name = replaces_board_memory(p.key) ? given(p) : "";
    if (name.empty()) continue;
    if (board.board_memory) {
      const std::string chooser = !latency.empty()  ? latency
                                  : !memory.empty() ? memory + " fixed"
                                                    : "the board in use";
      user_error("{}{} has no effect with the memory of fixed latency, which {} chooses", where,
                 name, chooser);
    }
    user_error("{}{} needs the board's memory: a board whose file describes one, or --ddr", where,
               name);
  }
}

}  // namespace tactus
