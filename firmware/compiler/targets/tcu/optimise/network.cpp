#include "firmware/compiler/targets/tcu/optimise/network.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "firmware/compiler/targets/tcu/optimise/fusion.h"
#include "firmware/compiler/targets/tcu/optimise/rewrites.h"
#include "firmware/compiler/targets/tcu/optimise/verify.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler::optimise {

std::optional<float> uniform(const std::vector<float>& row) {
  if (row.empty()) return std::nullopt;
  const bool alike = std::all_of(row.begin(), row.end(), [&](float v) { return v == row.front(); });
  return alike ? std::optional(row.front()) : std::nullopt;
}

namespace {

/// Largest shift, as part of the data type's range.
constexpr double largest_shift = 0.25;
/// An offset down to this many units of the last place below 0 counts as 0.
constexpr double largest_rounding = 1;

class Storage {
 public:
  Storage(Network& network, const tcu::Architecture& architecture)
      : network_(network),
        type_(tcu::info(architecture.data_type)),
        has_unit_(architecture.activation_unit) {
    unit_ = std::ldexp(1.0, -static_cast<int>(type_.binary_point));
    network_.signs.assign(network_.graph.constants.size(), 1);
    network_.shifts.assign(network_.graph.constants.size(), nullptr);
    is_output_.assign(network_.graph.constants.size(), false);
    for (const Tensor& output : network_.graph.outputs) {
      for (const Vector v : output.vectors) {
        if (v != no_vector) is_output_[v] = true;
      }
    }
  }

  void decide() {
    for (Group& group : network_.groups) {
      group.by_unit = has_unit_ && unit_computes(group);
      group.saturating_product =
          group.activation == Activation::relu && !group.by_unit && is_single_product(group);
    }
    choose_shifts();
    for (Group& group : network_.groups) {
      group.saturating_product = group.saturating_product && leaves_no_offset_below(group);
    }
    for (Group& group : network_.groups) choose_sign(group);
    for (Group& group : network_.groups) split_parts(group);
  }

 private:
  [[nodiscard]] static bool unit_computes(const Group& group) {
    switch (group.activation) {
      case Activation::relu:
        return true;
      case Activation::leaky_relu:
        return uniform(group.slope).has_value();
      case Activation::clip:
        return uniform(group.low) == 0.0F && uniform(group.high).value_or(0) > 0;
      case Activation::lookup:
      case Activation::none:
        break;
    }
    return false;
  }
  /// True if each result is one vector times one diagonal.
  static bool is_single_product(const Group& group) {
    if (group.window != 1) return false;
    std::vector<bool> seen(group.results.size());
    for (const Part& part : group.parts) {
      if (part.dense) return false;
      for (const std::uint32_t pixel : part.pixels) {
        const std::size_t at = pixel * group.blocks + part.columns[0].block;
        if (seen[at]) return false;
        seen[at] = true;
      }
    }
    return std::all_of(seen.begin(), seen.end(), [](bool one) { return one; });
  }

  /// Factor of one lane of a copy or a diagonal, after rounding.
  [[nodiscard]] double rounded_factor(const Group& group, const Column& column,
                                      std::uint32_t lane) const {
    auto factor = static_cast<double>(column.factor);
    if (column.diagonal != nullptr) factor *= static_cast<double>(column.diagonal[lane]);
    if (!group.scale.empty()) {
      factor *=
          static_cast<double>(group.scale[std::size_t{column.block} * network_.graph.n + lane]);
    }
    return std::floor(factor / unit_ + 0.5) * unit_;
  }
  void choose_shifts();
  [[nodiscard]] bool leaves_no_offset_below(const Group& group) const;
  [[nodiscard]] bool takes_shift(const Group& reader, const std::vector<bool>& made) const;
  [[nodiscard]] std::vector<float> wanted_shift(const Group& reader, const Group& made) const;
  void choose_sign(Group& group);
  void split_parts(Group& group) const;

  Network& network_;
  const tcu::DataTypeInfo& type_;
  bool has_unit_;
  double unit_ = 1;
  std::vector<bool> is_output_;
};

/// True if the reader can subtract the shift in its bias, which must be equal for all its pixels.
bool Storage::takes_shift(const Group& reader, const std::vector<bool>& made) const {
  for (const auto& window : reader.windows) {
    for (const Vector v : window) {
      if (v != no_vector && made[v]) return false;
    }
  }
  for (const Part& part : reader.parts) {
    std::size_t count = 0;
    for (const Vector v : part.inputs) count += made[v] ? 1 : 0;
    for (const Column& column : part.columns) {
      for (const Vector v : column.rows) {
        if (v != no_vector && made[v]) return false;
      }
    }
    if (count != 0 && part.is_computed()) return false;
    if (count != 0 &&
        (count != part.inputs.size() || count != std::size_t{reader.pixels} * reader.window))
      return false;
  }
  return true;
}

/// The shift that makes a normalisation with ReLU, which reads the group, a single product: offset
/// / scale. Empty if there is no such reader.
std::vector<float> Storage::wanted_shift(const Group& reader, const Group& made) const {
  if (!reader.saturating_product || reader.blocks != made.blocks || reader.bias.empty()) return {};
  std::vector<float> shift(reader.bias.size());
  bool any = false;
  for (const Part& part : reader.parts) {
    const Column& column = part.columns[0];
    for (std::uint32_t lane = 0; lane < network_.graph.n; ++lane) {
      const std::size_t at = column.block * network_.graph.n + lane;
      const double offset = reader.bias[at];
      if (offset == 0) continue;
      const double scale = rounded_factor(reader, column, lane);
      if (scale == 0) return {};
      // Rounded so that the rest of the offset is not negative.
      const double steps = offset / scale / unit_;
      const double shifted = (scale > 0 ? std::floor(steps) : std::ceil(steps)) * unit_;
      if (std::fabs(shifted) > largest_shift * static_cast<double>(type_.max()) * unit_) return {};
      shift[at] = static_cast<float>(shifted);
      any = true;
    }
  }
  return any ? shift : std::vector<float>{};
}

void Storage::choose_shifts() {
  std::vector<bool> made(network_.graph.constants.size(), false);
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    Group& group = network_.groups[g];
    if (group.kind != GroupKind::sum || group.activation != Activation::none) continue;
    if (std::any_of(group.results.begin(), group.results.end(),
                    [&](Vector v) { return is_output_[v]; })) {
      continue;
    }
    for (const Vector v : group.results) made[v] = true;
    bool possible = true;
    std::vector<float> shift;
    for (std::size_t r = g + 1; r < network_.groups.size() && possible; ++r) {
      const Group& reader = network_.groups[r];
      possible = takes_shift(reader, made);
      const bool reads_all_of_it =
          reader.saturating_product && reader.results.size() == group.results.size() &&
          std::all_of(reader.parts.begin(), reader.parts.end(), [&](const Part& part) {
            return std::all_of(part.inputs.begin(), part.inputs.end(),
                               [&](Vector v) { return made[v]; });
          });
      if (reads_all_of_it && shift.empty()) shift = wanted_shift(reader, group);
    }
    for (const Vector v : group.results) made[v] = false;
    if (!possible || shift.empty()) continue;
    group.shift = std::move(shift);
    for (std::size_t i = 0; i < group.results.size(); ++i) {
      network_.shifts[group.results[i]] = group.shift.data() + i % group.blocks * network_.graph.n;
    }
  }
}

/// True if the part of the offset that the input's shift leaves is not below 0, except for
/// rounding. A saturating product subtracts it from the greatest value.
bool Storage::leaves_no_offset_below(const Group& group) const {
  if (group.bias.empty() && group.shift.empty()) return true;
  for (const Part& part : group.parts) {
    const Column& column = part.columns[0];
    for (const Vector v : part.inputs) {
      const float* shift = network_.shifts[v];
      if (shift != nullptr && shift != network_.shifts[part.inputs[0]]) return false;
    }
    const float* shift = network_.shifts[part.inputs[0]];
    for (std::uint32_t lane = 0; lane < network_.graph.n; ++lane) {
      const float offset =
          group.bias.empty() ? 0.0F : group.bias[column.block * network_.graph.n + lane];
      const double rounded = rounded_factor(group, column, lane);
      const double left = static_cast<double>(offset) -
                          (shift == nullptr ? 0.0 : rounded * static_cast<double>(shift[lane]));
      if (left < -largest_rounding * unit_) return false;
    }
  }
  return true;
}

void Storage::choose_sign(Group& group) {
  std::vector<int>& signs = network_.signs;
  if (group.kind == GroupKind::sum) {
    const bool negated = !group.by_unit && (group.activation == Activation::relu ||
                                            group.activation == Activation::leaky_relu);
    group.sign = negated ? -1 : 1;
    const bool output = std::any_of(group.results.begin(), group.results.end(),
                                    [&](Vector v) { return is_output_[v]; });
    if (group.activation == Activation::none && !output && !has_computed_weights(group)) {
      // A copy into the accumulators keeps the sign of its source.
      std::int64_t votes = 0;
      for (const Part& part : group.parts) {
        if (part.dense || part.columns[0].diagonal != nullptr) continue;
        if (std::fabs(part.columns[0].factor) != 1.0F) continue;
        const auto count = static_cast<std::int64_t>(part.inputs.size());
        const int sign = part.columns[0].factor > 0 ? 1 : -1;
        votes += signs[part.inputs.front()] * sign * count;
      }
      if (votes < 0) group.sign = -1;
    }
    for (const Vector v : group.results) signs[v] = group.sign;
    return;
  }
  for (std::size_t i = 0; i < group.results.size(); ++i) {
    const std::vector<Vector>& window = group.windows[i];
    int sign = 1;
    if (group.operation == hir::Kind::multiply) {
      sign = signs[window[0]] * signs[window[1]];
    } else if (is_odd(group.operation)) {
      const auto end = window.begin() +
                       static_cast<std::ptrdiff_t>(odd_operands(group.operation, window.size()));
      if (std::all_of(window.begin(), end, [&](Vector v) { return signs[v] < 0; })) sign = -1;
    }
    // Operands of the other sign are copied first (insert_plain_copies).
    signs[group.results[i]] = sign;
  }
}

/// Splits parts, so that all inputs of a part have the same sign and shift.
void Storage::split_parts(Group& group) const {
  std::vector<Part> parts;
  for (Part& part : group.parts) {
    std::map<std::pair<int, const float*>, Part> alike;
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      const Vector v = part.inputs[i];
      Part& target = alike[{network_.signs[v], network_.shifts[v]}];
      target.inputs.push_back(v);
      target.pixels.push_back(part.pixels[i]);
      target.rows = std::max<std::uint32_t>(target.rows, network_.graph.lanes[v]);
    }
    for (auto& [key, target] : alike) {
      target.dense = part.dense;
      target.columns = part.columns;
      target.sign = key.first;
      target.shift = key.second;
      parts.push_back(std::move(target));
    }
  }
  group.parts = std::move(parts);
}

/// Makes copies with sign 1 and without shift of vectors that are stored with another sign or
/// shift; `wanted` selects them.
class PlainCopies {
 public:
  explicit PlainCopies(Network& network) : network_(network) {}

  Vector plain(Vector vector) {
    const auto [place, is_new] = copies_.try_emplace(vector, no_vector);
    if (is_new) {
      place->second = network_.graph.add_vector(network_.graph.lanes[vector]);
      network_.signs.push_back(1);
      network_.shifts.push_back(nullptr);
      fresh_.push_back(vector);
    }
    return place->second;
  }

  /// Returns the copies requested since the last call, as a group.
  void take(const std::string& name, std::vector<Group>& groups) {
    if (fresh_.empty()) return;
    // Vectors with equal shifts can be copied by one block of weights.
    std::map<std::tuple<int, const float*>, std::vector<Vector>> alike;
    for (const Vector v : fresh_) alike[{network_.signs[v], network_.shifts[v]}].push_back(v);
    for (auto& [key, vectors] : alike) {
      Group group;
      group.name = name + " (plain)";
      group.pixels = static_cast<std::uint32_t>(vectors.size());
      Part part;
      Column column;
      part.columns = {column};
      part.sign = std::get<0>(key);
      part.shift = std::get<1>(key);
      for (std::uint32_t p = 0; p < group.pixels; ++p) {
        part.inputs.push_back(vectors[p]);
        part.pixels.push_back(p);
        part.rows = std::max<std::uint32_t>(part.rows, network_.graph.lanes[vectors[p]]);
        group.results.push_back(copies_.at(vectors[p]));
      }
      group.parts.push_back(std::move(part));
      groups.push_back(std::move(group));
    }
    fresh_.clear();
  }

 private:
  Network& network_;
  std::map<Vector, Vector> copies_;
  std::vector<Vector> fresh_;
};

/// Inserts copies, so that outputs and both operands of products with computed weights are stored
/// unchanged and operands of SIMD instructions with the sign and shift that they need.
void insert_plain_copies(Network& network) {
  PlainCopies copies(network);
  const auto is_plain = [&](Vector v) {
    return v == no_vector || (network.signs[v] == 1 && network.shifts[v] == nullptr);
  };
  std::vector<Group> groups;
  for (Group& group : network.groups) {
    for (std::size_t i = 0; i < group.windows.size(); ++i) {
      auto& window = group.windows[i];
      const int sign = network.signs[group.results[i]];
      if (group.operation == hir::Kind::multiply || sign < 0) continue;
      for (Vector& v : window) {
        if (!is_plain(v)) v = copies.plain(v);
      }
    }
    for (Part& part : group.parts) {
      if (!part.is_computed()) continue;
      part.sign = 1;
      part.shift = nullptr;
      for (Vector& v : part.inputs) {
        if (!is_plain(v)) v = copies.plain(v);
      }
      for (Column& column : part.columns) {
        for (Vector& v : column.rows) {
          if (!is_plain(v)) v = copies.plain(v);
        }
      }
    }
    copies.take(group.name, groups);
    groups.push_back(std::move(group));
  }
  // Vectors that no group computes are copied from their address.
  std::vector<bool> is_made(network.graph.constants.size(), false);
  for (const Group& group : groups) {
    for (const Vector v : group.results) is_made[v] = true;
  }
  for (Tensor& output : network.graph.outputs) {
    for (Vector& v : output.vectors) {
      if (v != no_vector && (!is_plain(v) || !is_made[v])) v = copies.plain(v);
    }
    copies.take(output.name, groups);
  }
  network.groups = std::move(groups);
}

void find_makers_and_readers(Network& network) {
  network.makers.assign(network.graph.constants.size(), no_maker);
  network.last_readers.assign(network.graph.constants.size(), 0);
  const auto count = static_cast<std::uint32_t>(network.groups.size());
  for (std::uint32_t g = 0; g < count; ++g) {
    for_results(network.groups[g], [&](const std::vector<Vector>& results) {
      for (const Vector v : results) network.makers[v] = g;
    });
    for_inputs(network.groups[g],
               [&](Vector v, std::uint32_t) { network.last_readers[v] = g + 1; });
  }
}

/// Numbers the input blocks that matrices read. Matrices of one block of inputs read the same
/// vectors or their neighbours. All other parts count as reading the first block.
void number_sources(Network& network) {
  std::vector<std::uint64_t> block_of(network.graph.constants.size(), 0);
  const auto number = [&](const std::vector<Vector>& vectors, std::uint64_t maker,
                          std::uint32_t blocks) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (vectors[i] != no_vector) block_of[vectors[i]] = maker << 32U | i % blocks;
    }
  };
  std::uint64_t maker = 0;
  for (const Tensor& input : network.graph.inputs) number(input.vectors, maker++, input.blocks);
  for (const Group& group : network.groups) {
    for_results(
        group, [&](const std::vector<Vector>& results) { number(results, maker++, group.blocks); });
  }
  for (Group& group : network.groups) {
    std::map<std::uint64_t, std::uint32_t> sources;
    for (const Part& part : group.parts) {
      if (part.dense) sources.emplace(block_of[part.inputs.front()], 0);
    }
    std::uint32_t next = 0;
    for (auto& [block, source] : sources) source = next++;
    for (Part& part : group.parts) {
      if (part.dense) part.source = sources.at(block_of[part.inputs.front()]);
    }
    group.sources = std::max<std::uint32_t>(1, next);
  }
}

}  // namespace

Network form_network(Graph graph, const tcu::Architecture& architecture) {
  Network network;
  network.graph = std::move(graph);
  verify(network.graph);
  network.groups =
      fuse(network, std::min(architecture.accumulator_depth, architecture.local_depth));
  verify(network, "fusion");
  drop_unread(network);
  verify(network, "removal of what is not read");
  pool_sums(network);
  verify(network, "pooling of sums");
  pack_pixels(network);
  verify(network, "packing of pixels");
  gather_taps(network);
  verify(network, "gathering of taps");
  Storage(network, architecture).decide();
  insert_plain_copies(network);
  verify(network, "choice of signs");
  if (architecture.activation_unit) {
    take_in_normalisations(network);
    verify(network, "normalisation by the unit");
  }
  find_makers_and_readers(network);
  number_sources(network);
  return network;
}

}  // namespace tactus::compiler::optimise
