#include "isa/darwinn/relayout.h"

#include <algorithm>
#include <cstring>

#include "isa/darwinn/refusal.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

/// True if there is one slice whose strides are those of a packed tensor.
bool is_packed(const Layer& layer) {
  if (!layer.has_shape_info || layer.slices.size() != 1 || layer.slice_offsets.size() != 1 ||
      layer.slice_offsets[0] != 0 || !layer.slices[0].shape ||
      layer.slices[0].shape->size() != layer.slices[0].stride.size()) {
    return false;
  }
  const Slice& slice = layer.slices[0];
  std::int64_t stride = 1;
  for (std::size_t d = slice.stride.size(); d-- > 0;) {
    if (slice.stride[d] != stride) return false;
    stride *= (*slice.shape)[d].extent();
  }
  return true;
}

/// Copies `count` pieces of a fixed size, `step` bytes apart, to consecutive bytes.
template <std::size_t Bytes>
void gather(const std::uint8_t* from, std::uint8_t* to, std::int64_t count, std::int64_t step) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * static_cast<std::int64_t>(Bytes), from + i * step, Bytes);
  }
}

/// Copies pieces of `bytes` by whole words. The bytes that a word holds beyond its piece are
/// overwritten by the next piece. Pieces near the end, where a word would exceed a buffer, are
/// copied exactly.
template <typename Word>
void gather_words(const std::uint8_t* from, std::uint8_t* to, std::int64_t count, std::int64_t step,
                  std::int64_t bytes) {
  constexpr auto word = static_cast<std::int64_t>(sizeof(Word));
  const std::int64_t whole = (bytes + word - 1) / word * word;
  // (count - 1 - i) pieces follow piece i in both buffers, each of at least `bytes`.
  const std::int64_t behind = (whole - bytes + bytes - 1) / bytes;
  const std::int64_t fast = std::max<std::int64_t>(0, count - behind);
  for (std::int64_t i = 0; i < fast; ++i) {
    const std::uint8_t* const source = from + i * step;
    std::uint8_t* const target = to + i * bytes;
    for (std::int64_t k = 0; k < whole; k += word) {
      Word value;
      std::memcpy(&value, source + k, sizeof value);
      std::memcpy(target + k, &value, sizeof value);
    }
  }
  for (std::int64_t i = fast; i < count; ++i) {
    std::memcpy(to + i * bytes, from + i * step, static_cast<std::size_t>(bytes));
  }
}

struct Word16 {
  std::uint64_t halves[2];
};

/// Copies `count` pieces of `bytes` that are `step` apart to consecutive bytes.
void gather_pieces(const std::uint8_t* from, std::uint8_t* to, std::int64_t count,
                   std::int64_t step, std::int64_t bytes) {
  constexpr std::int64_t long_piece = 256;  // memcpy is as fast from this length on
  if (step == bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(count * bytes));
    return;
  }
  if (bytes >= long_piece) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * bytes, from + i * step, static_cast<std::size_t>(bytes));
    }
    return;
  }
  switch (bytes) {
    case 1:
      if (step == 4) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[4 * i];
        return;
      }
      return gather<1>(from, to, count, step);
    case 2:
      return gather<2>(from, to, count, step);
    case 4:
      return gather<4>(from, to, count, step);
    case 8:
      return gather<8>(from, to, count, step);
    default:
      break;
  }
  if (step < bytes) {  // pieces overlap: no assumption about the following bytes holds
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * bytes, from + i * step, static_cast<std::size_t>(bytes));
    }
  } else if (bytes < 4) {
    gather_words<std::uint32_t>(from, to, count, step, bytes);
  } else if (bytes < 8) {
    gather_words<std::uint64_t>(from, to, count, step, bytes);
  } else {
    gather_words<Word16>(from, to, count, step, bytes);
  }
}

}  // namespace

std::string_view name(RelayoutMethod method) {
  switch (method) {
    case RelayoutMethod::copy:
      return "copy";
    case RelayoutMethod::slices:
      return "slices";
    case RelayoutMethod::vector:
      return "vector";
    case RelayoutMethod::tiles:
      return "tiles";
  }
  internal_error("relayout method {}", static_cast<int>(method));
}

RelayoutMethod relayout_method(const Layer& layer) {
  const bool packed = is_packed(layer);
  if (layer.executions == 1 && packed) return RelayoutMethod::copy;
  if (layer.executions == 1 && layer.has_shape_info) return RelayoutMethod::slices;
  if (packed && layer.padded_bytes() == layer.actual_bytes()) return RelayoutMethod::copy;
  return layer.y == 1 && layer.x == 1 ? RelayoutMethod::vector : RelayoutMethod::tiles;
}

Relayout::Relayout(const Layer& layer) : layer_(layer), method_(relayout_method(layer)) {
  if (method_ == RelayoutMethod::tiles) plan_tiles();
}

void Relayout::run(const std::uint8_t* device, std::uint8_t* host) const {
  switch (method_) {
    case RelayoutMethod::copy:
      std::memcpy(host, device, static_cast<std::size_t>(layer_.actual_bytes()));
      return;
    case RelayoutMethod::slices:
      return run_slices(device, host);
    case RelayoutMethod::vector:
      return run_vector(device, host);
    case RelayoutMethod::tiles:
      return run_tiles(device, host);
  }
}

void Relayout::plan_tiles() {
  const TileLayout& layout = *layer_.layout;
  for (std::size_t x = 0; x < layout.column_tile.size(); ++x) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const std::int64_t step = layout.x_local[x] - (last.local + (last.count - 1) * last.step);
      const bool same = last.tile == layout.column_tile[x] && last.row == layout.row_size[x] &&
                        step > 0 && (last.count == 1 || step == last.step);
      if (same) {
        last.step = step;
        ++last.count;
        continue;
      }
    }
    runs_.push_back({layout.column_tile[x], layout.x_local[x], layout.row_size[x], 1, 0});
  }
}

void Relayout::run_tiles(const std::uint8_t* device, std::uint8_t* host) const {
  const TileLayout& layout = *layer_.layout;
  const std::int64_t bytes = element_bytes(layer_.data_type);
  const std::int64_t piece = layer_.z * bytes;
  for (std::size_t y = 0; y < layout.row_tile.size(); ++y) {
    for (const Run& run : runs_) {
      const std::int64_t start = layout.tile_start[static_cast<std::size_t>(layout.row_tile[y]) +
                                                   static_cast<std::size_t>(run.tile)] +
                                 layout.y_local[y] * run.row + run.local;
      const std::int64_t step = run.count == 1 ? layer_.z : run.step;
      gather_pieces(device + start * bytes, host, run.count, step * bytes, piece);
      host += run.count * piece;
    }
  }
}

void Relayout::run_vector(const std::uint8_t* device, std::uint8_t* host) const {
  const std::int64_t bytes = std::int64_t{layer_.z} * element_bytes(layer_.data_type);
  for (std::int32_t i = 0; i < layer_.executions; ++i) {
    std::memcpy(host + i * bytes, device + i * std::int64_t{layer_.size_bytes},
                static_cast<std::size_t>(bytes));
  }
}

void Relayout::run_slices(const std::uint8_t* device, std::uint8_t* host) const {
  const std::int64_t bytes = element_bytes(layer_.data_type);
  const Shape& whole = *layer_.shape;
  const std::size_t rank = whole.size();
  std::vector<std::int64_t> target(rank, 1);  // strides of the tensor
  for (std::size_t d = rank; d-- > 1;) target[d - 1] = target[d] * whole[d].extent();
  for (std::size_t s = 0; s < layer_.slices.size(); ++s) {
    const Slice& slice = layer_.slices[s];
    const Shape& ranges = *slice.shape;
    // Copies rows of the last dimension in order; `at` counts the other dimensions.
    std::vector<std::int64_t> at(rank, 0);
    const std::int64_t row = ranges[rank - 1].extent();
    for (bool more = true; more;) {
      std::int64_t from = 0, to = 0;
      for (std::size_t d = 0; d < rank; ++d) {
        from += at[d] * slice.stride[d];
        to += (at[d] + ranges[d].start - whole[d].start) * target[d];
      }
      gather_pieces(device + layer_.slice_offsets[s] + from * bytes, host + to * bytes, row,
                    slice.stride[rank - 1] * bytes, bytes);
      more = false;
      for (std::size_t d = rank - 1; d-- > 0 && !more;) {
        if (++at[d] < ranges[d].extent()) {
          more = true;
        } else {
          at[d] = 0;
        }
      }
    }
  }
}

std::vector<std::uint8_t> scatter_input(const Layer& layer, ByteView tensor) {
  check_input_bytes(layer, tensor.size(), "input");
  std::vector<std::uint8_t> buffer(static_cast<std::size_t>(layer.padded_bytes()));
  const bool padded = tensor.size() == buffer.size();
  const auto pieces = static_cast<std::size_t>(padded ? 1 : layer.executions);
  const std::size_t piece = tensor.size() / pieces;
  for (std::size_t i = 0; i < pieces; ++i) {
    std::memcpy(buffer.data() + i * static_cast<std::size_t>(layer.size_bytes),
                tensor.data() + i * piece, piece);
  }
  return buffer;
}

void flip_sign(std::int16_t data_type, std::uint8_t* bytes, std::size_t count) {
  if (!flips_sign(data_type)) return;
  const std::size_t step = element_bytes(data_type);
  for (std::size_t i = step - 1; i < count; i += step) bytes[i] ^= 0x80U;
}

void check_input_bytes(const Layer& layer, std::size_t bytes, const std::string& where) {
  const auto size = static_cast<std::int64_t>(bytes);
  if (size == layer.actual_bytes() || size == layer.padded_bytes()) return;
  throw PackageError(Code::io_size,
                     fmt::format("{}: {}: {} bytes; input {} takes {}, or {} with padding", where,
                                 name(Code::io_size), bytes, quote(layer.name.value_or("")),
                                 layer.actual_bytes(), layer.padded_bytes()));
}

void check_output_bytes(const Layer& layer, std::size_t bytes, const std::string& where) {
  if (static_cast<std::int64_t>(bytes) == layer.actual_bytes()) return;
  throw PackageError(Code::io_size,
                     fmt::format("{}: {}: {} bytes; output {} has {}", where, name(Code::io_size),
                                 bytes, quote(layer.name.value_or("")), layer.actual_bytes()));
}

}  // namespace tactus::darwinn
