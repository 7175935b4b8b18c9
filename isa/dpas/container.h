// Reads and writes vISA instructions and containers (.isa) in binary form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/program.h"

namespace tactus {
class ByteFields;
}

namespace tactus::dpas {

/// Name of the attribute that holds annotations; other readers ignore unknown attributes.
inline constexpr std::string_view annotation_attribute = "TactusAnnotations";
/// True for attributes whose value is a number of one byte.
[[nodiscard]] bool is_byte_attribute(std::string_view name);

/// Properties of the binary form that depend on the file's version.
struct BinaryForm {
  bool wide_ids = true;         ///< 32 bits, from 3.4 on; a DPAS has 33 bytes, otherwise 25
  bool dpas_predicate = false;  ///< 16 bits behind `exec`, in files of tools from April 2026 on
};

/// Reads one instruction into `instruction`, or writes it.
void instruction_fields(ByteFields& fields, const BinaryForm& form, Instruction& instruction);
/// Appends one instruction.
void encode(const Instruction& instruction, const BinaryForm& form,
            std::vector<std::uint8_t>& bytes);
/// Decodes the instruction at `offset` and advances the offset. Throws UserError "where: offset
/// 0x12: ..." for an instruction that is truncated or not in the subset.
[[nodiscard]] Instruction decode(const std::uint8_t* bytes, std::size_t size, std::size_t& offset,
                                 const BinaryForm& form, const std::string& where);

/// Encodes a container. Precondition: the program was assembled or read without errors.
[[nodiscard]] std::vector<std::uint8_t> write_container(const Program& program,
                                                        bool dpas_predicate = false);
/// Reads a container; the program is not resolved. Throws UserError "where: offset 0x...: what;
/// allowed ...".
[[nodiscard]] Program read_container(const std::vector<std::uint8_t>& bytes,
                                     const std::string& where, bool dpas_predicate = false);
[[nodiscard]] bool is_container(const std::vector<std::uint8_t>& bytes);

}  // namespace tactus::dpas
