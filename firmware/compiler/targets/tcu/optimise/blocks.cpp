#include "firmware/compiler/targets/tcu/optimise/blocks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/tcu/activation.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler::optimise {

Blocks::Blocks(const Network& network, const tcu::Architecture& architecture)
    : network_(network),
      architecture_(architecture),
      n_(architecture.array_size),
      type_(tcu::info(architecture.data_type)),
      greatest_(tcu::to_real(architecture.data_type, tcu::info(architecture.data_type).max())) {}

std::uint32_t Blocks::add(Block block) {
  blocks_.push_back(std::move(block));
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

/// Rounds as tcu::quantise does. That function takes floats, which cannot represent the greatest
/// value minus a small one.
std::int32_t Blocks::rounded(double value) const {
  const double scaled = std::floor(std::ldexp(value, static_cast<int>(type_.binary_point)) + 0.5);
  return static_cast<std::int32_t>(
      std::clamp(scaled, static_cast<double>(type_.min()), static_cast<double>(type_.max())));
}

/// Rounds a value that is stored.
std::int32_t Blocks::rounded(double value, ConstantLoss& loss) const {
  loss.add(architecture_.data_type, value);
  return rounded(value);
}

float Blocks::weight(const Group& group, const Part& part, const Column& column,
                     std::uint32_t input_lane, std::uint32_t lane) const {
  float value = column.factor;
  if (part.dense) {
    value *= column.weights[input_lane * column.row + lane];
  } else if (input_lane != lane) {
    return 0;
  } else if (column.diagonal != nullptr) {
    value *= column.diagonal[lane];
  }
  if (!group.scale.empty()) value *= group.scale[std::size_t{column.block} * n_ + lane];
  return value * static_cast<float>(part.sign * sum_sign(group));
}

/// Computes the bias: subtracts the effect of the inputs' shifts and adds the result's shift.
const std::vector<double>& Blocks::bias_row(std::size_t number) {
  const auto [place, is_new] = bias_rows_.try_emplace(number);
  std::vector<double>& row = place->second;
  if (!is_new) return row;
  const Group& group = network_.groups[number];
  row.assign(std::size_t{group.blocks} * n_, 0.0);
  const double sign = sum_sign(group);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double bias = group.bias.empty() ? 0.0 : static_cast<double>(group.bias[i]);
    const double shift = group.shift.empty() ? 0.0 : static_cast<double>(group.shift[i]);
    row[i] = sign * (bias + shift);
  }
  for (const Part& part : group.parts) {
    if (part.shift == nullptr) continue;
    for (const Column& column : part.columns) {
      for (std::uint32_t lane = 0; lane < n_; ++lane) {
        double sum = 0;
        for (std::uint32_t j = 0; j < n_; ++j) {
          if (!part.dense && j != lane) continue;
          const float exact = weight(group, part, column, j, lane) * static_cast<float>(part.sign);
          sum += tcu::to_real(architecture_.data_type, rounded(static_cast<double>(exact))) *
                 static_cast<double>(part.shift[j]);
        }
        row[std::size_t{column.block} * n_ + lane] -= sum;
      }
    }
  }
  if (group.activation == Activation::leaky_relu && !group.by_unit) {
    // The data type's range has one more value below 0 than above, see JobLowering::clamp_leaky().
    // Unused lanes stay 0.
    const double unit = std::ldexp(1.0, -static_cast<int>(type_.binary_point));
    for (std::uint32_t b = 0; b < group.blocks; ++b) {
      std::uint32_t lanes = 0;
      for (std::size_t i = b; i < group.results.size(); i += group.blocks) {
        lanes = std::max<std::uint32_t>(lanes, network_.graph.lanes[group.results[i]]);
      }
      for (std::uint32_t lane = 0; lane < lanes; ++lane) row[std::size_t{b} * n_ + lane] += unit;
    }
  }
  if (group.saturating_product) {
    for (double& value : row) value = std::min(greatest_, greatest_ + value);
  }
  return row;
}

bool Blocks::has_bias(std::size_t group, std::uint32_t block) {
  const std::vector<double>& row = bias_row(group);
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(std::size_t{block} * n_);
  return std::any_of(first, first + n_, [&](double value) { return rounded(value) != 0; });
}

std::uint32_t& Blocks::place_of(std::size_t group, std::size_t part, std::size_t column,
                                bool with_bias) {
  if (columns_.empty()) columns_.resize(network_.groups.size());
  Columns& columns = columns_[group];
  if (columns.offsets.empty()) {
    std::size_t count = 0;
    for (const Part& p : network_.groups[group].parts) {
      columns.offsets.push_back(count);
      count += p.columns.size();
    }
    columns.blocks.assign(2 * count, unmade);
  }
  return columns.blocks[2 * (columns.offsets[part] + column) + (with_bias ? 1 : 0)];
}

std::uint32_t Blocks::column(std::size_t group, std::size_t part, std::size_t number,
                             bool with_bias) {
  std::uint32_t& place = place_of(group, part, number, with_bias);
  if (place == unmade) place = make_column(group, part, number, with_bias);
  return place;
}

ConstantLoss Blocks::vanished_bias(std::size_t group, std::uint32_t block) {
  ConstantLoss loss;
  if (has_bias(group, block)) return loss;
  for (std::uint32_t lane = 0; lane < n_; ++lane) {
    loss.add(architecture_.data_type, bias_row(group)[std::size_t{block} * n_ + lane]);
  }
  return loss;
}

std::uint32_t Blocks::make_column(std::size_t group, std::size_t part, std::size_t number,
                                  bool with_bias) {
  const Group& g = network_.groups[group];
  const Part& p = g.parts[part];
  const Column& c = p.columns[number];
  Block block;
  block.rows = std::max<std::uint32_t>(p.rows, 1);
  const auto source = network_.graph.sources.find(p.dense ? c.weights : c.diagonal);
  block.bias_source = "layer " + g.name;
  block.source = source == network_.graph.sources.end() ? block.bias_source : *source->second;
  const bool is_uniform = !p.dense && c.diagonal == nullptr && g.scale.empty() &&
                          !(with_bias && has_bias(group, c.block));
  if (is_uniform) {
    const auto known = uniform_.find({weight(g, p, c, 0, 0), block.rows});
    if (known != uniform_.end()) return known->second;
  }
  // A bias of zeroes would be a LoadWeights of its own, which costs a cycle where others cost one.
  const bool always = architecture_.shadow_weights == tcu::ShadowWeights::own_reads;
  block.biased = (with_bias && has_bias(group, c.block)) || always;
  for (std::uint32_t lane = 0; lane < n_ && block.biased; ++lane) {
    const std::size_t at = std::size_t{c.block} * n_ + lane;
    block.values.push_back(rounded(with_bias ? bias_row(group)[at] : 0.0, block.bias_loss));
  }
  for (std::uint32_t j = 0; j < block.rows; ++j) {
    for (std::uint32_t lane = 0; lane < n_; ++lane) {
      block.values.push_back(rounded(static_cast<double>(weight(g, p, c, j, lane)), block.loss));
    }
  }
  const std::uint32_t rows = block.rows;
  const std::uint32_t made = add(std::move(block));
  if (is_uniform) uniform_[{weight(g, p, c, 0, 0), rows}] = made;
  return made;
}

std::uint32_t Blocks::bias(std::size_t group, std::uint32_t block) {
  const auto [place, is_new] = biases_.try_emplace({group, block});
  if (!is_new) return place->second;
  const std::vector<double>& row = bias_row(group);
  Block made;
  made.biased = true;
  made.bias_source = "layer " + network_.groups[group].name;
  for (std::uint32_t lane = 0; lane < n_; ++lane) {
    made.values.push_back(rounded(row[std::size_t{block} * n_ + lane], made.bias_loss));
  }
  place->second = add(std::move(made));
  return place->second;
}

std::uint32_t Blocks::unit(std::size_t group, std::uint32_t block) {
  const auto [place, is_new] = units_.try_emplace({group, block});
  if (!is_new) return place->second;
  const Normalised& normalised = network_.groups[group].normalised;
  Block made;
  made.rows = tcu::activation_parameters;
  made.source = "layer " + network_.groups[group].name;
  const auto add_lanes = [&](auto value_of) {
    for (std::uint32_t lane = 0; lane < n_; ++lane) {
      made.values.push_back(
          rounded(static_cast<double>(value_of(std::size_t{block} * n_ + lane)), made.loss));
    }
  };
  add_lanes([&](std::size_t at) { return normalised.scale[at]; });
  add_lanes([&](std::size_t at) { return normalised.offset[at]; });
  add_lanes([&](std::size_t at) { return normalised.slope.empty() ? 0.0F : normalised.slope[at]; });
  add_lanes([&](std::size_t at) {
    return normalised.limit.empty() ? greatest_ : static_cast<double>(normalised.limit[at]);
  });
  place->second = add(std::move(made));
  return place->second;
}

std::uint32_t Blocks::row(const std::vector<double>& lanes) {
  const auto [place, is_new] = rows_.try_emplace(lanes);
  if (!is_new) return place->second;
  Block made;
  made.biased = true;
  for (const double lane : lanes) made.values.push_back(rounded(lane));
  place->second = add(std::move(made));
  return place->second;
}

std::uint32_t Blocks::clamp(const std::vector<float>& factors, bool negative) {
  const auto [place, is_new] = clamps_.try_emplace({factors, negative});
  if (!is_new) return place->second;
  Block made;
  made.biased = true;
  made.rows = n_;
  made.values.assign(std::size_t{n_} * (n_ + 1), 0);
  for (std::uint32_t lane = 0; lane < n_; ++lane) {
    made.values[lane] = rounded(negative ? -greatest_ : greatest_);
    made.values[std::size_t{n_} * (lane + 1) + lane] = rounded(static_cast<double>(factors[lane]));
  }
  place->second = add(std::move(made));
  return place->second;
}

}  // namespace tactus::compiler::optimise
