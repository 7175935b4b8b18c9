// Operators that take or place elements by indices which are known when compiling: GatherElements,
// GatherND, ScatterElements, ScatterND, ReverseSequence, Trilu. Each is a table of sources.
#include <algorithm>
#include <memory>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// The source of each element of a result, in row-major order.
using Sources = std::vector<Origin>;

std::int64_t element_at(const nn::Shape& position, const std::vector<std::int64_t>& strides) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < position.size(); ++d) at += position[d] * strides[d];
  return at;
}

Plan by_table(Planner& p, Layout result, Rearrangement rearrangement, Sources sources) {
  const auto table = std::make_shared<const Sources>(std::move(sources));
  const auto origin = [table, strides = strides_of(result.shape)](const nn::Shape& position) {
    return (*table)[static_cast<std::size_t>(element_at(position, strides))];
  };
  p.output(std::move(result));
  rearrangement.outputs = {{p.node.outputs[0], origin}};
  return rearrangement;
}

/// Calls visit(position) for each position of the shape, in row-major order.
template <typename Visit>
void each_position(const nn::Shape& shape, Visit&& visit) {
  nn::Shape position(shape.size(), 0);
  do {
    visit(std::as_const(position));
  } while (next_position(position, shape));
}

/// Indices of input `i`, with negative ones counted from the end of `sizes[k]` elements, where k
/// cycles through the sizes. Empty: problems were reported.
std::optional<nn::Tensor> indices_of(Planner& p, std::size_t i, const nn::Shape& sizes) {
  const nn::Tensor* const given = p.need_constant(i, "indices", nn::ElementType::int64);
  if (given == nullptr) return std::nullopt;
  nn::Tensor indices = *given;
  for (std::size_t k = 0; k < indices.integers.size(); ++k) {
    const std::int64_t size = sizes[k % sizes.size()];
    std::int64_t& index = indices.integers[k];
    if (index < -size || index >= size) {
      p.problem("index {} is outside {} elements", index, size);
      return std::nullopt;
    }
    if (index < 0) index += size;
  }
  return indices;
}

/// Layout of a result: the operand's if the shape keeps its rank, else the natural one.
Layout layout_like(Planner& p, const Layout& x, nn::Shape shape) {
  if (shape.size() == x.rank()) return {std::move(shape), x.order};
  return p.model().natural_layout(p.node.outputs[0], std::move(shape));
}

/// True if the indices have no more elements than the data along any dimension but `along`.
bool fits_along(const nn::Shape& indices, const nn::Shape& data, std::size_t along) {
  bool fits = indices.size() == data.size();
  for (std::size_t d = 0; fits && d < data.size(); ++d) {
    fits = d == along || indices[d] <= data[d];
  }
  return fits;
}

Plan plan_gather_elements(Planner& p) {
  const Layout* const x = p.activation(0);
  if (x == nullptr) return {};
  const std::optional<std::int64_t> axis = normal_axis(p, p.node.integer("axis", 0), x->rank());
  if (!axis) return {};
  const auto along = static_cast<std::size_t>(*axis);
  const std::optional<nn::Tensor> which = indices_of(p, 1, {x->shape[along]});
  if (!which) return {};
  if (!fits_along(which->shape, x->shape, along)) {
    p.problem("indices of shape {} do not fit {}", nn::to_string(which->shape),
              nn::to_string(x->shape));
    return {};
  }
  const std::vector<std::int64_t> strides = strides_of(x->shape);
  Sources sources;
  each_position(which->shape, [&](nn::Shape position) {
    position[along] = which->integers[sources.size()];
    sources.push_back({0, element_at(position, strides)});
  });
  p.reads(0);
  return by_table(p, {which->shape, x->order}, {{p.node.inputs[0]}, {}, 0}, std::move(sources));
}

/// Places in a tensor of this shape that tuples of indices name, from dimension `first` on.
std::vector<std::int64_t> places_of(const nn::Tensor& tuples, const nn::Shape& shape,
                                    std::size_t first) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  const auto length = static_cast<std::size_t>(tuples.shape.back());
  std::vector<std::int64_t> places;
  for (std::size_t at = 0; at < tuples.integers.size(); at += length) {
    places.push_back(0);
    for (std::size_t k = 0; k < length; ++k) {
      places.back() += tuples.integers[at + k] * strides[first + k];
    }
  }
  return places;
}

/// Tuples of indices of input 1 into dimensions of `shape` from `first` on.
std::optional<nn::Tensor> tuples_of(Planner& p, const nn::Shape& shape, std::size_t first) {
  const nn::Tensor* const given = p.need_constant(1, "indices", nn::ElementType::int64);
  if (given == nullptr) return std::nullopt;
  const std::int64_t length = given->shape.empty() ? 0 : given->shape.back();
  if (length < 1 || first + static_cast<std::size_t>(length) > shape.size()) {
    p.problem("indices of shape {} do not fit {}", nn::to_string(given->shape),
              nn::to_string(shape));
    return std::nullopt;
  }
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(first);
  return indices_of(p, 1, nn::Shape(begin, begin + length));
}

Plan plan_gather_nd(Planner& p) {
  const Layout* const x = p.activation(0);
  if (x == nullptr) return {};
  const std::int64_t batch = p.node.integer("batch_dims", 0);
  const auto first = static_cast<std::size_t>(std::max<std::int64_t>(batch, 0));
  if (batch < 0 || first >= x->rank()) {
    p.problem("attribute batch_dims is {} for {} dimensions", batch, x->rank());
    return {};
  }
  const std::optional<nn::Tensor> tuples = tuples_of(p, x->shape, first);
  if (!tuples) return {};
  const bool fits = tuples->shape.size() > first &&
                    std::equal(x->shape.begin(), x->shape.begin() + batch, tuples->shape.begin());
  if (!fits) {
    p.problem("indices of shape {} do not fit {} with {} batch dimensions",
              nn::to_string(tuples->shape), nn::to_string(x->shape), batch);
    return {};
  }
  const auto length = static_cast<std::size_t>(tuples->shape.back());
  const nn::Shape tail(x->shape.begin() + static_cast<std::ptrdiff_t>(first + length),
                       x->shape.end());
  nn::Shape shape(tuples->shape.begin(), tuples->shape.end() - 1);
  shape.insert(shape.end(), tail.begin(), tail.end());
  const std::int64_t slice = nn::element_count(tail);
  const std::int64_t batches =
      nn::element_count(nn::Shape(x->shape.begin(), x->shape.begin() + batch));
  const std::vector<std::int64_t> places = places_of(*tuples, x->shape, first);
  const std::int64_t of_batch = x->elements() / batches;
  const std::int64_t tuples_of_batch = static_cast<std::int64_t>(places.size()) / batches;
  Sources sources;
  for (std::size_t t = 0; t < places.size(); ++t) {
    const std::int64_t begin =
        places[t] + static_cast<std::int64_t>(t) / tuples_of_batch * of_batch;
    for (std::int64_t k = 0; k < slice; ++k) sources.push_back({0, begin + k});
  }
  p.reads(0);
  return by_table(p, layout_like(p, *x, std::move(shape)), {{p.node.inputs[0]}, {}, 0},
                  std::move(sources));
}

Plan plan_reverse_sequence(Planner& p) {
  const Layout* const x = p.activation(0);
  const nn::Tensor* const lengths = p.need_constant(1, "lengths", nn::ElementType::int64);
  if (x == nullptr || lengths == nullptr) return {};
  const auto time = normal_axis(p, p.node.integer("time_axis", 0), x->rank());
  const auto batch = normal_axis(p, p.node.integer("batch_axis", 1), x->rank());
  if (!time || !batch) return {};
  const auto along = static_cast<std::size_t>(*time), image = static_cast<std::size_t>(*batch);
  const bool good = along != image && lengths->size() == x->shape[image] &&
                    std::all_of(lengths->integers.begin(), lengths->integers.end(),
                                [&](std::int64_t n) { return n >= 0 && n <= x->shape[along]; });
  if (!good) {
    p.problem("lengths {} do not fit {}", nn::to_string(lengths->integers),
              nn::to_string(x->shape));
    return {};
  }
  const std::vector<std::int64_t> strides = strides_of(x->shape);
  Sources sources;
  each_position(x->shape, [&](nn::Shape position) {
    const std::int64_t length = lengths->integers[static_cast<std::size_t>(position[image])];
    if (position[along] < length) position[along] = length - 1 - position[along];
    sources.push_back({0, element_at(position, strides)});
  });
  p.reads(0);
  return by_table(p, *x, {{p.node.inputs[0]}, {}, 0}, std::move(sources));
}

Plan plan_trilu(Planner& p) {
  const Layout* const x = p.activation(0);
  const nn::Tensor* const k =
      p.given(1) ? p.need_constant(1, "k", nn::ElementType::int64) : nullptr;
  if (x == nullptr || p.failed()) return {};
  if (x->rank() < 2 || (k != nullptr && k->size() != 1)) {
    p.problem("input has shape {}; supported are matrices and one diagonal",
              nn::to_string(x->shape));
    return {};
  }
  const std::int64_t diagonal = k == nullptr ? 0 : k->integers[0];
  const bool upper = p.node.integer("upper", 1) != 0;
  Sources sources;
  each_position(x->shape, [&](const nn::Shape& position) {
    const std::int64_t right = position.back() - position[position.size() - 2];
    const bool kept = upper ? right >= diagonal : right <= diagonal;
    sources.push_back({kept ? 0 : -1, static_cast<std::int64_t>(sources.size())});
  });
  p.reads(0);
  return by_table(p, *x, {{p.node.inputs[0]}, {}, 0}, std::move(sources));
}

/// Replaces elements of input 0 at `places` by those of input 2, in order.
Plan scattered(Planner& p, const std::vector<std::int64_t>& places) {
  const std::string reduction = p.node.text("reduction", "none");
  if (reduction != "none") {
    p.problem("attribute reduction is {}; supported is none", quote(reduction));
    return {};
  }
  const Value &data = *p.value(0), &updates = *p.value(2);
  const Layout result = data.layout
                            ? *data.layout
                            : p.model().natural_layout(p.node.outputs[0], data.constant->shape);
  Sources sources;
  for (std::int64_t k = 0; k < result.elements(); ++k) sources.push_back({0, k});
  for (std::size_t k = 0; k < places.size(); ++k) {
    sources[static_cast<std::size_t>(places[k])] = {1, static_cast<std::int64_t>(k)};
  }
  std::vector<std::string> pieces{p.node.inputs[0], p.node.inputs[2]};
  if (!data.constant) p.reads(0);
  if (!updates.constant) {
    p.reads(2);
  } else {
    // Constants have as many dimensions as the result.
    nn::Tensor row = *updates.constant;
    row.shape.assign(result.rank(), 1);
    row.shape[result.order.back()] = row.size();
    pieces[1] = p.new_constant(p.unused_value_name(p.node.name + "/updates"), std::move(row));
  }
  return by_table(p, result, {std::move(pieces), {}, 0}, std::move(sources));
}

/// The shapes of data and updates; null if they are unknown or hold integers.
bool has_scatter_operands(Planner& p, nn::Shape& data, nn::Shape& updates) {
  for (auto [i, shape] : {std::pair<std::size_t, nn::Shape*>{0, &data}, {2, &updates}}) {
    const Value* const value = p.value(i);
    if (value == nullptr) return false;
    if (value->constant != nullptr && value->constant->type != nn::ElementType::float32) {
      p.problem("input {} ({}) holds integers; supported is FLOAT", i, quote(value->name));
      return false;
    }
    *shape = value->constant != nullptr ? value->constant->shape : value->layout->shape;
  }
  return !data.empty();
}

Plan plan_scatter_elements(Planner& p) {
  nn::Shape data, updates;
  if (!has_scatter_operands(p, data, updates)) return {};
  const std::optional<std::int64_t> axis = normal_axis(p, p.node.integer("axis", 0), data.size());
  if (!axis) return {};
  const auto along = static_cast<std::size_t>(*axis);
  const std::optional<nn::Tensor> which = indices_of(p, 1, {data[along]});
  if (!which) return {};
  if (!fits_along(which->shape, data, along) || which->shape != updates) {
    p.problem("indices {} and updates {} do not fit {}", nn::to_string(which->shape),
              nn::to_string(updates), nn::to_string(data));
    return {};
  }
  const std::vector<std::int64_t> strides = strides_of(data);
  std::vector<std::int64_t> places;
  each_position(which->shape, [&](nn::Shape position) {
    position[along] = which->integers[places.size()];
    places.push_back(element_at(position, strides));
  });
  return scattered(p, places);
}

Plan plan_scatter_nd(Planner& p) {
  nn::Shape data, updates;
  if (!has_scatter_operands(p, data, updates)) return {};
  const std::optional<nn::Tensor> tuples = tuples_of(p, data, 0);
  if (!tuples) return {};
  const nn::Shape tail(data.begin() + tuples->shape.back(), data.end());
  nn::Shape wanted(tuples->shape.begin(), tuples->shape.end() - 1);
  wanted.insert(wanted.end(), tail.begin(), tail.end());
  if (updates != wanted) {
    p.problem("updates have shape {}; indices {} of {} need {}", nn::to_string(updates),
              nn::to_string(tuples->shape), nn::to_string(data), nn::to_string(wanted));
    return {};
  }
  std::vector<std::int64_t> places;
  for (const std::int64_t first : places_of(*tuples, data, 0)) {
    for (std::int64_t k = 0; k < nn::element_count(tail); ++k) places.push_back(first + k);
  }
  return scattered(p, places);
}

}  // namespace

Operators indexing_operators() {
  return {{"GatherElements", 0, Role::simple, plan_gather_elements},
          {"GatherND", 0, Role::simple, plan_gather_nd},
          {"ReverseSequence", keeps_quantisation, Role::simple, plan_reverse_sequence},
          {"Scatter", 0, Role::simple, plan_scatter_elements},
          {"ScatterElements", 0, Role::simple, plan_scatter_elements},
          {"ScatterND", 0, Role::simple, plan_scatter_nd},
          {"Trilu", 0, Role::simple, plan_trilu}};
}

}  // namespace tactus::compiler
