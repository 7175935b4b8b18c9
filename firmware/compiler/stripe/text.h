// Stripe programs as text, in two dialects and as protobuf text.
//
// The printed text is incomplete: it lacks types of intrinsics, parameters of specials, and values
// of attributes of indexes and refinements. Protobuf text has these, but neither bank dimensions
// nor cache units. Readers throw UserError "FILE:LINE: what" at the first mistake. They check the
// form and conditions for printing: unique names, existing indexes; see verify.h for all other
// rules. Constants are printed with six digits, as by PlaidML.
#pragma once

#include <string>
#include <string_view>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

enum class Dialect {
  canonical,  ///< PlaidML 0.7.0
  slides,     ///< PlaidML of November 2018: one name and unit a location, strides beside sizes
};

/// Longer texts are refused; the largest networks have some MiB.
inline constexpr std::size_t longest_program_text = std::size_t{256} << 20;

/// Reads a text of either dialect, which is recognised. Leading and trailing spaces of lines are
/// ignored. Statements of the slides' form may be joined by ";". `where` is the file's name for
/// messages.
[[nodiscard]] Program read_text_form(std::string_view text, const std::string& where);

/// One "0: block ..." text with a final newline.
[[nodiscard]] std::string print(const Program& program, Dialect dialect = Dialect::canonical);
/// Prints a single statement, as if it were the program.
[[nodiscard]] std::string print(const Statement& entry, Dialect dialect = Dialect::canonical);

/// Protobuf text of a Program, or of a Block alone ("entry" or "loc", "refs", ... at top level).
/// `lenient`: an empty `from` of a view means its own name, and missing accesses are zero, as in
/// hand-written fixtures.
[[nodiscard]] Program read_protobuf_text(std::string_view text, const std::string& where,
                                         bool lenient = false);
[[nodiscard]] std::string print_protobuf_text(const Program& program);

/// Whatever the file holds, told apart by its first word: printed text begins with a number.
[[nodiscard]] Program read_program(std::string_view text, const std::string& where);

}  // namespace tactus::stripe
