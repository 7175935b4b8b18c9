#include "firmware/sweep/filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "firmware/sweep/runner.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

constexpr std::uint64_t most_combinations = 1'000'000;

double to_number(const KeyValue& value) { return value.is_number() ? value.get<double>() : 0; }

/// The number of a key; NaN if the base leaves the key open, as a board's memory may. Axes may
/// still set it.
double number_of(const Configuration& configuration, const std::string& key) {
  const Configuration* value = find_key(configuration, key);
  return value != nullptr && value->is_number() ? value->get<double>()
                                                : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Filter::Filter(const Definition& definition) : definition_(definition) {
  if (definition.constraints.empty()) return;
  for (const Definition::Derived& derived : definition.derived) {
    Bound bound = bind(derived.expression);
    bound.target = slot_of(derived.key);
    derived_.push_back(std::move(bound));
  }
  for (const Expression& constraint : definition.constraints) {
    constraints_.push_back(bind(constraint));
  }
  refuse_what_is_never_true();
}

std::size_t Filter::slot_of(const std::string& key) {
  const auto [place, fresh] = slots_.emplace(key, keys_.size());
  if (fresh) keys_.push_back(key);
  return place->second;
}

Filter::Bound Filter::bind(const Expression& expression) {
  Bound bound;
  bound.expression = &expression;
  for (const std::string& key : expression.keys()) bound.slots.push_back(slot_of(key));
  return bound;
}

double Filter::value(const Bound& bound) {
  arguments_.clear();
  for (const std::size_t slot : bound.slots) {
    if (std::isnan(numbers_[slot])) {
      user_error("{}: {} uses {}, which has no value with {} {}", definition_.path,
                 quote(bound.expression->text()), keys_[slot], definition_.base_of_all.runner->base,
                 quote(*base_));
    }
    arguments_.push_back(numbers_[slot]);
  }
  try {
    return bound.expression->value_of(arguments_);
  } catch (const UserError& error) {
    user_error("{}: {}", definition_.path, error.what());
  }
}

const std::vector<double>& Filter::before_axes(const std::string& base) {
  const auto found = bases_.find(base);
  if (found != bases_.end()) return found->second;
  const Configuration defaults = definition_.base_of_all.runner->defaults(base, definition_.beside);
  std::vector<double> numbers;
  for (const std::string& key : keys_) numbers.push_back(number_of(defaults, key));
  for (const Assignment& assignment : definition_.base) {
    const auto slot = slots_.find(assignment.first);
    if (slot != slots_.end()) numbers[slot->second] = to_number(assignment.second);
  }
  return bases_.emplace(base, std::move(numbers)).first->second;
}

void Filter::load(std::uint64_t index) {
  base_ = &definition_.base_of_all.value;
  definition_.axes.visit(index, [&](const std::string& key, const KeyValue& value) {
    if (key == definition_.base_of_all.runner->base) base_ = value.get_ptr<const std::string*>();
  });
  numbers_ = before_axes(*base_);
  definition_.axes.visit(index, [&](const std::string& key, const KeyValue& value) {
    const auto slot = slots_.find(key);
    if (slot != slots_.end()) numbers_[slot->second] = to_number(value);
  });
  for (const Bound& derived : derived_) numbers_[derived.target] = value(derived);
}

bool Filter::allows(std::uint64_t index) {
  if (constraints_.empty()) return true;
  load(index);
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Bound& constraint) { return value(constraint) != 0; });
}

/// Marks the parts of the space on which a constraint depends, directly or through derived keys.
std::vector<bool> Filter::parts_behind(const Bound& constraint) const {
  // every constraint depends on the base, which sets defaults
  std::set<std::string> keys{definition_.base_of_all.runner->base};
  for (const std::size_t slot : constraint.slots) keys.insert(keys_[slot]);
  for (auto derived = derived_.rbegin(); derived != derived_.rend(); ++derived) {
    if (keys.count(keys_[derived->target]) == 0) continue;
    for (const std::size_t slot : derived->slots) keys.insert(keys_[slot]);
  }
  std::vector<bool> behind;
  for (const Space& part : definition_.axes.parts()) {
    std::vector<std::string> assigned;
    part.append_keys(assigned);
    behind.push_back(std::any_of(assigned.begin(), assigned.end(),
                                 [&](const std::string& key) { return keys.count(key) != 0; }));
  }
  return behind;
}

void Filter::refuse_what_is_never_true() {
  const std::vector<Space>& parts = definition_.axes.parts();
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    const std::vector<bool> behind = parts_behind(constraints_[c]);
    std::uint64_t combinations = 1;
    bool small = true;
    for (std::size_t p = 0; p < parts.size() && small; ++p) {
      if (!behind[p]) continue;
      small = parts[p].size() <= most_combinations / combinations;
      combinations *= small ? parts[p].size() : 1;
    }
    if (!small) continue;
    bool ever = false;
    for (std::uint64_t i = 0; i < combinations && !ever; ++i) {
      // Combination `i` as an index of a point, with all other parts at their first value.
      std::uint64_t index = 0;
      std::uint64_t rest = i;
      std::uint64_t below = combinations;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        index *= parts[p].size();
        if (!behind[p]) continue;
        below /= parts[p].size();
        index += rest / below;
        rest %= below;
      }
      load(index);
      ever = value(constraints_[c]) != 0;
    }
    if (!ever) {
      user_error("{}:/constraints/{}: {} is false for all {} values of its axes: no point is left",
                 definition_.path, c, quote(constraints_[c].expression->text()), combinations);
    }
  }
}

}  // namespace tactus::sweep
