// Affine expressions: an integer constant plus integer coefficients times named indexes.
//
// All arithmetic is checked: results beyond 64 bits throw UserError.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::stripe {

/// Checked integer arithmetic; UserError "a * b does not fit 64 bits" names the operands.
[[nodiscard]] std::int64_t add_checked(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t subtract_checked(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t multiply_checked(std::int64_t a, std::int64_t b);

/// Quotient of positive numbers, rounded up.
[[nodiscard]] inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

class Affine {
 public:
  /// Name and coefficient; sorted by name, coefficients are never zero, names never empty.
  using Term = std::pair<std::string, std::int64_t>;

  Affine() = default;
  Affine(std::int64_t constant) : constant_(constant) {}  // NOLINT: a number is an affine
  explicit Affine(std::string name, std::int64_t coefficient = 1);

  [[nodiscard]] std::int64_t constant() const { return constant_; }
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  /// 0 for a name that does not occur.
  [[nodiscard]] std::int64_t coefficient(std::string_view name) const;
  [[nodiscard]] bool uses(std::string_view name) const { return coefficient(name) != 0; }
  [[nodiscard]] bool is_constant() const { return terms_.empty(); }
  [[nodiscard]] bool is_zero() const { return terms_.empty() && constant_ == 0; }

  void set_constant(std::int64_t constant) { constant_ = constant; }
  /// A coefficient of 0 removes the term.
  void set_coefficient(const std::string& name, std::int64_t coefficient);

  Affine& operator+=(const Affine& other);
  Affine& operator-=(const Affine& other);
  Affine& operator*=(std::int64_t factor);
  friend Affine operator+(Affine a, const Affine& b) { return a += b; }
  friend Affine operator-(Affine a, const Affine& b) { return a -= b; }
  friend Affine operator*(Affine a, std::int64_t factor) { return a *= factor; }
  friend Affine operator*(std::int64_t factor, Affine a) { return a *= factor; }
  friend Affine operator-(Affine a) { return a *= -1; }
  friend bool operator==(const Affine& a, const Affine& b) {
    return a.constant_ == b.constant_ && a.terms_ == b.terms_;
  }
  friend bool operator!=(const Affine& a, const Affine& b) { return !(a == b); }
  /// Order for containers and printing: that of maps name -> coefficient in which the constant has
  /// the empty name.
  friend bool operator<(const Affine& a, const Affine& b);

  using Values = std::map<std::string, std::int64_t, std::less<>>;
  using Affines = std::map<std::string, Affine, std::less<>>;

  /// Every name that occurs needs a value; InternalError for one that has none.
  [[nodiscard]] std::int64_t evaluate(const Values& values) const;
  /// Every occurrence of `name` replaced.
  [[nodiscard]] Affine substitute(const std::string& name, const Affine& replacement) const;
  /// Replaces all names at the same time; names without a replacement stay.
  [[nodiscard]] Affine substitute(const Affines& replacements) const;

  /// "-1 + kx + 4*x"; "0" if empty.
  [[nodiscard]] std::string text() const;

 private:
  void add_term(const std::string& name, std::int64_t coefficient);

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;
};

}  // namespace tactus::stripe
