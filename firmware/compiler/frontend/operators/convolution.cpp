// Conv: one product per tap, all on the same accumulators; the bias goes with the first.
//
// Padding pixels are products with zeroes. Groups become one dense matrix per tap.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/matrices.h"
#include "firmware/compiler/frontend/operators/windows.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Convolution {
  Windows windows;
  WeightShape shape;
  std::int64_t images = 0, groups = 1;
  std::string input, output;
  std::shared_ptr<const nn::Tensor> weights, bias;
  std::string weights_name, bias_name;

  void emit(Emitter& e) const;
  void fill_row(std::int64_t tap, std::int64_t input_channel, float* row) const;
};

/// The model keeps Co, Ci/groups, Kh, Kw.
void Convolution::fill_row(std::int64_t tap, std::int64_t input_channel, float* row) const {
  const std::int64_t depth = shape.inputs / groups;   // inputs of a group
  const std::int64_t width = shape.outputs / groups;  // outputs of a group
  const std::int64_t group = input_channel / depth;
  for (std::int64_t co = group * width; co < (group + 1) * width; ++co) {
    const std::int64_t at = (co * depth + input_channel % depth) * shape.taps + tap;
    row[co] = weights->floats[static_cast<std::size_t>(at)];
  }
}

void Convolution::emit(Emitter& e) const {
  const std::uint32_t n = e.array_size();
  const std::size_t ci = shape.input_blocks(n), co = shape.output_blocks(n);
  const Addresses bias_row = bias ? e.row(bias_name + " as bias", bias->floats) : Addresses{};
  const Addresses& w = weights_constant(
      e, weights_name + (groups == 1 ? " as convolution" : fmt::format(" in {} groups", groups)),
      shape, [this](std::int64_t t, std::int64_t i, float* row) { fill_row(t, i, row); });
  const Addresses source = e.variable(input);
  const std::int64_t pixels = windows.output[0] * windows.output[1];
  const Addresses result = e.allocate(static_cast<std::size_t>(images * pixels) * co);

  for (std::int64_t tap = 0; tap < shape.taps; ++tap) {
    Addresses inputs;
    inputs.reserve(static_cast<std::size_t>(images * pixels) * ci);
    for (std::int64_t image = 0; image < images; ++image) {
      for (std::int64_t y = 0; y < windows.output[0]; ++y) {
        for (std::int64_t x = 0; x < windows.output[1]; ++x) {
          const std::int64_t pixel = windows.pixel(y, x, tap);
          if (pixel < 0) {
            inputs.insert(inputs.end(), ci, Address::zeroes());
            continue;
          }
          const auto first =
              source.begin() + (image * windows.input[0] * windows.input[1] + pixel) *
                                   static_cast<std::ptrdiff_t>(ci);
          inputs.insert(inputs.end(), first, first + static_cast<std::ptrdiff_t>(ci));
        }
      }
    }
    hir::MatMul product = product_of_tap(e, shape, tap, w, std::move(inputs), result);
    product.true_macs /= static_cast<std::uint64_t>(groups);
    if (tap == 0) product.bias = bias_row;
    e.hir().add(std::move(product));
  }
  e.result(output, result);
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

Emit plan(Planner& p) {
  Convolution conv;
  conv.groups = p.node.integer("group", 1);
  if (conv.groups < 1 || conv.groups > (1 << 20)) {
    p.problem("attribute group is {}; supported are 1 and more", conv.groups);
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
  if (!windows || !check_channels(p, *x, *w, conv.groups) || p.failed()) return {};

  conv.windows = *windows;
  conv.shape = {windows->taps(), x->shape[1], w->shape[0]};
  conv.images = x->shape[0];
  conv.input = p.node.inputs[0];
  conv.output = p.node.outputs[0];
  conv.weights = p.value(1)->constant;
  conv.weights_name = p.node.inputs[1];
  if (b != nullptr) {
    conv.bias = p.value(2)->constant;
    conv.bias_name = p.node.inputs[2];
  }
  p.reads(0);
  p.output(Layout::activation({conv.images, w->shape[0], windows->output[0], windows->output[1]}));
  return [conv](Emitter& e) { conv.emit(e); };
}

}  // namespace

Operators convolution_operators() { return {{"Conv", 2, Role::start, plan}}; }

}  // namespace tactus::compiler
