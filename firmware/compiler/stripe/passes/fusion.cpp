// fusion: joins a block with the next one if that reads its results.
#include <algorithm>
#include <optional>
#include <set>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/merge.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/passes/tile.h"

namespace tactus::stripe {
namespace {

struct FusionOptions {
  Tags parent_reqs, a_reqs, b_reqs, fused_set, exclude, a_inner_set, b_inner_set;
  bool output_match = false, no_inner = false, no_constraints = false;
  std::uint64_t max_refs = 1024;
};

using Names = std::map<std::string, std::string>;

/// The tiling of both blocks that makes their outer loops equal.
struct Plan {
  std::vector<std::uint64_t> tile_a, tile_b;
  Names names_a, names_b;  ///< index of the block -> index of the common outer block
  bool interleave_b = false;
};

/// The only index of an access that is one index without a constant.
std::optional<Affine::Term> single_term(const Affine& access) {
  if (access.constant() != 0 || access.terms().size() != 1) return std::nullopt;
  return access.terms()[0];
}

const Refinement* view_of(const Block& block, const std::string& buffer) {
  for (const auto& [into, ref] : block.refs) {
    if (ref.direction != Direction::none && ref.from == buffer) return &ref;
  }
  return nullptr;
}

/// Constraints over common names where an index has one, over indexes of all levels elsewhere.
std::vector<Affine> common_constraints(const AliasMap& scope, Block& block, const Names& names) {
  const AliasMap map(scope, block);
  Affine::Affines sources = map.index_sources();
  for (const auto& [from, to] : names) sources[from] = Affine(to);
  std::vector<Affine> result;
  for (const Affine& constraint : block.constraints) {
    result.push_back(constraint.substitute(sources));
  }
  std::sort(result.begin(), result.end());
  return result;
}

class Planner {
 public:
  Planner(const AliasMap& scope, Block& a, Block& b) : scope_(scope), a_(a), b_(b) {}

  std::optional<Plan> run(const std::string& buffer) {
    const Refinement* in_a = view_of(a_, buffer);
    const Refinement* in_b = view_of(b_, buffer);
    if (in_a == nullptr || in_b == nullptr || in_a->access.size() != in_b->access.size()) {
      return std::nullopt;
    }
    plan_.tile_a.assign(a_.indexes.size(), 1);
    plan_.tile_b.assign(b_.indexes.size(), 1);
    const auto sizes_a = a_.exterior_shape(*in_a).sizes();
    const auto sizes_b = b_.exterior_shape(*in_b).sizes();
    for (std::size_t i = 0; i < in_a->access.size(); ++i) {
      const Affine& access_a = in_a->access[i];
      const Affine& access_b = in_b->access[i];
      if (access_a.is_zero() && access_b.is_zero()) continue;
      if (sizes_a[i] == 1 && sizes_b[i] == 1) continue;
      if (!match(access_a, access_b)) return std::nullopt;
    }
    for (std::size_t i = 0; i < b_.indexes.size(); ++i) {
      if (plan_.names_b.count(b_.indexes[i].name) == 0) plan_.tile_b[i] = b_.indexes[i].range;
    }
    if (common_constraints(scope_, a_, plan_.names_a) !=
        common_constraints(scope_, b_, plan_.names_b)) {
      return std::nullopt;
    }
    name_computed();
    return plan_;
  }

 private:
  bool match(const Affine& access_a, const Affine& access_b) {
    const auto term_a = single_term(access_a);
    const auto term_b = single_term(access_b);
    if (!term_a || !term_b || plan_.names_a.count(term_a->first) != 0) return false;
    if (plan_.names_b.count(term_b->first) != 0) return false;
    if (term_a->second % term_b->second != 0) return false;
    const std::int64_t quotient = term_a->second / term_b->second;
    const std::uint64_t range_a = a_.index(term_a->first)->range;
    const std::uint64_t range_b = b_.index(term_b->first)->range;
    for (std::size_t i = 0; i < b_.indexes.size(); ++i) {
      if (b_.indexes[i].name != term_b->first) continue;
      if (quotient > 1) {
        plan_.tile_b[i] = static_cast<std::uint64_t>(quotient);
      } else if (range_b > range_a) {
        plan_.tile_b[i] = range_b / range_a;
        plan_.interleave_b = true;
      } else if (range_a != range_b) {
        return false;
      }
    }
    plan_.names_a.emplace(term_a->first, term_a->first);
    plan_.names_b.emplace(term_b->first, term_a->first);
    return true;
  }

  /// Gives computed indexes with equal values the same name; those used by constraints keep their
  /// names.
  void name_computed() {
    for (const Index& in_b : b_.indexes) {
      if (!in_b.is_computed()) continue;
      for (const Index& in_a : a_.indexes) {
        if (in_b.affine == in_a.affine) plan_.names_b.emplace(in_b.name, in_a.name);
      }
    }
    for (const Affine& constraint : b_.constraints) {
      for (const Affine::Term& term : constraint.terms()) {
        plan_.names_b.emplace(term.first, term.first);
      }
    }
  }

  const AliasMap& scope_;
  Block& a_;
  Block& b_;
  Plan plan_;
};

/// Moves the statements of blocks that run once into the enclosing block.
void flatten_trivial(Block& outer) {
  for (std::size_t at = 0; at < outer.statements.size();) {
    const Block* nested = outer.statements[at].block();
    const bool keep =
        nested == nullptr || nested->positions() != 1 || !nested->constraints.empty() ||
        std::any_of(nested->refs.begin(), nested->refs.end(), [](const auto& entry) {
          return entry.second.direction == Direction::none || entry.second.from != entry.first;
        });
    if (keep) {
      ++at;
      continue;
    }
    Block taken = *nested;
    Affine::Affines values;
    for (const Index& idx : taken.indexes) values[idx.name] = idx.affine;
    outer.erase(at);
    for (Statement& stmt : taken.statements) {
      stmt.deps.clear();
      if (Block* deep = stmt.block()) {
        for (Index& idx : deep->indexes) idx.affine = idx.affine.substitute(values);
      } else if (auto* load = stmt.as<LoadIndex>()) {
        load->from = load->from.substitute(values);
      }
      outer.insert(at++, std::move(stmt));
    }
  }
}

/// Splits a block into an outer one over the mapped indexes, by their common names, and an inner
/// one over the rest.
class Split {
 public:
  Split(const Statement& original, const Names& names, const std::vector<std::uint64_t>& tile,
        bool interleave, bool elide_trivial)
      : names_(names), tiled_(original) {
    TileOptions options;
    options.elide_trivial = elide_trivial;
    options.copy_tags = true;
    options.interleave = interleave;
    apply_tile(tiled_, tile, options);
  }

  Statement run() {
    const Block& tiled = *tiled_.block();
    Block outer;
    Block inner = tiled;  // with its statements
    outer.name = tiled.name;
    outer.location = tiled.location;
    inner.location = {};
    inner.comments.clear();
    inner.constraints.clear();
    inner.indexes.clear();
    Affine::Affines renamed;
    for (const auto& [from, to] : names_) renamed[from] = Affine(to);
    for (const Affine& constraint : tiled.constraints) {
      outer.constraints.push_back(constraint.substitute(renamed));
    }
    for (const Index& idx : tiled.indexes) split_index(idx, outer, inner);
    std::stable_sort(outer.indexes.begin(), outer.indexes.end(),
                     [](const Index& a, const Index& b) { return a.name < b.name; });
    outer.refs = tiled.refs;
    // A block's own buffer is fresh at every position, including positions that become inner ones.
    const bool repeated = std::any_of(inner.indexes.begin(), inner.indexes.end(),
                                      [](const Index& idx) { return idx.range > 1; });
    for (auto& [into, ref] : inner.refs) {
      if (repeated && ref.direction == Direction::none) {
        outer.refs.erase(into);
      } else {
        narrow(ref);
      }
    }
    for (auto& [into, ref] : outer.refs) widen(tiled, ref);
    Statement nested;
    nested.op = BlockBox(std::move(inner));
    outer.append(std::move(nested));
    flatten_trivial(outer);
    Statement result;
    result.attributes = tiled_.attributes;
    result.op = BlockBox(std::move(outer));
    return result;
  }

 private:
  void split_index(const Index& idx, Block& outer, Block& inner) const {
    const auto it = names_.find(idx.name);
    if (it == names_.end() && !idx.is_computed()) {
      inner.indexes.push_back(idx);
      return;
    }
    Index passed;
    passed.name = idx.name;
    passed.affine = Affine(it != names_.end() ? it->second : idx.name);
    inner.indexes.push_back(passed);
    outer.indexes.push_back(idx);
    outer.indexes.back().name = passed.affine.terms()[0].first;
  }

  /// Keeps the mapped terms in the outer view's access and enlarges it by the range of the others.
  void widen(const Block& tiled, Refinement& ref) const {
    for (std::size_t i = 0; i < ref.access.size(); ++i) {
      Affine kept(ref.access[i].constant());
      auto size = static_cast<std::int64_t>(ref.shape.dims[i].size);
      for (const Affine::Term& term : ref.access[i].terms()) {
        const auto it = names_.find(term.first);
        if (it != names_.end()) {
          kept += Affine(it->second, term.second);
          continue;
        }
        const Index& idx = *tiled.index(term.first);
        if (idx.is_computed()) {
          kept += Affine(term.first, term.second);
          continue;
        }
        const std::int64_t factor =
            term.second < 0 ? multiply_checked(term.second, -1) : term.second;
        size =
            add_checked(size, multiply_checked(factor, static_cast<std::int64_t>(idx.range) - 1));
        // A term with a negative coefficient begins at its lowest element.
        if (term.second < 0) {
          kept += Affine(multiply_checked(term.second, static_cast<std::int64_t>(idx.range) - 1));
        }
      }
      ref.shape.dims[i].size = static_cast<std::uint64_t>(size);
      ref.access[i] = kept;
    }
  }

  void narrow(Refinement& ref) const {
    ref.from = ref.into;
    if (ref.direction == Direction::none) ref.direction = Direction::inout;
    const Block& tiled = *tiled_.block();
    for (Affine& access : ref.access) {
      Affine kept;
      for (const Affine::Term& term : access.terms()) {
        if (names_.count(term.first) != 0) continue;
        const Index& idx = *tiled.index(term.first);
        if (idx.is_computed()) continue;
        kept += Affine(term.first, term.second);
        if (term.second < 0) {
          kept -= Affine(multiply_checked(term.second, static_cast<std::int64_t>(idx.range) - 1));
        }
      }
      access = kept;
    }
  }

  const Names& names_;
  Statement tiled_;
};

bool has_inner_block(const Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(),
                     [](const Statement& stmt) { return stmt.block() != nullptr; });
}

bool has_constraints(const Block& block) {
  return !block.constraints.empty() ||
         std::any_of(block.statements.begin(), block.statements.end(), [](const Statement& stmt) {
           return stmt.block() != nullptr && has_constraints(*stmt.block());
         });
}

const Statement* first_inner(const Block& block) {
  if (block.statements.empty() || block.statements[0].block() == nullptr) return nullptr;
  return &block.statements[0];
}

class Fusion : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("parent_reqs", options_.parent_reqs, "tags of the enclosing block");
    v.tags("a_reqs", options_.a_reqs, "tags of the first block");
    v.tags("b_reqs", options_.b_reqs, "tags of the second");
    v.tags("fused_set", options_.fused_set, "tags for the fused block");
    v.tags("exclude", options_.exclude, "blocks with any of these tags are not fused");
    v.flag("output_match", options_.output_match, "only blocks of as many indexes");
    v.flag("no_inner", options_.no_inner, "not if blocks would be nested inside");
    v.flag("no_constraints", options_.no_constraints, "not if there would be constraints");
    v.tags("a_inner_set", options_.a_inner_set,
           "tags for the blocks inside that come from the first");
    v.tags("b_inner_set", options_.b_inner_set, "the same, from the second");
    v.number("max_refs", options_.max_refs, "refinements a fused block has at most");
  }

  void run(Program& program) const override {
    const AliasMap outside;
    recurse(outside, program.entry);
  }

 private:
  void recurse(const AliasMap& outer, Statement& stmt) const {
    Block* block = stmt.block();
    if (block == nullptr) return;
    fuse_statements(AliasMap(outer, *block), stmt);
    const AliasMap map(outer, *block);
    for (Statement& inner : block->statements) recurse(map, inner);
  }

  void fuse_statements(const AliasMap& scope, Statement& parent) const {
    Block& block = *parent.block();
    for (std::size_t at = 0; at < block.statements.size(); ++at) {
      while (at + 1 < block.statements.size() && fuse_pair(scope, parent, at)) {
      }
    }
  }

  [[nodiscard]] bool wanted(const Statement& parent, const Statement& a, const Statement& b) const {
    return parent.has_tags(options_.parent_reqs) && a.has_tags(options_.a_reqs) &&
           b.has_tags(options_.b_reqs) && !a.has_any_tag(options_.exclude) &&
           !b.has_any_tag(options_.exclude) &&
           (!options_.output_match || a.block()->indexes.size() == b.block()->indexes.size()) &&
           a.block()->refs.size() + b.block()->refs.size() <= options_.max_refs + 1;
  }

  /// The first input of the second block that the first one writes.
  static std::optional<std::string> common_buffer(const Block& a, const Block& b) {
    std::set<std::string> written;
    for (const auto& [into, ref] : a.refs) {
      if (writes(ref.direction)) written.insert(ref.from);
    }
    for (const Refinement* ref : b.refs_of(Direction::in)) {
      if (written.count(ref->from) != 0) return ref->from;
    }
    return std::nullopt;
  }

  bool fuse_pair(const AliasMap& scope, Statement& parent, std::size_t at) const {
    Block& block = *parent.block();
    Statement& a = block.statements[at];
    Statement& b = block.statements[at + 1];
    if (a.block() == nullptr || b.block() == nullptr || !wanted(parent, a, b)) return false;
    const auto buffer = common_buffer(*a.block(), *b.block());
    if (!buffer) return false;
    const auto plan = Planner(scope, *a.block(), *b.block()).run(*buffer);
    if (!plan) return false;
    Statement fused = Split(a, plan->names_a, plan->tile_a, false, true).run();
    const bool counts = fused.block()->positions() > 1 || first_inner(*fused.block()) == nullptr;
    Statement second = Split(b, plan->names_b, plan->tile_b, plan->interleave_b, counts).run();
    if (!allowed(fused, second)) return false;
    share_computed(*fused.block(), *second.block());
    add_inner_tags(*fused.block(), options_.a_inner_set);
    add_inner_tags(*second.block(), options_.b_inner_set);
    if (!merge_blocks(scope, *fused.block(), *second.block())) return false;
    fused.add_tags(options_.fused_set);
    const StatementId id = a.id;
    a = std::move(fused);
    a.id = id;
    block.erase(at + 1);
    for (Statement& stmt : block.statements) stmt.deps.clear();
    return true;
  }

  [[nodiscard]] bool allowed(const Statement& a, const Statement& b) const {
    const Block& block_a = *a.block();
    const Block& block_b = *b.block();
    if (options_.no_inner && (has_inner_block(block_a) || has_inner_block(block_b))) return false;
    if (options_.no_constraints && (has_constraints(block_a) || has_constraints(block_b))) {
      return false;
    }
    if (block_a.positions() != 1 || block_b.positions() != 1) return true;
    const Statement* inner_a = first_inner(block_a);
    const Statement* inner_b = first_inner(block_b);
    if ((inner_a == nullptr) != (inner_b == nullptr)) return false;
    return inner_a == nullptr || !inner_a->has_tag("eltwise") || !inner_b->has_tag("eltwise") ||
           inner_a->block()->positions() == inner_b->block()->positions();
  }

  /// Computed indexes that only one has do not keep the other from counting alike.
  static void share_computed(Block& a, Block& b) {
    const auto copy = [](const Block& from, Block& to) {
      for (const Index& idx : from.indexes) {
        if (idx.is_computed() && to.index(idx.name) == nullptr) to.indexes.push_back(idx);
      }
    };
    copy(a, b);
    copy(b, a);
    for (Block* block : {&a, &b}) {
      std::stable_sort(block->indexes.begin(), block->indexes.end(),
                       [](const Index& x, const Index& y) { return x.name < y.name; });
    }
  }

  static void add_inner_tags(Block& block, const Tags& tags) {
    for (Statement& stmt : block.statements) {
      if (stmt.block() != nullptr) stmt.add_tags(tags);
    }
  }

  FusionOptions options_;
};

}  // namespace

std::unique_ptr<Pass> make_fusion() { return std::make_unique<Fusion>(); }

}  // namespace tactus::stripe
