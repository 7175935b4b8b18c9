// localize: buffers that only one nested block uses become its own.
#include <set>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

/// Statements of the block that use each refinement.
std::map<std::string, std::size_t> use_counts(const Block& block) {
  std::map<std::string, std::size_t> counts;
  for (const Statement& stmt : block.statements) {
    for (const std::string& name : buffers_of(stmt)) ++counts[name];
  }
  return counts;
}

void make_local(Block& block, Refinement& ref) {
  const bool is_const = ref.shape.is_const;
  ref.shape = compact_shape(ref.shape.type, ref.shape.sizes());
  ref.shape.is_const = is_const;
  if (ref.bank_dim && *ref.bank_dim < ref.shape.dims.size()) {
    ref.shape.dims[*ref.bank_dim].stride = 0;
  }
  ref.direction = Direction::none;
  ref.from.clear();
  for (Affine& access : ref.access) access = Affine();
  ref.remove_tag("tmp");
  fix_up(block, ref.into);
}

class Localize : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks whose buffers are moved inwards");
    v.tags("ref_reqs", ref_reqs_, "tags a refinement needs to be moved; none: all are");
  }

  void run(Program& program) const override {
    on_blocks(program, reqs_,
              [this](const AliasMap&, Statement& stmt) { localize(*stmt.block()); });
  }

 private:
  void localize(Block& block) const {
    auto counts = use_counts(block);
    for (Statement& stmt : block.statements) {
      Block* nested = stmt.block();
      if (nested == nullptr) continue;
      // Two views of one buffer would become two buffers.
      std::map<std::string, std::size_t> views;
      for (const auto& [into, ref] : nested->refs) ++views[ref.from];
      std::vector<std::string> moved;
      for (auto& [into, ref] : nested->refs) {
        if (ref.direction == Direction::none || views[ref.from] != 1) continue;
        const Refinement* source = block.ref(ref.from);
        if (source == nullptr || counts[ref.from] != 1) continue;
        if (source->direction != Direction::none && !source->has_tag("tmp")) continue;
        if (source->has_tag("user") || !ref.has_tags(ref_reqs_)) continue;
        moved.push_back(into);
      }
      for (const std::string& into : moved) {
        Refinement& ref = nested->ref_at(into);
        block.take_ref(ref.from);
        make_local(*nested, ref);
      }
      localize(*nested);
    }
  }

  Tags reqs_, ref_reqs_;
};

}  // namespace

std::unique_ptr<Pass> make_localize() { return std::make_unique<Localize>(); }

}  // namespace tactus::stripe
