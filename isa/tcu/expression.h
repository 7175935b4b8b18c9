// Integer expressions of the assembler: 64-bit signed; every overflow is an error.
//
// From lowest to highest precedence: << >> | + - | * / % | unary - | number, name, ( ). Division
// truncates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/tcu/assembler_lexer.h"

namespace tactus::tcu {

/// Thrown when an expression uses a name whose definition was already reported as wrong, so that
/// one mistake gives one message.
struct DependsOnError {};

/// Table of named values. Names ignore case.
class SymbolTable {
 public:
  enum class Kind { predefined, block, assigned, counter };

  /// Defines a name. Throws SyntaxError at `name` if the architecture defines it, or if it is a
  /// counter in use. Only assigned names may be assigned again.
  void define(const Token& name, Kind kind, std::int64_t value);
  void define_predefined(std::string_view name, std::int64_t value);
  /// Defines the name of a DAIS block as its number.
  void define_block(std::string_view name, std::int64_t number);
  /// Defines a name whose value is unknown because of an error.
  void define_invalid(const Token& name, Kind kind);
  /// Sets the value of a counter.
  void set(std::string_view name, std::int64_t value);
  void remove(std::string_view name);
  [[nodiscard]] bool contains(std::string_view name) const;
  /// Names of the DAIS blocks, by number.
  [[nodiscard]] std::vector<std::string_view> block_names() const;
  /// Value of a name. Throws SyntaxError with the nearest name, or DependsOnError.
  [[nodiscard]] std::int64_t value(const Token& name) const;

 private:
  struct Symbol {
    Kind kind;
    std::string spelling;
    std::int64_t value;
    bool valid;
  };
  void check_free(const Token& name, Kind kind) const;

  std::unordered_map<std::string, Symbol> symbols_;  ///< by name in small letters
};

/// Evaluates the longest expression at the cursor. Throws SyntaxError or DependsOnError.
[[nodiscard]] std::int64_t evaluate(TokenCursor& cursor, const SymbolTable& symbols);

/// Evaluates a number, a name or an expression in parentheses.
[[nodiscard]] std::int64_t evaluate_primary(TokenCursor& cursor, const SymbolTable& symbols);

}  // namespace tactus::tcu
