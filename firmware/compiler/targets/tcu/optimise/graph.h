// A network as single vectors and the operations between them.
//
// Each vector is made once. Copies, views, splits and concatenations of whole vectors are gone:
// what they name is the vector itself. An operation's results are pixels of `blocks` vectors each,
// in the order of the published layout; `lanes` says how many lanes of a vector can differ from 0.
// Built from the layers of HIR of the frontend, one step of the model each, before any memory is
// given to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "firmware/compiler/targets/tcu/memory/memory_manager.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::optimise {

using Vector = std::uint32_t;
inline constexpr Vector no_vector = 0xFFFFFFFF;

/// Weights from one block of inputs to one block of results.
struct Matrix {
  const float* weights = nullptr;  ///< row j: weights + j * row; null: all zeroes
  std::size_t row = 0;             ///< floats from row to row
};

/// One matrix times some vectors, a term of a product.
struct Tap {
  std::uint32_t input_blocks = 1;
  std::vector<Matrix> matrices;       ///< [input block * blocks of the result + block]
  const float* bias = nullptr;        ///< of all blocks, or null
  std::vector<Vector> inputs;         ///< [pair * input_blocks + block]; no_vector: zeroes
  std::vector<std::uint32_t> pixels;  ///< of the result, one a pair
};

/// A product, or an operation on vectors as HIR defines it.
struct Op {
  bool is_product = false;
  hir::Kind kind = hir::Kind::load;  ///< unless it is a product
  std::string name;
  std::uint32_t blocks = 1;
  std::vector<Vector> outputs;
  std::vector<std::vector<Vector>> inputs;  ///< [operand][result]; empty for a product
  std::vector<Tap> taps;
  std::uint64_t macs = 0;  ///< that the model asks for
};

struct Tensor {
  std::string name;
  std::uint32_t blocks = 1;
  std::vector<Vector> vectors;
};

struct Graph {
  std::uint32_t n = 0;                  ///< lanes of a vector
  std::vector<const float*> constants;  ///< by vector; null for those made at run time
  std::vector<std::uint16_t> lanes;     ///< by vector
  std::vector<Op> ops;
  std::vector<Tensor> inputs, outputs;

  [[nodiscard]] Vector add_vector(std::uint32_t used_lanes) {
    constants.push_back(nullptr);
    lanes.push_back(static_cast<std::uint16_t>(used_lanes));
    return static_cast<Vector>(constants.size() - 1);
  }
};

/// The graph for several images: inputs, outputs and results hold them one after the other.
[[nodiscard]] Graph repeat(const Graph& graph, std::uint32_t images);

/// What the frontend knows of a step beside its HIR.
struct StepShape {
  std::string name;
  std::uint32_t blocks = 1;    ///< vectors of a pixel of its result
  std::uint64_t channels = 0;  ///< lanes in use over these blocks
  std::uint64_t vectors = 0;   ///< of the whole result
};

class GraphBuilder {
 public:
  /// `memory` keeps the values of constants and gives nothing back while the graph is built.
  /// add_step() throws OutOfConstants once the weights of all steps so far do not fit into DRAM1.
  GraphBuilder(const tcu::Architecture& architecture, const MemoryManager& memory);

  void add_input(const std::string& name, const Addresses& addresses, const StepShape& shape);
  /// Some vectors by the lanes that can differ from 0.
  void add_input(const std::string& name, const Addresses& addresses, std::uint32_t blocks,
                 const std::vector<std::uint32_t>& lanes);
  void add_step(const hir::Layer& layer, const StepShape& shape);
  void add_output(const std::string& name, const Addresses& addresses, std::uint32_t blocks);
  /// Lanes of a vector that can differ from 0; the vector must be there.
  [[nodiscard]] std::uint32_t lanes(Address address) const {
    return graph_.lanes[vectors_.at(address)];
  }
  [[nodiscard]] Graph take() { return std::move(graph_); }

 private:
  void add_product(const hir::MatMul& product, const StepShape& shape);
  void add_vectors(const hir::VectorOperation& operation, const StepShape& shape);
  [[nodiscard]] Vector find(Address address);
  [[nodiscard]] const float* constant(Address address) const;
  [[nodiscard]] Matrix matrix(const hir::MatMul& product, std::size_t input,
                              std::size_t block) const;
  /// Counts the rows of a matrix once; `layer` is for the message of what does not fit.
  void count_weights(const Matrix& matrix, const std::string& layer);
  [[nodiscard]] Op& new_op(const Addresses& outputs, const StepShape& shape, std::uint32_t blocks);
  [[nodiscard]] std::uint32_t used_lanes(const Op& op, std::size_t output) const;

  const MemoryManager& memory_;
  std::uint64_t dram1_depth_;
  Graph graph_;
  std::unordered_set<const float*> counted_;  ///< first weights of the matrices that are counted
  std::uint64_t weight_vectors_ = 0;          ///< rows of weights that every program stores
  std::unordered_map<Address, Vector> vectors_;
  /// Products of the running step by the temps they sum up in: the op, and where a temp stands.
  std::unordered_map<std::uint32_t, std::size_t> products_;
  std::unordered_map<Address, std::uint32_t> positions_;
};

}  // namespace tactus::compiler::optimise
