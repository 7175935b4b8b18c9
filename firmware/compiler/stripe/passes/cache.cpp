// cache: works on local copies.
#include "firmware/compiler/stripe/passes/cache.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "firmware/compiler/stripe/passes/cache_reference.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/scalar.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// Checks the direction of a copy. A refinement that is read and written needs both transfers; an
/// aggregation, which adds to old contents itself, needs the second one only.
void check_way(const Block& block, const Refinement& ref, Direction way) {
  const bool aggregates = aggregation_of(ref.agg_op) != Aggregation::none;
  if (ref.direction == Direction::inout &&
      way != (aggregates ? Direction::out : Direction::inout)) {
    user_error("block {}: {} (inout{}) needs dirs {}, which copies it {}", block_name(block),
               ref.into, aggregates ? ", " + ref.agg_op : "", aggregates ? "Out, InOut" : "InOut",
               aggregates ? "out only" : "in and out");
  }
}

/// A copy is stored completely, so elements that its position has not written must not belong to
/// other positions.
void check_stores(const Block& block, const Refinement& ref) {
  if (ref.direction == Direction::out && leaves_gaps(block, ref.into)) {
    user_error(
        "block {}: {} cannot be copied: the blocks inside write some of its elements only, and "
        "storing a copy would overwrite the others",
        block_name(block), ref.into);
  }
  if (aggregation_of(ref.agg_op) != Aggregation::none || !positions_overlap(block, ref)) return;
  user_error(
      "block {}: {} cannot be copied: views of its positions overlap, and storing a copy "
      "would overwrite what others wrote",
      block_name(block), ref.into);
}

class Cache : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", reqs_, "tags of the blocks whose refinements are copied");
    v.text("ref", ref_,
           "tag of a block inside: copies are laid out as it uses them; none: as they are");
    v.directions("dirs", directions_, "In, Out or InOut: which refinements");
    v.location("mem_loc", mem_loc_, "where the copies live");
    v.location("xfer_loc", xfer_loc_, "where the transfers run");
    v.flag("add_constraints", add_constraints_, "keep transfers inside the buffer");
    v.flag("reorder_idx", reorder_idx_,
           "with ref: what steps farthest comes first; else in the order of the indexes");
  }

  void run(Program& program) const override {
    const bool in = directions_.count(Direction::in) != 0;
    const bool out = directions_.count(Direction::out) != 0;
    if (directions_.empty() || directions_.count(Direction::none) != 0 || (in && out)) {
      user_error("dirs: one of In, Out and InOut is needed, and not In and Out together");
    }
    // An inout refinement selected by In or Out is copied in this direction only.
    const Direction way = in ? Direction::in : out ? Direction::out : Direction::inout;
    CacheOptions options{
        mem_loc_, xfer_loc_, {"cache", "cache_load"}, {"cache", "cache_store"}, add_constraints_};
    on_blocks(program, reqs_, [&](const AliasMap& map, Statement& stmt) {
      Block& block = *stmt.block();
      std::vector<std::string> names;
      for (const auto& [into, ref] : block.refs) {
        if (directions_.count(ref.direction) != 0) names.push_back(into);
      }
      for (const std::string& into : names) {
        check_way(block, block.ref_at(into), way);
        if (writes(way)) check_stores(block, block.ref_at(into));
      }
      for (const std::string& into : names) {
        if (ref_.empty()) {
          cache_refinement(map, block, into, way, options);
          continue;
        }
        // Transfers that are there already stand before and behind.
        const std::vector<std::size_t> path = path_to(block, ref_);
        if (path.empty())
          user_error("block {}: no block inside has tag {}", block_name(block), ref_);
        cache_by_reference(map, block, into, way, options, path, reorder_idx_);
      }
    });
  }

 private:
  Tags reqs_;
  std::string ref_;
  std::set<Direction> directions_;
  Location mem_loc_, xfer_loc_;
  bool add_constraints_ = true, reorder_idx_ = true;
};

}  // namespace

Statement make_transfer(const Block& frame, const std::string& name, Refinement from, Refinement to,
                        const Tags& tags) {
  Block block = frame;
  block.name = name;
  from.into = "src";
  from.direction = Direction::in;
  to.into = "dst";
  to.direction = Direction::out;
  block.add_ref(std::move(from));
  block.add_ref(std::move(to));
  Statement load, store;
  load.op = Load{"src", "$X"};
  store.op = Store{"$X", "dst"};
  block.append(std::move(load));
  block.append(std::move(store));
  Statement stmt;
  stmt.add_tags(tags);
  stmt.op = BlockBox(std::move(block));
  return stmt;
}

bool positions_overlap(const Block& block, const Refinement& ref) {
  std::set<std::string> apart;
  for (std::size_t i = 0; i < ref.access.size(); ++i) {
    std::vector<Affine::Term> terms = ref.access[i].terms();
    for (Affine::Term& term : terms) term.second = std::abs(term.second);
    std::sort(terms.begin(), terms.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    auto reach = static_cast<std::int64_t>(ref.shape.dims[i].size);
    for (const Affine::Term& term : terms) {
      const auto last = static_cast<std::int64_t>(block.index(term.first)->range) - 1;
      if (last == 0 || term.second < reach) continue;
      apart.insert(term.first);
      reach = add_checked(reach, multiply_checked(term.second, last));
    }
  }
  return std::any_of(block.indexes.begin(), block.indexes.end(), [&apart](const Index& idx) {
    return idx.range > 1 && apart.count(idx.name) == 0;
  });
}

bool leaves_gaps(const Block& block, const std::string& into) {
  const Block* writer = nullptr;
  const Refinement* view = nullptr;
  for (const Statement& stmt : block.statements) {
    if (stmt.block() == nullptr) continue;
    for (const auto& [name, ref] : stmt.block()->refs) {
      if (ref.from != into || !writes(ref.direction)) continue;
      if (writer != nullptr) return false;
      writer = stmt.block();
      view = &ref;
    }
  }
  if (writer == nullptr) return false;
  std::set<std::string> used;
  for (std::size_t d = 0; d < view->access.size(); ++d) {
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;
    for (const Affine::Term& term : view->access[d].terms()) {
      const Index& idx = *writer->index(term.first);
      if (idx.is_computed()) return false;
      if (idx.range == 1) continue;
      if (!used.insert(idx.name).second) return true;
      steps.emplace_back(std::abs(term.second), static_cast<std::int64_t>(idx.range));
    }
    std::sort(steps.begin(), steps.end());
    auto reach = static_cast<std::int64_t>(view->shape.dims[d].size);
    for (const auto& [step, range] : steps) {
      if (step > reach) return true;
      reach = add_checked(reach, multiply_checked(step, range - 1));
    }
  }
  return leaves_gaps(*writer, view->into);
}

void cache_refinement(const AliasMap& map, Block& block, const std::string& into,
                      Direction direction, const CacheOptions& options) {
  const AliasInfo& info = map.at(into);
  Refinement raw = block.take_ref(into);
  raw.into = block.unique_ref_name(into + "_raw");
  Refinement copy;
  copy.into = into;
  copy.agg_op = raw.agg_op;
  copy.location = options.memory;
  copy.shape = compact_shape(raw.shape.type, raw.shape.sizes());
  copy.access.resize(raw.shape.dims.size());

  Block frame;
  frame.location = options.transfer;
  std::vector<Affine> access;
  for (std::size_t i = 0; i < raw.shape.dims.size(); ++i) {
    const std::uint64_t size = raw.shape.dims[i].size;
    const std::string name = "i" + std::to_string(i);
    if (size > 1) {
      Index idx;
      idx.name = name;
      idx.range = size;
      frame.indexes.push_back(idx);
      access.emplace_back(name);
    } else {
      access.emplace_back();
    }
    if (options.add_constraints) map.add_bounds(frame, info, i, name, size <= 1);
  }
  Refinement far, near;
  far.from = raw.into;
  far.access = access;
  far.shape = element_shape(raw.shape);
  far.location = raw.location;
  far.offset = raw.offset;
  far.bank_dim = raw.bank_dim;
  near = far;
  near.from = into;
  near.shape = element_shape(copy.shape);
  near.location = options.memory;
  block.add_ref(std::move(raw));
  block.add_ref(std::move(copy));
  if (reads(direction)) {
    block.insert(0, make_transfer(frame, "load_" + into, far, near, options.load_tags));
  }
  if (writes(direction)) {
    block.append(make_transfer(frame, "store_" + into, near, far, options.store_tags));
  }
  fix_up(block, into);
}

std::unique_ptr<Pass> make_cache() { return std::make_unique<Cache>(); }

}  // namespace tactus::stripe
