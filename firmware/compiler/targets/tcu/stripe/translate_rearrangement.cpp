// Rearrangements. The frontend says which source element each element of the result is; here blocks
// are made of it.
//
// Result vectors that equal a source vector lane for lane are copied. All others are sums of
// products of source vectors with matrices of zeroes and ones. Vectors that are made in the same
// way, and whose addresses follow a pattern, share a block (nests_of_points.h).
#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/targets/tcu/stripe/nests_of_points.h"
#include "firmware/compiler/targets/tcu/stripe/patterns.h"
#include "firmware/compiler/targets/tcu/stripe/translator.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {
namespace {

/// Number of matrix rows that a source needs: up to the last lane that it supplies.
std::int64_t depth_of(const Pattern::Source& source) {
  return *std::max_element(source.to_lane.begin(), source.to_lane.end());
}

Sizes compact(const nn::Shape& shape) {
  Sizes result;
  for (const std::int64_t size : shape) {
    if (size != 1) result.push_back(size);
  }
  return result;
}

}  // namespace

/// Blocks for one group of vectors: those of one nest of loops.
class Translator::Rearranging {
 public:
  Rearranging(Translator& translator, const Rearrangement& what,
              const Rearrangement::Output& output)
      : t_(translator), what_(what), n_(t_.model_.architecture.array_size) {
    const Layout& result = t_.layout(output.name);
    for (const std::string& piece : what.pieces) {
      const Value& value = t_.model_.value(piece);
      layouts_.push_back(value.layout ? *value.layout
                                      : Layout{value.constant->shape, result.order});
    }
    const auto groups = group_by_pattern(result, layouts_, output.origin, what.fill != 0, n_);
    if (is_alias(groups, result)) {
      t_.alias(output.name, what.pieces.front());
      return;
    }
    for (const std::string& piece : what.pieces) places_.push_back(place_of_piece(piece));
    target_ = t_.make_place(output.name);
    target_rank_ = memory_rank(result);
    for (const auto& [pattern, points] : groups) {
      for (const PointNest& nest : nests_of(points, target_rank_)) {
        if (pattern.copied) {
          copy(pattern, nest);
        } else {
          put_together(pattern, nest);
        }
      }
    }
  }

 private:
  /// True if every vector equals the source's vector of the same number, and the dimensions are
  /// equal.
  [[nodiscard]] bool is_alias(const std::map<Pattern, std::vector<Point>>& groups,
                              const Layout& result) const {
    if (layouts_.size() != 1 || t_.model_.value(what_.pieces[0]).constant) return false;
    const nn::Shape from = layouts_[0].memory_shape(), to = result.memory_shape();
    if (groups.size() != 1 || from.back() != to.back() || compact(from) != compact(to)) {
      return false;
    }
    const auto& [pattern, points] = *groups.begin();
    if (!pattern.copied || pattern.sources.empty()) return false;
    const auto number = [](const std::int32_t* at, const nn::Shape& sizes) {
      std::int64_t row = 0;
      for (std::size_t k = 0; k + 1 < sizes.size(); ++k) row = row * sizes[k] + at[k];
      return row;
    };
    return std::all_of(points.begin(), points.end(), [&](const Point& point) {
      const std::int32_t* source = point.data() + to.size();
      return number(point.data(), to) == number(source, from) && point[to.size() - 1] == 0 &&
             source[from.size() - 1] == 0;
    });
  }

  Place place_of_piece(const std::string& piece) {
    const Value& value = t_.model_.value(piece);
    if (!value.constant) return t_.place_of(piece);
    const Layout& layout = layouts_[places_.size()];
    const nn::Shape sizes = layout.memory_shape();
    const std::vector<std::int64_t> strides = strides_of(layout.shape);
    std::vector<float> values;
    nn::Shape at(sizes.size(), 0);
    do {
      std::int64_t index = 0;
      for (std::size_t k = 0; k < layout.rank(); ++k) index += at[k] * strides[layout.order[k]];
      values.push_back(value.constant->floats[static_cast<std::size_t>(index)]);
    } while (next_position(at, sizes));
    Place place{t_.make_constant(piece, sizes, std::move(values)), {}};
    place.dims.resize(sizes.size());
    std::iota(place.dims.begin(), place.dims.end(), 0);
    return place;
  }

  Kernel next_kernel() { return t_.kernel(fmt::format("_{}", kernels_++)); }

  /// Makes the loops of the nest indexes of the kernel.
  static std::vector<Affine> loops(Kernel& k, const PointNest& nest) {
    std::vector<Affine> indexes;
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      indexes.push_back(k.index(fmt::format("i{}", i), nest.loops[i].count));
    }
    return indexes;
  }

  /// Coordinates from number `first` on, at a position of the loops; the last one in lanes.
  [[nodiscard]] std::vector<Affine> at(const PointNest& nest, const std::vector<Affine>& indexes,
                                       std::size_t first, std::size_t rank) const {
    std::vector<Affine> result;
    for (std::size_t d = 0; d < rank; ++d) {
      Affine place(nest.start[first + d]);
      for (std::size_t i = 0; i < indexes.size(); ++i) {
        place += indexes[i] * nest.loops[i].step[first + d];
      }
      result.push_back(d + 1 == rank ? place * n_ : place);
    }
    return result;
  }

  /// Number of a source's first coordinate in a point.
  [[nodiscard]] std::size_t first_of(const Pattern& pattern, std::size_t source) const {
    std::size_t first = target_rank_;
    for (std::size_t j = 0; j < source; ++j) {
      first += memory_rank(layouts_[static_cast<std::size_t>(pattern.sources[j].piece)]);
    }
    return first;
  }

  void write_target(Kernel& k, const PointNest& nest, const std::vector<Affine>& indexes,
                    const Affine& lane, const std::string& agg) {
    std::vector<Affine> to = at(nest, indexes, 0, target_rank_);
    to.back() += lane;
    t_.write(k, target_.buffer, t_.access(target_, to), agg);
  }

  void copy(const Pattern& pattern, const PointNest& nest) {
    Kernel k = next_kernel();
    k.tag("eltwise");
    const std::vector<Affine> indexes = loops(k, nest);
    const Affine lane = k.index("c", pattern.lanes);
    if (pattern.sources.empty()) {
      const std::string row = t_.table(
          {pattern.lanes}, std::vector<float>(static_cast<std::size_t>(pattern.lanes), what_.fill));
      k.in("X", t_.shapes_.at(row), row, {lane});
    } else {
      const auto piece = static_cast<std::size_t>(pattern.sources[0].piece);
      std::vector<Affine> from = at(nest, indexes, target_rank_, memory_rank(layouts_[piece]));
      from.back() += lane;
      const Place& place = places_[piece];
      k.in("X", t_.shapes_.at(place.buffer), place.buffer, t_.access(place, from));
    }
    write_target(k, nest, indexes, lane, "");
    k.store("Y", k.call("assign", {k.load("X")}));
    t_.append(std::move(k));
  }

  /// True if the nest's result vectors fill a box of the target, which sums in the accumulators
  /// require.
  [[nodiscard]] bool is_box(const PointNest& nest, std::int64_t lanes) const {
    std::vector<std::vector<std::int64_t>> steps(target_rank_);  // steps by dimension
    std::vector<std::vector<std::int64_t>> counts(target_rank_);
    for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
      std::size_t moved = 0;
      for (std::size_t d = 0; d < target_rank_; ++d) {
        if (loop->step[d] == 0) continue;
        ++moved;
        steps[d].push_back(std::abs(loop->step[d]));
        counts[d].push_back(loop->count);
      }
      if (moved != 1) return false;
    }
    for (std::size_t d = 0; d < target_rank_; ++d) {
      if (d + 1 == target_rank_ && !steps[d].empty() && lanes != n_) return false;
      std::int64_t reach = 1;
      for (std::size_t i = 0; i < steps[d].size(); ++i) {
        if (steps[d][i] != reach) return false;
        reach *= counts[d][i];
      }
    }
    return true;
  }

  /// Number of consecutive sources of one piece with a constant distance, at every position.
  [[nodiscard]] std::size_t run_of_sources(const Pattern& pattern, const PointNest& nest,
                                           std::size_t begin) const {
    const std::int32_t piece = pattern.sources[begin].piece;
    const std::size_t rank = memory_rank(layouts_[static_cast<std::size_t>(piece)]);
    const auto part = [&](const Point& point, std::size_t source, std::size_t d) {
      return point[first_of(pattern, source) + d];
    };
    std::size_t end = begin + 1;
    for (; end < pattern.sources.size() && pattern.sources[end].piece == piece; ++end) {
      for (std::size_t d = 0; d < rank; ++d) {
        const auto step = part(nest.start, begin + 1, d) - part(nest.start, begin, d);
        if (part(nest.start, end, d) - part(nest.start, end - 1, d) != step) return end;
        for (const PointNest::Loop& loop : nest.loops) {
          if (part(loop.step, end, d) != part(loop.step, begin, d)) return end;
        }
      }
    }
    return end;
  }

  /// Makes the product of sources begin..end-1, with its result in the target or in a buffer of the
  /// nest.
  void multiply(const Pattern& pattern, const PointNest& nest, std::size_t begin, std::size_t end,
                const std::string& part) {
    Kernel k = next_kernel();
    for (const char* tag : {"contraction", "agg_op_add", "comb_op_mul"}) k.tag(tag);
    const std::vector<Affine> indexes = loops(k, nest);
    if (nest.loops.empty()) k.unit_index("m");
    const auto count = static_cast<std::int64_t>(end - begin);
    std::int64_t depth = 0;
    for (std::size_t j = begin; j < end; ++j) {
      depth = std::max(depth, depth_of(pattern.sources[j]));
    }
    const Affine source = k.index("j", count);
    const Affine row = k.lane_index("k", depth), column = k.lane_index("n", pattern.lanes);
    std::vector<float> matrix(static_cast<std::size_t>(count * depth * pattern.lanes), 0);
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t lane = 0; lane < pattern.sources[j].to_lane.size(); ++lane) {
        const std::int64_t from = pattern.sources[j].to_lane[lane] - 1;
        if (from < 0) continue;
        const std::int64_t at_row = static_cast<std::int64_t>(j - begin) * depth + from;
        matrix[static_cast<std::size_t>(at_row * pattern.lanes) + lane] = 1;
      }
    }
    const std::string table = t_.table({count, depth, pattern.lanes}, std::move(matrix));
    k.in("K", t_.shapes_.at(table), table, {source, row, column});
    const auto piece = static_cast<std::size_t>(pattern.sources[begin].piece);
    const std::size_t rank = memory_rank(layouts_[piece]);
    std::vector<Affine> from = at(nest, indexes, first_of(pattern, begin), rank);
    if (count > 1) {
      for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t step =
            nest.start[first_of(pattern, begin + 1) + d] - nest.start[first_of(pattern, begin) + d];
        from[d] += source * (d + 1 == rank ? step * n_ : step);
      }
    }
    from.back() += row;
    const Place& place = places_[piece];
    k.in("I", t_.shapes_.at(place.buffer), place.buffer, t_.access(place, from));
    if (part.empty()) {
      write_target(k, nest, indexes, column, "add");
    } else {
      t_.write(k, part, at_part(nest, indexes, column), "add");
    }
    const std::string i = k.load("I"), f = k.load("K");
    k.store("Y", k.call("mul", {i, f}));
    t_.append(std::move(k));
  }

  /// The target's dimension that each loop enumerates in steps of 1; nothing if a loop does not.
  [[nodiscard]] std::optional<std::vector<std::size_t>> counted_dims(const PointNest& nest) const {
    std::vector<std::size_t> dims;
    for (const PointNest::Loop& loop : nest.loops) {
      std::optional<std::size_t> own;
      for (std::size_t d = 0; d < target_rank_; ++d) {
        if (loop.step[d] == 0) continue;
        if (own || loop.step[d] != 1 || d + 1 == target_rank_) return std::nullopt;
        own = d;
      }
      if (!own || std::find(dims.begin(), dims.end(), *own) != dims.end()) return std::nullopt;
      dims.push_back(*own);
    }
    return dims;
  }

  /// Sizes of a buffer for one part of a nest's sums. They are those of the target if the loops
  /// enumerate its dimensions, so that the last part can be written directly to the target
  /// (tails.h).
  [[nodiscard]] Sizes sizes_of_part(const PointNest& nest, std::int64_t lanes) const {
    Sizes sizes;
    if (const auto dims = counted_dims(nest)) {
      sizes.assign(target_rank_, 1);
      for (std::size_t i = 0; i < dims->size(); ++i) sizes[(*dims)[i]] = nest.loops[i].count;
      sizes.back() = lanes;
      return sizes;
    }
    for (const PointNest::Loop& loop : nest.loops) sizes.push_back(loop.count);
    sizes.push_back(lanes);
    return sizes;
  }

  [[nodiscard]] std::vector<Affine> at_part(const PointNest& nest,
                                            const std::vector<Affine>& indexes,
                                            const Affine& lane) const {
    std::vector<Affine> at = indexes;
    if (const auto dims = counted_dims(nest)) {
      at.assign(target_rank_ - 1, Affine());
      for (std::size_t i = 0; i < dims->size(); ++i) at[(*dims)[i]] = indexes[i];
    }
    at.push_back(lane);
    return at;
  }

  void put_together(const Pattern& pattern, const PointNest& nest) {
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t begin = 0; begin < pattern.sources.size(); begin = runs.back().second) {
      runs.emplace_back(begin, run_of_sources(pattern, nest, begin));
    }
    if (runs.size() == 1 && pattern.filled.empty() && is_box(nest, pattern.lanes)) {
      multiply(pattern, nest, runs[0].first, runs[0].second, "");
      return;
    }
    const Sizes sizes = sizes_of_part(nest, pattern.lanes);
    std::vector<std::string> parts;
    for (const auto& [begin, end] : runs) {
      parts.push_back(t_.make_buffer(target_.buffer + "_part", sizes, "temporary"));
      multiply(pattern, nest, begin, end, parts.back());
    }
    Kernel k = next_kernel();
    k.tag("eltwise");
    const std::vector<Affine> indexes = loops(k, nest);
    const Affine lane = k.index("c", pattern.lanes);
    const std::vector<Affine> from = at_part(nest, indexes, lane);
    std::string sum;
    const auto add = [&](const std::string& into) {
      const std::string value = k.load(into);
      sum = sum.empty() ? value : k.call("add", {sum, value});
    };
    for (std::size_t j = 0; j < parts.size(); ++j) {
      const std::string into = fmt::format("A{}", j);
      k.in(into, t_.shapes_.at(parts[j]), parts[j], from);
    }
    if (!pattern.filled.empty()) {
      std::vector<float> row;
      for (const bool filled : pattern.filled) row.push_back(filled ? what_.fill : 0.0F);
      const std::string table = t_.table({pattern.lanes}, std::move(row));
      k.in("F", t_.shapes_.at(table), table, {lane});
    }
    write_target(k, nest, indexes, lane, "");
    for (std::size_t j = 0; j < parts.size(); ++j) add(fmt::format("A{}", j));
    if (!pattern.filled.empty()) add("F");
    k.store("Y", sum);
    t_.append(std::move(k));
  }

  Translator& t_;
  const Rearrangement& what_;
  std::int64_t n_;
  std::vector<Layout> layouts_;  ///< layout of each piece
  std::vector<Place> places_;
  Place target_;
  std::size_t target_rank_ = 0;
  std::size_t kernels_ = 0;
};

/// Translates a rearrangement. An output that may not be needed in the new order, such as the input
/// of a product after Flatten, is rearranged only when it is read.
void Translator::translate(const Rearrangement& nest) {
  for (const Rearrangement::Output& output : nest.outputs) {
    const Value& value = model_.value(output.name);
    if (value.output) {
      Rearranging(*this, nest, output);
    } else if (!value.readers.empty()) {
      pending_[output.name] = {step_, &output};
    }
  }
}

void Translator::rearrange_pending(const std::string& value) {
  const auto found = pending_.find(value);
  if (found == pending_.end()) return;
  const auto [step, output] = found->second;
  pending_.erase(found);
  const Step* under_way = std::exchange(step_, step);
  Rearranging(*this, std::get<Rearrangement>(step->nest), *output);
  step_ = under_way;
}

void Translator::translate(const Renaming& nest) { alias(nest.result, nest.value); }

}  // namespace tactus::compiler::stripe_tcu
