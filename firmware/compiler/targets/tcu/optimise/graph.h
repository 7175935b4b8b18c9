// A network as a graph of single vectors and the operations between them.
//
// Each vector is computed once. Copies, views, splits and concatenations of whole vectors do not
// appear: their results are the source vectors themselves. An operation's results are pixels of
// `blocks` vectors each, in the order of the published layout; `lanes` is the number of lanes of a
// vector that can differ from 0. The graph is built from the frontend's HIR, which has one layer
// for each step of the model, before memory is allocated.
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

/// One matrix times some vectors: a term of a product, such as one tap of a convolution's kernel.
struct Tap {
  std::uint32_t input_blocks = 1;
  std::vector<Matrix> matrices;  ///< [input block * blocks of the result + block]
  /// Weights that are computed, in place of matrices: [row * blocks of the result + block], N rows
  /// an input block; no_vector: zeroes.
  std::vector<Vector> rows;
  const float* bias = nullptr;        ///< the bias of all blocks, or null
  std::vector<Vector> inputs;         ///< [pair * input_blocks + block]; no_vector: zeroes
  std::vector<std::uint32_t> pixels;  ///< pixel of the result for each pair
};

/// A product, or an operation on vectors as HIR defines it.
struct Op {
  bool is_product = false;
  hir::Kind kind = hir::Kind::load;  ///< operation of HIR, if this is no product
  std::string name;
  std::uint32_t blocks = 1;
  std::vector<Vector> outputs;
  std::vector<std::vector<Vector>> inputs;  ///< [operand][result]; empty for a product
  std::vector<Tap> taps;
  std::vector<Vector> tables;  ///< of a lookup: vectors of table 0, then of table 1
  std::uint64_t macs = 0;      ///< multiply-accumulates of the model
};

struct Tensor {
  std::string name;
  std::uint32_t blocks = 1;
  std::vector<Vector> vectors;
};

struct Graph {
  std::uint32_t n = 0;                  ///< lanes of a vector
  std::vector<const float*> constants;  ///< values by vector; null for vectors computed at run time
  std::vector<std::uint16_t> lanes;     ///< lanes of each vector that can differ from 0
  std::vector<Op> ops;
  std::vector<Tensor> inputs, outputs;
  /// Names of the tensors of constants, as in ConstantLosses, by the places of their vectors.
  std::unordered_map<const float*, const std::string*> sources;

  [[nodiscard]] Vector add_vector(std::uint32_t used_lanes) {
    constants.push_back(nullptr);
    lanes.push_back(static_cast<std::uint16_t>(used_lanes));
    return static_cast<Vector>(constants.size() - 1);
  }
};

/// The graph for several images: inputs, outputs and results hold them one after the other.
[[nodiscard]] Graph repeat(const Graph& graph, std::uint32_t images);

/// Properties of a step that its HIR does not contain.
struct StepShape {
  std::string name;
  std::uint32_t blocks = 1;    ///< vectors of one pixel of the result
  std::uint64_t channels = 0;  ///< lanes in use in all blocks of a pixel
  std::uint64_t vectors = 0;   ///< vectors of the whole result
};

/// The vectors at addresses. Neighbouring addresses share a page, so that walking along them takes
/// no search.
class VectorsByAddress {
 public:
  /// No vector was entered.
  static constexpr Vector unknown = no_vector - 1;

  VectorsByAddress() = default;
  VectorsByAddress(const VectorsByAddress&) = delete;
  VectorsByAddress& operator=(const VectorsByAddress&) = delete;

  /// The entry of an address, at first `unknown`.
  [[nodiscard]] Vector& operator[](Address address) {
    const std::uint64_t number = address.bits() / page_size;
    if (page_ == nullptr || number != number_) {
      std::vector<Vector>& page = pages_[number];
      if (page.empty()) page.assign(page_size, unknown);
      page_ = page.data();
      number_ = number;
    }
    return page_[address.bits() % page_size];
  }
  /// The entry of an address that has one.
  [[nodiscard]] Vector at(Address address) const {
    return pages_.at(address.bits() / page_size)[address.bits() % page_size];
  }

 private:
  static constexpr std::uint64_t page_size = 512;  ///< divides the numbers that a raw address has
  std::unordered_map<std::uint64_t, std::vector<Vector>> pages_;
  Vector* page_ = nullptr;  ///< the page in use last
  std::uint64_t number_ = 0;
};

class GraphBuilder {
 public:
  /// `memory` holds the values of constants and frees none of them while the graph is built.
  /// add_step() throws OutOfConstants when the weights of all steps so far exceed DRAM1.
  GraphBuilder(const tcu::Architecture& architecture, const MemoryManager& memory);

  void add_input(const std::string& name, const Addresses& addresses, const StepShape& shape);
  /// Adds the vectors of an input, with the number of lanes that can differ from 0.
  void add_input(const std::string& name, const Addresses& addresses, std::uint32_t blocks,
                 const std::vector<std::uint32_t>& lanes);
  void add_step(const hir::Layer& layer, const StepShape& shape);
  void add_output(const std::string& name, const Addresses& addresses, std::uint32_t blocks);
  /// Number of lanes of a vector that can differ from 0; the vector must be known.
  [[nodiscard]] std::uint32_t lanes(Address address) const {
    return graph_.lanes[vectors_.at(address)];
  }
  [[nodiscard]] Graph take() { return std::move(graph_); }

 private:
  void add_product(const hir::MatMul& product, const StepShape& shape);
  void add_vectors(const hir::VectorOperation& operation, const StepShape& shape);
  [[nodiscard]] Vector find(Address address);
  [[nodiscard]] const float* constant(Address address) const;
  [[nodiscard]] Matrix matrix(const hir::MatMul& product, std::size_t input, std::size_t block);
  [[nodiscard]] bool is_computed(const hir::MatMul& product) const;
  [[nodiscard]] std::uint32_t lanes_of_sum(const hir::MatMul& product, const Tap& tap,
                                           const StepShape& shape, std::uint32_t block) const;
  [[nodiscard]] const std::vector<Vector>& tables_of(const Addresses& addresses);
  [[nodiscard]] Vector constant_vector(Address address);
  /// Counts the rows of a matrix, each matrix once. `layer` is named in the message if they do not
  /// fit.
  void count_weights(const Matrix& matrix, const std::string& layer);
  [[nodiscard]] Op& new_op(const Addresses& outputs, const StepShape& shape, std::uint32_t blocks);
  [[nodiscard]] std::uint32_t used_lanes(const Op& op, std::size_t output) const;
  [[nodiscard]] bool keeps_zero(const std::vector<Vector>& tables) const;

  const MemoryManager& memory_;
  tcu::Architecture architecture_;
  Graph graph_;
  std::unordered_set<const float*> counted_;  ///< first weights of the matrices that are counted
  /// Rows of weights that any program for this graph has to store.
  std::uint64_t weight_vectors_ = 0;
  VectorsByAddress vectors_;
  /// Vectors of lookup tables by the first one's address. A program stores tables whole.
  std::unordered_map<Address, std::vector<Vector>> tables_;
  /// Products of the current step by the temporaries in which they accumulate: the op, and the
  /// index of each temporary.
  std::unordered_map<std::uint32_t, std::size_t> products_;
  std::unordered_map<Address, std::uint32_t> positions_;
};

}  // namespace tactus::compiler::optimise
