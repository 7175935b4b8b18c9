#include "firmware/onnx/shapes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

namespace tactus::nn {

std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t k = 0; k < result.size(); ++k) {
    const std::int64_t x = k < a.size() ? a[a.size() - 1 - k] : 1;
    const std::int64_t y = k < b.size() ? b[b.size() - 1 - k] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - k] = x == 1 ? y : x;
  }
  return result;
}

// ---- windows ------------------------------------------------------------------------------------

bool pads_to_same(std::string_view auto_pad) {
  return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
}

namespace {

/// The part of a padding that stands before the input; an odd element is at the end for SAME_UPPER.
std::int64_t part_before(std::int64_t total, std::string_view auto_pad) {
  return auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
}

}  // namespace

void Sliding::pad_to_same(std::string_view auto_pad) {
  const std::int64_t outputs = (size + stride - 1) / stride;
  const std::int64_t total = std::max<std::int64_t>((outputs - 1) * stride + reach() - size, 0);
  before = part_before(total, auto_pad);
  after = total - before;
}

std::int64_t Sliding::windows(bool ceil_mode) const {
  const std::int64_t room = before + size + after - reach();
  if (room < 0) return 0;
  if (!ceil_mode) return room / stride + 1;
  const std::int64_t count = (room + stride - 1) / stride + 1;
  return (count - 1) * stride >= size + before ? count - 1 : count;
}

void cut_transposed(Sliding& sliding, std::int64_t output_padding, std::int64_t wanted,
                    std::string_view auto_pad) {
  sliding.before = sliding.after = 0;
  const std::int64_t full = transposed_size(sliding, output_padding);
  const std::int64_t size = wanted == 0 ? sliding.size * sliding.stride : wanted;
  const std::int64_t total = std::max<std::int64_t>(full - size, 0);
  sliding.before = part_before(total, auto_pad);
  sliding.after = full - size - sliding.before;
}

std::int64_t transposed_size(const Sliding& sliding, std::int64_t output_padding) {
  return sliding.stride * (sliding.size - 1) + output_padding + sliding.reach() - sliding.before -
         sliding.after;
}

// ---- other shapes of the same elements ----------------------------------------------------------

std::optional<Shape> reshaped(const Shape& shape, const Shape& target, bool zero_is_zero) {
  Shape result = target;
  const std::int64_t elements = element_count(shape);
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < result.size(); ++d) {
    std::int64_t& size = result[d];
    if (size == 0 && !zero_is_zero) {
      if (d >= shape.size()) return std::nullopt;
      size = shape[d];
    }
    if (size == -1 && !open) {
      open = d;
      continue;
    }
    // Neither overflows: a tensor has at most 2^31 elements.
    if (size < 0 || size > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    known *= size;
    if (known > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  }
  if (open) {
    if (known == 0 || elements % known != 0) return std::nullopt;
    result[*open] = elements / known;
    return result;
  }
  if (known != elements) return std::nullopt;
  return result;
}

std::optional<Shape> flattened(const Shape& shape, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis > rank) return std::nullopt;
  Shape result{1, 1};
  for (std::int64_t d = 0; d < rank; ++d) {
    result[d < (axis < 0 ? axis + rank : axis) ? 0 : 1] *= shape[static_cast<std::size_t>(d)];
  }
  return result;
}

std::optional<Shape> squeezed(const Shape& shape, const std::optional<Shape>& axes) {
  std::set<std::size_t> dropped;
  for (const std::int64_t axis : axes.value_or(Shape())) {
    const std::optional<std::size_t> normal = normal_axis(axis, shape.size());
    if (!normal) return std::nullopt;
    dropped.insert(*normal);
  }
  Shape result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool drop = axes ? dropped.count(d) != 0 : shape[d] == 1;
    if (drop && shape[d] != 1) return std::nullopt;
    if (!drop) result.push_back(shape[d]);
  }
  return result;
}

std::optional<Shape> unsqueezed(const Shape& shape, const Shape& axes) {
  const std::size_t rank = shape.size() + axes.size();
  std::set<std::size_t> added;
  for (const std::int64_t axis : axes) {
    const std::optional<std::size_t> normal = normal_axis(axis, rank);
    if (!normal || !added.insert(*normal).second) return std::nullopt;
  }
  Shape result;
  std::size_t next = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    result.push_back(added.count(d) != 0 ? 1 : shape[next++]);
  }
  return result;
}

Shape permuted(const Shape& shape, const Shape& permutation) {
  Shape sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  bool good = permutation.size() == shape.size();
  for (std::size_t d = 0; good && d < shape.size(); ++d) {
    good = sorted[d] == static_cast<std::int64_t>(d);
  }
  Shape result;
  for (std::size_t d = 0; good && d < shape.size(); ++d) {
    result.push_back(shape[static_cast<std::size_t>(permutation[d])]);
  }
  return result;
}

// ---- parts --------------------------------------------------------------------------------------

std::optional<std::vector<SliceRange>> slice_ranges(const Shape& shape, const Shape& starts,
                                                    const Shape& ends, const Shape& axes,
                                                    const Shape& steps) {
  std::vector<SliceRange> ranges;
  for (const std::int64_t size : shape) ranges.push_back({0, 1, size});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::optional<std::size_t> axis = normal_axis(axes[k], shape.size());
    if (!axis || steps[k] == 0) return std::nullopt;
    const std::int64_t size = shape[*axis];
    if (size == 0) continue;
    // A step larger than the size takes one element. An end before the first element is written as
    // a number below -size.
    const std::int64_t step = std::clamp(steps[k], -size - 1, size + 1);
    const bool down = step < 0;
    const auto within = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
      return std::clamp(at < 0 ? at + size : at, least, most);
    };
    const std::int64_t start = within(starts[k], 0, down ? size - 1 : size);
    const std::int64_t end = within(ends[k], down ? -1 : 0, down ? size - 1 : size);
    const std::int64_t span = down ? start - end : end - start;
    const std::int64_t stride = down ? -step : step;
    ranges[*axis] = {start, step, span <= 0 ? 0 : (span - 1) / stride + 1};
  }
  return ranges;
}

std::optional<Shape> split_sizes(std::int64_t size, std::size_t parts, const Shape& stated,
                                 bool last_is_smaller) {
  const auto count = static_cast<std::int64_t>(parts);
  Shape sizes = stated;
  if (sizes.empty()) {
    if (size % count != 0 && !last_is_smaller) return std::nullopt;
    const std::int64_t part = (size + count - 1) / count;
    for (std::int64_t k = 0; k < count; ++k) {
      sizes.push_back(std::clamp<std::int64_t>(size - k * part, 0, part));
    }
  }
  if (sizes.size() != parts) return std::nullopt;
  std::int64_t rest = size;
  for (const std::int64_t part : sizes) {
    if (part < 0 || part > rest) return std::nullopt;
    rest -= part;
  }
  if (rest != 0) return std::nullopt;
  return sizes;
}

// ---- sizes that grow or shrink ------------------------------------------------------------------

std::optional<Shape> pads_of_axes(const Shape& pads, const Shape& axes, std::size_t rank) {
  if (pads.size() != 2 * axes.size()) return std::nullopt;
  Shape all(2 * rank, 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::optional<std::size_t> axis = normal_axis(axes[k], rank);
    if (!axis) return std::nullopt;
    all[*axis] = pads[k];
    all[rank + *axis] = pads[axes.size() + k];
  }
  return all;
}

std::optional<Shape> centred_pads(const Shape& shape, const Shape& sizes, Shape axes) {
  const std::size_t rank = shape.size();
  if (axes.empty()) {
    for (std::size_t k = 0; k < rank; ++k) axes.push_back(static_cast<std::int64_t>(k));
  }
  if (sizes.size() != axes.size()) return std::nullopt;
  Shape pads(2 * axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::optional<std::size_t> axis = normal_axis(axes[k], rank);
    if (!axis || sizes[k] < 0) return std::nullopt;
    const std::int64_t more = sizes[k] - shape[*axis];
    pads[k] = more / 2;
    pads[axes.size() + k] = more - more / 2;
  }
  return pads_of_axes(pads, axes, rank);
}

std::int64_t scaled_size(std::int64_t size, float scale) {
  return static_cast<std::int64_t>(static_cast<float>(size) * scale);
}

std::optional<Shape> block_shape(const Shape& shape, std::int64_t block, bool to_depth) {
  if (shape.size() != 4 || block < 1 || block > 4096) return std::nullopt;
  const bool fits =
      to_depth ? shape[2] % block == 0 && shape[3] % block == 0 : shape[1] % (block * block) == 0;
  if (!fits) return std::nullopt;
  if (to_depth)
    return Shape{shape[0], shape[1] * block * block, shape[2] / block, shape[3] / block};
  return Shape{shape[0], shape[1] / (block * block), shape[2] * block, shape[3] * block};
}

std::optional<std::vector<bool>> reduced_dimensions(const Shape& axes, std::size_t rank,
                                                    bool none_is_all) {
  std::vector<bool> reduced(rank, axes.empty() && none_is_all);
  for (const std::int64_t axis : axes) {
    const std::optional<std::size_t> normal = normal_axis(axis, rank);
    if (!normal) return std::nullopt;
    reduced[*normal] = true;
  }
  return reduced;
}

Shape reduced_shape(const Shape& shape, const std::vector<bool>& reduced, bool keepdims) {
  Shape result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!reduced[d]) result.push_back(shape[d]);
    if (reduced[d] && keepdims) result.push_back(1);
  }
  return result;
}

Shape gathered_shape(const Shape& shape, std::size_t axis, const Shape& indices) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Shape result(shape.begin(), shape.begin() + at);
  result.insert(result.end(), indices.begin(), indices.end());
  result.insert(result.end(), shape.begin() + at + 1, shape.end());
  return result;
}

std::optional<Shape> joined_shape(const Shape& a, const Shape& b, std::size_t axis) {
  if (a.size() != b.size()) return std::nullopt;
  Shape result = a;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (d == axis) result[d] += b[d];
    if (d != axis && a[d] != b[d]) return std::nullopt;
  }
  return result;
}

Shape part_of_shape(const Node& node, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](const char* name, std::int64_t fallback) {
    const std::int64_t at = node.integer(name, fallback);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = bound("start", 0);
  return {shape.begin() + start, shape.begin() + std::max(bound("end", rank), start)};
}

namespace {

/// Letters of one term of an equation. Dots stand for `hidden` dimensions, the last of them that
/// the longest ellipsis has: characters from 128 on, the last dimension first.
std::optional<std::string> letters_of(std::string_view term, std::size_t hidden) {
  std::string letters;
  for (std::size_t at = 0; at < term.size(); ++at) {
    const char letter = term[at];
    if (term.compare(at, 3, "...") == 0) {
      for (std::size_t k = hidden; k-- > 0;) letters += static_cast<char>(128 + k);
      at += 2;
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
      letters += letter;
    } else {
      return std::nullopt;
    }
  }
  return letters;
}

}  // namespace

std::optional<Einsum> read_einsum(std::string_view equation, const std::vector<Shape>& shapes) {
  std::string text(equation);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> terms;
  std::size_t widest = 0;
  for (std::size_t at = 0; at <= left.size();) {
    const std::size_t comma = std::min(left.find(',', at), left.size());
    const std::string term = left.substr(at, comma - at);
    if (terms.size() == shapes.size()) return std::nullopt;
    const Shape& shape = shapes[terms.size()];
    const bool dots = term.find("...") != std::string::npos;
    const std::size_t named = term.size() - (dots ? 3 : 0);
    if (named > shape.size() || (!dots && named != shape.size())) return std::nullopt;
    const std::size_t hidden = shape.size() - named;
    if (hidden > 64) return std::nullopt;
    widest = std::max(widest, hidden);
    const std::optional<std::string> letters = letters_of(term, hidden);
    if (!letters) return std::nullopt;
    terms.push_back(*letters);
    at = comma + 1;
  }
  if (terms.size() != shapes.size()) return std::nullopt;
  std::string all;
  for (const std::string& term : terms) all += term;
  std::optional<std::string> result;
  if (arrow != std::string::npos) {
    result = letters_of(text.substr(arrow + 2), widest);
  } else {
    // Without a result: the ellipsis, then letters that occur once, in the order of the alphabet.
    result = letters_of("...", widest);
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (const char letter : letters) {
      if (std::count(all.begin(), all.end(), letter) == 1) *result += letter;
    }
  }
  if (!result) return std::nullopt;
  std::string numbered;  // the result's letters, then those that are summed over
  for (const char letter : *result + all) {
    if (numbered.find(letter) == std::string::npos) numbered += letter;
  }
  Einsum einsum;
  einsum.sizes.assign(numbered.size(), 1);
  for (const char letter : *result) {
    if (all.find(letter) == std::string::npos) return std::nullopt;
    einsum.result.push_back(numbered.find(letter));
  }
  if (std::set(einsum.result.begin(), einsum.result.end()).size() != einsum.result.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::vector<std::size_t>& numbers = einsum.operands.emplace_back();
    for (std::size_t d = 0; d < terms[i].size(); ++d) {
      numbers.push_back(numbered.find(terms[i][d]));
      std::int64_t& size = einsum.sizes[numbers.back()];
      if (shapes[i][d] != size && shapes[i][d] != 1 && size != 1) return std::nullopt;
      size = std::max(size, shapes[i][d]);
    }
  }
  return einsum;
}

}  // namespace tactus::nn
