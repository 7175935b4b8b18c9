// The network as groups: what is computed between two visits to local memory.
//
// A group's result is a sum of parts (matrices, diagonals, copies), a bias, and an activation; it
// is made in the accumulators and then moved to local memory. Every other operation of HIR, with
// whatever operands, is a group of its own, computed by SIMD instructions.
//
// Values are stored as sign * (x + shift): the sign is -1 behind a ReLU, which saturating sums make
// negated, and the shift lets a normalisation with ReLU be one diagonal product and one pass.
// Pixels that nobody reads are not there.
// Source: README.md in this folder.
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

/// Parameters are rows: [block * N + lane], the same for all pixels.
enum class Activation : std::uint8_t {
  none,
  relu,
  leaky_relu,  ///< Group::slope, at most 1
  clip,        ///< Group::low, Group::high; an empty one binds nothing
};

/// Weights of a part for one block of the result.
struct Column {
  std::uint32_t block = 0;
  const float* weights = nullptr;  ///< dense; row j of the input at weights + j * row
  std::size_t row = 0;
  const float* diagonal = nullptr;  ///< one factor a lane; null: all 1
  float factor = 1;                 ///< of all
};

/// Vectors that meet the same weights: inputs[i] contributes to pixels[i], which rise.
struct Part {
  bool dense = false;
  std::vector<Vector> inputs;
  std::vector<std::uint32_t> pixels;
  std::vector<Column> columns;   ///< dense: of many blocks; else of one
  std::uint32_t rows = 0;        ///< lanes of the inputs that can differ from 0
  int sign = 1;                  ///< of the inputs as stored
  const float* shift = nullptr;  ///< of the inputs as stored, or null
  std::uint32_t source = 0;      ///< number of the block it reads, see Group::sources
};

/// What the activation unit makes of a group's sums beside the sums themselves.
struct Normalised {
  std::vector<Vector> results;       ///< in the order of the group's; empty: nothing
  std::vector<float> scale, offset;  ///< [block * N + lane]
  std::vector<float> slope;          ///< likewise, of what is below 0; empty: 0
  std::vector<float> limit;          ///< likewise, the most; empty: that of the data type
};

enum class GroupKind : std::uint8_t {
  sum,   ///< of parts
  simd,  ///< an operation of HIR on the vectors of each result's window
};

struct Group {
  std::string name;
  std::vector<std::string> nodes;  ///< of the model, in order
  GroupKind kind = GroupKind::sum;
  hir::Kind operation = hir::Kind::load;  ///< of a group of SIMD instructions
  std::uint32_t blocks = 1, pixels = 0;
  std::uint64_t macs = 0;       ///< that the model asks for
  std::vector<Vector> results;  ///< [pixel * blocks + block]
  std::vector<Part> parts;
  std::vector<float> bias;   ///< [block * N + lane]; empty: none
  std::vector<float> scale;  ///< of all parts, likewise; a normalisation taken in
  Activation activation = Activation::none;
  std::vector<float> slope, low, high;  ///< of the activation
  /// The activation is done by the machine's unit on the way to local memory.
  bool by_unit = false;
  /// Operands of result i of a group of SIMD instructions, in the order of HIR.
  std::vector<std::vector<Vector>> windows;
  /// Sums: a result is the greatest of so many pixels of the parts, the window * p-th and those
  /// behind it, before the activation.
  std::uint32_t window = 1;
  int sign = 1;              ///< of the results as stored, for sums
  std::vector<float> shift;  ///< [block * N + lane]; empty: none
  /// One product of M - s x, so that the ReLU is one pass.
  bool saturating_product = false;
  /// Blocks of other groups that its matrices read, so that it may be computed in slices of them.
  std::uint32_t sources = 1;
  Normalised normalised;
};

/// Calls visit(row) for each row of a group that its results are computed with, empty ones too.
template <typename AnyGroup, typename Visit>
void for_rows(AnyGroup& group, Visit visit) {
  for (auto* row : {&group.bias, &group.scale, &group.slope, &group.low, &group.high}) visit(*row);
}

/// The row's value if all its lanes have it; nothing for an empty row.
[[nodiscard]] std::optional<float> uniform(const std::vector<float>& row);

/// An operation of HIR that gives the negative of its result for the negatives of its operands,
/// with maximum for minimum; constant operands, such as the multiplier of an average, stay.
[[nodiscard]] inline bool is_odd(hir::Kind kind) {
  return kind == hir::Kind::max_pool || kind == hir::Kind::minimum ||
         kind == hir::Kind::average_pool;
}
/// Operands of such an operation that are negated.
[[nodiscard]] inline std::size_t odd_operands(hir::Kind kind, std::size_t operands) {
  return kind == hir::Kind::average_pool ? operands - 1 : operands;
}

/// The operation on values as stored, with that sign.
[[nodiscard]] inline hir::Kind stored_operation(hir::Kind kind, int sign) {
  if (sign > 0) return kind;
  return kind == hir::Kind::max_pool  ? hir::Kind::minimum
         : kind == hir::Kind::minimum ? hir::Kind::max_pool
                                      : kind;
}

/// A leaky ReLU that is not monotone in every lane.
[[nodiscard]] inline bool has_falling_slope(const Group& group) {
  return std::any_of(group.slope.begin(), group.slope.end(), [](float s) { return s < 0; });
}

inline constexpr std::uint32_t no_maker = 0xFFFFFFFF;

struct Network {
  Graph graph;
  std::vector<Group> groups;          ///< producers first
  std::vector<int> signs;             ///< by vector, as stored
  std::vector<const float*> shifts;   ///< by vector, as stored; null: none
  std::vector<std::uint32_t> makers;  ///< by vector: the group, or no_maker
  /// By vector: one past the last group that reads it; 0: none. Outputs are read behind all groups.
  std::vector<std::uint32_t> last_readers;
  std::vector<std::unique_ptr<float[]>> owned;  ///< constants made here
};

/// Calls visit(vector, pixel of the results) for all that a group reads.
template <typename Visit>
void for_inputs(const Group& group, Visit visit) {
  for (const Part& part : group.parts) {
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      visit(part.inputs[i], part.pixels[i] / group.window);
    }
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

/// Forms groups, drops what is not needed, and decides how values are stored.
[[nodiscard]] Network form_network(Graph graph, const tcu::Architecture& architecture);

}  // namespace tactus::compiler::optimise
