// pad: buffers grow a rim of zeros, so that multiply-adds need no constraints at the edges.
#include <algorithm>
#include <set>

#include "firmware/compiler/stripe/passes/cache.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

/// Zeros added to a sum of products change nothing.
bool is_multiply_add(const Statement& stmt) {
  return stmt.block() != nullptr && stmt.has_tag("agg_op_add") && stmt.has_tag("comb_op_mul");
}

using Extents = std::map<std::string, std::vector<Extent>>;  // ranges that are read, by base name

class Padder {
 public:
  Padder(Block& block, const AliasMap& map) : block_(block), map_(map) {}

  void run() {
    for (Statement& stmt : block_.statements) {
      if (!is_multiply_add(stmt)) continue;
      for (const Refinement* ref : stmt.block()->refs_of(Direction::in)) {
        std::vector<Extent>& extents = extents_[map_.at(ref->from).base_name];
        if (!extents.empty()) continue;
        for (const Affine& access : ref->access) {
          extents.push_back({access.constant(), access.constant()});
        }
      }
      collect(*stmt.block(), map_);
    }
    // Operations on whole buffers would see the rim.
    for (const Statement& stmt : block_.statements) {
      if (stmt.as<Special>() == nullptr) continue;
      for (const std::string& name : buffers_of(stmt)) extents_.erase(map_.at(name).base_name);
    }
    std::set<std::string> foreign;
    for (const auto& [into, ref] : block_.refs) {
      if (!reaches_out(ref)) continue;
      padded_.insert(into);
      bases_[into] = map_.at(into).base_name;
      if (ref.direction != Direction::none) foreign.insert(into);
    }
    for (Statement& stmt : block_.statements) {
      if (is_multiply_add(stmt)) drop_edges(*stmt.block());
    }
    for (const std::string& into : foreign) copy(into);
    for (const std::string& into : padded_) grow(block_.ref_at(into));
    for (const std::string& into : padded_) fill(into);
    mark_writers();
  }

 private:
  /// Collects the ranges that loads at any depth read of buffers used by multiply-adds.
  void collect(Block& block, const AliasMap& outer) {
    const AliasMap map(outer, block);
    for (Statement& stmt : block.statements) {
      if (Block* nested = stmt.block()) {
        collect(*nested, map);
      } else if (const auto* load = stmt.as<Load>()) {
        const AliasInfo& view = map.at(load->from);
        const auto it = extents_.find(view.base_name);
        if (it == extents_.end()) continue;
        for (std::size_t i = 0; i < view.extents.size() && i < it->second.size(); ++i) {
          it->second[i].min = std::min(it->second[i].min, view.extents[i].min);
          it->second[i].max = std::max(it->second[i].max, view.extents[i].max);
        }
      }
    }
  }

  [[nodiscard]] bool reaches_out(const Refinement& ref) const {
    const auto it = extents_.find(map_.at(ref.into).base_name);
    if (it == extents_.end()) return false;
    for (std::size_t i = 0; i < it->second.size(); ++i) {
      const Extent& extent = it->second[i];
      if (extent.min < 0 || extent.max >= static_cast<std::int64_t>(ref.shape.dims[i].size)) {
        return true;
      }
    }
    return false;
  }

  /// Constraints that only keep an input inside its buffer.
  void drop_edges(Block& block) {
    const auto is_edge = [&](const Affine& constraint) {
      for (const Refinement* ref : block.refs_of(Direction::in)) {
        if (extents_.count(map_.at(ref->from).base_name) == 0) continue;
        const TensorShape& base = map_.at(ref->from).base->shape;
        for (std::size_t i = 0; i < ref->access.size(); ++i) {
          const Affine last(static_cast<std::int64_t>(base.dims[i].size) - 1);
          if (ref->access[i] == constraint || ref->access[i] + constraint == last) return true;
        }
      }
      return false;
    };
    block.constraints.erase(
        std::remove_if(block.constraints.begin(), block.constraints.end(), is_edge),
        block.constraints.end());
  }

  /// Makes a padded copy of a buffer of an outer block, which cannot be enlarged itself.
  void copy(const std::string& into) {
    const Refinement& ref = block_.ref_at(into);
    CacheOptions options;
    options.memory = ref.location;
    options.load_tags = {"kernel", "eltwise", "eltwise_padding"};
    options.store_tags = options.load_tags;
    const Direction way = writes(ref.direction) ? Direction::out : Direction::in;
    cache_refinement(map_, block_, into, way, options);
  }

  void grow(Refinement& ref) {
    const std::vector<Extent>& extents = extents_.at(bases_.at(ref.into));
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const std::int64_t before = std::max<std::int64_t>(0, -extents[i].min);
      const std::int64_t read = extents[i].max + 1 - extents[i].min;
      Dimension& dim = ref.shape.dims[i];
      dim.size =
          static_cast<std::uint64_t>(std::max(read, static_cast<std::int64_t>(dim.size) + before));
      for (Statement& stmt : block_.statements) {
        Block* nested = stmt.block();
        if (nested == nullptr) continue;
        for (auto& [into, view] : nested->refs) {
          if (view.direction != Direction::none && view.from == ref.into) {
            view.access[i] += Affine(before);
          }
        }
      }
    }
    compact(ref.shape);
    fix_up(block_, ref.into);
  }

  /// Removes gaps; dimensions keep the order of their strides.
  static void compact(TensorShape& shape) {
    std::vector<Dimension*> order;
    for (Dimension& dim : shape.dims) order.push_back(&dim);
    std::stable_sort(order.begin(), order.end(),
                     [](const Dimension* a, const Dimension* b) { return a->stride > b->stride; });
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      order[i]->stride = stride;
      stride = multiply_checked(stride, static_cast<std::int64_t>(order[i]->size));
    }
  }

  void fill(const std::string& into) {
    Statement zero;
    zero.op = Special{"zero", {}, {into}, {}, {}};
    block_.insert(0, std::move(zero));
  }

  /// Marks writers: sums into a zeroed buffer add to its contents.
  void mark_writers() {
    for (Statement& stmt : block_.statements) {
      if (!is_multiply_add(stmt)) continue;
      for (Refinement* ref : stmt.block()->refs_of(Direction::out)) {
        if (padded_.count(ref->from) == 0) continue;
        ref->direction = Direction::inout;
        ref->set_tag("initialized");
      }
    }
  }

  Block& block_;
  const AliasMap& map_;
  Extents extents_;
  std::set<std::string> padded_;
  std::map<std::string, std::string> bases_;
};

class Pad : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks whose buffers may grow");
  }
  void run(Program& program) const override {
    on_blocks(program, reqs_,
              [](const AliasMap& map, Statement& stmt) { Padder(*stmt.block(), map).run(); });
  }

 private:
  Tags reqs_;
};

}  // namespace

std::unique_ptr<Pass> make_pad() { return std::make_unique<Pad>(); }

}  // namespace tactus::stripe
