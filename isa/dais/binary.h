// The binary file: 32-bit little-endian words.
//
//   seed:   inputs, outputs, operations
//   v0, v1: version (0, 1), firmware, inputs, outputs, operations, tables
//   then:   a shift an input; index, shift and negation an output (three vectors);
//           8 words an operation: opcode, id0, id1, data low, data high, sign, integer bits,
//           fraction bits
//   v0, v1: the size of each table, then the entries
//
// The low data word comes first, whatever the DAIS document says: it does in every file and for
// every interpreter. Source: dais.md section 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/dais/program.h"
#include "isa/support/problems.h"

namespace tactus::dais {

using Bytes = std::vector<std::uint8_t>;

/// Reads a file of the given dialect and checks the program. Every size is held against the number
/// of bytes before anything is allocated. Throws UserError "where:operation 3: what".
[[nodiscard]] Program decode_binary(const Bytes& bytes, Dialect dialect, const std::string& where);

/// The same for a file of unknown dialect. The format has no magic number, so each dialect is
/// tried: exactly one must fit in length and in all rules of check_program(); if none or several
/// do, the error says why.
[[nodiscard]] Program decode_binary(const Bytes& bytes, const std::string& where);

/// Reports what is wrong instead of throwing; the program is of no use if there are problems.
[[nodiscard]] Program try_decode_binary(const Bytes& bytes, Dialect dialect, Problems& problems);

/// The program as a file of the dialect. Throws UserError if it breaks a rule of that dialect, for
/// instance uses an operation it does not have; `where` stands for the program in messages.
[[nodiscard]] Bytes encode_binary(const Program& program, Dialect dialect,
                                  const std::string& where);

/// Ways in which the program may compute something else under the rules of the dialect: a line for
/// each mux whose operands may not fit its type, which seed keeps and v0 and v1 cut.
[[nodiscard]] std::vector<std::string> conversion_notes(const Program& program, Dialect dialect);

}  // namespace tactus::dais
