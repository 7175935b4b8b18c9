// dce: removes statements whose results are not used.
#include <algorithm>
#include <set>

#include "firmware/compiler/stripe/passes/deps.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

constexpr const char* removed = "removed";

/// Results of the block for the one around it.
bool is_result(const Refinement& ref) { return writes(ref.direction) && !ref.has_tag("tmp"); }

void prune(Block& block) {
  std::set<std::string> read, written;
  for (const Statement& stmt : block.statements) {
    const Uses uses = uses_of(stmt);
    read.insert(uses.buffer_reads.begin(), uses.buffer_reads.end());
    written.insert(uses.buffer_writes.begin(), uses.buffer_writes.end());
  }
  for (auto it = block.refs.begin(); it != block.refs.end();) {
    Refinement& ref = it->second;
    const bool is_read = read.count(it->first) != 0;
    const bool is_written = written.count(it->first) != 0;
    const bool used = ref.direction == Direction::in    ? is_read
                      : ref.direction == Direction::out ? is_written
                                                        : is_read || is_written;
    if (!used && !ref.has_tag("user")) {
      it = block.refs.erase(it);
      continue;
    }
    if (ref.direction == Direction::inout) {
      if (!is_written) {
        ref.direction = Direction::in;
      } else if (!is_read && !ref.has_tag("initialized") && ref.agg_op.empty()) {
        ref.direction = Direction::out;
      }
    }
    ++it;
  }
}

class Dce : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to look at");
    v.flag("fix_deps", fix_deps_, "compute dependencies anew, which are dropped otherwise");
  }

  void run(Program& program) const override {
    const AliasMap outside;
    const bool all = reqs_.empty() || reqs_.count("all") != 0;
    eliminate(program.entry, outside, all, 0);
    on_blocks(
        program, reqs_,
        [this](const AliasMap& map, Statement& stmt) {
          if (fix_deps_) {
            compute_deps(*stmt.block(), map);
          } else {
            for (Statement& inner : stmt.block()->statements) inner.deps.clear();
          }
        },
        Descend::everywhere);
  }

 private:
  /// Blocks inside first, last statements first.
  void eliminate(Statement& stmt, const AliasMap& outer, bool all, std::size_t depth) const {
    Block& block = *stmt.block();
    {
      const AliasMap map(outer, block);
      for (auto inner = block.statements.rbegin(); inner != block.statements.rend(); ++inner) {
        if (inner->block() != nullptr) eliminate(*inner, map, all, depth + 1);
      }
    }
    if (!all && !stmt.has_tags(reqs_)) return;
    if (depth == 0) return prune(block);
    remove_statements(block, AliasMap(outer, block));
    prune(block);
    const bool needed = std::any_of(block.refs.begin(), block.refs.end(),
                                    [](const auto& entry) { return is_result(entry.second); });
    if (!needed) stmt.set_tag(removed);
  }

  static void remove_statements(Block& block, const AliasMap& map) {
    compute_deps(block, map);
    std::set<StatementId> needed;
    std::vector<std::size_t> gone;
    for (std::size_t at = block.statements.size(); at-- > 0;) {
      const Statement& stmt = block.statements[at];
      bool used = needed.count(stmt.id) != 0;
      for (const std::string& name : uses_of(stmt).buffer_writes) {
        used = used || is_result(block.ref_at(name));
      }
      if (!used || stmt.has_tag(removed)) {
        gone.push_back(at);
      } else {
        needed.insert(stmt.deps.begin(), stmt.deps.end());
      }
    }
    for (const std::size_t at : gone) block.erase(at);
  }

  Tags reqs_;
  bool fix_deps_ = false;
};

}  // namespace

std::unique_ptr<Pass> make_dce() { return std::make_unique<Dce>(); }

}  // namespace tactus::stripe
