#include "firmware/compiler/targets/tcu/optimise/verify.h"

#include <algorithm>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler::optimise {
namespace {

/// Vectors that can be read: constants, inputs, and what has been made so far.
class Made {
 public:
  explicit Made(const Graph& graph) : there_(graph.constants.size(), false) {
    for (std::size_t v = 0; v < there_.size(); ++v) there_[v] = graph.constants[v] != nullptr;
    for (const Tensor& input : graph.inputs) {
      for (const Vector v : input.vectors) there_[v] = true;
    }
  }

  [[nodiscard]] bool has(Vector v) const { return v < there_.size() && there_[v]; }
  /// False if it is there already.
  [[nodiscard]] bool make(Vector v) {
    if (v >= there_.size() || there_[v]) return false;
    there_[v] = true;
    return true;
  }

 private:
  std::vector<bool> there_;
};

bool rises(const std::vector<std::uint32_t>& numbers, std::uint64_t end) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= end || (i > 0 && numbers[i] <= numbers[i - 1])) return false;
  }
  return true;
}

class GraphRules {
 public:
  explicit GraphRules(const Graph& graph) : graph_(graph), made_(graph) {}

  void run() {
    for (const Op& op : graph_.ops) {
      op_ = &op;
      require(op.blocks != 0 && op.outputs.size() % op.blocks == 0, "has whole pixels");
      op.is_product ? check_product() : check_vectors();
      for (const Vector v : op.outputs) require(made_.make(v), "makes each of its results once");
    }
    for (const Tensor& output : graph_.outputs) {
      for (const Vector v : output.vectors) {
        if (v != no_vector && !made_.has(v)) {
          internal_error("graph: output {} is never made", quote(output.name));
        }
      }
    }
  }

 private:
  void require(bool holds, std::string_view rule) const {
    if (holds) return;
    internal_error("graph: {} {} does not hold: {}",
                   op_->is_product ? "product" : hir::to_string(op_->kind), quote(op_->name), rule);
  }
  void check_read(Vector v) const {
    require(v == no_vector || made_.has(v), "reads what is there");
  }

  void check_product() const {
    const std::size_t pixels = op_->outputs.size() / op_->blocks;
    require(!op_->taps.empty() && op_->inputs.empty(), "has taps and no other operands");
    for (const Tap& tap : op_->taps) {
      const std::size_t matrices = std::size_t{tap.input_blocks} * op_->blocks;
      require(tap.rows.empty() ? tap.matrices.size() == matrices
                               : tap.rows.size() == matrices * graph_.n && tap.matrices.empty(),
              "has a matrix from each block to each block");
      for (const Vector v : tap.rows) check_read(v);
      require(tap.inputs.size() == tap.pixels.size() * tap.input_blocks,
              "has inputs for each pixel of a tap");
      for (const std::uint32_t pixel : tap.pixels) require(pixel < pixels, "sums up in its pixels");
      for (const Vector v : tap.inputs) check_read(v);
    }
  }

  void check_vectors() const {
    require(hir::takes(op_->kind, op_->inputs.size()), "has as many operands as HIR says");
    for (std::size_t k = 0; k < op_->inputs.size(); ++k) {
      require(op_->inputs[k].size() == op_->outputs.size(), "has operands for each result");
      for (const Vector v : op_->inputs[k]) {
        check_read(v);
        if (!hir::is_known(op_->kind, k, op_->inputs.size())) continue;
        require(v == no_vector || graph_.constants[v] != nullptr,
                "has constants for multipliers and scales");
      }
    }
  }

  const Graph& graph_;
  Made made_;
  const Op* op_ = nullptr;
};

class NetworkRules {
 public:
  NetworkRules(const Network& network, std::string_view pass)
      : network_(network), pass_(pass), n_(network.graph.n), made_(network.graph) {}

  void run() {
    require(network_.graph.lanes.size() == network_.graph.constants.size(), "", "knows all lanes");
    for (const Group& group : network_.groups) {
      const std::string& name = group.name;
      require(group.pixels != 0 && group.blocks != 0 && group.window != 0 &&
                  group.results.size() == std::size_t{group.pixels} * group.blocks,
              name, "has results for its pixels and blocks");
      for_rows(group, [&](const std::vector<float>& row) { check_row(name, row, group.blocks); });
      require(group.activation == Activation::leaky_relu || group.slope.empty(), name,
              "has slopes for a leaky ReLU only");
      require(std::all_of(group.slope.begin(), group.slope.end(), [](float s) { return s <= 1; }),
              name, "has slopes of at most 1");
      const bool looks_up = group.activation == Activation::lookup ||
                            (group.kind == GroupKind::simd && group.operation == hir::Kind::lookup);
      require(looks_up == !group.tables.empty(), name, "has tables for a lookup only");
      group.kind == GroupKind::sum ? check_sum(group) : check_simd(group);
      for_results(group, [&](const std::vector<Vector>& results) {
        require(results.size() == group.results.size(), name, "has as many normalised results");
        for (const Vector v : results) require(made_.make(v), name, "makes each result once");
      });
    }
    for (const Tensor& output : network_.graph.outputs) {
      for (const Vector v : output.vectors) {
        require(v == no_vector || made_.has(v), output.name, "is made");
      }
    }
  }

 private:
  void require(bool holds, const std::string& name, std::string_view rule) const {
    if (!holds) internal_error("network after {}: {} does not hold: {}", pass_, quote(name), rule);
  }
  void check_row(const std::string& name, const std::vector<float>& row,
                 std::uint32_t blocks) const {
    require(row.empty() || row.size() == std::size_t{blocks} * n_, name, "has whole rows");
  }
  [[nodiscard]] bool has_signs() const { return !network_.signs.empty(); }

  void check_sum(const Group& group) const {
    require(group.windows.empty(), group.name, "has no windows beside parts");
    require(!has_computed_weights(group) || !has_signs() ||
                (sum_sign(group) > 0 && group.scale.empty()),
            group.name, "neither negates nor scales computed weights");
    const std::uint64_t pixels = std::uint64_t{group.pixels} * group.window;
    for (const Part& part : group.parts) {
      require(!part.inputs.empty() && part.inputs.size() == part.pixels.size() &&
                  rises(part.pixels, pixels),
              group.name, "has parts with one input a pixel");
      require(part.dense ? !part.columns.empty() : part.columns.size() == 1, group.name,
              "has columns for its parts");
      for (const Column& column : part.columns) {
        const bool has_weights = column.weights != nullptr || !column.rows.empty();
        require(column.block < group.blocks && part.dense == has_weights &&
                    part.is_computed() == !column.rows.empty(),
                group.name, "has columns of its blocks");
        require(column.rows.empty() || column.rows.size() >= part.rows, group.name,
                "has a row for each lane of the inputs");
        for (const Vector v : column.rows) {
          require(v == no_vector || made_.has(v), group.name, "reads what is there");
          require(!has_signs() || v == no_vector || is_plain(v), group.name,
                  "has computed weights stored unchanged");
        }
      }
      for (const Vector v : part.inputs) {
        require(made_.has(v), group.name, "reads what is there");
        // Weights behind a matrix's rows are zeroes.
        require(part.dense || network_.graph.lanes[v] <= part.rows, group.name,
                "multiplies all lanes");
        if (!has_signs()) continue;
        require(network_.signs[v] == part.sign && network_.shifts[v] == part.shift, group.name,
                "has parts whose inputs are stored alike");
      }
    }
  }

  [[nodiscard]] bool is_plain(Vector v) const {
    return network_.signs[v] == 1 && network_.shifts[v] == nullptr;
  }

  void check_simd(const Group& group) const {
    require(group.parts.empty() && group.windows.size() == group.results.size(), group.name,
            "has a window for each result");
    require(group.activation == Activation::none && group.window == 1, group.name,
            "has no activation");
    require(!hir::simd_sequence(group.operation, group.windows.front().size()).empty(), group.name,
            "is an operation that SIMD instructions compute");
    for (std::size_t i = 0; i < group.windows.size(); ++i) {
      const std::vector<Vector>& window = group.windows[i];
      require(hir::takes(group.operation, window.size()), group.name,
              "has as many operands as HIR says");
      for (std::size_t k = 0; k < window.size(); ++k) {
        require(made_.has(window[k]), group.name, "reads what is there");
        if (has_signs()) check_stored(group, i, k);
      }
    }
  }

  void check_stored(const Group& group, std::size_t result, std::size_t operand) const {
    const std::vector<Vector>& window = group.windows[result];
    if (group.operation == hir::Kind::multiply) return;
    const bool odd =
        is_odd(group.operation) && operand < odd_operands(group.operation, window.size());
    const int sign = odd ? network_.signs[group.results[result]] : 1;
    require(network_.signs[window[operand]] == sign && network_.shifts[window[operand]] == nullptr,
            group.name, "has operands stored as its operation needs them");
  }

  const Network& network_;
  std::string_view pass_;
  std::uint32_t n_;
  Made made_;
};

}  // namespace

void verify(const Graph& graph) { GraphRules(graph).run(); }

void verify(const Network& network, std::string_view pass) { NetworkRules(network, pass).run(); }

}  // namespace tactus::compiler::optimise
