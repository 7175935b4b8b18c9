// Which points of a sweep its constraints allow, without building their configurations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

/// Knows the numbers that derived keys and constraints use, and nothing else: a point takes about a
/// microsecond.
class Filter {
 public:
  /// Throws UserError for a constraint that is false whatever its axes say, as far as a million
  /// combinations can tell.
  explicit Filter(const Definition& definition);

  [[nodiscard]] bool allows(std::uint64_t index);

 private:
  /// An expression over numbers_.
  struct Bound {
    const Expression* expression = nullptr;
    std::vector<std::size_t> slots;  ///< of its keys
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
  std::vector<std::string> keys_;  ///< by slot
  std::unordered_map<std::string, std::size_t> slots_;
  std::vector<double> numbers_;        ///< of the present point, by slot
  const std::string* base_ = nullptr;  ///< of the present point
  std::vector<Bound> derived_, constraints_;
  std::map<std::string, std::vector<double>> bases_;  ///< numbers by base: its own, then `base`
  std::vector<double> arguments_;
};

}  // namespace tactus::sweep
