// ilp_cstr_reduction: removes constraints that the others imply, and reduces ranges to the values
// that all constraints allow.
#include <algorithm>

#include "firmware/compiler/stripe/passes/constraint_reduction.h"
#include "firmware/compiler/stripe/passes/integer_program.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

/// Constraints of a block, over all indexes that they use, of all levels.
class Constraints {
 public:
  Constraints(const AliasMap& map, const std::vector<Affine>& constraints) {
    for (const Affine& constraint : constraints) {
      affines_.push_back(constraint.substitute(map.index_sources()));
      for (const Affine::Term& term : affines_.back().terms()) {
        if (std::find(names_.begin(), names_.end(), term.first) == names_.end()) {
          names_.push_back(term.first);
        }
      }
    }
    std::sort(names_.begin(), names_.end());
    for (const std::string& name : names_) {
      program_.ranges.push_back(map.index_ranges().at(name));
    }
    for (const Affine& affine : affines_) program_.positive.push_back(form(affine));
  }

  [[nodiscard]] bool uses(const std::string& name) const {
    return std::binary_search(names_.begin(), names_.end(), name);
  }
  /// Largest value of an index; empty if no position satisfies all constraints.
  [[nodiscard]] std::optional<std::int64_t> largest_of(const std::string& name) const {
    return largest(program_, form(Affine(name)));
  }
  /// Removes constraint `at` if the others imply it: no point that satisfies them makes it
  /// negative. Returns true if it was removed.
  bool drop_if_implied(std::size_t at) {
    IntegerProgram others = program_;
    others.positive.erase(others.positive.begin() + static_cast<std::ptrdiff_t>(at));
    const auto negated = largest(others, form(affines_[at] * -1));
    if (negated && *negated > 0) return false;
    program_ = std::move(others);
    affines_.erase(affines_.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

 private:
  [[nodiscard]] LinearForm form(const Affine& affine) const {
    LinearForm result;
    for (const std::string& name : names_) {
      result.coefficients.push_back(affine.coefficient(name));
    }
    result.constant = affine.constant();
    return result;
  }

  std::vector<Affine> affines_;
  std::vector<std::string> names_;
  IntegerProgram program_;
};

class IlpCstrReduction : public ConstraintReduction {
 private:
  void reduce(const AliasMap& map, Statement& stmt) const override {
    Block& block = *stmt.block();
    if (block.constraints.empty()) return;
    Constraints all(map, block.constraints);
    const std::string prefix = "d" + std::to_string(map.depth()) + ":";
    for (Index& idx : block.indexes) {
      if (idx.is_computed() || !all.uses(prefix + idx.name)) continue;
      const auto last = all.largest_of(prefix + idx.name);
      if (!last) {
        // No position is left; the block stays for dce to take away.
        stmt.set_tag("removed");
        return;
      }
      if (keeps_range(idx)) continue;
      idx.range = std::min(idx.range, static_cast<std::uint64_t>(*last) + 1);
    }
    const AliasMap reduced(*map.outer(), block);
    Constraints left(reduced, block.constraints);
    for (std::size_t at = 0; at < block.constraints.size();) {
      if (left.drop_if_implied(at)) {
        block.constraints.erase(block.constraints.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        ++at;
      }
    }
  }
};

}  // namespace

std::unique_ptr<Pass> make_ilp_cstr_reduction() { return std::make_unique<IlpCstrReduction>(); }

}  // namespace tactus::stripe
