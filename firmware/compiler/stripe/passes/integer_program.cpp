// Simplex over exact fractions, then branch and bound.
#include "firmware/compiler/stripe/passes/integer_program.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "firmware/compiler/stripe/affine.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

constexpr std::size_t max_nodes = 256;

/// A reduced fraction. Arithmetic beyond 64 bits throws UserError.
class Fraction {
 public:
  Fraction(std::int64_t value = 0) : top_(value) {}  // NOLINT: a number is a fraction
  Fraction(std::int64_t top, std::int64_t bottom) : top_(top), bottom_(bottom) { reduce(); }

  [[nodiscard]] int sign() const { return top_ < 0 ? -1 : top_ > 0 ? 1 : 0; }
  [[nodiscard]] std::int64_t floor() const {
    return top_ / bottom_ - (top_ % bottom_ != 0 && top_ < 0 ? 1 : 0);
  }
  [[nodiscard]] bool is_integer() const { return bottom_ == 1; }
  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    return {add_checked(multiply_checked(a.top_, b.bottom_), multiply_checked(b.top_, a.bottom_)),
            multiply_checked(a.bottom_, b.bottom_)};
  }
  friend Fraction operator-(const Fraction& a) { return {multiply_checked(a.top_, -1), a.bottom_}; }
  friend Fraction operator-(const Fraction& a, const Fraction& b) { return a + -b; }
  friend Fraction operator*(const Fraction& a, const Fraction& b) {
    const Fraction left(a.top_, b.bottom_);
    const Fraction right(b.top_, a.bottom_);
    return {multiply_checked(left.top_, right.top_), multiply_checked(left.bottom_, right.bottom_)};
  }
  friend Fraction operator/(const Fraction& a, const Fraction& b) {
    return a * Fraction(b.bottom_, b.top_);
  }
  friend bool operator<(const Fraction& a, const Fraction& b) { return (a - b).sign() < 0; }

 private:
  void reduce() {
    if (bottom_ < 0) {
      top_ = multiply_checked(top_, -1);
      bottom_ = multiply_checked(bottom_, -1);
    }
    const std::int64_t common = std::gcd(top_, bottom_);
    if (common > 1) {
      top_ /= common;
      bottom_ /= common;
    }
  }

  std::int64_t top_ = 0, bottom_ = 1;
};

/// Largest c.y for A.y <= b, y >= 0, in dictionary form: every basic variable is b_i minus its row
/// times the others. Bland's rule: no cycles.
class Simplex {
 public:
  Simplex(std::vector<std::vector<Fraction>> rows, std::vector<Fraction> limits,
          std::vector<Fraction> objective)
      : rows_(std::move(rows)), limits_(std::move(limits)), objective_(std::move(objective)) {
    for (std::size_t j = 0; j < objective_.size(); ++j) others_.push_back(j);
    for (std::size_t i = 0; i < rows_.size(); ++i) basic_.push_back(objective_.size() + i);
  }

  /// Solves the program; it is bounded by the box. Returns false if there is no point.
  bool solve() {
    if (!find_a_point()) return false;
    climb();
    return true;
  }
  [[nodiscard]] const Fraction& value() const { return value_; }
  /// The value of variable j.
  [[nodiscard]] Fraction at(std::size_t j) const {
    const auto it = std::find(basic_.begin(), basic_.end(), j);
    return it == basic_.end() ? Fraction(0)
                              : limits_[static_cast<std::size_t>(it - basic_.begin())];
  }

 private:
  void pivot(std::size_t row, std::size_t column) {
    std::vector<Fraction>& leaving = rows_[row];
    const Fraction by = leaving[column];
    leaving[column] = 1;
    for (Fraction& a : leaving) a = a / by;
    limits_[row] = limits_[row] / by;
    const auto eliminate = [&](std::vector<Fraction>& other) {
      const Fraction factor = other[column];
      other[column] = 0;
      if (factor.sign() == 0) return factor;
      for (std::size_t j = 0; j < other.size(); ++j) other[j] = other[j] - factor * leaving[j];
      return factor;
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == row) continue;
      const Fraction factor = eliminate(rows_[i]);
      limits_[i] = limits_[i] - factor * limits_[row];
    }
    const Fraction factor = eliminate(objective_);
    value_ = value_ + factor * limits_[row];
    std::swap(basic_[row], others_[column]);
  }

  void climb() {
    while (true) {
      std::optional<std::size_t> column;
      for (std::size_t j = 0; j < others_.size(); ++j) {
        if (objective_[j].sign() > 0 && (!column || others_[j] < others_[*column])) column = j;
      }
      if (!column) return;
      std::optional<std::size_t> row;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i][*column].sign() <= 0) continue;
        if (!row) {
          row = i;
          continue;
        }
        const Fraction a = limits_[i] / rows_[i][*column];
        const Fraction b = limits_[*row] / rows_[*row][*column];
        if (a < b || (!(b < a) && basic_[i] < basic_[*row])) row = i;
      }
      if (!row) internal_error("a linear program without bounds");
      pivot(*row, *column);
    }
  }

  /// One more variable, taken off every row, makes any program solvable; there is a point without
  /// it if it can become 0.
  bool find_a_point() {
    const auto least = std::min_element(limits_.begin(), limits_.end());
    if (least == limits_.end() || least->sign() >= 0) return true;
    const std::vector<Fraction> wanted = objective_;
    const std::size_t helper = basic_.size() + others_.size();
    for (auto& row : rows_) row.emplace_back(-1);
    objective_.assign(objective_.size(), 0);
    objective_.emplace_back(-1);
    others_.push_back(helper);
    pivot(static_cast<std::size_t>(least - limits_.begin()), others_.size() - 1);
    climb();
    if (value_.sign() < 0) return false;
    const auto found = std::find(basic_.begin(), basic_.end(), helper);
    if (found != basic_.end()) {
      const auto row = static_cast<std::size_t>(found - basic_.begin());
      const auto column = std::find_if(rows_[row].begin(), rows_[row].end(),
                                       [](const Fraction& a) { return a.sign() != 0; });
      pivot(row, static_cast<std::size_t>(column - rows_[row].begin()));
    }
    const auto column = static_cast<std::size_t>(std::find(others_.begin(), others_.end(), helper) -
                                                 others_.begin());
    const auto drop = [column](auto& list) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(column));
    };
    for (auto& row : rows_) drop(row);
    drop(others_);
    // The objective, expressed by the non-basic variables.
    objective_.assign(others_.size(), 0);
    value_ = 0;
    for (std::size_t j = 0; j < others_.size(); ++j) {
      if (others_[j] < wanted.size()) objective_[j] = objective_[j] + wanted[others_[j]];
    }
    for (std::size_t i = 0; i < basic_.size(); ++i) {
      if (basic_[i] >= wanted.size()) continue;
      const Fraction& factor = wanted[basic_[i]];
      value_ = value_ + factor * limits_[i];
      for (std::size_t j = 0; j < others_.size(); ++j) {
        objective_[j] = objective_[j] - factor * rows_[i][j];
      }
    }
    return true;
  }

  std::vector<std::vector<Fraction>> rows_;
  std::vector<Fraction> limits_, objective_;
  Fraction value_ = 0;
  std::vector<std::size_t> basic_, others_;  ///< numbers of variables
};

using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;

class Search {
 public:
  Search(const IntegerProgram& program, const LinearForm& objective)
      : program_(program), objective_(objective) {}

  /// The largest value above `found`, if there is one in the box.
  void look(const Box& box) {
    if (++nodes_ > max_nodes) {
      gave_up_ = true;
      return;
    }
    const std::size_t count = box.size();
    std::vector<std::vector<Fraction>> rows;
    std::vector<Fraction> limits, objective;
    for (const LinearForm& form : program_.positive) {
      std::vector<Fraction> row;
      std::int64_t limit = form.constant;
      for (std::size_t i = 0; i < count; ++i) {
        row.emplace_back(-form.coefficients[i]);
        limit = add_checked(limit, multiply_checked(form.coefficients[i], box[i].first));
      }
      rows.push_back(std::move(row));
      limits.emplace_back(limit);
    }
    std::int64_t base = objective_.constant;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Fraction> row(count, 0);
      row[i] = 1;
      rows.push_back(std::move(row));
      limits.emplace_back(box[i].second - box[i].first);
      objective.emplace_back(objective_.coefficients[i]);
      base = add_checked(base, multiply_checked(objective_.coefficients[i], box[i].first));
    }
    Simplex simplex(std::move(rows), std::move(limits), std::move(objective));
    if (!simplex.solve()) return;
    const std::int64_t bound = add_checked(base, simplex.value().floor());
    if (nodes_ == 1) root_ = bound;
    if (found_ && bound <= *found_) return;
    for (std::size_t i = 0; i < count; ++i) {
      const Fraction value = simplex.at(i);
      if (value.is_integer()) continue;
      const std::int64_t below = box[i].first + value.floor();
      Box half = box;
      half[i].second = below;
      look(half);
      half[i] = {below + 1, box[i].second};
      look(half);
      return;
    }
    found_ = bound;
  }

  [[nodiscard]] std::optional<std::int64_t> result() const { return gave_up_ ? root_ : found_; }
  [[nodiscard]] std::optional<std::int64_t> found() const { return found_; }

 private:
  const IntegerProgram& program_;
  const LinearForm& objective_;
  std::size_t nodes_ = 0;
  bool gave_up_ = false;
  std::optional<std::int64_t> root_, found_;
};

/// All points of the ranges; empty if there is none.
Box box_of(const IntegerProgram& program) {
  Box box;
  for (const std::uint64_t range : program.ranges) {
    if (range == 0) return {};
    box.emplace_back(0, static_cast<std::int64_t>(range) - 1);
  }
  return box;
}

}  // namespace

std::optional<std::int64_t> largest(const IntegerProgram& program, const LinearForm& objective) {
  const Box box = box_of(program);
  if (box.size() != program.ranges.size()) return std::nullopt;
  std::int64_t bound = objective.constant;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const std::int64_t last = box[i].second;
    if (objective.coefficients[i] > 0) {
      bound = add_checked(bound, multiply_checked(objective.coefficients[i], last));
    }
  }
  try {
    Search search(program, objective);
    search.look(box);
    return search.result();
  } catch (const UserError&) {
    // If fractions exceed 64 bits, the bound given by the box is used.
    return bound;
  }
}

std::optional<std::int64_t> largest_found(const IntegerProgram& program,
                                          const LinearForm& objective) {
  const Box box = box_of(program);
  if (box.size() != program.ranges.size()) return std::nullopt;
  Search search(program, objective);
  try {
    search.look(box);
  } catch (const UserError&) {
    // A fraction exceeds 64 bits; what was found before is a point all the same.
  }
  return search.found();
}

}  // namespace tactus::stripe
