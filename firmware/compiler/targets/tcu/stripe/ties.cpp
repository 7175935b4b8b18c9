#include "firmware/compiler/targets/tcu/stripe/ties.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

using BufferShapes = std::map<std::string, const stripe::TensorShape*, std::less<>>;

bool is_sum_of_products(const stripe::Block& block) {
  const bool adds = std::any_of(block.refs.begin(), block.refs.end(), [](const auto& entry) {
    return stripe::writes(entry.second.direction) && entry.second.agg_op == "add";
  });
  const auto is_mul = [](const stripe::Statement& statement) {
    const auto* op = statement.as<stripe::Intrinsic>();
    return op != nullptr && op->name == "mul";
  };
  const auto& list = block.statements;
  return adds && list.size() == 4 && std::any_of(list.begin(), list.end(), is_mul);
}

/// `outer` has the shapes of the buffers behind the names outside the block.
bool has_product_of_ties(const stripe::Block& block, const BufferShapes& outer) {
  BufferShapes shapes;
  for (const auto& [into, ref] : block.refs) {
    const auto found = outer.find(ref.from);
    const bool made_here = ref.direction == stripe::Direction::none || found == outer.end();
    shapes[into] = made_here ? &ref.shape : found->second;
  }
  if (is_sum_of_products(block) && std::any_of(shapes.begin(), shapes.end(), [](const auto& shape) {
        return is_tie(*shape.second);
      })) {
    return true;
  }
  return std::any_of(
      block.statements.begin(), block.statements.end(), [&](const stripe::Statement& statement) {
        return statement.block() != nullptr && has_product_of_ties(*statement.block(), shapes);
      });
}

/// Sets the strides of the block's buffers and views. `outer` has those of the buffers behind the
/// names outside, `made` those of buffers that the block makes.
void set_block_strides(stripe::Block& block, const BufferStrides& outer,
                       const BufferStrides& made) {
  BufferStrides inner;
  for (auto& [into, ref] : block.refs) {
    const bool here = ref.direction == stripe::Direction::none;
    const BufferStrides& known = here ? made : outer;
    const auto found = known.find(here ? into : ref.from);
    if (found == known.end()) continue;
    auto& dims = ref.shape.dims;
    const std::vector<std::int64_t>& strides = found->second;
    for (std::size_t d = std::min(dims.size(), strides.size()); d > 0; --d) {
      dims[dims.size() - d].stride = strides[strides.size() - d];
    }
    inner[into] = strides;
  }
  for (stripe::Statement& statement : block.statements) {
    if (statement.block() == nullptr) continue;
    set_block_strides(*statement.block(), inner,
                      statement.has_tag("main") ? made : BufferStrides());
  }
}

/// Tags and collects the block's own buffers with ties.
void collect_ties(stripe::Block& block, std::uint64_t lanes, BufferStrides& as_given,
                  BufferStrides& spread) {
  for (auto& [into, ref] : block.refs) {
    if (ref.direction != stripe::Direction::none || !is_tie(ref.shape)) continue;
    ref.set_tag(last_along_lanes);
    for (const stripe::Dimension& dim : ref.shape.dims) {
      std::int64_t stride = dim.stride;
      as_given[into].push_back(stride);
      const bool last = &dim == &ref.shape.dims.back();
      if (!last && __builtin_mul_overflow(stride, static_cast<std::int64_t>(lanes), &stride)) {
        user_error("buffer {} is too large", quote(into));
      }
      spread[into].push_back(stride);
    }
  }
}

}  // namespace

bool is_tie(const stripe::TensorShape& shape) {
  const auto& dims = shape.dims;
  return !dims.empty() && dims.back().size == 1 && dims.back().stride == 1 &&
         std::any_of(dims.begin(), dims.end(),
                     [](const auto& dim) { return dim.size > 1 && dim.stride == 1; });
}

BufferStrides spread_ties(stripe::Program& program, std::uint64_t lanes) {
  BufferStrides as_given, spread;
  stripe::Block& entry = program.block();
  if (!has_product_of_ties(entry, {})) return as_given;
  collect_ties(entry, lanes, as_given, spread);
  for (stripe::Statement& statement : entry.statements) {
    if (statement.block() != nullptr && statement.has_tag("main")) {
      collect_ties(*statement.block(), lanes, as_given, spread);
    }
  }
  set_strides(program, spread);
  return as_given;
}

void set_strides(stripe::Program& program, const BufferStrides& strides) {
  if (!strides.empty()) set_block_strides(program.block(), {}, strides);
}

}  // namespace tactus::compiler
