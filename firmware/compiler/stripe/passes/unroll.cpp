// unroll: a block is replaced by its nested blocks, once a position.
#include <algorithm>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

/// Copies beyond this are surely a mistake.
constexpr std::uint64_t most_copies = 65536;

struct UnrollOptions {
  Tags reqs;
  std::string expand_idx, part_name;
  bool make_views = false;
};

void evaluate(Location& location, const Affine::Affines& values) {
  for (Device& device : location.devices) {
    for (Affine& unit : device.units) unit = unit.substitute(values);
  }
}

/// Puts the values of indexes into a block and, as far as they are constant there, all below it.
void evaluate(Block& block, const Affine::Affines& values) {
  evaluate(block.location, values);
  for (auto& [into, ref] : block.refs) {
    evaluate(ref.location, values);
    for (Affine& access : ref.access) access = access.substitute(values);
    if (ref.cache_unit) ref.cache_unit = ref.cache_unit->substitute(values);
  }
  for (Affine& constraint : block.constraints) constraint = constraint.substitute(values);
  for (Statement& stmt : block.statements) {
    if (auto* load = stmt.as<LoadIndex>()) load->from = load->from.substitute(values);
    Block* nested = stmt.block();
    if (nested == nullptr) continue;
    Affine::Affines next;
    for (const auto& [name, value] : values) {
      if (name.front() == '#') next.emplace(name, value);
    }
    std::vector<Index> kept;
    for (Index& idx : nested->indexes) {
      const bool computed = idx.is_computed();
      idx.affine = idx.affine.substitute(values);
      if ((computed || idx.range == 1) && idx.affine.is_constant()) {
        next[idx.name] = idx.affine;
      } else {
        kept.push_back(idx);
      }
    }
    nested->indexes = std::move(kept);
    evaluate(*nested, next);
  }
}

class Unroller {
 public:
  Unroller(Block& outer, const AliasMap& scope, std::size_t at, const UnrollOptions& options)
      : outer_(outer), scope_(scope), at_(at), options_(options) {}

  /// Replaces the statement by the copies of its own; returns how many.
  std::size_t run() {
    const Block block = *outer_.statements[at_].block();
    for (const Statement& stmt : block.statements) {
      if (stmt.block() == nullptr && stmt.as<Special>() == nullptr) {
        user_error("block {}: unroll needs statements that are blocks, {} has others",
                   block_name(outer_), block_name(block));
      }
    }
    if (block.positions() > most_copies) {
      user_error("block {}: unroll would make {} copies; at most {}", block_name(block),
                 block.positions(), most_copies);
    }
    std::vector<std::vector<Statement>> copies;
    std::vector<std::uint64_t> at(block.indexes.size(), 0);
    while (true) {
      add_copy(block, at, copies);
      std::size_t i = at.size();
      while (i > 0 && ++at[i - 1] == block.indexes[i - 1].range) at[--i] = 0;
      if (i == 0) break;
    }
    outer_.erase(at_);
    std::size_t count = 0;
    for (std::size_t s = 0; s < block.statements.size(); ++s) {
      for (std::size_t copy = 0; copy < copies.size(); ++copy) {
        accumulate(copies[copy][s], copy);
        outer_.insert(at_ + count++, std::move(copies[copy][s]));
      }
    }
    for (Statement& stmt : outer_.statements) stmt.deps.clear();
    return count;
  }

 private:
  void add_copy(const Block& original, const std::vector<std::uint64_t>& at,
                std::vector<std::vector<Statement>>& copies) {
    Affine::Affines values;
    std::string suffix = "%" + options_.part_name;
    std::int64_t number = 0, scale = 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Index& idx = original.indexes[i];
      values[idx.name] = idx.is_computed() ? idx.affine : Affine(static_cast<std::int64_t>(at[i]));
      if (idx.is_computed()) continue;
      suffix += fmt::format("_{}_{}", idx.name, at[i]);
      if (expands(idx)) {
        number += scale * static_cast<std::int64_t>(at[i]);
        scale = multiply_checked(scale, static_cast<std::int64_t>(idx.range));
      }
    }
    if (!options_.expand_idx.empty()) values[options_.expand_idx] = Affine(number);
    Block copy = original;
    evaluate(copy, values);
    for (const Affine& constraint : copy.constraints) {
      if (!constraint.is_constant()) {
        user_error("block {}: a constraint is not decided by unrolling", block_name(original));
      }
      if (constraint.constant() < 0) return;
    }
    move_allocations(copy);
    copies.emplace_back();
    for (Statement& stmt : copy.statements) {
      if (Block* nested = stmt.block()) {
        nested->name += suffix;
        for (auto& [into, ref] : nested->refs) {
          if (ref.direction != Direction::none) attach(copy, ref);
        }
      } else {
        attach_special(copy, *stmt.as<Special>());
      }
      copies.back().push_back(stmt);
    }
  }

  [[nodiscard]] bool expands(const Index& idx) const {
    if (options_.expand_idx.empty()) return false;
    return options_.expand_idx.front() == '#' ? idx.has_tag(options_.expand_idx.substr(1))
                                              : idx.name == options_.expand_idx;
  }

  /// Buffers of a position become buffers of the enclosing block, one a copy.
  void move_allocations(Block& copy) {
    std::vector<std::string> names;
    for (const auto& [into, ref] : copy.refs) {
      if (ref.direction == Direction::none) names.push_back(into);
    }
    for (const std::string& into : names) {
      Refinement moved = copy.ref_at(into);
      moved.into = outer_.unique_ref_name(into);
      // Inside, it is a view of the moved one now.
      Refinement& view = copy.ref_at(into);
      view.direction = Direction::inout;
      view.from = moved.into;
      for (Affine& access : view.access) access = Affine();
      outer_.add_ref(std::move(moved));
    }
  }

  /// Attaches a special, which has no access of its own and needs the whole view.
  void attach_special(const Block& copy, Special& special) {
    const auto replace = [&](std::string& name) {
      const Refinement& view = copy.ref_at(name);
      const Refinement& source = outer_.ref_at(view.from);
      const bool whole = view.shape.dims == source.shape.dims &&
                         std::all_of(view.access.begin(), view.access.end(),
                                     [](const Affine& access) { return access.is_zero(); });
      if (!whole) {
        user_error("block {}: {} works on a part of {}, which unroll cannot tell", block_name(copy),
                   special.name, view.from);
      }
      name = view.from;
    };
    for (std::string& input : special.inputs) replace(input);
    for (std::string& output : special.outputs) replace(output);
  }

  void attach(const Block& copy, Refinement& ref) {
    const Refinement& between = copy.ref_at(ref.from);
    if (writes(ref.direction) && aggregation_of(ref.agg_op) == Aggregation::none) {
      ref.agg_op = between.agg_op;
    }
    for (std::size_t i = 0; i < ref.access.size(); ++i) ref.access[i] += between.access[i];
    const Refinement source = outer_.ref_at(between.from);
    ref.from = between.from;
    if (!options_.make_views || between.shape.dims == source.shape.dims) return;
    const auto key = std::make_pair(source.into, ref.access);
    auto found = views_.find(key);
    if (found == views_.end()) {
      Refinement view = between;
      for (std::size_t n = 0;; ++n) {
        view.into = fmt::format("{}_{:02}", source.into, n);
        if (outer_.ref(view.into) == nullptr) break;
      }
      view.from = source.from.empty() ? source.into : source.from;
      // Sums would be passed on when the outer block ends, but a reader inside of it needs them
      // earlier.
      if (reads(source.direction) && writes(view.direction)) view.agg_op = source.agg_op;
      if (source.direction == Direction::none) {
        // A view of another buffer of the same block cannot be expressed.
        return;
      }
      for (std::size_t i = 0; i < view.access.size(); ++i) {
        view.access[i] = source.access[i] + Affine(between.access[i].constant());
      }
      found = views_.emplace(key, view.into).first;
      outer_.add_ref(std::move(view));
    }
    for (std::size_t i = 0; i < ref.access.size(); ++i) {
      ref.access[i] -= Affine(between.access[i].constant());
    }
    ref.from = found->second;
  }

  /// Makes a statement that aggregates into memory written by an earlier copy add to it.
  void accumulate(Statement& stmt, std::size_t copy) {
    Block* nested = stmt.block();
    if (nested == nullptr) return;
    const AliasMap map(*scope_.outer(), outer_);
    const AliasMap inner(map, *nested);
    for (auto& [into, ref] : nested->refs) {
      if (!writes(ref.direction)) continue;
      const AliasInfo& view = inner.at(into);
      const bool again = std::any_of(written_.begin(), written_.end(), [&](const auto& earlier) {
        return earlier.first != copy && earlier.second.base_name == view.base_name &&
               overlap(earlier.second.extents, view.extents);
      });
      if (again && ref.direction == Direction::out &&
          aggregation_of(ref.agg_op) != Aggregation::none) {
        ref.direction = Direction::inout;
      }
      written_.emplace_back(copy, view);
    }
  }

  Block& outer_;
  const AliasMap& scope_;
  std::size_t at_;
  const UnrollOptions& options_;
  std::map<std::pair<std::string, std::vector<Affine>>, std::string> views_;
  std::vector<std::pair<std::size_t, AliasInfo>> written_;  ///< elements written by each copy
};

class Unroll : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", options_.reqs, "tags of the blocks to replace");
    v.text("expand_idx", options_.expand_idx,
           "name in units that becomes the number of the copy: an index, or #tag for all with it");
    v.text("part_name", options_.part_name, "goes into the names of the copies");
    v.flag("make_views", options_.make_views, "a view of its own for each copy in the outer block");
  }

  void run(Program& program) const override {
    const AliasMap outside;
    recurse(program.entry, outside);
  }

 private:
  void recurse(Statement& stmt, const AliasMap& outer) const {
    Block* block = stmt.block();
    if (block == nullptr) return;
    for (std::size_t at = 0; at < block->statements.size();) {
      const AliasMap map(outer, *block);
      Statement& inner = block->statements[at];
      if (inner.block() != nullptr && inner.has_tags(options_.reqs)) {
        at += Unroller(*block, map, at, options_).run();
      } else {
        recurse(inner, map);
        ++at;
      }
    }
  }

  UnrollOptions options_;
};

}  // namespace

std::unique_ptr<Pass> make_unroll() { return std::make_unique<Unroll>(); }

}  // namespace tactus::stripe
