// Assembles program text to instructions. `tactus explain asm` prints the reference of the text
// form, made from the table and the directives of instruction_set.h.
//
// SIMD: the hardware asks for an input vector if either source field is I, even if the operation
// does not use that source. Hence one source in the text stands for both fields, and Not(R1, I)
// writes the exceptional case explicitly. SIMD NoOp takes neither read nor write, because the
// hardware gives them another meaning; Raw can encode them.
//
// Source: hardware spec section 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

enum class AssemblerChecks {
  encoding,  ///< values fit their fields
  strict,    ///< values fit their fields, and check() accepts every instruction not given as Raw
};

/// Largest nesting depth of directives, and largest number of statements after expanding .repeat.
inline constexpr unsigned max_repeat_nesting = 16;
inline constexpr std::uint64_t max_repeated_statements = std::uint64_t{1} << 24;

/// Throws UserError with one line "source_name:line:column: what; allowed ..." per error, at most
/// 20 lines.
[[nodiscard]] std::vector<Instruction> assemble(const Architecture& architecture,
                                                std::string_view text,
                                                const std::string& source_name,
                                                AssemblerChecks checks = AssemblerChecks::encoding);

/// Assembles to the bytes of a .tprog file.
[[nodiscard]] std::vector<std::uint8_t> assemble_bytes(
    const Architecture& architecture, std::string_view text, const std::string& source_name,
    AssemblerChecks checks = AssemblerChecks::encoding);

}  // namespace tactus::tcu
