#include "firmware/compiler/frontend/loop_nest.h"

#include <fmt/format.h>

#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

std::optional<std::int64_t> Place1D::at(const Point& point, std::int64_t size) const {
  std::int64_t place = constant;
  for (const auto& [loop, factor] : terms) place += factor * point[loop];
  if (place < 0 || place % divisor != 0 || place / divisor >= size) return std::nullopt;
  return place / divisor;
}

Access Access::of(std::string value, const Layout& layout,
                  const std::vector<std::optional<LoopNumber>>& loops) {
  Access access{std::move(value), layout.memory_shape(), {}};
  for (const std::optional<LoopNumber>& loop : loops) {
    access.places.push_back(loop ? Place1D::of(*loop) : Place1D{});
  }
  return access;
}

std::optional<std::int64_t> Access::run(const Point& point) const {
  std::int64_t run = 0;
  for (std::size_t d = 0; d + 1 < places.size(); ++d) {
    const std::optional<std::int64_t> place = places[d].at(point, sizes[d]);
    if (!place) return std::nullopt;
    run = run * sizes[d] + *place;
  }
  return run;
}

std::int64_t LoopNest::size_of(const std::vector<LoopNumber>& some) const {
  std::int64_t size = 1;
  for (const LoopNumber loop : some) size *= loops[loop].size;
  return size;
}

std::vector<LoopNumber> LoopNest::result_loops() const {
  std::vector<LoopNumber> found;
  for (std::size_t d = 0; d + 1 < result.places.size(); ++d) {
    if (!result.places[d].terms.empty()) found.push_back(result.places[d].terms.front().first);
  }
  return found;
}

bool LoopNest::next(Point& point, const std::vector<LoopNumber>& which) const {
  for (std::size_t k = which.size(); k-- > 0;) {
    if (++point[which[k]] < loops[which[k]].size) return true;
    point[which[k]] = 0;
  }
  return false;
}

std::uint64_t LoopNest::macs_with_padding() const {
  return macs * static_cast<std::uint64_t>(tap_count() * size_of(result_loops()));
}

void skip_flattening(LoopNest& product, const Model& model, std::int64_t lanes) {
  Access& operand = product.operands[0];
  const std::string& source = model.value(operand.value).reshaped_from;
  if (source.empty() || operand.sizes.size() != 2) return;
  const Layout& before = *model.value(source).layout;
  const bool same_rows = before.rank() >= 2 && before.order[0] == 0 &&
                         before.shape[0] == operand.sizes[0] && before.lanes() % lanes == 0;
  if (!same_rows) return;
  const Loop columns = product.loops[*product.columns];
  product.loops = {product.loops[operand.places[0].terms.front().first]};
  std::vector<std::optional<LoopNumber>> at{0};
  product.rows.clear();
  const nn::Shape sizes = before.memory_shape();
  for (std::size_t d = 1; d < sizes.size(); ++d) {
    product.rows.push_back(product.add(fmt::format("k{}", d), sizes[d], d + 1 == sizes.size()));
    at.emplace_back(product.rows.back());
  }
  operand = Access::of(source, before, at);
  product.columns = product.add(columns.name, columns.size, true);
  product.result.places = {Place1D::of(0), Place1D::of(*product.columns)};
  product.weights.name += " for " + describe(before, 1);
  product.weights.fill = [before, fill = product.weights.fill](std::int64_t tap, std::int64_t place,
                                                               float* weights) {
    const std::vector<std::int64_t> strides = strides_of(before.shape);
    std::int64_t feature = 0;
    for (std::size_t k = before.order.size(); k-- > 1;) {
      const std::size_t d = before.order[k];
      feature += place % before.shape[d] * strides[d];
      place /= before.shape[d];
    }
    fill(tap, feature, weights);
  };
}

}  // namespace tactus::compiler
