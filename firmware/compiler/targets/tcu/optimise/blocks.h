// Weights as the array takes them: a block is the bias, if there is one, then a vector per input
// lane.
//
// A block belongs to a column of a part of a group; its values follow from how inputs and result
// are stored. Blocks are made when they are first asked for and are one however often they are
// used.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/network.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::optimise {

struct Block {
  std::uint32_t rows = 0;  ///< vectors of weights
  bool biased = false;
  std::vector<std::int32_t> values;  ///< mantissas: bias if any, then the rows

  [[nodiscard]] std::uint32_t vectors() const { return rows + (biased ? 1 : 0); }
};

class Blocks {
 public:
  Blocks(const Network& network, const tcu::Architecture& architecture);

  /// Weights of a column; `with_bias`: the group's bias goes with it.
  [[nodiscard]] std::uint32_t column(std::size_t group, std::size_t part, std::size_t column,
                                     bool with_bias);
  /// The group's bias of a block, or these lanes as a bias.
  [[nodiscard]] std::uint32_t bias(std::size_t group, std::uint32_t block);
  [[nodiscard]] std::uint32_t row(const std::vector<double>& lanes);
  /// Parameters of the activation unit that normalise a block of the group's sums.
  [[nodiscard]] std::uint32_t unit(std::size_t group, std::uint32_t block);
  /// Factors on the diagonal; bias: the greatest value, or its negative.
  [[nodiscard]] std::uint32_t clamp(const std::vector<float>& factors, bool negative);

  [[nodiscard]] bool has_bias(std::size_t group, std::uint32_t block);
  [[nodiscard]] const Block& operator[](std::uint32_t block) const { return blocks_[block]; }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }

 private:
  [[nodiscard]] const std::vector<double>& bias_row(std::size_t group);
  [[nodiscard]] std::uint32_t& place_of(std::size_t group, std::size_t part, std::size_t column,
                                        bool with_bias);
  [[nodiscard]] std::uint32_t make_column(std::size_t group, std::size_t part, std::size_t column,
                                          bool with_bias);
  [[nodiscard]] float weight(const Group& group, const Part& part, const Column& column,
                             std::uint32_t input_lane, std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t add(Block block);
  [[nodiscard]] std::int32_t rounded(double value) const;

  const Network& network_;
  const tcu::Architecture& architecture_;
  std::uint32_t n_;
  const tcu::DataTypeInfo& type_;
  double greatest_;
  std::vector<Block> blocks_;
  /// By group: of its part p's column c and whether it has the bias, at (offsets[p] + c) * 2.
  struct Columns {
    std::vector<std::size_t> offsets;
    std::vector<std::uint32_t> blocks;
  };
  std::vector<Columns> columns_;
  static constexpr std::uint32_t unmade = 0xFFFFFFFF;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> biases_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> units_;
  std::map<std::vector<double>, std::uint32_t> rows_;
  std::map<std::pair<std::vector<float>, bool>, std::uint32_t> clamps_;
  std::map<std::pair<float, std::uint32_t>, std::uint32_t> uniform_;  ///< one factor, some rows
  std::map<std::size_t, std::vector<double>> bias_rows_;
};

/// The sign with which a group's sum stands in the accumulators.
[[nodiscard]] inline int sum_sign(const Group& group) {
  if (group.by_unit) return group.sign;
  return group.activation == Activation::relu || group.activation == Activation::leaky_relu ? -1
         : group.activation == Activation::clip                                             ? 1
                                                : group.sign;
}

}  // namespace tactus::compiler::optimise
