// scalarize: buffers of one element become scalars.
#include <set>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/scalar.h"

namespace tactus::stripe {
namespace {

/// Buffers of the block that only loads and stores use, and stores before loads.
std::set<std::string> candidates(const Block& block) {
  std::set<std::string> names;
  for (const auto& [into, ref] : block.refs) {
    if (ref.direction == Direction::none && ref.shape.allocation_elements() == 1 &&
        aggregation_of(ref.agg_op) == Aggregation::none && !ref.has_tag("user")) {
      names.insert(into);
    }
  }
  std::set<std::string> stored;
  for (const Statement& stmt : block.statements) {
    if (const auto* store = stmt.as<Store>()) {
      stored.insert(store->into);
    } else if (const auto* load = stmt.as<Load>()) {
      if (stored.count(load->from) == 0) names.erase(load->from);
    } else {
      for (const std::string& name : buffers_of(stmt)) names.erase(name);
    }
  }
  return names;
}

void scalarize(Block& block) {
  const std::set<std::string> buffers = candidates(block);
  for (const std::string& name : buffers) block.take_ref(name);
  std::map<std::string, std::string> holds;    // buffer -> scalar
  std::map<std::string, std::string> same_as;  // scalar that was loaded -> scalar
  const auto resolve = [&same_as](std::string& scalar) {
    const auto it = same_as.find(scalar);
    if (it != same_as.end()) scalar = it->second;
  };
  for (std::size_t at = 0; at < block.statements.size();) {
    Statement& stmt = block.statements[at];
    bool gone = false;
    if (auto* store = stmt.as<Store>()) {
      resolve(store->from);
      gone = buffers.count(store->into) != 0;
      if (gone) holds[store->into] = store->from;
    } else if (auto* load = stmt.as<Load>()) {
      gone = buffers.count(load->from) != 0;
      if (gone) same_as[load->into] = holds.at(load->from);
    } else if (auto* intrinsic = stmt.as<Intrinsic>()) {
      for (std::string& input : intrinsic->inputs) resolve(input);
    } else if (Block* nested = stmt.block()) {
      scalarize(*nested);
    }
    if (gone) {
      block.erase(at);
    } else {
      ++at;
    }
  }
}

class Scalarize : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to look at, with all below them");
  }
  void run(Program& program) const override {
    on_blocks(program, reqs_, [](const AliasMap&, Statement& stmt) { scalarize(*stmt.block()); });
  }

 private:
  Tags reqs_;
};

}  // namespace

std::unique_ptr<Pass> make_scalarize() { return std::make_unique<Scalarize>(); }

}  // namespace tactus::stripe
