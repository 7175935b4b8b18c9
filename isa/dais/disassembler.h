// Programs as text for people. There is no assembler: the JSON form is the editable one.
#pragma once

#include <string>

#include "isa/dais/program.h"

namespace tactus::dais {

/// One line per operation, for instance
///   v12 : s4.2 = v3 - (v4 << 1)
///   v13 : u3.0 = relu(-v12)
///   v14 : s4.2 = msb(v12) ? v3 : (-v4 >> 1)
/// v12 is value 12; "s4.2" is a signed type of 4 integer and 2 fraction bits. Values are numbers,
/// not mantissas: v4 << 1 is v4 * 2. One line per output follows: "out0 = -v14 << 2". Precondition:
/// the program passed check_program().
[[nodiscard]] std::string disassemble(const Program& program);

/// Disassembles all stages, each under a comment line.
[[nodiscard]] std::string disassemble(const Pipeline& pipeline);

/// "s4.2" for (1, 4, 2), "u8.-1" for (0, 8, -1).
[[nodiscard]] std::string type_text(const DataType& type);

}  // namespace tactus::dais
