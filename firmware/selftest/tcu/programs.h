// The assembly and DAIS programs of firmware/programs, built into the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus {

struct EmbeddedProgram {
  std::string_view name;  ///< file name without ".tasm" or ".json"
  std::string_view source;
};

// Both lists are in alphabetical order.
[[nodiscard]] const std::vector<EmbeddedProgram>& embedded_programs();
[[nodiscard]] const std::vector<EmbeddedProgram>& embedded_dais_programs();

/// Names that a program defines with .equ, and the values that replace the program's.
using ProgramValues = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// Text of a program. The first `.equ` of each given name has the new value; line numbers do not
/// change. Throws InternalError for a program or name that does not exist.
[[nodiscard]] std::string program_source(std::string_view name, const ProgramValues& values = {});

/// Text of a DAIS program. Throws InternalError if it does not exist.
[[nodiscard]] std::string_view embedded_dais_program(std::string_view name);

/// Assembles a program with strict checks and returns its bytes. Throws UserError if it does not
/// fit the architecture.
[[nodiscard]] std::vector<std::uint8_t> assemble_program(const tcu::Architecture& architecture,
                                                         std::string_view name,
                                                         const ProgramValues& values = {});

}  // namespace tactus
