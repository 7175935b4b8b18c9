// Arithmetic expressions over the keys of a configuration, for derived values and constraints.
//
// The language is that of muParser, with values of type double: + - * / ^, comparisons, && ||, ?:,
// min, max, sqrt, log2, rint and others; in addition floor, ceil and mod(a, b). A key is written in
// full ("architecture.array_size") or, if no other section has a key of that name, by its last
// part. Keys with text values cannot be used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

class Expression {
 public:
  /// Parses a text. `keys` has the keys that exist. Throws UserError with the column if the syntax
  /// is broken or a name is unknown.
  Expression(std::string text, const Configuration& keys);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// The value for a configuration. Throws UserError if a key has no number in it or the result is
  /// not finite.
  [[nodiscard]] double value(const Configuration& configuration) const;
  /// The value for the values of keys(), given in that order. Throws UserError if it is not finite.
  [[nodiscard]] double value_of(const std::vector<double>& values) const;
  /// The keys that the expression uses.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct State;
  std::string text_;
  std::vector<std::string> keys_;
  std::unique_ptr<State> state_;
};

}  // namespace tactus::sweep
