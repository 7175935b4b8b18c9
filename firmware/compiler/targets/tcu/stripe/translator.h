// The translation of an ONNX graph to Stripe, node by node: see from_onnx.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/compiler/targets/tcu/stripe/kernel.h"
#include "isa/support/error.h"

namespace tactus::compiler::stripe_tcu {

using stripe::Affine;
using Sizes = std::vector<std::int64_t>;

/// Where a value of the model lies: a buffer, and which of its dimensions the value's are.
struct Place {
  std::string buffer;
  std::vector<std::size_t>
      dims;  ///< the buffer's dimension of each of the value's, in memory order
};

constexpr std::size_t no_dim = std::numeric_limits<std::size_t>::max();

class Translator {
 public:
  Translator(const nn::Graph& graph, const tcu::Architecture& architecture, const Options& options)
      : model_(analyse(graph, architecture, options)) {}

  StripeGraph run();

 private:
  using Handler = void (Translator::*)();

  // ---- the node under way ----
  [[nodiscard]] const nn::Node& node() const { return *step_->node; }
  [[noreturn]] void refuse(const std::string& why) const {
    user_error("{}: cannot be compiled by way of Stripe: {}", node().where(), why);
  }
  [[nodiscard]] const Layout& layout(const std::string& value) const {
    return *model_.value(value).layout;
  }
  [[nodiscard]] const nn::Tensor* constant(std::size_t input) const {
    if (node().input(input).empty()) return nullptr;
    return model_.value(std::string(node().input(input))).constant.get();
  }
  [[nodiscard]] const std::string& in(std::size_t i = 0) const { return node().inputs[i]; }
  [[nodiscard]] const std::string& out(std::size_t i = 0) const { return node().outputs[i]; }

  // ---- buffers ----
  std::string unused(const std::string& wanted);
  std::string make_buffer(const std::string& wanted, const Sizes& sizes, const char* kind);
  std::string make_constant(const std::string& wanted, const Sizes& sizes,
                            std::vector<float> values);
  const Place& place_of(const std::string& value);
  /// The output's buffer, or of a temporary of its shape.
  const Place& make_place(const std::string& value);
  std::string make_temporary(const std::string& value);
  void alias(const std::string& value, const std::string& source);

  // ---- kernels ----
  Kernel kernel(const std::string& suffix = "");
  void append(Kernel kernel);
  /// Access to a value by an affine for each of its dimensions in memory order.
  [[nodiscard]] std::vector<Affine> access(const Place& place, const std::vector<Affine>& at) const;
  void read(Kernel& k, const std::string& into, const std::string& value,
            const std::vector<Affine>& at);
  void write(Kernel& k, const std::string& buffer, const std::vector<Affine>& at,
             const std::string& agg = "");
  /// One index for each dimension of a layout: d0, d1, ...
  static std::vector<Affine> count(Kernel& k, const Sizes& sizes);
  /// out = f(in), element by element, on the layout of `value`.
  void map(const std::string& source, const std::string& target,
           const std::function<std::string(Kernel&, const std::string&)>& function,
           const std::string& suffix = "");

  // ---- operators ----
  struct Window {
    Sizes input, kernel, stride{1, 1}, dilation{1, 1}, before{0, 0}, output;
    bool clipped(std::size_t d) const {
      const std::int64_t last =
          (output[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] - before[d];
      return before[d] > 0 || last >= input[d];
    }
  };
  Window window(const Sizes& kernel) const;
  /// Indexes n, y, x, ky, kx with constraints at the rims; the place in the input.
  std::vector<Affine> slide(Kernel& k, const Window& w, std::int64_t images,
                            std::vector<Affine>& target) const;
  void convolution();
  void product();
  void arithmetic();
  void relu();
  void leaky_relu();
  void clip();
  void normalisation();
  void max_pool();
  void average_pool();
  /// Lanes that move are a product with a matrix of zeroes and ones: lane l goes to `to(l)`, or
  /// nowhere if that is no lane of the target. The other dimensions stay.
  void move_lanes(const std::string& source, const std::string& target, std::int64_t lanes,
                  const std::function<std::int64_t(std::int64_t)>& to, const std::string& suffix);
  void concat();
  void concat_lanes();
  void split();
  void slice();
  void pad();
  struct Weights {
    std::int64_t input = 0, output = 0;
    std::vector<float> values;  ///< output x input
    [[nodiscard]] bool repeats() const;
  };
  [[nodiscard]] Weights weights_of(std::size_t d) const;
  void weigh(
      const std::string& target, std::size_t d, const Weights& weights, const Sizes& sizes,
      const std::function<void(Kernel&, const std::string&, const std::vector<Affine>&)>& source,
      const std::string& suffix);
  void resize();
  void relabel();
  void reshape();
  void copy_part(const std::string& source, const Sizes& sizes, const Sizes& source_first,
                 const Sizes& source_step, const Sizes& target_first, const std::string& suffix);
  /// Adds a row vector and stores to the node's output.
  void add_row(const std::string& buffer, const std::vector<float>& row);

  Model model_;
  StripeGraph result_;
  const Step* step_ = nullptr;
  std::set<std::string> names_;
  std::map<std::string, stripe::TensorShape> shapes_;
  std::map<std::string, Place> places_;
  stripe::Block entry_, main_;
  std::size_t kernels_ = 0;
};

}  // namespace tactus::compiler::stripe_tcu
