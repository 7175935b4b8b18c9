// autotile: tiles a block so that the data of a tile fits into a memory and few bytes are
// transferred.
#include <algorithm>
#include <cmath>

#include "firmware/compiler/stripe/hardware_model.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"
#include "firmware/compiler/stripe/passes/tile.h"
#include "firmware/compiler/stripe/passes/tile_search.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

using Sizes = std::vector<std::uint64_t>;

struct AutotileOptions {
  Tags reqs, exclude, outer_set, inner_set, fail_outer_set, fail_inner_set;
  bool clear_outer = false, copy_tags = false, clear_location = false;
  bool only_po2 = false, only_even = false, only_multiple_of_32 = false, fast = false;
  bool acc_idxs = true, flip = false, interleave = false, skip_1d = false, odd_size = false;
  std::uint64_t max_output_size = 0, max_input_size = 0, max_per_output_size = 0,
                max_per_input_size = 0, max_total_size = 0;
  std::uint64_t max_sizes_product = 0, max_po2_product = 0, max_count = 0, cache_width = 0;
  std::uint64_t min_size = 1, min_out_size = 1, min_count = 1, min_out_count = 1;
  double input_cost = 1, output_cost = 1, split_factor = 0.001;
  std::string location_idx_tag, loc_name, memory;
  std::uint64_t pipeline_depth = 0;
};

/// Cache lines that a tile of the shape touches; `width` in bytes, 0: elements.
double lines_of(const TensorShape& shape, std::uint64_t width) {
  std::vector<Dimension> dims = shape.dims;
  const auto distance = [](const Dimension& dim) {
    return std::abs(static_cast<double>(dim.stride));
  };
  std::stable_sort(dims.begin(), dims.end(), [&](const Dimension& a, const Dimension& b) {
    return distance(a) < distance(b);
  });
  const double line = static_cast<double>(width) /
                      static_cast<double>(std::max<std::uint64_t>(1, byte_width(shape.type)));
  double lines = 1;
  double reach = 0;
  for (const Dimension& dim : dims) {
    const auto size = static_cast<double>(dim.size);
    lines *= size;
    const double gap = distance(dim) - reach;
    if (line > 0 && gap < line) lines -= (1.0 - gap / line) * (size - 1);
    reach += distance(dim) * (size - 1);
  }
  return lines;
}

class Cost {
 public:
  Cost(const Block& block, const AutotileOptions& options)
      : block_(block), options_(options), accumulation_(block.accumulation_indexes()) {}

  TileCost operator()(const Sizes& sizes) const {
    const TileCost stop{TileCost::Outcome::stop, 0};
    std::map<std::string, std::uint64_t, std::less<>> by_name;
    for (std::size_t i = 0; i < sizes.size(); ++i) by_name[block_.indexes[i].name] = sizes[i];
    Touched touched;
    for (const auto& [into, ref] : block_.refs) add(ref, by_name, touched);
    if (!fits(touched)) return stop;
    double size = 1, po2 = 1;
    for (const std::uint64_t s : sizes) {
      size *= static_cast<double>(s);
      po2 *= std::exp2(std::ceil(std::log2(static_cast<double>(s))));
    }
    const auto above = [](double value, std::uint64_t limit) {
      return limit != 0 && value > static_cast<double>(limit);
    };
    if (above(size, options_.max_sizes_product) || above(po2, options_.max_po2_product))
      return stop;
    return counted(sizes, size, touched, above);
  }

 private:
  struct Touched {
    double input_bytes = 0, most_input = 0, input_lines = 0;
    double output_bytes = 0, most_output = 0, output_lines = 0;
    double total_bytes = 0;
  };

  void add(const Refinement& ref, const std::map<std::string, std::uint64_t, std::less<>>& by_name,
           Touched& touched) const {
    if (ref.direction == Direction::none) return;
    if (options_.skip_1d && ref.shape.dims.size() == 1) return;
    if (!options_.loc_name.empty() && !LocationPattern(options_.loc_name).matches(ref.location)) {
      return;
    }
    const TensorShape tiled = ref.swept(by_name);
    TensorShape counted = tiled;
    if (options_.odd_size) {
      for (Dimension& dim : counted.dims) dim.size |= 1U;
    }
    const auto bytes = static_cast<double>(counted.bytes());
    const double lines = lines_of(tiled, options_.cache_width);
    touched.total_bytes += bytes;
    if (ref.direction == Direction::in) {
      touched.input_bytes += bytes;
      touched.most_input = std::max(touched.most_input, bytes);
      touched.input_lines += lines;
    } else if (ref.direction == Direction::out) {
      touched.output_bytes += bytes;
      touched.most_output = std::max(touched.most_output, bytes);
      touched.output_lines += lines;
    }
  }

  [[nodiscard]] bool fits(const Touched& touched) const {
    const auto within = [](double bytes, std::uint64_t limit) {
      return limit == 0 || bytes <= static_cast<double>(limit);
    };
    return within(touched.output_bytes, options_.max_output_size) &&
           within(touched.most_output, options_.max_per_output_size) &&
           within(touched.input_bytes, options_.max_input_size) &&
           within(touched.most_input, options_.max_per_input_size) &&
           within(touched.total_bytes, options_.max_total_size);
  }

  template <typename Above>
  [[nodiscard]] TileCost counted(const Sizes& sizes, double size, const Touched& touched,
                                 const Above& above) const {
    double count = 1, expand = 1, out_size = 1, out_count = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Index& idx = block_.indexes[i];
      const std::uint64_t tiles = divide_up(idx.range, sizes[i]);
      count *= static_cast<double>(tiles);
      expand *= static_cast<double>(sizes[i]) * static_cast<double>(tiles) /
                static_cast<double>(idx.range);
      if (accumulation_.count(idx.name) == 0) {
        out_size *= static_cast<double>(sizes[i]);
        out_count *= static_cast<double>(tiles);
      }
    }
    if (above(count, options_.max_count)) return {TileCost::Outcome::keep_on, 0};
    const auto lacking = [](std::uint64_t least, double value) {
      const auto wanted = static_cast<double>(least);
      return wanted / std::min(value, wanted);
    };
    const double inefficiency =
        lacking(options_.min_size, size) * lacking(options_.min_out_size, out_size) *
        lacking(options_.min_count, count) * lacking(options_.min_out_count, out_count) * expand;
    const double io = 1.0 + options_.input_cost * touched.input_lines +
                      options_.output_cost * touched.output_lines;
    return {TileCost::Outcome::valid,
            inefficiency * io / size + options_.split_factor * std::log2(count)};
  }

  const Block& block_;
  const AutotileOptions& options_;
  std::set<std::string> accumulation_;
};

class Autotile : public Pass {
 public:
  void describe(OptionVisitor& v) override {
    v.tags("reqs", options_.reqs, "tags of the blocks to tile");
    v.tags("exclude", options_.exclude, "blocks with any of these tags are left alone");
    v.tags("outer_set", options_.outer_set, "tags for the outer block");
    v.tags("inner_set", options_.inner_set, "tags for the inner block");
    v.flag("clear_outer", options_.clear_outer, "the outer block loses the tags it had");
    v.flag("copy_tags", options_.copy_tags, "the inner block gets the tags the block had");
    v.flag("clear_location", options_.clear_location, "the outer block loses its location");
    v.text("location_idx_tag", options_.location_idx_tag,
           "#tag in units becomes the number of the tile");
    v.tags("fail_outer_set", options_.fail_outer_set,
           "where no tile is valid: tile whole, with these tags outside");
    v.tags("fail_inner_set", options_.fail_inner_set, "the same, inside");
    v.flag("only_po2", options_.only_po2, "sizes that are powers of two, or the whole range");
    v.flag("only_even", options_.only_even, "sizes that divide the range");
    v.flag("only_multiple_of_32", options_.only_multiple_of_32, "sizes that are multiples of 32");
    v.flag("fast", options_.fast, "end the search when costs rise");
    v.flag("acc_idxs", options_.acc_idxs, "split accumulation indexes, too");
    v.flag("flip", options_.flip, "exchange sizes and counts, interleaved");
    v.flag("interleave", options_.interleave, "element i goes to tile i mod count");
    v.number("max_output_size", options_.max_output_size, "bytes of all outputs of a tile; 0: any");
    v.number("max_input_size", options_.max_input_size, "bytes of all inputs of a tile; 0: any");
    v.number("max_per_output_size", options_.max_per_output_size, "bytes of one output; 0: any");
    v.number("max_per_input_size", options_.max_per_input_size, "bytes of one input; 0: any");
    v.number("max_total_size", options_.max_total_size, "bytes of everything; 0: any");
    v.number("max_sizes_product", options_.max_sizes_product, "positions of a tile; 0: any");
    v.number("max_po2_product", options_.max_po2_product,
             "the same, sizes rounded up to powers of two; 0: any");
    v.number("max_count", options_.max_count, "tiles; 0: any");
    v.number("cache_width", options_.cache_width, "bytes of a cache line; 0: count elements");
    v.real("input_cost", options_.input_cost, "cost of a line read");
    v.real("output_cost", options_.output_cost, "cost of a line written");
    v.real("split_factor", options_.split_factor, "cost of doubling the number of tiles");
    v.number("min_size", options_.min_size, "positions below which a tile is inefficient");
    v.number("min_out_size", options_.min_out_size, "the same, accumulation indexes aside");
    v.number("min_count", options_.min_count, "tiles below which the block is inefficient");
    v.number("min_out_count", options_.min_out_count, "the same, accumulation indexes aside");
    v.flag("skip_1d", options_.skip_1d, "refinements of one dimension do not count");
    v.text("loc_name", options_.loc_name, "only refinements at locations of this pattern count");
    v.text("memory", options_.memory,
           "a memory of the hardware model: everything of a tile has to fit its size / "
           "pipeline_depth");
    v.number("pipeline_depth", options_.pipeline_depth,
             "tiles in flight; 0: the largest of the model's compute units");
    v.flag("odd_size", options_.odd_size, "sizes in bytes with each dimension made odd");
  }

  void bind(const HardwareModel* model) override {
    if (options_.memory.empty()) return;
    if (model == nullptr) user_error("memory {} needs a hardware model", options_.memory);
    std::uint64_t bytes = model->tile_bytes(options_.memory);
    if (options_.pipeline_depth != 0) {
      bytes = model->mem_units.at(options_.memory).size_KiB * 1024 / options_.pipeline_depth;
    }
    if (options_.max_total_size == 0 || bytes < options_.max_total_size) {
      options_.max_total_size = bytes;
    }
  }

  void run(Program& program) const override {
    if (options_.min_size == 0 || options_.min_out_size == 0 || options_.min_count == 0 ||
        options_.min_out_count == 0) {
      user_error("min_size, min_out_size, min_count and min_out_count are at least 1");
    }
    on_blocks(program, options_.reqs, [&](const AliasMap&, Statement& stmt) {
      if (stmt.has_any_tag(options_.exclude)) return;
      require_inner_block(program, stmt);
      tile(stmt);
    });
  }

 private:
  void tile(Statement& stmt) const {
    Block& block = *stmt.block();
    TileSearch search;
    search.fast = options_.fast;
    search.growth = options_.only_po2              ? TileGrowth::doubling
                    : options_.only_even           ? TileGrowth::next_divisor
                    : options_.only_multiple_of_32 ? TileGrowth::by_32
                                                   : TileGrowth::by_one;
    const auto accumulation = block.accumulation_indexes();
    for (const Index& idx : block.indexes) {
      search.grows.push_back(options_.acc_idxs || accumulation.count(idx.name) == 0);
    }
    const Cost cost(block, options_);
    search.cost = [&cost](const Sizes& sizes) { return cost(sizes); };
    auto sizes = best_tile(block, search);
    TileOptions how;
    how.location_idx_tag = options_.location_idx_tag;
    if (!sizes) return tile_whole(stmt, how);
    if (options_.flip) {
      for (std::size_t i = 0; i < sizes->size(); ++i) {
        (*sizes)[i] = divide_up(block.indexes[i].range, (*sizes)[i]);
      }
    }
    how.interleave = options_.flip || options_.interleave;
    how.copy_tags = options_.copy_tags;
    apply_tile(stmt, *sizes, how);
    if (options_.clear_outer) stmt.attributes.clear();
    stmt.add_tags(options_.outer_set);
    stmt.block()->statements[0].add_tags(options_.inner_set);
    if (options_.clear_location) stmt.block()->location = {};
  }

  void tile_whole(Statement& stmt, const TileOptions& how) const {
    if (options_.fail_outer_set.empty() && options_.fail_inner_set.empty()) {
      user_error("block {}: no tile is within the limits", block_name(*stmt.block()));
    }
    Sizes whole;
    for (const Index& idx : stmt.block()->indexes) whole.push_back(idx.range);
    apply_tile(stmt, whole, how);
    stmt.add_tags(options_.fail_outer_set);
    stmt.block()->statements[0].add_tags(options_.fail_inner_set);
  }

  AutotileOptions options_;
};

}  // namespace

std::unique_ptr<Pass> make_autotile() { return std::make_unique<Autotile>(); }

}  // namespace tactus::stripe
