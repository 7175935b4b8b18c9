// Programs that repeat the same work at different addresses.
#pragma once

#include "tests/support/random_program.h"

namespace tactus {

/// Repeats the program's instructions `times` times, each time at other addresses if some are found
/// that are legal.
[[nodiscard]] RandomProgram repeated(Random& random, RandomProgram program, unsigned times);

}  // namespace tactus
