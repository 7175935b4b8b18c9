// partition_compute: splits blocks into about as many tiles as there are units.

#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/passes/tile.h"
#include "firmware/compiler/stripe/passes/tile_search.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

class PartitionCompute : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks to split");
    v.number("num_parts", parts_, "units; at least 1");
    v.tags("set_tags", set_tags_, "tags for the outer block, which loses those it had");
    v.text("idx_tag", idx_tag_, "tag for the outer indexes that count units");
    v.flag("only_multiple_of_32", only_multiple_of_32_, "sizes that are multiples of 32");
  }

  void run(Program& program) const override {
    if (parts_ == 0) user_error("num_parts is missing; at least 1");
    on_blocks(program, reqs_, [&](const AliasMap&, Statement& stmt) {
      require_inner_block(program, stmt);
      split(stmt);
    });
  }

 private:
  void split(Statement& stmt) const {
    Block& block = *stmt.block();
    const auto accumulation = block.accumulation_indexes();
    TileSearch search;
    if (only_multiple_of_32_) search.growth = TileGrowth::by_32;
    for (const Index& idx : block.indexes) {
      search.grows.push_back(accumulation.count(idx.name) == 0);
    }
    search.cost = [this, &block](const std::vector<std::uint64_t>& sizes) {
      double count = 1;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        count *= static_cast<double>(divide_up(block.indexes[i].range, sizes[i]));
      }
      const auto parts = static_cast<double>(parts_);
      const double cost = count > parts ? (parts + 1) * (count - parts) : parts - count;
      return TileCost{TileCost::Outcome::valid, cost};
    };
    const auto sizes = best_tile(block, search);
    TileOptions options;
    options.copy_tags = true;
    if (!sizes || !apply_tile(stmt, *sizes, options)) return;
    stmt.attributes.clear();
    stmt.add_tags(set_tags_);
    for (Index& idx : block.indexes) {
      if (idx.range > 1 && !idx_tag_.empty()) idx.set_tag(idx_tag_);
      // Banks were counted by the index before it was split.
      if (!idx_tag_.empty()) idx.remove_tag("bank");
    }
  }

  Tags reqs_, set_tags_;
  std::uint64_t parts_ = 0;
  std::string idx_tag_;
  bool only_multiple_of_32_ = false;
};

}  // namespace

std::unique_ptr<Pass> make_partition_compute() { return std::make_unique<PartitionCompute>(); }

}  // namespace tactus::stripe
