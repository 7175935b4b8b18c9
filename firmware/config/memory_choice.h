// Which memory follows from single values that a user gives.
#pragma once

#include <functional>
#include <string>

#include "isa/support/board_values.h"

namespace tactus {

/// Latencies are those of the memory of fixed latency, which whoever gives one gets, unless the
/// memory is given as well. A DRAM that is given where no board describes a memory comes with
/// plain_memory(). `given` names a parameter as the user has written it,
/// "--read-latency", and is empty for one that the board or a default says. Throws UserError
/// "WHERE..." for values that contradict each other.
void choose_memory(
    BoardValues& board, const std::string& where,
    const std::function<std::string(const Parameter<BoardValues>& parameter)>& given);

}  // namespace tactus
