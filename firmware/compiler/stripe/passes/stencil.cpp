// stencil (on the slides tensorize): tiles a block by the shape of a compute unit.
#include <algorithm>
#include <numeric>
#include <optional>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/stencil.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/passes/tile.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// Index names of a block, and the coefficients of each refinement's flat access for them.
class Matcher {
 public:
  Matcher(const Block& block, const Stencil& stencil, bool strict,
          std::optional<StencilMatch>& best)
      : block_(block), stencil_(stencil), strict_(strict), best_(best) {
    for (const Index& idx : block.indexes) names_.push_back(idx.name);
    // If the stencil has more indexes than the block, the others are indexes of range 1.
    for (std::size_t k = names_.size(); k < stencil.indexes.size(); ++k) {
      names_.push_back("$" + std::to_string(k));
    }
    add_refs(Direction::in, ins_, in_strides_);
    add_refs(Direction::out, outs_, out_strides_);
  }

  void run() {
    for (const StencilIndex& rule : stencil_.indexes) {
      if (rule.ins.size() != ins_.size() || rule.outs.size() != outs_.size()) return;
    }
    in_order_.resize(ins_.size());
    std::iota(in_order_.begin(), in_order_.end(), 0);
    do {
      out_order_.resize(outs_.size());
      std::iota(out_order_.begin(), out_order_.end(), 0);
      do {
        assigned_.clear();
        assign();
      } while (std::next_permutation(out_order_.begin(), out_order_.end()));
    } while (std::next_permutation(in_order_.begin(), in_order_.end()));
  }

 private:
  void add_refs(Direction direction, std::vector<std::string>& refs,
                std::vector<std::vector<std::int64_t>>& strides) {
    for (const Refinement* ref : block_.refs_of(direction)) {
      refs.push_back(ref->into);
      const Affine flat = ref->flat_access();
      strides.emplace_back();
      for (const std::string& name : names_) strides.back().push_back(flat.coefficient(name));
    }
  }

  [[nodiscard]] bool legal(const StencilIndex& rule, std::size_t idx) const {
    const auto allows = [](std::int64_t wanted, std::int64_t stride) {
      return wanted == -1 || wanted == stride;
    };
    for (std::size_t k = 0; k < ins_.size(); ++k) {
      if (!allows(rule.ins[k], in_strides_[in_order_[k]][idx])) return false;
    }
    for (std::size_t k = 0; k < outs_.size(); ++k) {
      if (!allows(rule.outs[k], out_strides_[out_order_[k]][idx])) return false;
    }
    return true;
  }

  /// Lays the next index of the stencil on every index of the block that is left.
  void assign() {
    const std::size_t rule = assigned_.size();
    if (rule == stencil_.indexes.size()) return consider();
    for (std::size_t idx = 0; idx < names_.size(); ++idx) {
      if (std::find(assigned_.begin(), assigned_.end(), idx) != assigned_.end()) continue;
      if (!legal(stencil_.indexes[rule], idx)) continue;
      assigned_.push_back(idx);
      assign();
      assigned_.pop_back();
    }
  }

  void consider() {
    StencilMatch match;
    for (const Index& idx : block_.indexes) match.indexes.push_back({idx.name, "*", 1});
    for (std::size_t rule = 0; rule < assigned_.size(); ++rule) {
      if (assigned_[rule] >= block_.indexes.size()) continue;
      StencilMatch::Entry& entry = match.indexes[assigned_[rule]];
      const StencilIndex& wanted = stencil_.indexes[rule];
      entry.stencil_index = wanted.name;
      entry.size = wanted.size == -1 ? block_.indexes[assigned_[rule]].range
                                     : static_cast<std::uint64_t>(wanted.size);
    }
    std::uint64_t slots = 1, tiles = 1;
    bool fits = true;
    for (std::size_t i = 0; i < match.indexes.size(); ++i) {
      const std::uint64_t range = block_.indexes[i].range;
      const std::uint64_t size = match.indexes[i].size;
      if (strict_ && range % size != 0) return;
      const std::uint64_t count = divide_up(range, size);
      fits = fits && !__builtin_mul_overflow(tiles, count, &tiles) &&
             !__builtin_mul_overflow(slots, count, &slots) &&
             !__builtin_mul_overflow(slots, size, &slots);
    }
    std::uint64_t startup = 0;
    fits = fits &&
           !__builtin_mul_overflow(static_cast<std::uint64_t>(stencil_.startup_cost), tiles,
                                   &startup) &&
           !__builtin_add_overflow(slots, startup, &match.cost);
    if (!fits)
      user_error("block {}: the cost of a stencil does not fit 64 bits", block_name(block_));
    for (const std::size_t k : in_order_) match.ins.push_back(ins_[k]);
    for (const std::size_t k : out_order_) match.outs.push_back(outs_[k]);
    if (!best_ || match < *best_) best_ = std::move(match);
  }

  const Block& block_;
  const Stencil& stencil_;
  bool strict_;
  std::optional<StencilMatch>& best_;
  std::vector<std::string> names_, ins_, outs_;
  std::vector<std::vector<std::int64_t>> in_strides_, out_strides_;
  std::vector<std::size_t> in_order_, out_order_, assigned_;
};

class StencilPass : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to match");
    v.stencils("stencils", stencils_, "shapes of the unit");
    v.tags("outer_set", outer_set_, "tags for the outer block");
    v.tags("inner_set", inner_set_, "tags for the inner block");
    v.tag_lists("inputs_set", inputs_set_,
                "tags for the matched inputs, in the order of the rules");
    v.tag_lists("outputs_set", outputs_set_, "the same for the outputs");
    v.flag("is_strict_dims", strict_, "sizes must divide the ranges");
    v.flag("copy_tags", copy_tags_, "the inner block gets the tags the block had");
  }

  void run(Program& program) const override {
    for (const Stencil& stencil : stencils_) check(stencil);
    recurse(program, program.entry);
  }

 private:
  static void check(const Stencil& stencil) {
    if (stencil.startup_cost < 0)
      user_error("a startup_cost of {}; at least 0", stencil.startup_cost);
    for (const StencilIndex& idx : stencil.indexes) {
      if (idx.size < -1 || idx.size == 0) {
        user_error("stencil index \"{}\" has size {}; allowed -1 and from 1", idx.name, idx.size);
      }
    }
  }

  /// Processes inner blocks first, so that blocks made here are not matched again.
  void recurse(const Program& program, Statement& stmt) const {
    Block* block = stmt.block();
    if (block == nullptr) return;
    for (Statement& inner : block->statements) recurse(program, inner);
    if (!stmt.has_tags(reqs_)) return;
    const auto match = find_stencil(*block, stencils_, strict_);
    if (!match) return;
    require_inner_block(program, stmt);
    apply(stmt, *match);
  }

  void apply(Statement& stmt, const StencilMatch& match) const {
    Block& block = *stmt.block();
    for (std::size_t i = 0; i < inputs_set_.size() && i < match.ins.size(); ++i) {
      block.ref_at(match.ins[i]).add_tags(inputs_set_[i]);
    }
    for (std::size_t i = 0; i < outputs_set_.size() && i < match.outs.size(); ++i) {
      block.ref_at(match.outs[i]).add_tags(outputs_set_[i]);
    }
    std::vector<std::uint64_t> sizes;
    for (const StencilMatch::Entry& entry : match.indexes) sizes.push_back(entry.size);
    apply_tile(stmt, sizes);
    Statement& inner = block.statements[0];
    mark(block, match);
    mark(*inner.block(), match);
    stmt.add_tags(outer_set_);
    if (copy_tags_) inner.attributes = stmt.attributes;
    inner.add_tags(inner_set_);
  }

  static void mark(Block& block, const StencilMatch& match) {
    for (const StencilMatch::Entry& entry : match.indexes) {
      Index* idx = block.index(entry.index);
      if (entry.stencil_index == "*" || idx == nullptr) continue;
      idx->set_tag("stencil");
      idx->set_tag("stencil_" + entry.stencil_index);
    }
  }

  Tags reqs_, outer_set_, inner_set_;
  std::vector<Tags> inputs_set_, outputs_set_;
  std::vector<Stencil> stencils_;
  bool strict_ = false, copy_tags_ = false;
};

}  // namespace

std::optional<StencilMatch> find_stencil(const Block& block, const std::vector<Stencil>& stencils,
                                         bool strict) {
  std::optional<StencilMatch> best;
  for (const Stencil& stencil : stencils) Matcher(block, stencil, strict, best).run();
  return best;
}

std::unique_ptr<Pass> make_stencil() { return std::make_unique<StencilPass>(); }

}  // namespace tactus::stripe
