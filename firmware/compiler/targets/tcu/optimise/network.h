// The network as groups. A group is what is computed between a read from local memory and the next
// write to it.
//
// A group's result is a sum of parts (matrices, diagonals, copies) and a bias, followed by an
// activation. It is computed in the accumulators and then copied to local memory. Every other
// operation of HIR is a group of its own, computed by SIMD instructions.
//
// Values are stored as sign * (x + shift). The sign is -1 for results of a ReLU, since saturating
// sums compute their negatives. The shift makes a normalisation with ReLU one diagonal product and
// one addition. Pixels without readers are removed. Source: README.md in this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/graph.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::optimise {

/// Activation of a group. Its parameters are rows [block * N + lane], equal for all pixels.
enum class Activation : std::uint8_t {
  none,
  relu,
  leaky_relu,  ///< Group::slope, at most 1
  clip,        ///< Group::low, Group::high; an empty row is no limit
  lookup,      ///< Group::tables
};

/// Weights of a part for one block of the result.
struct Column {
  std::uint32_t block = 0;
  /// A dense matrix has row j of the input at weights + j * row.
  const float* weights = nullptr;
  std::size_t row = 0;
  const float* diagonal = nullptr;  ///< one factor a lane; null: all 1
  float factor = 1;                 ///< factor of the whole column
  /// Rows of a dense matrix that is computed, in place of weights; no_vector: zeroes.
  std::vector<Vector> rows = {};
};

/// Vectors multiplied by the same weights. inputs[i] contributes to pixels[i]; pixels is strictly
/// increasing.
struct Part {
  bool dense = false;
  std::vector<Vector> inputs;
  std::vector<std::uint32_t> pixels;
  /// Dense matrices have one for each block of the result, others a single one.
  std::vector<Column> columns;
  std::uint32_t rows = 0;        ///< lanes of the inputs that can differ from 0
  int sign = 1;                  ///< sign of the inputs as stored
  const float* shift = nullptr;  ///< shift of the inputs as stored, or null
  std::uint32_t source = 0;      ///< number of the block that the part reads, see Group::sources

  [[nodiscard]] bool is_computed() const { return !columns.empty() && !columns[0].rows.empty(); }
};

/// A second result of a group: its sums, normalised by the activation unit.
struct Normalised {
  /// In the order of the group's results; empty: there is no second result.
  std::vector<Vector> results;
  std::vector<float> scale, offset;  ///< [block * N + lane]
  std::vector<float> slope;          ///< likewise, for values below 0; empty: 0
  std::vector<float> limit;          ///< likewise, the upper limit; empty: that of the data type
};

enum class GroupKind : std::uint8_t {
  sum,   ///< a sum of parts
  simd,  ///< an operation of HIR on the vectors of each result's window
};

struct Group {
  std::string name;
  std::vector<std::string> nodes;  ///< names of the model's nodes in this group, in order
  GroupKind kind = GroupKind::sum;
  hir::Kind operation = hir::Kind::load;  ///< operation of a group of SIMD instructions
  std::uint32_t blocks = 1, pixels = 0;
  std::uint64_t macs = 0;       ///< multiply-accumulates of the model
  std::vector<Vector> results;  ///< [pixel * blocks + block]
  std::vector<Part> parts;
  std::vector<float> bias;  ///< [block * N + lane]; empty: none
  /// Factors of all parts, likewise, from a normalisation that was joined; empty: none.
  std::vector<float> scale;
  Activation activation = Activation::none;
  std::vector<float> slope, low, high;  ///< parameters of the activation
  /// Vectors of the tables of a lookup: table 0, then table 1.
  std::vector<Vector> tables;
  /// The machine's activation unit computes the activation, on the way to local memory.
  bool by_unit = false;
  /// windows[i]: operands of result i of a group of SIMD instructions, in the order of HIR.
  std::vector<std::vector<Vector>> windows;
  /// Pixels of the parts in one result of a sum: result p is the maximum of pixels window * p to
  /// window * p + window - 1, before the activation.
  std::uint32_t window = 1;
  int sign = 1;              ///< sign of a sum's results as stored
  std::vector<float> shift;  ///< [block * N + lane]; empty: none
  /// The product computes M - s x, where M is the greatest value, so that the ReLU needs one more
  /// addition only.
  bool saturating_product = false;
  /// Number of blocks of other groups that the matrices read. The sum can be computed in as many
  /// slices.
  std::uint32_t sources = 1;
  Normalised normalised;
};

/// Calls visit(row) for each row of parameters of a group, empty ones included.
template <typename AnyGroup, typename Visit>
void for_rows(AnyGroup& group, Visit visit) {
  for (auto* row : {&group.bias, &group.scale, &group.slope, &group.low, &group.high}) visit(*row);
}

/// True if the group multiplies by weights that are computed. It cannot negate or scale them.
[[nodiscard]] inline bool has_computed_weights(const Group& group) {
  return std::any_of(group.parts.begin(), group.parts.end(),
                     [](const Part& part) { return part.is_computed(); });
}

/// The row's value if all lanes are equal; nothing if they differ or the row is empty.
[[nodiscard]] std::optional<float> uniform(const std::vector<float>& row);

/// True for an operation of HIR that gives the negative of its result if its operands are negated
/// (and a maximum becomes a minimum). Constant operands, such as the factor of an average, are not
/// negated.
[[nodiscard]] inline bool is_odd(hir::Kind kind) {
  return kind == hir::Kind::max_pool || kind == hir::Kind::minimum ||
         kind == hir::Kind::average_pool;
}
/// Number of operands of such an operation that are negated.
[[nodiscard]] inline std::size_t odd_operands(hir::Kind kind, std::size_t operands) {
  return kind == hir::Kind::average_pool ? operands - 1 : operands;
}

/// The operation that computes the same on values stored with this sign.
[[nodiscard]] inline hir::Kind stored_operation(hir::Kind kind, int sign) {
  if (sign > 0) return kind;
  return kind == hir::Kind::max_pool  ? hir::Kind::minimum
         : kind == hir::Kind::minimum ? hir::Kind::max_pool
                                      : kind;
}

/// True for a leaky ReLU with a negative slope in some lane, which is not monotone there.
[[nodiscard]] inline bool has_falling_slope(const Group& group) {
  return std::any_of(group.slope.begin(), group.slope.end(), [](float s) { return s < 0; });
}

inline constexpr std::uint32_t no_maker = 0xFFFFFFFF;

struct Network {
  Graph graph;
  std::vector<Group> groups;          ///< every group comes after those that it reads
  std::vector<int> signs;             ///< sign of each vector as stored
  std::vector<const float*> shifts;   ///< shift of each vector as stored; null: none
  std::vector<std::uint32_t> makers;  ///< group that computes each vector, or no_maker
  /// By vector: one past the last group that reads it; 0: none does. Outputs count as read after
  /// all groups.
  std::vector<std::uint32_t> last_readers;
  std::vector<std::unique_ptr<float[]>> owned;  ///< constants made here
};

/// Calls visit(vector, pixel of the results) for every vector that a group reads. Vectors that all
/// pixels read, such as computed weights, are visited for the first and the last one.
template <typename Visit>
void for_inputs(const Group& group, Visit visit) {
  for (const Part& part : group.parts) {
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      visit(part.inputs[i], part.pixels[i] / group.window);
    }
    for (const Column& column : part.columns) {
      for (const Vector v : column.rows) {
        if (v == no_vector) continue;
        for (const std::uint32_t pixel : {part.pixels.front(), part.pixels.back()}) {
          visit(v, pixel / group.window);
        }
      }
    }
  }
  for (const Vector v : group.tables) {
    for (const std::uint32_t pixel : {0U, group.pixels - 1}) visit(v, pixel);
  }
  for (std::size_t i = 0; i < group.windows.size(); ++i) {
    for (const Vector v : group.windows[i]) {
      if (v != no_vector) visit(v, static_cast<std::uint32_t>(i / group.blocks));
    }
  }
}

/// Calls visit(results) for the group's results and, if there are any, the normalised ones.
template <typename Visit>
void for_results(const Group& group, Visit visit) {
  visit(group.results);
  if (!group.normalised.results.empty()) visit(group.normalised.results);
}

/// Forms groups, removes what no output needs, and decides how values are stored.
[[nodiscard]] Network form_network(Graph graph, const tcu::Architecture& architecture);

}  // namespace tactus::compiler::optimise
