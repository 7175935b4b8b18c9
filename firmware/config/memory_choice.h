// Chooses the memory model from single values that a user gives.
#pragma once

#include <functional>
#include <string>

#include "isa/support/board_values.h"

namespace tactus {

/// Giving a latency selects the memory of fixed latency, unless a memory model is given as well.
/// Giving a DRAM on a board without a memory selects plain_memory(). `given` returns a parameter's
/// name as the user has written it, "--read-latency"; empty if the value is the board's or a
/// default. Throws UserError "WHERE..." if values contradict each other.
void choose_memory(
    BoardValues& board, const std::string& where,
    const std::function<std::string(const Parameter<BoardValues>& parameter)>& given);

}  // namespace tactus
