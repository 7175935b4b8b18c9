// The rules a program must keep before anything may run it. Source: dais.md section 2.
#pragma once

#include <string>

#include "isa/dais/program.h"
#include "isa/support/problems.h"

namespace tactus::dais {

/// The widest type: values are 64-bit words.
inline constexpr int widest_type = 64;
/// Scales between mantissas and reals are 2^-1022 .. 2^1022, so that a double holds them exactly.
inline constexpr int largest_scale = 1022;

/// Reports every rule of its dialect that the program breaks, as "prefix operation 3: what". If no
/// problem is reported: every index is in range, every shift is 0..63, and every operation's
/// fraction is the one it computes.
void check_program(const Program& program, Problems& problems, const std::string& prefix = "");

/// Checks all stages ("stage 2, operation 3"), and that each stage has as many outputs as the next
/// has inputs.
void check_pipeline(const Pipeline& pipeline, Problems& problems);

/// Checks a program and throws all problems as one UserError; `where` stands for the file name in
/// messages.
void check_program(const Program& program, const std::string& where);
void check_pipeline(const Pipeline& pipeline, const std::string& where);

}  // namespace tactus::dais
