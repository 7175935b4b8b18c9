// The binary file form of a DAIS program: 32-bit little-endian words.
//
//   seed:   inputs, outputs, operations
//   v0, v1: version (0, 1), firmware, inputs, outputs, operations, tables
//   then:   one shift per input; index, shift and negation of the outputs (three vectors);
//           8 words per operation: opcode, id0, id1, data low, data high, sign, integer bits,
//           fraction bits
//   v0, v1: the size of each table, then the entries
//
// The low data word comes first. The DAIS document says otherwise, but all files and interpreters
// have this order. Source: dais.md section 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/dais/program.h"
#include "isa/support/problems.h"

namespace tactus::dais {

using Bytes = std::vector<std::uint8_t>;

/// Reads a file of the given dialect and checks the program. Every size is compared with the number
/// of bytes before memory is allocated. Throws UserError "where:operation 3: what".
[[nodiscard]] Program decode_binary(const Bytes& bytes, Dialect dialect, const std::string& where);

/// Reads a file of unknown dialect. The format has no magic number, so every dialect is tried:
/// exactly one must agree with the file's length and with all rules of check_program(). If none or
/// several do, the UserError says why.
[[nodiscard]] Program decode_binary(const Bytes& bytes, const std::string& where);

/// Like decode_binary(), but reports problems instead of throwing. If there are problems, the
/// returned program must not be used.
[[nodiscard]] Program try_decode_binary(const Bytes& bytes, Dialect dialect, Problems& problems);

/// Encodes the program in the dialect. Throws UserError if the program breaks a rule of that
/// dialect, for instance by using an operation that the dialect does not have. `where` stands for
/// the program in messages.
[[nodiscard]] Bytes encode_binary(const Program& program, Dialect dialect,
                                  const std::string& where);

/// Lists where the program may compute different values under the rules of `dialect`: one line for
/// each mux whose operands may not fit its type. The dialect seed keeps such values, v0 and v1 cut
/// them.
[[nodiscard]] std::vector<std::string> conversion_notes(const Program& program, Dialect dialect);

}  // namespace tactus::dais
