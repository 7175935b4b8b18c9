// The JSON forms: one program, or a pipeline of stages.
//
// A program is an array of 8 or 9 elements: [inputs, outputs], input shifts, output indices, output
// shifts, output negations, operations, carry size, adder size, and lookup tables. An operation is
// [id0, id1, opcode, data, [min, max, step], latency, cost]. A pipeline is [[program, ...]].
// There is no dialect in the text, so the caller gives the rules to apply. Source: dais.md
// section 3.
#pragma once

#include <string>
#include <string_view>

#include "isa/dais/program.h"

namespace tactus::dais {

/// True if the bytes can only be JSON text: they start with '[' or '{' and hold no NUL, which no
/// binary program can do below 64 MiB.
[[nodiscard]] bool looks_like_json(std::string_view bytes);

/// Reads and checks a pipeline or a program (returned as one stage). `is_pipeline`, unless null,
/// receives which of the two the text was. Throws UserError with up to 50 lines: "where:/5/17/4:
/// what" for the text, "where:stage 1, operation 3: what" for the program.
[[nodiscard]] Pipeline decode_json(std::string_view text, Dialect dialect, const std::string& where,
                                   bool* is_pipeline = nullptr);

/// Writes a program or pipeline as da4ml does: no spaces, no line feed. Throws UserError for
/// programs that the form cannot express: a type that is not the smallest for its interval, such as
/// (0, -2, 2); an interval beyond double; lookups that need different pads on one source.
[[nodiscard]] std::string encode_json(const Program& program, const std::string& where);
[[nodiscard]] std::string encode_json(const Pipeline& pipeline, const std::string& where);

}  // namespace tactus::dais
