// transpose: buffers of temporaries are laid out by how they are read.
#include <algorithm>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

/// Ranges of the accumulation indexes that step through each dimension of a buffer.
struct Usage {
  Block* block = nullptr;
  Refinement* base = nullptr;
  std::vector<std::uint64_t> summed;
};

class Transpose : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks that read");
    v.tags("alloc_reqs", alloc_reqs_, "tags of the blocks whose buffers are laid out anew");
  }

  void run(Program& program) const override {
    std::set<const Block*> owners;
    on_blocks(
        program, alloc_reqs_,
        [&](const AliasMap&, Statement& stmt) { owners.insert(stmt.block()); },
        Descend::everywhere);
    std::map<std::string, Usage> usages;
    on_blocks(program, reqs_, [&](const AliasMap& map, Statement& stmt) {
      collect(*stmt.block(), map, owners, usages);
    });
    for (auto& [name, usage] : usages) lay_out(usage);
  }

 private:
  static void collect(const Block& block, const AliasMap& map, const std::set<const Block*>& owners,
                      std::map<std::string, Usage>& usages) {
    const auto accumulation = block.accumulation_indexes();
    for (const Refinement* ref : block.refs_of(Direction::in)) {
      const AliasInfo& view = map.at(ref->into);
      if (owners.count(view.base_block) == 0) continue;
      Usage& usage = usages[view.base_name];
      usage.block = view.base_block;
      usage.base = view.base;
      usage.summed.resize(ref->access.size());
      for (std::size_t i = 0; i < ref->access.size(); ++i) {
        for (const std::string& name : accumulation) {
          if (ref->access[i].uses(name)) usage.summed[i] += block.index(name)->range;
        }
      }
    }
  }

  static void lay_out(Usage& usage) {
    std::vector<Dimension>& dims = usage.base->shape.dims;
    if (dims.empty()) return;
    const auto first = static_cast<std::size_t>(
        std::max_element(usage.summed.begin(), usage.summed.end()) - usage.summed.begin());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (i != first) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&dims](std::size_t a, std::size_t b) {
      if (dims[a].size != dims[b].size) return dims[a].size > dims[b].size;
      return dims[a].stride < dims[b].stride;
    });
    order.insert(order.begin(), first);
    std::int64_t stride = 1;
    for (const std::size_t i : order) {
      dims[i].stride = stride;
      stride = multiply_checked(stride, static_cast<std::int64_t>(dims[i].size));
    }
    fix_up(*usage.block, usage.base->into);
  }

  Tags reqs_, alloc_reqs_;
};

}  // namespace

std::unique_ptr<Pass> make_transpose() { return std::make_unique<Transpose>(); }

}  // namespace tactus::stripe
