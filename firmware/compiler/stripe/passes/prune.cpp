// prune_idxs, prune_refs: remove indexes of range 1 and unused refinements.
#include <set>

#include "firmware/compiler/stripe/lookup.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/prune.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

/// Removes unused refinements. `used` has the tables of lookups, which are in no statement's list
/// of inputs.
void prune_refs(Block& block, std::set<std::string> used = {}) {
  for (Statement& stmt : block.statements) {
    if (Block* nested = stmt.block()) prune_refs(*nested);
  }
  for (const Statement& stmt : block.statements) {
    used.merge(buffers_of(stmt));
  }
  for (auto it = block.refs.begin(); it != block.refs.end();) {
    it = used.count(it->first) == 0 ? block.refs.erase(it) : std::next(it);
  }
}

class Prune : public Pass {
 public:
  explicit Prune(bool indexes) : indexes_(indexes) {}
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to prune, with all below them");
  }
  void run(Program& program) const override {
    on_blocks(program, reqs_, [this, &program](const AliasMap&, Statement& stmt) {
      if (indexes_) return prune_indexes(*stmt.block(), {});
      const bool entry = &stmt == &program.entry;
      prune_refs(*stmt.block(), entry ? tables_in(*stmt.block()) : std::set<std::string>());
    });
  }

 private:
  bool indexes_;
  Tags reqs_;
};

}  // namespace

void prune_indexes(Block& block, const Tags& keep) {
  std::vector<Index> kept;
  for (const Index& idx : block.indexes) {
    if (idx.range != 1 || idx.is_computed() || idx.has_any_tag(keep)) {
      kept.push_back(idx);
    } else {
      substitute_index(block, idx.name, Affine());
    }
  }
  block.indexes = std::move(kept);
  for (Statement& stmt : block.statements) {
    if (Block* nested = stmt.block()) prune_indexes(*nested, keep);
  }
}

std::unique_ptr<Pass> make_prune_idxs() { return std::make_unique<Prune>(true); }
std::unique_ptr<Pass> make_prune_refs() { return std::make_unique<Prune>(false); }

}  // namespace tactus::stripe
