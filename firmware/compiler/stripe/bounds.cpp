#include "firmware/compiler/stripe/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

#include "firmware/compiler/stripe/passes/alias.h"
#include "firmware/compiler/stripe/passes/integer_program.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

/// The index of an element within a view, beside the indexes of blocks.
constexpr const char* within = "element";

/// Allocations begin at their first element, whatever their access says.
void clear_origins(Block& block) {
  for (auto& [into, ref] : block.refs) {
    if (ref.direction == Direction::none) ref.access.assign(ref.access.size(), Affine());
  }
  for (Statement& stmt : block.statements) {
    if (Block* nested = stmt.block()) clear_origins(*nested);
  }
}

/// Views that a statement touches: only their first element, or all of it.
std::vector<std::pair<std::string, bool>> touched_views(const Statement& stmt) {
  std::vector<std::pair<std::string, bool>> views;
  if (stmt.block() != nullptr) return views;
  const bool whole = stmt.as<Special>() != nullptr;
  std::string name = whole ? stmt.as<Special>()->name : "";
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const Uses uses = uses_of(stmt);
  // The shape of a view needs no element; those that gather takes depend on data.
  if (name != "shape" && name != "gather") {
    for (const std::string& into : uses.buffer_reads) views.emplace_back(into, whole);
  }
  for (const std::string& into : uses.buffer_writes) views.emplace_back(into, whole);
  return views;
}

class Finder {
 public:
  explicit Finder(const std::function<void(const OutOfBounds&)>& report) : report_(report) {}

  void visit(const AliasMap& outer, Block& block, std::uint32_t block_line) {
    const std::size_t length = path_.size();
    const std::size_t before = constraints_.size();
    path_ += (path_.empty() ? "" : " / ") + quote(block.name);
    const AliasMap map(outer, block);
    for (const Affine& constraint : block.constraints) {
      constraints_.push_back(constraint.substitute(map.index_sources()));
    }
    std::set<std::pair<std::string, bool>> views;
    for (Statement& stmt : block.statements) {
      const std::uint32_t line = stmt.line != 0 ? stmt.line : block_line;
      if (Block* nested = stmt.block()) visit(map, *nested, line);
      for (auto& view : touched_views(stmt)) views.insert(std::move(view));
    }
    for (const auto& [into, whole] : views) {
      const Refinement& ref = block.ref_at(into);
      const std::uint32_t line = ref.line != 0 ? ref.line : block_line;
      for (std::size_t dim = 0; dim < ref.access.size(); ++dim) judge(map, ref, dim, whole, line);
    }
    constraints_.resize(before);
    path_.resize(length);
  }

 private:
  void judge(const AliasMap& map, const Refinement& ref, std::size_t dim, bool whole,
             std::uint32_t line) {
    const AliasInfo& info = map.at(ref.into);
    if (ref.shape.dims[dim].size == 0) return;
    const auto beyond = static_cast<std::int64_t>(info.base->shape.dims[dim].size);
    const std::int64_t last =
        whole ? info.extents[dim].max
              : subtract_checked(info.extents[dim].max,
                                 static_cast<std::int64_t>(ref.shape.dims[dim].size) - 1);
    if (info.extents[dim].min >= 0 && last < beyond) return;
    std::map<std::string, std::uint64_t> ranges = map.index_ranges();
    Affine at = info.access[dim];
    if (whole) {
      at += Affine(within);
      ranges.emplace(within, ref.shape.dims[dim].size);
    }
    // The lowest one beyond the end, or else the lowest one of all.
    auto outside = last >= beyond ? lowest(ranges, at, at - Affine(beyond)) : std::nullopt;
    if (!outside && info.extents[dim].min < 0) {
      outside = lowest(ranges, at, Affine(-1) - at);
    }
    if (!outside) return;
    report_({path_, line,
             fmt::format("refinement {} is at {} in dimension {} of buffer {}, which has {}",
                         quote(ref.into), *outside, dim, quote(info.base->into), beyond)});
  }

  /// The lowest value that `at` has at a position with `condition` >= 0; none if there is none.
  [[nodiscard]] std::optional<std::int64_t> lowest(
      const std::map<std::string, std::uint64_t>& ranges, const Affine& at,
      const Affine& condition) const {
    // Most positions are excluded by the constraints that share indexes with the access.
    std::vector<bool> joined(constraints_.size(), false);
    std::set<std::string> names;
    const auto join = [&names](const Affine& affine) {
      for (const Affine::Term& term : affine.terms()) names.insert(term.first);
    };
    join(at);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        const auto& terms = constraints_[i].terms();
        if (joined[i] || std::none_of(terms.begin(), terms.end(), [&](const Affine::Term& term) {
              return names.count(term.first) != 0;
            })) {
          continue;
        }
        joined[i] = more = true;
        join(constraints_[i]);
      }
    }
    std::vector<Affine> conditions{condition};
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      if (joined[i]) conditions.push_back(constraints_[i]);
    }
    const auto value = lowest_at(ranges, names, at, conditions);
    if (!value || conditions.size() == constraints_.size() + 1) return value;
    // The others may exclude all positions.
    for (const Affine& constraint : constraints_) join(constraint);
    conditions.assign(1, condition);
    conditions.insert(conditions.end(), constraints_.begin(), constraints_.end());
    return lowest_at(ranges, names, at, conditions);
  }

  static std::optional<std::int64_t> lowest_at(const std::map<std::string, std::uint64_t>& ranges,
                                               const std::set<std::string>& names, const Affine& at,
                                               const std::vector<Affine>& conditions) {
    IntegerProgram program;
    for (const std::string& name : names) program.ranges.push_back(ranges.at(name));
    const auto form = [&names](const Affine& affine) {
      LinearForm result;
      for (const std::string& name : names) {
        result.coefficients.push_back(affine.coefficient(name));
      }
      result.constant = affine.constant();
      return result;
    };
    for (const Affine& condition : conditions) program.positive.push_back(form(condition));
    const auto value = largest_found(program, form(at * -1));
    if (!value) return std::nullopt;
    return -*value;
  }

  const std::function<void(const OutOfBounds&)>& report_;
  std::vector<Affine> constraints_;  ///< of the block and all around it
  std::string path_;
};

}  // namespace

void find_out_of_bounds(const Program& program,
                        const std::function<void(const OutOfBounds&)>& report) {
  Statement entry = program.entry;
  clear_origins(*entry.block());
  const AliasMap outside;
  Finder(report).visit(outside, *entry.block(), entry.line);
}

}  // namespace tactus::stripe
