// Programs that do the same again and again at other addresses.
#pragma once

#include "tests/support/random_program.h"

namespace tactus {

/// The program's instructions so many times, each time at other addresses, where those are legal.
[[nodiscard]] RandomProgram repeated(Random& random, RandomProgram program, unsigned times);

}  // namespace tactus
