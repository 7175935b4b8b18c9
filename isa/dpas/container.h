// vISA instructions and containers (.isa) as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/program.h"

namespace tactus::dpas {

/// Annotations travel as attributes of this name; readers ignore attributes that they do not know.
inline constexpr std::string_view annotation_attribute = "TactusAnnotations";
/// Attributes whose values are numbers of one byte.
[[nodiscard]] bool is_byte_attribute(std::string_view name);

/// What the version of a file says about its form.
struct BinaryForm {
  bool wide_ids = true;         ///< 32 bits, from 3.4 on; a DPAS has 33 bytes, otherwise 25
  bool dpas_predicate = false;  ///< files of tools from April 2026 on: 16 bits behind `exec`
};

/// Appends one instruction.
void encode(const Instruction& instruction, const BinaryForm& form,
            std::vector<std::uint8_t>& bytes);
/// Decodes the instruction at `offset` and moves it behind. Throws UserError
/// "where: offset 0x12: ..." for what is truncated or not in the subset.
[[nodiscard]] Instruction decode(const std::uint8_t* bytes, std::size_t size, std::size_t& offset,
                                 const BinaryForm& form, const std::string& where);

/// The whole container. Precondition: assembled or read without errors.
[[nodiscard]] std::vector<std::uint8_t> write_container(const Program& program,
                                                        bool dpas_predicate = false);
/// Not resolved. Throws UserError "where: offset 0x...: what; allowed ...".
[[nodiscard]] Program read_container(const std::vector<std::uint8_t>& bytes,
                                     const std::string& where, bool dpas_predicate = false);
[[nodiscard]] bool is_container(const std::vector<std::uint8_t>& bytes);

}  // namespace tactus::dpas
