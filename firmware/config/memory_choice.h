// Chooses the memory model from single values that a user gives.
#pragma once

#include <functional>
#include <string>

#include "isa/support/board_values.h"

namespace tactus {

/// Sets the memory model by the values that a user has given. A latency selects the memory of fixed
/// latency. A DRAM on a board without a memory selects plain_memory(). `given` returns a
/// parameter's name as the user has written it, such as "--read-latency", or nothing if the value
/// is the board's or a default. Throws UserError "WHERE..." if values contradict each other, such
/// as a latency and the memory model "board".
void choose_memory(
    BoardValues& board, const std::string& where,
    const std::function<std::string(const Parameter<BoardValues>& parameter)>& given);

}  // namespace tactus
