#include "firmware/compiler/stripe/affine.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {

std::int64_t add_checked(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) user_error("{} + {} does not fit 64 bits", a, b);
  return result;
}

std::int64_t subtract_checked(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) user_error("{} - {} does not fit 64 bits", a, b);
  return result;
}

std::int64_t multiply_checked(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) user_error("{} * {} does not fit 64 bits", a, b);
  return result;
}

Affine::Affine(std::string name, std::int64_t coefficient) {
  if (coefficient != 0) terms_.emplace_back(std::move(name), coefficient);
}

namespace {

template <typename Terms>
auto find_term(Terms& terms, std::string_view name) {
  return std::lower_bound(
      terms.begin(), terms.end(), name,
      [](const Affine::Term& term, std::string_view n) { return term.first < n; });
}

}  // namespace

std::int64_t Affine::coefficient(std::string_view name) const {
  const auto it = find_term(terms_, name);
  return it != terms_.end() && it->first == name ? it->second : 0;
}

void Affine::set_coefficient(const std::string& name, std::int64_t coefficient) {
  const auto it = find_term(terms_, name);
  const bool there = it != terms_.end() && it->first == name;
  if (coefficient == 0) {
    if (there) terms_.erase(it);
  } else if (there) {
    it->second = coefficient;
  } else {
    terms_.insert(it, {name, coefficient});
  }
}

void Affine::add_term(const std::string& name, std::int64_t coefficient) {
  set_coefficient(name, add_checked(this->coefficient(name), coefficient));
}

Affine& Affine::operator+=(const Affine& other) {
  if (this == &other) return *this *= 2;
  constant_ = add_checked(constant_, other.constant_);
  for (const Term& term : other.terms_) add_term(term.first, term.second);
  return *this;
}

Affine& Affine::operator-=(const Affine& other) {
  if (this == &other) return *this = Affine();
  constant_ = subtract_checked(constant_, other.constant_);
  for (const Term& term : other.terms_) {
    set_coefficient(term.first, subtract_checked(coefficient(term.first), term.second));
  }
  return *this;
}

Affine& Affine::operator*=(std::int64_t factor) {
  constant_ = multiply_checked(constant_, factor);
  if (factor == 0) terms_.clear();
  for (Term& term : terms_) term.second = multiply_checked(term.second, factor);
  return *this;
}

bool operator<(const Affine& a, const Affine& b) {
  // The constant is the first entry of the map, and is not there if it is zero.
  const auto list = [](const Affine& affine) {
    std::vector<Affine::Term> entries;
    if (affine.constant_ != 0) entries.emplace_back("", affine.constant_);
    entries.insert(entries.end(), affine.terms_.begin(), affine.terms_.end());
    return entries;
  };
  return list(a) < list(b);
}

std::int64_t Affine::evaluate(const Values& values) const {
  std::int64_t sum = constant_;
  for (const Term& term : terms_) {
    const auto it = values.find(term.first);
    if (it == values.end()) internal_error("no value for index {}", quote(term.first));
    sum = add_checked(sum, multiply_checked(term.second, it->second));
  }
  return sum;
}

Affine Affine::substitute(const std::string& name, const Affine& replacement) const {
  const std::int64_t factor = coefficient(name);
  if (factor == 0) return *this;
  Affine result = *this;
  result.set_coefficient(name, 0);
  return result += replacement * factor;
}

Affine Affine::substitute(const Affines& replacements) const {
  Affine result(constant_);
  for (const Term& term : terms_) {
    const auto it = replacements.find(term.first);
    if (it == replacements.end()) {
      result.add_term(term.first, term.second);
    } else {
      result += it->second * term.second;
    }
  }
  return result;
}

std::string Affine::text() const {
  std::string out;
  const auto add = [&out](std::int64_t value, const std::string& name) {
    // Unsigned, because the smallest value has no positive counterpart.
    const std::uint64_t size = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                         : static_cast<std::uint64_t>(value);
    if (out.empty()) {
      if (value < 0) out += '-';
    } else {
      out += value < 0 ? " - " : " + ";
    }
    if (name.empty()) {
      out += std::to_string(size);
    } else {
      if (size != 1) out += std::to_string(size) + "*";
      out += name;
    }
  };
  if (constant_ != 0) add(constant_, "");
  for (const Term& term : terms_) add(term.second, term.first);
  return out.empty() ? "0" : out;
}

}  // namespace tactus::stripe
