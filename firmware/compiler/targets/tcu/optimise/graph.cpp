#include "firmware/compiler/targets/tcu/optimise/graph.h"

#include <algorithm>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler::optimise {
namespace {

bool is_copy(const hir::VectorOperation& o) {
  return o.kind == hir::Kind::load || o.kind == hir::Kind::save || o.kind == hir::Kind::softmax ||
         ((o.kind == hir::Kind::max_pool || o.kind == hir::Kind::minimum) && o.inputs.size() == 1);
}

}  // namespace

Graph repeat(const Graph& graph, std::uint32_t images) {
  Graph result;
  result.n = graph.n;
  const std::size_t count = graph.constants.size();
  const auto of_image = [&](Vector v, std::uint32_t image) {
    const bool shared = v == no_vector || graph.constants[v] != nullptr;
    return shared ? v : static_cast<Vector>(v + image * count);
  };
  const auto append = [&](std::vector<Vector>& all, const std::vector<Vector>& one,
                          std::uint32_t image) {
    for (const Vector v : one) all.push_back(of_image(v, image));
  };
  for (std::uint32_t image = 0; image < images; ++image) {
    result.lanes.insert(result.lanes.end(), graph.lanes.begin(), graph.lanes.end());
  }
  result.constants = graph.constants;
  result.sources = graph.sources;
  result.constants.resize(count * images, nullptr);
  for (const Op& op : graph.ops) {
    Op repeated = op;
    const auto pixels = static_cast<std::uint32_t>(op.outputs.size() / op.blocks);
    repeated.macs = op.macs * images;
    for (std::uint32_t image = 1; image < images; ++image) {
      append(repeated.outputs, op.outputs, image);
      for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        append(repeated.inputs[k], op.inputs[k], image);
      }
      for (std::size_t k = 0; k < op.taps.size(); ++k) {
        const Tap& one = op.taps[k];
        // Each image has computed weights of its own.
        if (!one.rows.empty())
          repeated.taps.push_back({one.input_blocks, {}, {}, one.bias, {}, {}});
        Tap& tap = one.rows.empty() ? repeated.taps[k] : repeated.taps.back();
        append(tap.inputs, one.inputs, image);
        append(tap.rows, one.rows, image);
        for (const std::uint32_t pixel : one.pixels) {
          tap.pixels.push_back(pixel + image * pixels);
        }
      }
    }
    result.ops.push_back(std::move(repeated));
  }
  const auto repeat_tensors = [&](const std::vector<Tensor>& tensors, std::vector<Tensor>& all) {
    for (const Tensor& tensor : tensors) {
      Tensor repeated{tensor.name, tensor.blocks, {}};
      for (std::uint32_t image = 0; image < images; ++image) {
        append(repeated.vectors, tensor.vectors, image);
      }
      all.push_back(std::move(repeated));
    }
  };
  repeat_tensors(graph.inputs, result.inputs);
  repeat_tensors(graph.outputs, result.outputs);
  return result;
}

GraphBuilder::GraphBuilder(const tcu::Architecture& architecture, const MemoryManager& memory)
    : memory_(memory), architecture_(architecture) {
  graph_.n = architecture.array_size;
}

void GraphBuilder::add_input(const std::string& name, const Addresses& addresses,
                             const StepShape& shape) {
  std::vector<std::uint32_t> lanes;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::uint64_t before = i % shape.blocks * std::uint64_t{graph_.n};
    const std::uint64_t left = shape.channels > before ? shape.channels - before : 0;
    lanes.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(graph_.n, left)));
  }
  add_input(name, addresses, shape.blocks, lanes);
}

void GraphBuilder::add_input(const std::string& name, const Addresses& addresses,
                             std::uint32_t blocks, const std::vector<std::uint32_t>& lanes) {
  Tensor tensor{name, blocks, {}};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Vector vector = graph_.add_vector(lanes[i]);
    vectors_[addresses[i]] = vector;
    tensor.vectors.push_back(vector);
  }
  graph_.inputs.push_back(std::move(tensor));
}

void GraphBuilder::add_output(const std::string& name, const Addresses& addresses,
                              std::uint32_t blocks) {
  Tensor tensor{name, blocks, {}};
  for (const Address address : addresses) tensor.vectors.push_back(find(address));
  graph_.outputs.push_back(std::move(tensor));
}

void GraphBuilder::add_step(const hir::Layer& layer, const StepShape& shape) {
  hir::check(layer, graph_.n);
  products_.clear();
  positions_.clear();
  for (const hir::Operation& operation : layer.operations) {
    if (const auto* product = std::get_if<hir::MatMul>(&operation)) {
      add_product(*product, shape);
    } else {
      add_vectors(std::get<hir::VectorOperation>(operation), shape);
    }
  }
}

const float* GraphBuilder::constant(Address address) const {
  return memory_.constant_values(address);
}

Vector GraphBuilder::find(Address address) {
  if (address.is(Tag::zeroes)) return no_vector;
  Vector& vector = vectors_[address];
  if (vector == VectorsByAddress::unknown) vector = constant_vector(address);
  return vector;
}

/// Makes a vector of a constant.
Vector GraphBuilder::constant_vector(Address address) {
  const float* values = constant(address);
  if (values == nullptr) internal_error("{} was never made", to_string(address));
  graph_.sources.emplace(values, &memory_.constant_source(address));
  const float* end = values + graph_.n;
  while (end != values && end[-1] == 0.0F) --end;
  const Vector vector = graph_.add_vector(static_cast<std::uint32_t>(end - values));
  graph_.constants[vector] = values;
  return vector;
}

const std::vector<Vector>& GraphBuilder::tables_of(const Addresses& addresses) {
  std::vector<Vector>& tables = tables_[addresses.front()];
  if (tables.empty()) {
    for (const Address address : addresses) tables.push_back(constant_vector(address));
  }
  return tables;
}

bool GraphBuilder::is_computed(const hir::MatMul& product) const {
  return std::any_of(product.weights.begin(), product.weights.end(), [&](Address address) {
    return !address.is(Tag::zeroes) && constant(address) == nullptr;
  });
}

/// One past the last lane of the sums' block that can differ from 0.
std::uint32_t GraphBuilder::lanes_of_sum(const hir::MatMul& product, const Tap& tap,
                                         const StepShape& shape, std::uint32_t block) const {
  std::uint32_t lanes = tap.rows.empty() ? graph_.n : 0;
  for (std::size_t i = block; i < tap.rows.size(); i += product.output_blocks) {
    if (tap.rows[i] != no_vector) {
      lanes = std::max<std::uint32_t>(lanes, graph_.lanes[tap.rows[i]]);
    }
  }
  const bool is_whole =
      product.output_blocks == shape.blocks && shape.vectors >= product.outputs.size();
  if (!tap.rows.empty() || !is_whole) return lanes;
  const std::uint64_t before = block * std::uint64_t{graph_.n};
  const std::uint64_t left = shape.channels > before ? shape.channels - before : 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(lanes, left));
}

Op& GraphBuilder::new_op(const Addresses& outputs, const StepShape& shape, std::uint32_t blocks) {
  Op op;
  op.name = shape.name;
  op.blocks = blocks;
  const bool whole = outputs.size() == shape.vectors && blocks == shape.blocks;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint64_t before = i % blocks * std::uint64_t{graph_.n};
    const std::uint64_t left = shape.channels > before ? shape.channels - before : 0;
    const std::uint64_t lanes = whole ? std::min<std::uint64_t>(graph_.n, left) : graph_.n;
    const Vector vector = graph_.add_vector(static_cast<std::uint32_t>(lanes));
    vectors_[outputs[i]] = vector;
    op.outputs.push_back(vector);
  }
  graph_.ops.push_back(std::move(op));
  return graph_.ops.back();
}

/// Finds the matrix of one block of inputs and results. Its rows have equal distances in memory, or
/// all are zero and not stored.
Matrix GraphBuilder::matrix(const hir::MatMul& product, std::size_t input, std::size_t block) {
  const auto row = [&](std::size_t j) {
    return product.weights[(input * graph_.n + j) * product.output_blocks + block];
  };
  if (product.is_zero(input, block, graph_.n)) return {};
  Matrix matrix;
  matrix.weights = constant(row(0));
  if (matrix.weights != nullptr) {
    graph_.sources.emplace(matrix.weights, &memory_.constant_source(row(0)));
  }
  if (graph_.n > 1) matrix.row = (row(1).raw() - row(0).raw()) * graph_.n;
  for (std::size_t j = 0; j < graph_.n; ++j) {
    const bool fits =
        row(j).ref() == row(0).ref() && (row(j).raw() - row(0).raw()) * graph_.n == j * matrix.row;
    if (matrix.weights == nullptr || !fits) {
      internal_error("weights of a product at {} are not rows of one constant", to_string(row(j)));
    }
  }
  return matrix;
}

/// Counts rows of weights. Programs may leave out rows of zeroes and store all others.
void GraphBuilder::count_weights(const Matrix& matrix, const std::string& layer) {
  if (matrix.weights == nullptr || !counted_.insert(matrix.weights).second) return;
  for (std::size_t j = 0; j < graph_.n; ++j) {
    const float* row = matrix.weights + j * matrix.row;
    if (std::any_of(row, row + graph_.n, [](float value) { return value != 0; })) ++weight_vectors_;
  }
  if (weight_vectors_ > architecture_.dram1_depth) {
    throw OutOfConstants(fmt::format(
        "out of DRAM1 for the weights of {}: {} vectors needed up to here, there are {}",
        quote(layer), weight_vectors_, architecture_.dram1_depth));
  }
}

void GraphBuilder::add_product(const hir::MatMul& product, const StepShape& shape) {
  const std::uint32_t ref = product.outputs.front().ref();
  const auto known = products_.find(ref);
  if (known == products_.end()) {
    products_[ref] = graph_.ops.size();
    new_op({}, shape, product.output_blocks).is_product = true;
  }
  Op& op = graph_.ops[products_.at(ref)];
  Tap tap;
  tap.input_blocks = product.input_blocks;
  if (is_computed(product)) {
    for (const Address row : product.weights) tap.rows.push_back(find(row));
  } else {
    for (std::uint32_t i = 0; i < product.input_blocks; ++i) {
      for (std::uint32_t b = 0; b < product.output_blocks; ++b) {
        tap.matrices.push_back(matrix(product, i, b));
        count_weights(tap.matrices.back(), shape.name);
      }
    }
  }
  if (!product.bias.empty()) tap.bias = constant(product.bias.front());
  for (std::size_t p = 0; p < product.pairs(); ++p) {
    const Address first = product.outputs[p * product.output_blocks];
    const auto [place, is_new] = positions_.try_emplace(
        first, static_cast<std::uint32_t>(op.outputs.size() / product.output_blocks));
    if (is_new) {
      for (std::uint32_t b = 0; b < product.output_blocks; ++b) {
        const Vector vector = graph_.add_vector(lanes_of_sum(product, tap, shape, b));
        vectors_[product.outputs[p * product.output_blocks + b]] = vector;
        op.outputs.push_back(vector);
      }
    }
    for (std::uint32_t b = 0; b < product.output_blocks && !is_new; ++b) {
      std::uint16_t& lanes =
          graph_.lanes[op.outputs[std::size_t{place->second} * product.output_blocks + b]];
      lanes = std::max(lanes, static_cast<std::uint16_t>(lanes_of_sum(product, tap, shape, b)));
    }
    tap.pixels.push_back(place->second);
    if (!product.inputs[p * product.input_blocks].is(Tag::zeroes)) op.macs += product.true_macs;
  }
  tap.inputs.reserve(product.inputs.size());
  for (const Address input : product.inputs) tap.inputs.push_back(find(input));
  op.taps.push_back(std::move(tap));
}

/// True if the function of 0 is 0 in the data type.
bool GraphBuilder::keeps_zero(const std::vector<Vector>& tables) const {
  const tcu::DataType type = architecture_.data_type;
  const tcu::LookupKey key = tcu::lookup_key(type, architecture_.lookup_tables, 0);
  const auto entry = [&](std::size_t table) {
    const Vector v = tables[table * tables.size() / 2 + key.entry / graph_.n];
    return tcu::quantise(type, graph_.constants[v][key.entry % graph_.n]);
  };
  return entry(1) == 0 && (key.difference == 0 || entry(0) == 0);
}

/// One past the last lane of a result that can differ from 0. A lane that is 0 in all operands is 0
/// in the result, for every operation but some functions.
std::uint32_t GraphBuilder::used_lanes(const Op& op, std::size_t output) const {
  const auto lanes = [&](std::size_t operand) -> std::uint32_t {
    const Vector vector = op.inputs[operand][output];
    return vector == no_vector ? 0 : graph_.lanes[vector];
  };
  const auto most = [&] {
    std::uint32_t all = 0;
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      if (!hir::is_known(op.kind, k, op.inputs.size())) all = std::max(all, lanes(k));
    }
    return all;
  };
  switch (hir::info(op.kind).zero) {
    case hir::Zero::limits: {
      // A constant bound on the other side of 0 does not make a lane differ from 0.
      std::uint32_t all = lanes(0);
      for (std::size_t k = 1; k < 3; ++k) {
        const Vector bound = op.inputs[k][output];
        std::uint32_t end = lanes(k);
        const float* values = bound == no_vector ? nullptr : graph_.constants[bound];
        const auto moves_zero = [&](float value) { return k == 1 ? value > 0 : value < 0; };
        while (values != nullptr && end > 0 && !moves_zero(values[end - 1])) --end;
        all = std::max(all, end);
      }
      return all;
    }
    case hir::Zero::first:
      return lanes(0);
    case hir::Zero::either:
      return std::min(lanes(0), lanes(1));
    case hir::Zero::affine:
      return std::max(std::min(lanes(0), lanes(1)), lanes(2));
    case hir::Zero::tables:
      return keeps_zero(op.tables) ? most() : graph_.n;
    case hir::Zero::all:
      break;
  }
  return most();
}

void GraphBuilder::add_vectors(const hir::VectorOperation& operation, const StepShape& shape) {
  if (is_copy(operation)) {
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
      vectors_[operation.outputs[i]] = find(operation.inputs[0][i]);
    }
    return;
  }
  std::vector<std::vector<Vector>> operands;
  for (const Addresses& addresses : operation.inputs) {
    std::vector<Vector>& operand = operands.emplace_back();
    operand.reserve(addresses.size());
    for (const Address address : addresses) operand.push_back(find(address));
  }
  std::vector<Vector> tables;
  if (operation.kind == hir::Kind::lookup) tables = tables_of(operation.tables);
  const bool whole = operation.outputs.size() == shape.vectors;
  Op& op = new_op(operation.outputs, shape,
                  whole && operation.outputs.size() % shape.blocks == 0 ? shape.blocks : 1);
  op.kind = operation.kind;
  op.inputs = std::move(operands);
  if (op.kind == hir::Kind::lookup) op.tables = std::move(tables);
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    graph_.lanes[op.outputs[i]] = static_cast<std::uint16_t>(used_lanes(op, i));
  }
}

}  // namespace tactus::compiler::optimise
