// Checks layers: names, sizes, and the places of an output's elements in the device's buffer.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify_parts.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

constexpr std::size_t longest_name = 4096;
constexpr std::int64_t most_buffers = 1 << 20;
constexpr std::int64_t most_bytes = std::numeric_limits<std::int32_t>::max();

struct Place {
  const std::string& file;
  const std::string& place;

  template <typename... Args>
  [[noreturn]] void fail(Code code, fmt::format_string<Args...> format, Args&&... args) const {
    refuse(code, file, place, format, std::forward<Args>(args)...);
  }
};

// ---- sizes --------------------------------------------------------------------------------------

void verify_numbers(const Layer& layer, AnyLayer kind, const Place& at) {
  for (const auto& [dimension, text] : {std::pair(layer.y, "y"), {layer.x, "x"}, {layer.z, "z"}}) {
    if (dimension < 1) at.fail(Code::layer, "{}_dim {}; allowed 1 or more", text, dimension);
  }
  if (!layer.numerics) at.fail(Code::layer, "there is no numerics (zero point and factor)");
  if (element_bytes(layer.data_type) == 0) {
    at.fail(Code::layer, "data_type {}; allowed 0..5, 8, 9", layer.data_type);
  }
  if (layer.kind != kind || !layer.has_value) {
    at.fail(Code::layer, "any_layer is {}, must be {}",
            layer.kind == AnyLayer::output  ? "an OutputLayer"
            : layer.kind == AnyLayer::input ? "an InputLayer"
                                            : "neither InputLayer nor OutputLayer",
            kind == AnyLayer::output ? "an OutputLayer" : "an InputLayer");
  }
  if (layer.executions < 1) {
    at.fail(Code::layer, "execution_count_per_inference {}; allowed 1 or more", layer.executions);
  }
}

/// Returns the product; refuses as soon as it exceeds 31 bits. All factors are at least 1.
std::int64_t product(std::initializer_list<std::int64_t> factors, const Place& at) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    result *= factor;
    if (result > most_bytes) {
      at.fail(Code::layer_size, "more than {} bytes", number_text(most_bytes));
    }
  }
  return result;
}

void verify_shape(const Layer& layer, const Place& at, Budget& budget) {
  budget.spend(static_cast<std::int64_t>(layer.shape->size()), at.file, at.place);
  if (layer.shape->empty()) at.fail(Code::layer_size, "its shape has no dimension");
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < layer.shape->size(); ++d) {
    const Range range = (*layer.shape)[d];
    if (range.end < range.start) {
      at.fail(Code::layer_size, "dimension {} of its shape is {}..{}", d, range.start, range.end);
    }
    elements = product({elements, range.extent()}, at);
  }
  const std::int64_t single = product({layer.y, layer.x, layer.z}, at);
  if (elements / layer.batch() != single) {
    at.fail(Code::layer_size, "its shape has {} elements, y * x * z = {} * {} * {}{}", elements,
            layer.y, layer.x, layer.z,
            layer.batch() > 1 ? fmt::format(" in a batch of {}", layer.batch()) : "");
  }
}

void verify_sizes(const Layer& layer, const Place& at, Budget& budget) {
  if (layer.size_bytes <= 0)
    at.fail(Code::layer_size, "size_bytes {}; allowed 1 or more", layer.size_bytes);
  (void)product({layer.y, layer.x, layer.z}, at);
  if (layer.shape) verify_shape(layer, at, budget);
  const std::int64_t actual =
      product({layer.elements(), element_bytes(layer.data_type), layer.executions}, at);
  const std::int64_t padded = product({layer.size_bytes, layer.executions}, at);
  if (padded < actual) {
    at.fail(Code::layer_size, "its {} elements need {} bytes, size_bytes gives {}",
            layer.elements(), actual, padded);
  }
}

// ---- tiles --------------------------------------------------------------------------------------

void verify_table(const Place& at, const char* name, IntView table, std::int64_t size) {
  if (static_cast<std::int64_t>(table.size()) != size) {
    at.fail(Code::layout, "table {} has {} entries; needed: {}", name, table.size(), size);
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i] < 0) at.fail(Code::layout, "entry {} of table {} is {}", i, name, table[i]);
  }
}

/// The highest row of each first tile of a row; the other rows are below it.
std::vector<std::pair<std::int32_t, std::int32_t>> highest_rows(const TileLayout& layout) {
  std::unordered_map<std::int32_t, std::int32_t> rows;
  for (std::size_t y = 0; y < layout.row_tile.size(); ++y) {
    std::int32_t& row = rows[layout.row_tile[y]];
    row = std::max(row, layout.y_local[y]);
  }
  return {rows.begin(), rows.end()};
}

void verify_tiles(const Layer& layer, const Place& at, Budget& budget) {
  const TileLayout& layout = *layer.layout;
  budget.spend(static_cast<std::int64_t>(2 * layout.row_tile.size() + 3 * layout.x_local.size() +
                                         layout.tile_start.size()),
               at.file, at.place);
  verify_table(at, "y to tile", layout.row_tile, layer.y);
  verify_table(at, "x to tile", layout.column_tile, layer.x);
  verify_table(at, "x to offset", layout.x_local, layer.x);
  verify_table(at, "y to row", layout.y_local, layer.y);
  verify_table(at, "x to row size", layout.row_size, layer.x);
  verify_table(at, "tile starts", layout.tile_start,
               static_cast<std::int64_t>(layout.tile_start.size()));
  const auto tiles = static_cast<std::int64_t>(layout.tile_start.size());
  const std::int64_t bytes = element_bytes(layer.data_type);
  const std::int64_t most = layer.padded_bytes() / bytes;  // elements
  const auto rows = highest_rows(layout);
  budget.spend(static_cast<std::int64_t>(rows.size()) * layer.x, at.file, at.place);
  for (const auto& [first, row] : rows) {
    for (std::size_t x = 0; x < layout.column_tile.size(); ++x) {
      const std::int64_t tile = std::int64_t{first} + layout.column_tile[x];
      if (tile >= tiles) {
        at.fail(Code::layout, "tile {} + {} at x = {}; there are {} tiles", first,
                layout.column_tile[x], x, tiles);
      }
      const std::int64_t last = std::int64_t{layout.tile_start[static_cast<std::size_t>(tile)]} +
                                std::int64_t{row} * layout.row_size[x] + layout.x_local[x] +
                                layer.z;
      if (last > most) {
        at.fail(Code::layout,
                "row {} of the tiles from {} on reaches to byte {} at x = {}; the buffer has {}",
                row, first, last * bytes, x, layer.padded_bytes());
      }
    }
  }
}

// ---- slices -------------------------------------------------------------------------------------

void verify_ranges(const Layer& layer, std::size_t index, const Place& at) {
  const Slice& slice = layer.slices[index];
  const Shape& whole = *layer.shape;
  if (!slice.shape || slice.shape->size() != whole.size() || slice.stride.size() != whole.size()) {
    at.fail(Code::slice, "slice {} has {} ranges and {} strides for {} dimensions", index,
            slice.shape ? slice.shape->size() : 0, slice.stride.size(), whole.size());
  }
  for (std::size_t d = whole.size(); d-- > 0;) {
    const Range range = (*slice.shape)[d];
    if (range.end < range.start || range.start < whole[d].start || range.end > whole[d].end) {
      at.fail(Code::slice, "slice {}, dimension {}: {}..{}; allowed within {}..{}", index, d,
              range.start, range.end, whole[d].start, whole[d].end);
    }
    const std::int64_t least =
        d + 1 == whole.size() ? 1
                              : std::int64_t{slice.stride[d + 1]} * (*slice.shape)[d + 1].extent();
    if (slice.stride[d] < least) {
      at.fail(Code::slice, "slice {}, dimension {}: stride {}; needed: {} or more", index, d,
              slice.stride[d], least);
    }
  }
}

void verify_slice_bytes(const Layer& layer, std::size_t index, const Place& at) {
  const Slice& slice = layer.slices[index];
  const std::int64_t bytes = element_bytes(layer.data_type);
  const std::int64_t offset = layer.slice_offsets[index];
  if (offset < 0 || offset % bytes != 0) {
    at.fail(Code::slice, "slice {}: offset {}; allowed: multiples of {}", index, offset, bytes);
  }
  std::int64_t last = 0;  // below 2^62: each stride holds the inner ranges
  for (std::size_t d = 0; d < slice.stride.size(); ++d) {
    last += slice.stride[d] * ((*slice.shape)[d].extent() - 1);
    if (last > most_bytes) break;
  }
  const std::int64_t end = offset + (last + 1) * bytes;
  if (end > layer.padded_bytes()) {
    at.fail(Code::slice, "slice {} reaches to byte {}; the buffer has {}", index, end,
            layer.padded_bytes());
  }
}

bool overlap(const Slice& a, const Slice& b) {
  for (std::size_t d = 0; d < a.shape->size(); ++d) {
    const Range one = (*a.shape)[d], other = (*b.shape)[d];
    if (one.end < other.start || other.end < one.start) return false;
  }
  return true;
}

/// Checks that every element of the tensor is in exactly one slice: the sizes add up to the tensor
/// and no two slices overlap.
void verify_cover(const Layer& layer, const Place& at, Budget& budget) {
  const auto count = static_cast<std::int64_t>(layer.slices.size());
  const auto rank = static_cast<std::int64_t>(layer.shape->size());
  std::int64_t elements = 0;
  for (const Slice& slice : layer.slices) {
    std::int64_t size = 1;
    for (const Range& range : *slice.shape) size *= range.extent();
    elements += size;
  }
  if (elements != layer.elements()) {
    at.fail(Code::slice, "the slices have {} elements, the tensor {}", elements, layer.elements());
  }
  if (count > 1) budget.spend(count * count / 2 * rank, at.file, at.place);
  for (std::size_t i = 0; i < layer.slices.size(); ++i) {
    for (std::size_t k = i + 1; k < layer.slices.size(); ++k) {
      if (overlap(layer.slices[i], layer.slices[k])) {
        at.fail(Code::slice, "slices {} and {} have an element in common", i, k);
      }
    }
  }
}

void verify_slices(const Layer& layer, const Place& at, Budget& budget) {
  if (!layer.shape) at.fail(Code::slice, "slices of a layer without a shape");
  if (layer.slices.empty() || layer.slices.size() != layer.slice_offsets.size()) {
    at.fail(Code::slice, "{} slice layouts and {} slice offsets; allowed: as many, 1 or more",
            layer.slices.size(), layer.slice_offsets.size());
  }
  budget.spend(static_cast<std::int64_t>(layer.slices.size() * layer.shape->size()), at.file,
               at.place);
  for (std::size_t i = 0; i < layer.slices.size(); ++i) {
    verify_ranges(layer, i, at);
    verify_slice_bytes(layer, i, at);
  }
  verify_cover(layer, at, budget);
}

void verify_output(const Layer& layer, const Place& at, Budget& budget) {
  if (layer.has_shape_info) verify_slices(layer, at, budget);
  switch (relayout_method(layer)) {
    case RelayoutMethod::copy:
    case RelayoutMethod::slices:
      return;
    case RelayoutMethod::vector:
    case RelayoutMethod::tiles:
      break;
  }
  if (layer.has_shape_info) {
    at.fail(Code::executions_tiled, "execution_count_per_inference {} with a sliced output",
            layer.executions);
  }
  if (layer.batch() > 1) {
    at.fail(Code::layout, "a batch of {} without slices", layer.batch());
  }
  if (relayout_method(layer) == RelayoutMethod::vector) return;
  if (layer.executions > 1) {
    at.fail(Code::executions_tiled, "execution_count_per_inference {} with a tiled output",
            layer.executions);
  }
  if (!layer.layout) at.fail(Code::layout, "{} x {} outputs without a layout", layer.y, layer.x);
  verify_tiles(layer, at, budget);
}

}  // namespace

void verify_layer(const Layer& layer, AnyLayer kind, const std::string& file,
                  const std::string& place, Budget& budget) {
  const Place at{file, place};
  verify_numbers(layer, kind, at);
  verify_sizes(layer, at, budget);
  if (kind == AnyLayer::output) verify_output(layer, at, budget);
}

void verify_layers(Checked& checked) {
  const auto layer_count = checked.executable.inputs.size() + checked.executable.outputs.size();
  const auto buffers = static_cast<std::int64_t>(layer_count) * checked.executable.batch_size;
  if (buffers > most_buffers) {
    refuse(Code::limit, checked.file, checked.place(),
           "{} layers in batches of {}; allowed: {} buffers", layer_count,
           checked.executable.batch_size, most_buffers);
  }
  const auto one_side = [&](const std::vector<Layer>& layers, AnyLayer kind, auto& by_name) {
    const char* const side = kind == AnyLayer::input ? "input" : "output";
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Layer& layer = layers[i];
      std::string place = checked.place("{} layer {}", side, i);
      if (!layer.name || layer.name->empty()) {
        refuse(Code::layer, checked.file, place, "it has no name");
      }
      if (layer.name->size() > longest_name) {
        refuse(Code::layer, checked.file, place, "a name of {} bytes; allowed {}",
               layer.name->size(), longest_name);
      }
      place += fmt::format(" ({})", printable(*layer.name));
      if (!by_name.emplace(*layer.name, i).second) {
        refuse(Code::layer, checked.file, place, "a second {} layer of this name", side);
      }
      verify_layer(layer, kind, checked.file, place, checked.budget);
      if (layer.cache_on_dram) {
        checked.warn(Code::dram, place,
                     "cache_on_dram: the chip has no memory of its own, the host's is used");
      }
    }
  };
  one_side(checked.executable.inputs, AnyLayer::input, checked.inputs);
  one_side(checked.executable.outputs, AnyLayer::output, checked.outputs);
  checked.input_used.assign(checked.executable.inputs.size(), false);
}

}  // namespace tactus::darwinn
