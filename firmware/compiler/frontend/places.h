// Vector and lane of a tensor's elements.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/frontend/layout.h"

namespace tactus::compiler {

struct Place {
  std::int64_t vector = 0;  ///< number of the vector in the layout
  std::uint32_t lane = 0;
};

/// Finds the place of an element from its row-major index.
class Places {
 public:
  Places(const Layout& layout, std::uint32_t array_size)
      : lane_dimension_(layout.lane_dimension()), n_(array_size) {
    const std::vector<std::int64_t> model = strides_of(layout.shape);
    nn::Shape outer = layout.memory_shape();
    outer.back() = layout.blocks(n_);
    const std::vector<std::int64_t> memory = strides_of(outer);
    dimensions_.resize(model.size());
    for (std::size_t k = 0; k < layout.order.size(); ++k) {
      const std::size_t d = layout.order[k];
      dimensions_[d] = {model[d], memory[k]};
    }
  }

  [[nodiscard]] Place operator()(std::int64_t index) const {
    Place place;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      const std::int64_t at = index / dimensions_[d].model;
      index %= dimensions_[d].model;
      if (d == lane_dimension_) {
        place.vector += at / n_;
        place.lane = static_cast<std::uint32_t>(at % n_);
      } else {
        place.vector += at * dimensions_[d].memory;
      }
    }
    return place;
  }

 private:
  struct Stride {
    std::int64_t model = 0, memory = 0;
  };
  std::size_t lane_dimension_;
  std::uint32_t n_;
  std::vector<Stride> dimensions_;
};

}  // namespace tactus::compiler
