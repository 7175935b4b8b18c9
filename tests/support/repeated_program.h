// Programs that repeat the same work at different addresses.
#pragma once

#include "tests/support/random_program.h"

namespace tactus {

/// Repeats the program's instructions, each time at different addresses if these are legal.
[[nodiscard]] RandomProgram repeated(Random& random, RandomProgram program, unsigned times);

}  // namespace tactus
