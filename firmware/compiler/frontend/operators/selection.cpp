// Operators whose results are elements of the input selected by position: Gather with constant
// indices, Expand, Tile, DepthToSpace, SpaceToDepth, and the internal operator `relayout`.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/lane_turn.h"
#include "isa/support/text.h"

namespace tactus::compiler {

Operator sum_pool_operator();  // pooling.cpp

namespace {

/// Returns the row-major index in the input for a position of the output.
using Source = std::function<std::int64_t(const nn::Shape& position)>;

Plan selection(Planner& p, Layout result, Source source) {
  p.reads(0);
  p.output(std::move(result));
  const auto origin = [source = std::move(source)](const nn::Shape& position) {
    return Origin{0, source(position)};
  };
  return Rearrangement{{p.node.inputs[0]}, {{p.node.outputs[0], origin}}};
}

Plan plan_gather(Planner& p) {
  const Layout* x = p.activation(0);
  const nn::Tensor* which = p.need_constant(1, "indices", nn::ElementType::int64);
  if (x == nullptr || which == nullptr) return {};
  const std::optional<std::int64_t> axis = normal_axis(p, p.node.integer("axis", 0), x->rank());
  if (!axis) return {};
  const auto along = static_cast<std::size_t>(*axis);
  const std::int64_t size = x->shape[along];
  std::vector<std::int64_t> indices = which->integers;
  for (std::int64_t& index : indices) {
    if (index < -size || index >= size) {
      p.problem("index {} is outside the {} elements of axis {}", index, size, along);
      return {};
    }
    if (index < 0) index += size;
  }
  const nn::Shape shape = nn::gathered_shape(x->shape, along, which->shape);
  const std::size_t ranks = which->shape.size();
  // A list of indices keeps the order of the dimensions.
  Layout result =
      ranks == 1 ? Layout{shape, x->order} : p.model().natural_layout(p.node.outputs[0], shape);
  return selection(p, std::move(result),
                   [along, indices, ranks, strides = strides_of(x->shape),
                    index_strides = strides_of(which->shape)](const nn::Shape& position) {
                     std::int64_t which_one = 0;
                     for (std::size_t k = 0; k < ranks; ++k) {
                       which_one += position[along + k] * index_strides[k];
                     }
                     std::int64_t at =
                         indices[static_cast<std::size_t>(which_one)] * strides[along];
                     for (std::size_t d = 0; d < along; ++d) at += position[d] * strides[d];
                     for (std::size_t d = along + 1; d < strides.size(); ++d) {
                       at += position[d + ranks - 1] * strides[d];
                     }
                     return at;
                   });
}

/// Emits a repetition: each dimension is read at the position modulo the input's size.
Plan repeated(Planner& p, const Layout& x, Layout result) {
  return selection(p, std::move(result),
                   [shape = x.shape, strides = strides_of(x.shape)](const nn::Shape& position) {
                     std::int64_t at = 0;
                     for (std::size_t d = 0; d < shape.size(); ++d) {
                       at += position[d] % shape[d] * strides[d];
                     }
                     return at;
                   });
}

Plan plan_tile(Planner& p) {
  const Layout* x = p.activation(0);
  const nn::Tensor* repeats = p.need_constant(1, "repeats", nn::ElementType::int64);
  if (x == nullptr || repeats == nullptr) return {};
  Layout result = *x;
  for (std::size_t d = 0; d < x->rank(); ++d) {
    const std::int64_t times = repeats->integers.size() == x->rank() ? repeats->integers[d] : 0;
    constexpr std::int64_t most = 1 << 20;
    if (times < 1 || times > most) {
      p.problem("repeats are {} for shape {}; supported is 1 to {} for each dimension",
                nn::to_string(repeats->integers), nn::to_string(x->shape), most);
      return {};
    }
    result.shape[d] *= times;
  }
  return repeated(p, *x, std::move(result));
}

bool expand_expand(Planner& p, Expansion& e) {
  const Value* x = p.value(0);
  const nn::Tensor* wanted = p.constant(1);
  if (x == nullptr || !x->layout || wanted == nullptr ||
      wanted->integers.size() <= x->layout->rank()) {
    return false;
  }
  nn::Shape axes(wanted->integers.size() - x->layout->rank());
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = static_cast<std::int64_t>(k);
  const std::string longer = e.node("Unsqueeze", {p.node.inputs[0]}, {{"axes", axes}});
  e.last("Expand", {longer, p.node.inputs[1]});
  return true;
}

Plan plan_expand(Planner& p) {
  const Layout* x = p.activation(0);
  const nn::Tensor* wanted = p.need_constant(1, "the shape", nn::ElementType::int64);
  if (x == nullptr || wanted == nullptr) return {};
  const std::optional<nn::Shape> shape = nn::broadcast_shape(x->shape, wanted->integers);
  if (!shape || shape->size() != x->rank()) {
    p.problem("shape {} cannot become {}", nn::to_string(x->shape),
              nn::to_string(wanted->integers));
    return {};
  }
  return repeated(p, *x, {*shape, x->order});
}

Plan plan_blocks(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const bool to_depth = p.node.op_type == "SpaceToDepth";
  const std::int64_t b = p.node.integer("blocksize");
  const std::string mode = p.node.text("mode", "DCR");
  std::optional<nn::Shape> fit = nn::block_shape(x->shape, b, to_depth);
  if (!fit || (mode != "DCR" && mode != "CRD")) {
    p.problem(
        "input has shape {} for blocks of {} in mode {}; supported are images whose {} are a "
        "multiple of the block's, modes DCR and CRD",
        nn::to_string(x->shape), b, quote(mode), to_depth ? "height and width" : "channels");
    return {};
  }
  nn::Shape shape = *std::move(fit);
  const std::int64_t channels =
      to_depth ? x->shape[1] : shape[1];  // channels of the image with more channels
  const bool rows_first = mode == "CRD" && !to_depth;
  Layout result = p.model().natural_layout(p.node.outputs[0], std::move(shape));
  return selection(p, std::move(result), [=, strides = strides_of(x->shape)](const nn::Shape& at) {
    if (to_depth) {
      const std::int64_t block = mode == "CRD" ? at[1] % (b * b) : at[1] / channels;
      const std::int64_t channel = mode == "CRD" ? at[1] / (b * b) : at[1] % channels;
      return at[0] * strides[0] + channel * strides[1] + (at[2] * b + block / b) * strides[2] +
             at[3] * b + block % b;
    }
    const std::int64_t dy = at[2] % b, dx = at[3] % b;
    const std::int64_t channel =
        rows_first ? at[1] * b * b + dy * b + dx : (dy * b + dx) * channels + at[1];
    return at[0] * strides[0] + channel * strides[1] + at[2] / b * strides[2] + at[3] / b;
  });
}

/// Plans the internal operator `relayout`, see expansion.h.
Plan plan_relayout(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const nn::Shape& order = p.node.integers("order");
  Layout result{p.node.integers("shape", x->shape), {order.begin(), order.end()}};
  return repeated(p, *x, std::move(result));
}

}  // namespace

Operators selection_operators() {
  return {{"Gather", 0, Role::simple, plan_gather},
          {"Expand", 0, Role::simple, plan_expand, nullptr, expand_expand},
          {"Tile", 0, Role::simple, plan_tile},
          {"DepthToSpace", 0, Role::simple, plan_blocks},
          {"SpaceToDepth", 0, Role::simple, plan_blocks}};
}

Operators internal_operators() {
  return {{relayout, 0, Role::simple, plan_relayout, nullptr, expand_lane_turn},
          sum_pool_operator(),
          chords_operator(),
          tables_operator()};
}

}  // namespace tactus::compiler
