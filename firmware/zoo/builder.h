// Builds networks operator by operator, with seeded weights.
//
// The builder knows the shape of every value and an approximate variance of its elements. For the
// variance it takes the elements as independent, which is accurate enough for choosing weights.
// Weights are uniform and scaled so that the result has the requested standard deviation; values
// thus use the range of 8.8 fixed point well without leaving it. The weights of convolutions and of
// gemm() are also centred over the inputs of each output channel, as after training with batch
// normalisation. The same seed gives the same bytes on every platform.
//
// Each operator function adds a node, named by its first argument, with the output "NAME:0", and
// returns that output. A function that needs further nodes names them "NAME/...". Images are NCHW.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/zoo/random.h"

namespace tactus::nn {

/// A network and its size, as publications count it.
struct Network {
  Graph graph;
  /// Number of weights, biases and parameters of normalisations; shared ones count once.
  std::int64_t parameters = 0;
  std::int64_t macs = 0;           ///< multiply-accumulates of convolutions and matrix products
  std::int64_t macs_on_input = 0;  ///< multiply-accumulates of `macs` that do not use padding
};

class Builder {
 public:
  using Value = std::string;

  struct Conv {
    std::int64_t channels = 0;  ///< output channels
    std::int64_t kernel = 1;    ///< the kernel is square, unless kernel_width is set
    std::int64_t stride = 1;    ///< in both directions, unless stride_width is set
    std::int64_t pad = 0;       ///< on all sides, unless pad_width is set
    double deviation = 2;       ///< standard deviation of the output
    /// Name of an initializer that several convolutions share; empty: a bias of its own.
    std::string bias_name = {};
    std::int64_t kernel_width = 0;               ///< 0: the kernel is square
    std::int64_t stride_width = 0;               ///< 0: `stride`
    std::optional<std::int64_t> pad_width = {};  ///< empty: `pad`
    std::int64_t group = 1;  ///< groups of channels; it divides the channels of input and output
  };
  struct Pool {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
  };

  Builder(std::string name, std::int64_t opset, std::uint64_t seed);

  Value input(const std::string& name, const Shape& shape);
  Value conv(const std::string& name, const Value& x, const Conv& conv);
  /// Adds a normalisation whose gamma is drawn from [low, high]. The mean square of its output is
  /// about that of gamma.
  Value batch_normalization(const std::string& name, const Value& x, double gamma_low = 1,
                            double gamma_high = 2);
  Value relu(const std::string& name, const Value& x);
  /// Adds a Clip to 0 .. 6, in the form of operator sets below 11.
  Value relu6(const std::string& name, const Value& x);
  Value leaky_relu(const std::string& name, const Value& x, float alpha);
  Value add(const std::string& name, const Value& a, const Value& b);
  Value max_pool(const std::string& name, const Value& x, const Pool& pool);
  Value average_pool(const std::string& name, const Value& x, const Pool& pool);
  Value global_average_pool(const std::string& name, const Value& x);
  /// Pads the image with zeroes.
  Value pad(const std::string& name, const Value& x, std::int64_t pad);
  Value transpose(const std::string& name, const Value& x, const std::vector<std::int64_t>& perm);
  Value squeeze(const std::string& name, const Value& x, const std::vector<std::int64_t>& axes);
  /// Adds a Reshape. One size may be -1; it is then computed from the others.
  Value reshape(const std::string& name, const Value& x, const Shape& shape);
  /// Splits into equal parts; the second and later outputs are "NAME:1", "NAME:2", ...
  std::vector<Value> split(const std::string& name, const Value& x, std::int64_t axis, int parts);
  Value concat(const std::string& name, const std::vector<Value>& values, std::int64_t axis);
  /// Enlarges the image by linear interpolation with aligned pixel centres. Needs operator set 11.
  Value upsample(const std::string& name, const Value& x, std::int64_t factor);
  /// Multiplies x, of shape [batch, inputs], with weights and adds a bias.
  Value gemm(const std::string& name, const Value& x, std::int64_t outputs, double deviation);
  Value softmax(const std::string& name, const Value& x, std::int64_t axis = 1);

  // Transformers; x has the shape [..., tokens, channels].

  /// Adds an INT64 input, for numbers of tokens or a mask.
  Value integer_input(const std::string& name, const Shape& shape);
  /// Adds a parameter with values of this standard deviation, such as positional embeddings.
  Value weight(const std::string& name, const Shape& shape, double deviation);
  /// Looks up rows of a table of weights by integers.
  Value embedding(const std::string& name, const Value& ids, std::int64_t rows, std::int64_t width,
                  double deviation);
  /// Normalises over the last dimension. Needs operator set 17.
  Value layer_normalization(const std::string& name, const Value& x);
  /// Multiplies x with weights and adds a bias, by the nodes NAME/product and NAME.
  Value dense(const std::string& name, const Value& x, std::int64_t outputs, double deviation);
  /// Multiplies two computed matrices.
  Value product(const std::string& name, const Value& a, const Value& b);
  Value scale(const std::string& name, const Value& x, float factor);
  /// Computes x (1 + erf(x / sqrt(2))) / 2, by the nodes that PyTorch writes for operator sets
  /// below 20.
  Value gelu(const std::string& name, const Value& x);
  /// As gelu(), with the hyperbolic tangent of a polynomial in place of the error function.
  Value tanh_gelu(const std::string& name, const Value& x);
  /// Converts a mask [batch, tokens] to an addend of scores [batch, 1, 1, tokens]: 0 where the mask
  /// is 1, and a number below all scores where it is 0.
  Value attention_bias(const std::string& name, const Value& mask);
  /// Takes element `index` of dimension `axis`. The result does not have this dimension.
  Value pick(const std::string& name, const Value& x, std::int64_t index, std::int64_t axis);

  /// Gives `x` the name of a graph output.
  void output(const Value& x, const std::string& name);
  /// Sets the variance of x, if the approximate one is known to be wrong. The weights of products
  /// with x are chosen for it.
  void set_variance(const Value& x, double variance) { values_.at(x).variance = variance; }
  [[nodiscard]] const Shape& shape(const Value& x) const { return values_.at(x).shape; }

  [[nodiscard]] Network finish() &&;

 private:
  struct Known {
    Shape shape;
    double variance = 1;
  };

  Node& node(const std::string& name, const char* op_type, std::vector<Value> inputs);
  Value known(const Value& value, Shape shape, double variance);
  Value window_pool(const std::string& name, const char* op_type, const Value& x, const Pool& pool,
                    double variance);
  void parameter(const std::string& name, Tensor tensor);
  /// Adds a constant that does not count as a parameter.
  Value constant(const std::string& name, Tensor tensor);
  /// Adds a node with the operands x and a constant number.
  Value with_number(const std::string& name, const char* op_type, const Value& x, float number,
                    double variance);
  /// Draws centred weights. The weights of an output are adjacent.
  std::vector<float> weights(std::int64_t outputs, std::int64_t inputs, double deviation);
  std::vector<float> uniform(std::int64_t count, double low, double high);

  Network network_;
  Random random_;
  std::map<Value, Known> values_;
};

}  // namespace tactus::nn
