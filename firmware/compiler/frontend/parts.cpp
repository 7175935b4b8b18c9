#include "firmware/compiler/frontend/parts.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/onnx/shapes.h"

namespace tactus::compiler {
namespace {

/// Shape of an operand; null if it is unknown.
const nn::Shape* shape_of(const Planner& p, std::size_t input) {
  const Value* const value = p.value(input);
  if (value == nullptr) return nullptr;
  return value->constant != nullptr ? &value->constant->shape : &value->layout->shape;
}

/// Elements first .. last - 1 along an axis.
std::string slice(Expansion& e, const std::string& x, std::int64_t axis, std::int64_t first,
                  std::int64_t last) {
  return e.node("Slice", {x, e.constant(nn::Shape{first}), e.constant(nn::Shape{last}),
                          e.constant(nn::Shape{axis})});
}

/// Makes the operands of the part with elements first .. last - 1 of the dimension that is divided.
using Cut = std::function<Expansion::Inputs(std::int64_t first, std::int64_t last)>;

/// How a node is divided.
struct Division {
  std::int64_t size = 0;  ///< of the dimension that is divided
  std::int64_t unit = 1;  ///< parts are multiples of it
  Cut cut;
};

/// The image that a matrix of one row an image was flattened from; null if its channels are no
/// whole vectors, or if it is none.
const Value* flattened_image(const Planner& p, const Value& matrix) {
  if (matrix.reshaped_from.empty() || matrix.layout->rank() != 2) return nullptr;
  const Value& image = p.model().value(matrix.reshaped_from);
  const Layout& layout = *image.layout;
  const bool whole = layout.rank() == 4 && layout.is_image() &&
                     layout.shape[0] == matrix.layout->shape[0] &&
                     layout.shape[1] % p.architecture().array_size == 0;
  return whole ? &image : nullptr;
}

/// Divides the rows of a product of matrices. An operand that was flattened from an image is cut
/// along its channels, so that its pixels stay where they are.
std::optional<Division> divide_product(Planner& p, Expansion& e) {
  const nn::Shape* const a = shape_of(p, 0);
  const nn::Shape* const b = shape_of(p, 1);
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return std::nullopt;
  const bool gemm = p.node.op_type == "Gemm";
  const std::int64_t rank_a = static_cast<std::int64_t>(a->size());
  const std::int64_t rank_b = static_cast<std::int64_t>(b->size());
  const std::int64_t axis_a = gemm && p.node.integer("transA", 0) != 0 ? 0 : rank_a - 1;
  const std::int64_t axis_b =
      gemm && p.node.integer("transB", 0) != 0 ? 1 : std::max<std::int64_t>(rank_b - 2, 0);
  const std::int64_t inputs = (*a)[static_cast<std::size_t>(axis_a)];
  const Value& left = *p.value(0);
  const Value* const image =
      left.constant == nullptr && axis_a == 1 ? flattened_image(p, left) : nullptr;
  const std::int64_t rows = image == nullptr ? 1 : inputs / image->layout->shape[1];
  const auto operands = [&p, &e, image, axis_a, axis_b, rows](std::int64_t first,
                                                              std::int64_t last) {
    Expansion::Inputs inputs = p.node.inputs;
    if (image == nullptr) {
      inputs[0] = slice(e, inputs[0], axis_a, first, last);
    } else {
      inputs[0] = e.node("Flatten", {slice(e, image->name, 1, first, last)});
    }
    inputs[1] = slice(e, inputs[1], axis_b, first * rows, last * rows);
    if (first != 0 && inputs.size() > 2) inputs.resize(2);
    return inputs;
  };
  return Division{inputs / rows, p.architecture().array_size, operands};
}

std::optional<Division> divide_convolution(Planner& p, Expansion& e) {
  const nn::Shape* const x = shape_of(p, 0);
  if (x == nullptr || x->size() < 3 || p.node.integer("group", 1) != 1) return std::nullopt;
  const auto operands = [&p, &e](std::int64_t first, std::int64_t last) {
    Expansion::Inputs inputs = p.node.inputs;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      inputs[i] = slice(e, inputs[i], 1, first, last);
    }
    if (first != 0 && inputs.size() > 2) inputs.resize(2);
    return inputs;
  };
  return Division{(*x)[1], p.architecture().array_size, operands};
}

/// Divides the longest dimension over which a maximum is taken, if possible none along the lanes.
std::optional<Division> divide_maximum(Planner& p, Expansion& e) {
  const Value* const x = p.value(0);
  if (x == nullptr || !x->layout) return std::nullopt;
  const Layout& layout = *x->layout;
  const std::size_t rank = layout.rank();
  nn::Shape axes;
  if (p.node.op_type == "GlobalMaxPool") {
    for (std::size_t d = 2; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
  } else {
    axes = p.integers("axes", 1, {});
    if (axes.empty()) {
      for (std::size_t d = 0; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
    }
  }
  std::int64_t best = -1;
  const auto is_lanes = [&](std::int64_t d) {
    return static_cast<std::size_t>(d) == layout.order.back();
  };
  for (const std::int64_t axis : axes) {
    const std::int64_t d = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    if (d < 0 || d >= static_cast<std::int64_t>(rank)) return std::nullopt;
    const auto size = [&](std::int64_t k) { return layout.shape[static_cast<std::size_t>(k)]; };
    if (size(d) > 1 && (best < 0 || (is_lanes(best) && !is_lanes(d)) ||
                        (is_lanes(best) == is_lanes(d) && size(d) > size(best)))) {
      best = d;
    }
  }
  if (best < 0) return std::nullopt;
  const auto operands = [&p, &e, best](std::int64_t first, std::int64_t last) {
    Expansion::Inputs inputs = p.node.inputs;
    inputs[0] = slice(e, inputs[0], best, first, last);
    return inputs;
  };
  return Division{layout.shape[static_cast<std::size_t>(best)],
                  is_lanes(best) ? std::int64_t{p.architecture().array_size} : 1, operands};
}

/// An operator that is divided, and the operator that joins the results of its parts.
struct Divided {
  std::string_view type;
  std::optional<Division> (*divide)(Planner& p, Expansion& e);
  const char* join;
};

constexpr Divided divided[] = {
    {"MatMul", divide_product, "Add"},    {"Gemm", divide_product, "Add"},
    {"Conv", divide_convolution, "Add"},  {"ReduceMax", divide_maximum, "Max"},
    {"ReduceMin", divide_maximum, "Min"}, {"GlobalMaxPool", divide_maximum, "Max"},
};

const Divided* find_divided(std::string_view type) {
  const auto* found = std::find_if(std::begin(divided), std::end(divided),
                                   [&](const Divided& known) { return known.type == type; });
  return found == std::end(divided) ? nullptr : found;
}

}  // namespace

bool can_be_divided(const nn::Node& node) { return find_divided(node.op_type) != nullptr; }

bool expand_in_parts(Planner& p, Expansion& e, std::int64_t parts) {
  const Divided* const known = find_divided(p.node.op_type);
  if (known == nullptr) return false;
  const std::optional<Division> division = known->divide(p, e);
  if (!division) return false;
  const std::int64_t units = (division->size + division->unit - 1) / division->unit;
  const std::int64_t step = (units + parts - 1) / parts * division->unit;
  if (step >= division->size) return false;
  std::string joined;
  for (std::int64_t first = 0; first < division->size; first += step) {
    const std::int64_t last = std::min(first + step, division->size);
    const std::string part = e.node(p.node.op_type, division->cut(first, last), p.node.attributes);
    if (first == 0) {
      joined = part;
    } else if (last < division->size) {
      joined = e.node(known->join, {part, joined});
    } else {
      e.last(known->join, {part, joined});
    }
  }
  return true;
}

}  // namespace tactus::compiler
