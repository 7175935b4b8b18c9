#include "firmware/selftest/tcu/programs.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"

namespace tactus {
namespace {

/// Replaces the value in the first line ".equ NAME VALUE".
void set_value(std::string& source, std::string_view program, std::string_view name,
               std::uint64_t value) {
  const std::string definition = "\n.equ " + std::string(name) + " ";
  const std::size_t found = source.find(definition);
  if (found == std::string::npos) internal_error("program {} defines no {}", program, name);
  const std::size_t start = found + definition.size();
  source.replace(start, source.find('\n', start) - start, std::to_string(value));
}

std::string_view find(const std::vector<EmbeddedProgram>& programs, std::string_view name) {
  const auto found = std::find_if(programs.begin(), programs.end(),
                                  [&](const EmbeddedProgram& p) { return p.name == name; });
  if (found == programs.end()) internal_error("there is no program {}", name);
  return found->source;
}

}  // namespace

std::string_view embedded_dais_program(std::string_view name) {
  return find(embedded_dais_programs(), name);
}

std::string program_source(std::string_view name, const ProgramValues& values) {
  std::string source(find(embedded_programs(), name));
  for (const auto& [symbol, value] : values) set_value(source, name, symbol, value);
  return source;
}

std::vector<std::uint8_t> assemble_program(const tcu::Architecture& architecture,
                                           std::string_view name, const ProgramValues& values) {
  return tcu::assemble_bytes(architecture, program_source(name, values),
                             std::string(name) + ".tasm", tcu::AssemblerChecks::strict);
}

}  // namespace tactus
