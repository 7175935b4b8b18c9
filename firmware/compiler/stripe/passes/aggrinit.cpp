// aggrinit: says where aggregations have to be started.
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

Statement start(const std::string& op, const std::string& into) {
  Statement stmt;
  stmt.op = Special{"agg_init_" + op, {}, {into}, {}, {}};
  return stmt;
}

bool aggregates(const Refinement& ref) { return aggregation_of(ref.agg_op) != Aggregation::none; }

class AggrInit : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to look at, with all below them");
  }

  void run(Program& program) const override {
    on_blocks(program, reqs_, [](const AliasMap&, Statement& stmt) { initialize(*stmt.block()); });
  }

 private:
  static void initialize(Block& block) {
    for (std::size_t at = 0; at < block.statements.size(); ++at) {
      Block* nested = block.statements[at].block();
      if (nested == nullptr) continue;
      initialize(*nested);
      const auto outs = nested->refs_of(Direction::out);
      if (outs.size() != 1 || !aggregates(*outs[0])) continue;
      const Refinement& target = block.ref_at(outs[0]->from);
      if (!aggregates(target)) {
        check_untouched(block, at, target.into);
        block.insert(at++, start(outs[0]->agg_op, target.into));
      } else if (target.agg_op != outs[0]->agg_op) {
        user_error("block {}: {} aggregates by {}, its {} by {}", block_name(block), target.into,
                   target.agg_op, outs[0]->into, outs[0]->agg_op);
      }
    }
    for (const Refinement* ref : block.refs_of(Direction::none)) {
      if (aggregates(*ref) && !ref->has_tag("user")) {
        block.insert(0, start(ref->agg_op, ref->into));
      }
    }
  }

  /// The start fills the whole buffer, a rim of zeros and other parts included.
  static void check_untouched(const Block& block, std::size_t before, const std::string& into) {
    for (std::size_t at = 0; at < before; ++at) {
      for (const std::string& name : uses_of(block.statements[at]).buffer_writes) {
        if (name != into) continue;
        user_error(
            "block {}: starting the aggregation into {} would overwrite what statement {} wrote",
            block_name(block), into, at);
      }
    }
  }

  Tags reqs_;
};

}  // namespace

std::unique_ptr<Pass> make_aggrinit() { return std::make_unique<AggrInit>(); }

}  // namespace tactus::stripe
