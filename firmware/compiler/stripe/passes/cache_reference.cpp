#include "firmware/compiler/stripe/passes/cache_reference.h"

#include <algorithm>
#include <cstdlib>

#include "firmware/compiler/stripe/passes/support.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// A block on the path to the reference block, and its view of the buffer.
struct Level {
  Block* block = nullptr;
  Refinement* ref = nullptr;
};

/// Contribution of an index to a dimension of the copy.
struct Part {
  std::size_t level = 0;
  std::string index;
  std::uint64_t range = 1;
  std::int64_t factor = 1;
};

/// A dimension of the copy.
struct Axis {
  std::string name;
  std::uint64_t size = 1;
  std::vector<std::int64_t> steps;  ///< step in each dimension of the buffer's view
  std::int64_t distance = 0;        ///< elements a step moves in the buffer, as a magnitude
  std::vector<Part> parts;
};

[[noreturn]] void refuse(const Block& block, const std::string& into, const std::string& why) {
  user_error("block {}: {} cannot be copied by a reference block: {}", block_name(block), into,
             why);
}

/// Follows the buffer down the path; empty if the reference block does not use it.
std::vector<Level> levels_of(Block& block, const std::string& into,
                             const std::vector<std::size_t>& path) {
  std::vector<Level> levels;
  Block* above = &block;
  std::string name = into;
  for (const std::size_t at : path) {
    Level level;
    for (std::size_t i = 0; i < above->statements.size(); ++i) {
      Block* nested = above->statements[i].block();
      if (nested == nullptr) {
        if (buffers_of(above->statements[i]).count(name) != 0) {
          refuse(block, into, "block " + block_name(*above) + " uses it beside that block");
        }
        continue;
      }
      for (auto& [inner, ref] : nested->refs) {
        if (ref.direction == Direction::none || ref.from != name) continue;
        if (i != at) refuse(block, into, "block " + block_name(*nested) + " uses it, too");
        if (level.ref != nullptr) {
          refuse(block, into, "block " + block_name(*nested) + " has two views of it");
        }
        level = {nested, &ref};
      }
    }
    if (level.ref == nullptr) return {};
    levels.push_back(level);
    above = level.block;
    name = level.ref->into;
  }
  return levels;
}

void check_reference(const Block& block, const std::string& into,
                     const std::vector<Level>& levels) {
  const Block& last = *levels.back().block;
  const Refinement& ref = *levels.back().ref;
  for (const Dimension& dim : ref.shape.dims) {
    if (dim.size != 1) refuse(block, into, block_name(last) + " sees more than an element of it");
  }
  for (const Statement& stmt : last.statements) {
    if (stmt.as<Load>() != nullptr || stmt.as<Store>() != nullptr) continue;
    if (buffers_of(stmt).count(ref.into) != 0) {
      refuse(block, into, block_name(last) + " hands it on");
    }
  }
}

/// Returns an axis for each index that moves the view, in the order of levels and their indexes.
std::vector<Axis> axes_of(const Block& block, const std::string& into,
                          const std::vector<Level>& levels) {
  std::vector<Axis> axes;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Refinement& ref = *levels[l].ref;
    for (const Index& idx : levels[l].block->indexes) {
      Axis axis;
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < ref.access.size(); ++d) {
        axis.steps.push_back(ref.access[d].coefficient(idx.name));
        flat = add_checked(flat, multiply_checked(axis.steps.back(), ref.shape.dims[d].stride));
      }
      if (std::all_of(axis.steps.begin(), axis.steps.end(), [](auto s) { return s == 0; })) {
        continue;
      }
      if (idx.is_computed()) {
        refuse(block, into,
               "the computed index " + idx.name + " of block " + block_name(*levels[l].block) +
                   " moves it");
      }
      axis.name = idx.name;
      axis.size = idx.range;
      axis.distance = std::abs(flat);
      axis.parts.push_back({l, idx.name, idx.range, 1});
      axes.push_back(std::move(axis));
    }
  }
  return axes;
}

/// The dimension an axis moves in, if it is one only.
std::optional<std::size_t> only_dimension(const Axis& axis) {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < axis.steps.size(); ++d) {
    if (axis.steps[d] == 0) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

/// True if two axes step through the same elements: they move in one dimension, one step is a
/// multiple of the other, and the range of the finer one covers a step of the coarser one.
bool share_elements(const Axis& a, const Axis& b) {
  const auto dim = only_dimension(a);
  if (!dim || only_dimension(b) != dim) return false;
  std::int64_t fine = std::abs(a.steps[*dim]);
  std::int64_t coarse = std::abs(b.steps[*dim]);
  std::uint64_t size = a.size;
  if (fine > coarse) {
    std::swap(fine, coarse);
    size = b.size;
  }
  return coarse % fine == 0 &&
         multiply_checked(fine, static_cast<std::int64_t>(size) - 1) >= coarse;
}

/// One axis in place of two. `origin`: where the view begins, which negative steps move.
Axis join(const Axis& a, const Axis& b, std::vector<std::int64_t>& origin) {
  const std::size_t dim = *only_dimension(a);
  const std::int64_t step = std::min(std::abs(a.steps[dim]), std::abs(b.steps[dim]));
  Axis axis;
  axis.name = a.name + "_" + b.name;
  axis.steps.assign(a.steps.size(), 0);
  axis.steps[dim] = step;
  axis.distance = std::min(a.distance, b.distance);
  for (const Axis* old : {&a, &b}) {
    const std::int64_t factor = old->steps[dim] / step;
    const auto last = static_cast<std::int64_t>(old->size) - 1;
    axis.size += static_cast<std::uint64_t>(multiply_checked(std::abs(factor), last));
    if (factor < 0) {
      origin[dim] = add_checked(origin[dim], multiply_checked(old->steps[dim], last));
    }
    for (Part part : old->parts) {
      part.factor = multiply_checked(part.factor, factor);
      axis.parts.push_back(std::move(part));
    }
  }
  return axis;
}

void join_neighbours(std::vector<Axis>& axes, std::vector<std::int64_t>& origin) {
  for (std::size_t i = 0; i + 1 < axes.size();) {
    if (!share_elements(axes[i], axes[i + 1])) {
      ++i;
      continue;
    }
    axes[i] = join(axes[i], axes[i + 1], origin);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

/// Lets every level see the copy in place of the buffer.
void redirect(const std::vector<Level>& levels, const std::vector<Axis>& axes,
              const Refinement& copy) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Refinement& ref = *levels[l].ref;
    ref.shape = copy.shape;
    ref.location = copy.location;
    ref.offset = 0;
    ref.bank_dim.reset();
    ref.access.assign(copy.shape.dims.size(), Affine());
    for (Dimension& dim : ref.shape.dims) dim.size = 1;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      for (const Part& part : axes[d].parts) {
        const std::int64_t reach =
            multiply_checked(std::abs(part.factor), static_cast<std::int64_t>(part.range) - 1);
        if (part.level > l) ref.shape.dims[d].size += static_cast<std::uint64_t>(reach);
        if (part.level != l) continue;
        ref.access[d] += Affine(part.index, part.factor);
        // A part with a negative step begins at its end.
        if (part.factor < 0) ref.access[d] += Affine(reach);
      }
    }
  }
}

/// Keeps the transfer inside the buffer, by indexes of the block around.
void add_constraints(const AliasMap& outer, Block& block, std::size_t at, const std::string& side,
                     bool clip) {
  Block& transfer = *block.statements[at].block();
  // The block's refinements have changed since `outer` was made.
  const AliasMap around(*outer.outer(), block);
  const std::string prefix = "d" + std::to_string(around.depth()) + ":";
  const auto passed = [&transfer](const std::string& name) {
    for (const Index& idx : transfer.indexes) {
      if (idx.affine == Affine(name)) return idx.name;
    }
    Index idx;
    idx.name = transfer.unique_index_name(name);
    idx.affine = Affine(name);
    transfer.indexes.push_back(idx);
    return idx.name;
  };
  const Refinement& far = transfer.ref_at(side);
  const AliasInfo& view = around.at(far.from);
  for (const Affine& access : view.access) {
    for (const Affine::Term& term : access.terms()) {
      if (term.first.compare(0, prefix.size(), prefix) == 0) {
        (void)passed(term.first.substr(prefix.size()));
      }
    }
  }
  if (!clip) return;
  const AliasMap inside(around, transfer);
  const AliasInfo& info = inside.at(side);
  for (std::size_t d = 0; d < far.access.size(); ++d) {
    const std::int64_t last = static_cast<std::int64_t>(info.base->shape.dims[d].size) - 1;
    const bool below = info.extents[d].min < 0;
    const bool above = info.extents[d].max > last;
    if (!below && !above) continue;
    const Affine begin = around.translate(view.access[d]);
    Affine position = far.access[d] + Affine(begin.constant());
    for (const Affine::Term& term : begin.terms()) {
      position += Affine(passed(term.first), term.second);
    }
    if (below) transfer.constraints.push_back(position);
    if (above) transfer.constraints.push_back(Affine(last) - position);
  }
}

bool find_path(const Block& block, const std::string& tag, std::vector<std::size_t>& path) {
  for (std::size_t i = 0; i < block.statements.size(); ++i) {
    const Block* nested = block.statements[i].block();
    if (nested == nullptr) continue;
    path.push_back(i);
    if (block.statements[i].has_tag(tag) || find_path(*nested, tag, path)) return true;
    path.pop_back();
  }
  return false;
}

/// The coordinates of the first element that the levels reach.
std::vector<std::int64_t> origin_of(const std::vector<Level>& levels) {
  std::vector<std::int64_t> origin(levels.front().ref->access.size(), 0);
  for (const Level& level : levels) {
    for (std::size_t d = 0; d < origin.size(); ++d) {
      origin[d] = add_checked(origin[d], level.ref->access[d].constant());
    }
  }
  return origin;
}

/// Makes an index of the frame for each axis. `near` gets the axes as its dimensions, with the
/// sizes that are returned; `far` gets the elements that they move it to.
std::vector<std::uint64_t> count_axes(const std::vector<Axis>& axes, Block& frame, Refinement& near,
                                      Refinement& far) {
  std::vector<std::uint64_t> sizes;
  for (const Axis& axis : axes) {
    Index idx;
    idx.name = frame.index(axis.name) == nullptr ? axis.name : frame.unique_index_name(axis.name);
    idx.range = axis.size;
    near.access.emplace_back(idx.name);
    sizes.push_back(axis.size);
    for (std::size_t d = 0; d < axis.steps.size(); ++d) {
      far.access[d] += Affine(idx.name, axis.steps[d]);
    }
    frame.indexes.push_back(std::move(idx));
  }
  if (axes.empty()) {
    near.access.emplace_back();
    sizes.push_back(1);
  }
  return sizes;
}

}  // namespace

std::vector<std::size_t> path_to(const Block& block, const std::string& tag) {
  std::vector<std::size_t> path;
  find_path(block, tag, path);
  return path;
}

void cache_by_reference(const AliasMap& map, Block& block, const std::string& into,
                        Direction direction, const CacheOptions& options,
                        const std::vector<std::size_t>& path, bool order_by_stride) {
  const std::vector<Level> levels = levels_of(block, into, path);
  if (levels.empty()) return;
  check_reference(block, into, levels);
  std::vector<std::int64_t> origin = origin_of(levels);
  std::vector<Axis> axes = axes_of(block, into, levels);
  if (order_by_stride) {
    std::stable_sort(axes.begin(), axes.end(),
                     [](const Axis& a, const Axis& b) { return a.distance > b.distance; });
  }
  const std::size_t count = axes.size();
  join_neighbours(axes, origin);

  Refinement raw = block.take_ref(into);
  raw.into = block.unique_ref_name(into + "_raw");
  Block frame;
  frame.location = options.transfer;
  Refinement far, near;
  for (const std::int64_t begin : origin) far.access.emplace_back(begin);
  const std::vector<std::uint64_t> sizes = count_axes(axes, frame, near, far);
  far.from = raw.into;
  far.shape = element_shape(raw.shape);
  far.location = levels.back().ref->location;
  far.offset = levels.back().ref->offset;
  far.bank_dim = levels.back().ref->bank_dim;
  if (writes(direction) && positions_overlap(frame, far)) {
    refuse(block, into, "its elements would have more than one copy");
  }
  Refinement copy;
  copy.into = into;
  copy.agg_op = levels.back().ref->agg_op;
  copy.location = options.memory;
  copy.shape = compact_shape(raw.shape.type, sizes);
  copy.access.resize(sizes.size());
  near.from = into;
  near.shape = element_shape(copy.shape);
  near.location = options.memory;
  if (count == axes.size()) near.set_tag("same_access");

  redirect(levels, axes, copy);
  const std::string far_name = raw.into;
  block.add_ref(std::move(raw));
  block.add_ref(std::move(copy));
  std::size_t at = path.front();
  if (reads(direction)) {
    block.insert(at, make_transfer(frame, "load_" + into, far, near, options.load_tags));
    add_constraints(map, block, at++, "src", options.add_constraints);
  }
  if (writes(direction)) {
    block.insert(at + 1, make_transfer(frame, "store_" + into, near, far, options.store_tags));
    add_constraints(map, block, at + 1, "dst", options.add_constraints);
  }
}

}  // namespace tactus::stripe
