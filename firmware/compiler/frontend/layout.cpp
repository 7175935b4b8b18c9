#include "firmware/compiler/frontend/layout.h"

#include <numeric>

#include <fmt/format.h>

namespace tactus::compiler {

Layout Layout::plain(nn::Shape shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  return {std::move(shape), std::move(order)};
}

Layout Layout::activation(nn::Shape shape) {
  if (shape.size() == 4) return {std::move(shape), {0, 2, 3, 1}};
  return plain(std::move(shape));
}

std::int64_t Layout::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::int64_t Layout::rows() const {
  std::int64_t count = 1;
  for (std::size_t k = 0; k + 1 < order.size(); ++k) count *= shape[order[k]];
  return count;
}

nn::Shape Layout::memory_shape() const {
  nn::Shape sizes;
  for (const std::size_t dimension : order) sizes.push_back(shape[dimension]);
  return sizes;
}

bool Layout::is_image() const { return order == std::vector<std::size_t>{0, 2, 3, 1}; }

bool Layout::is_plain() const {
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] != k) return false;
  }
  return true;
}

Layout Layout::transposed(const std::vector<std::int64_t>& permutation) const {
  Layout result = *this;
  std::vector<std::size_t> new_dimension(rank());
  for (std::size_t i = 0; i < rank(); ++i) {
    result.shape[i] = shape[static_cast<std::size_t>(permutation[i])];
    new_dimension[static_cast<std::size_t>(permutation[i])] = i;
  }
  for (std::size_t& dimension : result.order) dimension = new_dimension[dimension];
  return result;
}

std::vector<std::int64_t> strides_of(const nn::Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  return strides;
}

bool next_position(nn::Shape& position, const nn::Shape& shape) {
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (++position[k] < shape[k]) return true;
    position[k] = 0;
  }
  return false;
}

std::string describe(const Layout& layout, std::uint32_t array_size) {
  std::string letters = layout.rank() == 4   ? "NCHW"
                        : layout.rank() == 2 ? "NH"
                        : layout.rank() == 1 ? "W"
                                             : "";
  // The letters of a transposed image, whose channels are last: NHWC.
  if (layout.rank() == 4 && layout.is_plain()) letters = "NHWC";
  for (std::size_t k = letters.size(); k < layout.rank(); ++k) {
    letters += static_cast<char>('A' + static_cast<char>(k % 26));
  }
  std::string memory_letters;
  for (const std::size_t dimension : layout.order) memory_letters += letters[dimension];
  return fmt::format("{}{}={}{}={}*{}", letters, nn::to_string(layout.shape), memory_letters,
                     nn::to_string(layout.memory_shape()), layout.vectors(array_size), array_size);
}

}  // namespace tactus::compiler
