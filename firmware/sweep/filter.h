// Tests which points satisfy the constraints of a sweep, without building their configurations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

/// Tests one point in about a microsecond, because it computes only the numbers that derived keys
/// and constraints use.
class Filter {
 public:
  /// Throws UserError for a constraint that is false for every combination of its axes, as far as a
  /// million combinations show.
  explicit Filter(const Definition& definition);

  [[nodiscard]] bool allows(std::uint64_t index);

 private:
  /// An expression whose keys are bound to slots of numbers_.
  struct Bound {
    const Expression* expression = nullptr;
    std::vector<std::size_t> slots;  ///< slots of its keys
    std::size_t target = 0;          ///< slot of the derived key
  };

  [[nodiscard]] std::size_t slot_of(const std::string& key);
  [[nodiscard]] Bound bind(const Expression& expression);
  [[nodiscard]] double value(const Bound& bound);
  [[nodiscard]] const std::vector<double>& before_axes(const std::string& base);
  void load(std::uint64_t index);
  void refuse_what_is_never_true();
  [[nodiscard]] std::vector<bool> parts_behind(const Bound& constraint) const;

  const Definition& definition_;
  std::vector<std::string> keys_;  ///< key of each slot
  std::unordered_map<std::string, std::size_t> slots_;
  std::vector<double> numbers_;        ///< values of the current point, by slot
  const std::string* base_ = nullptr;  ///< base of the current point
  std::vector<Bound> derived_, constraints_;
  /// values of each base: its defaults, then `base`
  std::map<std::string, std::vector<double>> bases_;
  std::vector<double> arguments_;
};

}  // namespace tactus::sweep
