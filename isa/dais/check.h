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

/// Reports every rule the program breaks for its dialect, as "prefix operation 3: what". After a
/// check without problems no index leaves its range, no shift leaves 0..63 and every fraction is
/// the one the operation computes.
void check_program(const Program& program, Problems& problems, const std::string& prefix = "");

/// All stages ("stage 2, operation 3"), and that each feeds the next.
void check_pipeline(const Pipeline& pipeline, Problems& problems);

/// The same, thrown as one UserError; `where` stands for the file name in messages.
void check_program(const Program& program, const std::string& where);
void check_pipeline(const Pipeline& pipeline, const std::string& where);

}  // namespace tactus::dais
