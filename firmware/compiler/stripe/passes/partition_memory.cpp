// partition_memory: spreads the largest input of a block over banks and splits the block alike.
#include <algorithm>
#include <set>

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/prune.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/passes/tile.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// Marks indexes that must not be pruned: unroll needs them.
constexpr const char* part_tag = "$part";

struct Banks {
  std::size_t dim = 0;
  std::map<const Block*, std::string> chosen;  ///< index of each block that asked for the banks
};

class PartitionMemory : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to split");
    v.number("num_parts", parts_, "banks; at least 1");
    v.tags("set_tags", set_tags_, "tags for the outer block, which loses those it had");
    v.text("idx_tag", idx_tag_, "tag for the index that counts banks");
  }

  void run(Program& program) const override {
    if (parts_ == 0) user_error("num_parts is missing; at least 1");
    std::map<std::string, Banks> banks;
    on_blocks(program, reqs_, [&](const AliasMap& map, Statement& stmt) {
      require_inner_block(program, stmt);
      choose(*stmt.block(), map, banks);
    });
    on_blocks(program, reqs_,
              [&](const AliasMap& map, Statement& stmt) { split(stmt, map, banks); });
  }

 private:
  void choose(Block& block, const AliasMap& map, std::map<std::string, Banks>& banks) const {
    const auto outs = block.refs_of(Direction::out);
    if (outs.size() != 1) return;
    const Refinement* largest = nullptr;
    std::uint64_t most = 0;
    for (const Refinement* ref : block.refs_of(Direction::in)) {
      const std::uint64_t size = map.at(ref->into).base->shape.allocation_elements();
      if (size > most) {
        most = size;
        largest = ref;
      }
    }
    if (largest == nullptr) return;
    const Affine in = largest->flat_access();
    const Affine out = outs[0]->flat_access();
    // The first index that both use.
    const auto idx = std::find_if(block.indexes.begin(), block.indexes.end(), [&](const Index& i) {
      return i.range > 1 && in.uses(i.name) && out.uses(i.name);
    });
    if (idx == block.indexes.end()) return;
    std::vector<std::size_t> dims;
    for (std::size_t i = 0; i < largest->access.size(); ++i) {
      if (largest->access[i].uses(idx->name)) dims.push_back(i);
    }
    if (dims.size() != 1) return;
    const AliasInfo& view = map.at(largest->into);
    Banks& entry = banks[view.base_name];
    if (!entry.chosen.empty() && entry.dim != dims[0]) {
      user_error("block {}: buffer {} would be spread over banks in dimension {} and {}",
                 block_name(block), view.base->into, entry.dim, dims[0]);
    }
    entry.dim = dims[0];
    entry.chosen[&block] = idx->name;
    view.base->bank_dim = dims[0];
  }

  void split(Statement& stmt, const AliasMap& map,
             const std::map<std::string, Banks>& banks) const {
    Block& block = *stmt.block();
    std::vector<std::uint64_t> sizes;
    for (const Index& idx : block.indexes) sizes.push_back(idx.range);
    std::map<std::string, std::string> banked;  // refinement -> index
    std::set<std::string> primary;
    for (const auto& [into, ref] : block.refs) {
      const auto found = banks.find(map.at(into).base_name);
      if (found == banks.end()) continue;
      const auto chosen = found->second.chosen.find(&block);
      const std::string name = chosen != found->second.chosen.end()
                                   ? chosen->second
                                   : largest_index(block, ref, found->second.dim);
      if (chosen != found->second.chosen.end()) primary.insert(name);
      banked[into] = name;
      for (std::size_t i = 0; i < block.indexes.size(); ++i) {
        if (block.indexes[i].name != name) continue;
        block.indexes[i].set_tag(part_tag);
        sizes[i] = divide_up(block.indexes[i].range, parts_);
      }
    }
    TileOptions options;
    options.copy_tags = true;
    apply_tile(stmt, sizes, options);
    for (const auto& [into, name] : banked) block.ref_at(into).cache_unit = Affine(name);
    stmt.attributes.clear();
    stmt.add_tags(set_tags_);
    for (const std::string& name : primary) {
      if (!idx_tag_.empty()) block.index(name)->set_tag(idx_tag_);
    }
    prune_indexes(block, {part_tag});
  }

  static std::string largest_index(const Block& block, const Refinement& ref, std::size_t dim) {
    const Index* largest = nullptr;
    for (const Affine::Term& term : ref.access[dim].terms()) {
      const Index* idx = block.index(term.first);
      if (largest == nullptr || idx->range > largest->range) largest = idx;
    }
    if (largest == nullptr) {
      user_error("block {}: no index goes through the banks of {}", block_name(block), ref.into);
    }
    return largest->name;
  }

  Tags reqs_, set_tags_;
  std::uint64_t parts_ = 0;
  std::string idx_tag_;
};

}  // namespace

std::unique_ptr<Pass> make_partition_memory() { return std::make_unique<PartitionMemory>(); }

}  // namespace tactus::stripe
