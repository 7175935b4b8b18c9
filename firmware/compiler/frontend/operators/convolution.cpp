// Conv and ConvTranspose. Groups become one dense matrix for each tap.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/windows.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Rows of the weights of a Conv. The model stores them as Co, Ci/groups, Kh, Kw.
FillRow rows_of(std::shared_ptr<const nn::Tensor> weights, std::int64_t groups) {
  const std::int64_t outputs = weights->shape[0];
  const std::int64_t depth = weights->shape[1];  // inputs of a group
  const std::int64_t width = outputs / groups;   // outputs of a group
  const std::int64_t taps = weights->shape[2] * weights->shape[3];
  return [=](std::int64_t tap, std::int64_t input, float* row) {
    const std::int64_t group = input / depth;
    for (std::int64_t co = group * width; co < (group + 1) * width; ++co) {
      const std::int64_t at = (co * depth + input % depth) * taps + tap;
      row[co] = weights->floats[static_cast<std::size_t>(at)];
    }
  };
}

bool check_channels(Planner& p, const Layout& x, const nn::Tensor& w, std::int64_t groups) {
  const std::int64_t channels = x.shape[1];
  const bool good = w.shape[1] * groups == channels && w.shape[0] % groups == 0;
  if (!good) {
    p.problem(
        "weights {} have shape {} for an input of {} channels and group {}; supported are "
        "Co x Ci/group x Kh x Kw with Co a multiple of group",
        quote(p.node.inputs[1]), nn::to_string(w.shape), channels, groups);
  }
  return good;
}

Plan plan_convolution(Planner& p) {
  const std::int64_t groups = p.node.integer("group", 1);
  if (groups < 1 || groups > (1 << 20)) {
    p.problem("attribute group is {}; supported are 1 and more", groups);
    return {};
  }
  const nn::Tensor* w = p.need_constant(1, "weights", nn::ElementType::float32);
  const nn::Tensor* b = p.given(2) ? p.need_constant(2, "bias", nn::ElementType::float32) : nullptr;
  const Layout* x = p.image(0);
  if (w != nullptr && (w->shape.size() != 4 || w->size() == 0)) {
    p.problem("weights {} have shape {}; supported are 4 dimensions, Co Ci Kh Kw",
              quote(p.node.inputs[1]), nn::to_string(w->shape));
    return {};
  }
  if (w == nullptr) return {};
  const std::vector<std::int64_t> kernel{w->shape[2], w->shape[3]};
  const std::vector<std::int64_t> stated = p.node.integers("kernel_shape", kernel);
  if (stated != kernel) {
    p.problem("attribute kernel_shape is {}, weights {} have {}", nn::to_string(stated),
              quote(p.node.inputs[1]), nn::to_string(kernel));
  }
  if (b != nullptr && (b->shape.size() != 1 || b->shape[0] != w->shape[0])) {
    p.problem("bias {} has shape {}; supported is [{}]", quote(p.node.inputs[2]),
              nn::to_string(b->shape), w->shape[0]);
  }
  const std::optional<Windows> windows = plan_windows(p, x, kernel, PadRule::read);
  if (!windows || !check_channels(p, *x, *w, groups) || p.failed()) return {};

  const Layout result =
      Layout::activation({x->shape[0], w->shape[0], windows->output[0], windows->output[1]});
  LoopNest nest;
  slide(nest, *windows, Access::of(p.node.inputs[0], *x, {}),
        Access::of(p.node.outputs[0], result, {}));
  const LoopNumber co = nest.add("co", w->shape[0], true), ci = nest.add("ci", x->shape[1], true);
  nest.rows = {ci};
  nest.columns = co;
  nest.operands[0].places.push_back(Place1D::of(ci));
  nest.result.places.push_back(Place1D::of(co));
  nest.macs = static_cast<std::uint64_t>(nest.inputs() * nest.outputs() / groups);
  nest.weights.operand = p.node.inputs[1];
  nest.weights.name =
      p.node.inputs[1] + (groups == 1 ? " as convolution" : fmt::format(" in {} groups", groups));
  nest.weights.fill = rows_of(p.value(1)->constant, groups);
  nest.weights.diagonal = groups > 1 && nest.inputs() == groups && nest.outputs() == groups;
  if (b != nullptr) {
    nest.weights.bias = b->floats;
    nest.weights.bias_operand = p.node.inputs[2];
    nest.weights.bias_name = p.node.inputs[2] + " as bias";
  }
  p.reads(0);
  p.output(result);
  return nest;
}

// ---- ConvTranspose ------------------------------------------------------------------------------

/// Attributes of a ConvTranspose of images, with defaults; height first, then width.
struct Transposed {
  nn::Shape stride, dilation, before, after;
  std::int64_t groups = 1;
};

/// Reads the attributes and converts output sizes to padding.
std::optional<Transposed> plan_transposed(Planner& p, const Layout& x, const nn::Tensor& w) {
  Transposed t;
  t.stride = p.node.integers("strides", {1, 1});
  t.dilation = p.node.integers("dilations", {1, 1});
  t.groups = p.node.integer("group", 1);
  const nn::Shape pads = p.node.integers("pads", {0, 0, 0, 0});
  const nn::Shape more = p.node.integers("output_padding", {0, 0});
  nn::Shape wanted = p.node.integers("output_shape", {});
  if (wanted.size() == 4) wanted.erase(wanted.begin(), wanted.begin() + 2);
  const std::string automatic = p.node.text("auto_pad", "NOTSET");
  constexpr std::int64_t largest = 1 << 20;
  const auto within = [&](const nn::Shape& values, std::size_t count, std::int64_t least) {
    return values.size() == count && std::all_of(values.begin(), values.end(), [&](std::int64_t v) {
             return v >= least && v <= largest;
           });
  };
  if (!within(t.stride, 2, 1) || !within(t.dilation, 2, 1) || !within(pads, 4, 0) ||
      !within(more, 2, 0) || !(wanted.empty() || within(wanted, 2, 1))) {
    p.problem(
        "strides {}, dilations {}, pads {}, output_padding {}, output_shape {} are not those "
        "of an image; supported are 2 values (pads: 4), each 0 or 1 to {}",
        nn::to_string(t.stride), nn::to_string(t.dilation), nn::to_string(pads),
        nn::to_string(more), nn::to_string(wanted), largest);
    return std::nullopt;
  }
  if (t.groups < 1 || w.shape[0] != x.shape[1] || w.shape[0] % t.groups != 0) {
    p.problem(
        "weights {} have shape {} for an input of {} channels and group {}; supported are "
        "Ci x Co/group x Kh x Kw",
        quote(p.node.inputs[1]), nn::to_string(w.shape), x.shape[1], t.groups);
    return std::nullopt;
  }
  for (std::size_t d = 0; d < 2; ++d) {
    nn::Sliding sliding{x.shape[2 + d], w.shape[2 + d], t.stride[d],
                        t.dilation[d],  pads[d],        pads[2 + d]};
    if (nn::pads_to_same(automatic) || !wanted.empty()) {
      nn::cut_transposed(sliding, more[d], wanted.empty() ? 0 : wanted[d], automatic);
    }
    t.before.push_back(sliding.reach() - 1 - sliding.before);
    t.after.push_back(sliding.reach() - 1 - sliding.after + more[d]);
  }
  return t;
}

/// Expands a ConvTranspose into a Conv with reversed taps over an image whose pixels are spaced by
/// the stride.
bool expand_transposed(Planner& p, Expansion& e) {
  if (expand_to_image(p, e)) return true;
  const Layout* x = p.image(0);
  const nn::Tensor* w = p.need_constant(1, "weights", nn::ElementType::float32);
  if (x == nullptr || w == nullptr) return false;
  if (w->shape.size() != 4 || w->size() == 0) {
    p.problem("weights {} have shape {}; supported are 4 dimensions, Ci Co Kh Kw",
              quote(p.node.inputs[1]), nn::to_string(w->shape));
    return true;
  }
  const nn::Shape kernel{w->shape[2], w->shape[3]};
  if (const nn::Shape stated = p.node.integers("kernel_shape", kernel); stated != kernel) {
    p.problem("attribute kernel_shape is {}, weights {} have {}", nn::to_string(stated),
              quote(p.node.inputs[1]), nn::to_string(kernel));
    return true;
  }
  const std::optional<Transposed> t = plan_transposed(p, *x, *w);
  if (!t) return true;
  const std::int64_t inputs = w->shape[0] / t->groups, outputs = w->shape[1];
  const std::int64_t height = w->shape[2], width = w->shape[3];
  nn::Tensor turned = nn::Tensor::zeros({outputs * t->groups, inputs, w->shape[2], w->shape[3]});
  const std::vector<std::int64_t> from = strides_of(w->shape), to = strides_of(turned.shape);
  nn::Shape at(4, 0);
  do {
    const std::int64_t group = at[0] / inputs;
    const std::int64_t index = (group * outputs + at[1]) * to[0] + at[0] % inputs * to[1] +
                               (height - 1 - at[2]) * to[2] + (width - 1 - at[3]);
    turned.floats[static_cast<std::size_t>(index)] = w->floats[static_cast<std::size_t>(
        at[0] * from[0] + at[1] * from[1] + at[2] * from[2] + at[3])];
  } while (next_position(at, w->shape));
  Expansion::Inputs operands{p.node.inputs[0], e.constant(std::move(turned))};
  if (p.given(2)) operands.push_back(p.node.inputs[2]);
  e.last("Conv", operands,
         {{"group", t->groups},
          {"dilations", t->dilation},
          {"pads", nn::Shape{t->before[0], t->before[1], t->after[0], t->after[1]}},
          {input_spacing, t->stride}});
  return true;
}

}  // namespace

Operators convolution_operators() {
  return {
      {"Conv", is_product | wants_image, Role::start, plan_convolution, nullptr, expand_to_image},
      {"ConvTranspose", is_product | wants_image, Role::simple, nullptr, nullptr,
       expand_transposed}};
}

}  // namespace tactus::compiler
