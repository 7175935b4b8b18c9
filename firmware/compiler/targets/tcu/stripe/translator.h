// The translation of an ONNX graph to Stripe, node by node: see from_onnx.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/loop_nest.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/compiler/targets/tcu/stripe/kernel.h"
#include "isa/support/error.h"

namespace tactus::compiler::stripe_tcu {

using stripe::Affine;
using Sizes = std::vector<std::int64_t>;

/// Location of a value of the model: a buffer, and the buffer's dimension for each dimension of the
/// value.
struct Place {
  std::string buffer;
  /// The buffer's dimension of each of the value's, in memory order.
  std::vector<std::size_t> dims;
};

struct Phase;  // translate_nest.cpp

constexpr std::size_t no_dim = std::numeric_limits<std::size_t>::max();

class Translator {
 public:
  Translator(const nn::Graph& graph, const tcu::Architecture& architecture, const Options& options)
      : model_(analyse(graph, architecture, options)), options_(options) {}

  StripeGraph run();

 private:
  // ---- the node under way ----
  [[nodiscard]] const nn::Node& node() const { return *step_->node; }
  [[nodiscard]] const Layout& layout(const std::string& value) const {
    return *model_.value(value).layout;
  }
  [[nodiscard]] const std::string& in(std::size_t i = 0) const { return node().inputs[i]; }
  [[nodiscard]] const std::string& out(std::size_t i = 0) const { return node().outputs[i]; }

  // ---- buffers ----
  std::string unused(const std::string& wanted);
  std::string make_buffer(const std::string& wanted, const Sizes& sizes, const char* kind);
  /// `source`: the operand of the node whose values these are, if they are one's.
  std::string make_constant(const std::string& wanted, const Sizes& sizes,
                            std::vector<float> values, const std::string& source = "");
  const Place& place_of(const std::string& value);
  /// Makes the buffer of an output, or of a temporary with its shape.
  const Place& make_place(const std::string& value);
  std::string make_temporary(const std::string& value);
  void alias(const std::string& value, const std::string& source);
  /// Copies a value in another buffer, such as an input or an alias, to an output's buffer.
  void copy_to_output(const std::string& value, Kernel k);
  /// Returns a constant buffer; equal constants share one.
  const std::string& table(const Sizes& sizes, std::vector<float> values);

  // ---- kernels ----
  Kernel kernel(const std::string& suffix = "");
  void append(Kernel kernel);
  /// Access to a value by an affine for each of its dimensions in memory order.
  [[nodiscard]] std::vector<Affine> access(const Place& place, const std::vector<Affine>& at) const;
  void read(Kernel& k, const std::string& into, const std::string& value,
            const std::vector<Affine>& at);
  void write(Kernel& k, const std::string& buffer, const std::vector<Affine>& at,
             const std::string& agg = "");
  /// Makes one index for each dimension of a layout: d0, d1, ...
  static std::vector<Affine> count(Kernel& k, const Sizes& sizes);

  // ---- nests ----
  void translate(const LoopNest& nest);
  void product(const LoopNest& made);
  std::string make_weights(const LoopNest& nest, bool diagonal);
  void multiply(const LoopNest& nest, const std::vector<Phase>& phases, const std::string& weights,
                bool diagonal, const std::string& target, const std::string& suffix);
  void add_row(const std::string& buffer, const Weights& weights);
  void maximum(const LoopNest& nest);
  void sum(const LoopNest& nest);
  class Functions;
  void translate(const Elementwise& nest);
  class Rearranging;
  void translate(const Rearrangement& nest);
  void rearrange_pending(const std::string& value);
  void translate(const Renaming& nest);
  void weigh(
      const std::string& target, std::size_t d, const std::vector<Resampling::Pair>& pairs,
      const Sizes& sizes,
      const std::function<void(Kernel&, const std::string&, const std::vector<Affine>&)>& source,
      const std::string& suffix);
  void translate(const Resampling& nest);

  Model model_;
  const Options& options_;
  StripeGraph result_;
  const Step* step_ = nullptr;
  std::set<std::string> names_;
  std::map<std::string, stripe::TensorShape> shapes_;
  std::map<std::string, Place> places_;
  std::map<std::string, std::pair<const Step*, const Rearrangement::Output*>> pending_;
  std::map<std::pair<Sizes, std::vector<float>>, std::string> tables_;
  stripe::Block entry_, main_;
};

}  // namespace tactus::compiler::stripe_tcu
