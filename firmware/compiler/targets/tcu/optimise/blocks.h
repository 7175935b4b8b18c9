// Blocks of weights in the order in which the array loads them: the bias, if there is one, then one
// vector for each input lane.
//
// A block belongs to one column of a part of a group. Its values depend on the sign and shift with
// which inputs and results are stored. A block is made when it is first asked for; later requests
// return the same block.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/network.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::optimise {

struct Block {
  std::uint32_t rows = 0;  ///< vectors of weights
  bool biased = false;
  std::vector<std::int32_t> values;  ///< mantissas: the bias if there is one, then the rows
  std::string source;                ///< of the rows, as in ConstantLosses
  std::string bias_source;           ///< of the bias
  ConstantLoss loss, bias_loss;

  [[nodiscard]] std::uint32_t vectors() const { return rows + (biased ? 1 : 0); }
};

class Blocks {
 public:
  Blocks(const Network& network, const tcu::Architecture& architecture);

  /// Returns the block of a column. `with_bias`: the block begins with the group's bias.
  [[nodiscard]] std::uint32_t column(std::size_t group, std::size_t part, std::size_t column,
                                     bool with_bias);
  /// Returns a block with only a bias: that of a block of the group's results.
  [[nodiscard]] std::uint32_t bias(std::size_t group, std::uint32_t block);
  [[nodiscard]] std::uint32_t row(const std::vector<double>& lanes);
  /// Returns the parameters with which the activation unit normalises a block of the group's sums.
  [[nodiscard]] std::uint32_t unit(std::size_t group, std::uint32_t block);
  /// Returns a block with these factors on the diagonal and, as bias, the greatest value or its
  /// negative.
  [[nodiscard]] std::uint32_t clamp(const std::vector<float>& factors, bool negative);

  [[nodiscard]] bool has_bias(std::size_t group, std::uint32_t block);
  /// Losses of a bias that is in no block, since all of it rounds to 0.
  [[nodiscard]] ConstantLoss vanished_bias(std::size_t group, std::uint32_t block);
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
  [[nodiscard]] std::int32_t rounded(double value, ConstantLoss& loss) const;

  const Network& network_;
  const tcu::Architecture& architecture_;
  std::uint32_t n_;
  const tcu::DataTypeInfo& type_;
  double greatest_;
  std::vector<Block> blocks_;
  /// Known blocks of a group. The entry of column c of part p is at (offsets[p] + c) * 2, plus 1
  /// for the block with the bias.
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
  /// By factor and number of rows.
  std::map<std::pair<float, std::uint32_t>, std::uint32_t> uniform_;
  std::map<std::size_t, std::vector<double>> bias_rows_;
};

/// Sign with which a group's sums are stored in the accumulators.
[[nodiscard]] inline int sum_sign(const Group& group) {
  if (group.by_unit) return group.sign;
  return group.activation == Activation::relu || group.activation == Activation::leaky_relu ? -1
         : group.activation == Activation::clip                                             ? 1
                                                : group.sign;
}

}  // namespace tactus::compiler::optimise
