// Converts vISA assembly text to programs and back. The comment in assembler.cpp is the reference
// of the text form.
#pragma once

#include <string>
#include <string_view>

#include "isa/dpas/program.h"

namespace tactus::dpas {

/// Parses text; the result is not resolved. Throws UserError with one line
/// "source_name:line:column: CODE: what; allowed ..." per error, at most 20 of them.
[[nodiscard]] Program assemble(std::string_view text, const std::string& source_name);

/// Text that assembles to the same program.
[[nodiscard]] std::string disassemble(const Program& program);
/// Text of one instruction, without a line end.
[[nodiscard]] std::string to_text(const Kernel& kernel, const Instruction& instruction);

}  // namespace tactus::dpas
