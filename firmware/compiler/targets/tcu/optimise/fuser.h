// Joins operations of the graph to groups, one after the other; the class behind fuse().
//
// Most operations become one group, or join the group of their operand. Those that are computed in
// stages become several: extremes of many operands and averages (fusion_stages.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

class Fuser {
 public:
  Fuser(Network& network, std::uint64_t accumulators);
  [[nodiscard]] std::vector<Group> run();

 private:
  static constexpr std::size_t no_group = ~std::size_t{0};

  void count_readers();
  void take(const Op& op);
  void take_product(const Op& op);
  void add_bias(Group& group, const Tap& tap);
  void take_sum(const Op& op);
  void take_norm(const Op& op);
  void take_activation(const Op& op);
  void take_extreme(const Op& op);
  void take_large_extreme(const Op& op);
  void take_average(const Op& op);
  void take_average_by_moves(const Op& op);
  void take_terms(const Op& op);
  void take_multiply(const Op& op);
  void take_lookup(const Op& op);
  void take_by_simd(const Op& op);

  /// The group whose results are exactly these vectors, if the current op is their only reader.
  [[nodiscard]] std::size_t own_group(const std::vector<Vector>& vectors) const;
  [[nodiscard]] bool is_open(std::size_t group) const {
    return group != no_group && groups_[group].kind == GroupKind::sum &&
           groups_[group].activation == Activation::none;
  }
  [[nodiscard]] Vector new_vector(std::uint32_t lanes);
  Group& start(const Op& op);
  void finish(Group& group, const Op& op);
  /// Vectors, each with one factor and one diagonal, that become parts of a block.
  struct Weighted {
    Vector vector;
    std::uint32_t output;
    float factor;
    const float* diagonal;
  };
  void add_diagonals(Group& group, const std::vector<Weighted>& terms) const;
  void add_operand(Group& group, const std::vector<Vector>& operand, float factor);
  [[nodiscard]] bool all_constant(const std::vector<Vector>& vectors) const;
  /// Returns one row of lanes for each block, if all pixels have equal rows.
  [[nodiscard]] std::optional<std::vector<float>> row_of(const std::vector<Vector>& vectors,
                                                         std::uint32_t blocks) const;
  [[nodiscard]] const float* keep(const std::vector<float>& values);
  /// A constant vector as a factor of another vector.
  struct Factor {
    float value = 1;
    const float* diagonal = nullptr;
  };
  [[nodiscard]] std::optional<Factor> factor_of(Vector vector) const;
  /// The way to compute a sum, and its cycles. `parts`: number of partial sums for each result,
  /// which SIMD instructions then add; 1: SIMD instructions alone; 0: DataMoves that accumulate.
  struct Summing {
    std::uint64_t parts = 1, cycles = 0;
  };
  [[nodiscard]] Summing best_summing(const Op& op) const;
  [[nodiscard]] bool are_neighbours(const Op& op, std::size_t operands) const;
  [[nodiscard]] Op parts_of(const Op& op, std::size_t parts);
  [[nodiscard]] static std::vector<std::vector<Vector>> partial(const Op& op, const Op& made,
                                                                std::size_t parts);
  /// The sum to which an activation of the operand is added; a copy of the operand if it is not a
  /// sum with this op as its only reader.
  [[nodiscard]] Group& sum_for_activation(const Op& op, const std::vector<Vector>& operand);

  Network& network_;
  Graph& graph_;
  std::uint64_t accumulators_;
  std::vector<Group> groups_;
  std::vector<std::size_t> producers_;
  std::vector<std::uint32_t> readers_;  ///< number of ops that read each vector, outputs included
};

}  // namespace tactus::compiler::optimise
