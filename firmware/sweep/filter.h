// Tests whether a point satisfies the constraints of a sweep, without building its configuration.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

/// A test takes about a microsecond, since it computes only the numbers that derived keys and
/// constraints use.
class Filter {
 public:
  /// Throws UserError if a constraint is false for every combination of the axes that it depends
  /// on, as far as a million combinations show.
  explicit Filter(const Definition& definition);

  /// True if the point with this index in the product of the axes satisfies all constraints.
  [[nodiscard]] bool allows(std::uint64_t index);

 private:
  /// An expression and the slots of numbers_ that have the values of its keys.
  struct Bound {
    const Expression* expression = nullptr;
    std::vector<std::size_t> slots;  ///< slots of its keys, in the order of Expression::keys()
    std::size_t target = 0;          ///< for a derived key: its slot
  };

  [[nodiscard]] std::size_t slot_of(const std::string& key);
  [[nodiscard]] Bound bind(const Expression& expression);
  [[nodiscard]] double value(const Bound& bound);
  [[nodiscard]] const std::vector<double>& before_axes(const std::string& base);
  /// Sets numbers_ to the values of a point.
  void load(std::uint64_t index);
  void refuse_what_is_never_true();
  [[nodiscard]] std::vector<bool> parts_behind(const Bound& constraint) const;

  const Definition& definition_;
  std::vector<std::string> keys_;  ///< key of each slot
  std::unordered_map<std::string, std::size_t> slots_;
  std::vector<double> numbers_;        ///< values of the current point, by slot
  const std::string* base_ = nullptr;  ///< base of the current point
  std::vector<Bound> derived_, constraints_;
  /// Values by base and slot: the defaults of the base, replaced by those of `base`.
  std::map<std::string, std::vector<double>> bases_;
  std::vector<double> arguments_;
};

}  // namespace tactus::sweep
