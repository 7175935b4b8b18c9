// The LSTM of TensorFlow Lite as the LSTM of ONNX.
#include <optional>

#include "firmware/tensorflow/translator.h"

namespace tactus::tf {
namespace {

/// Gates in the order of TensorFlow Lite; ONNX has input, output, forget, cell.
constexpr std::size_t gates = 4, forget_gate = 1;
constexpr std::size_t in_onnx_order[gates] = {0, 3, 1, 2};

/// Numbers of the node's inputs: the data, then weights, recurrent weights, peepholes (without that
/// of the cell) and biases. A constant without elements is absent.
enum Inputs : std::size_t { data = 0, weights = 1, recurrent = 5, peepholes = 9, biases = 12 };

/// The tensors of all gates, one behind the other. Without an input gate it is 1 minus the forget
/// gate, which is the sigmoid of the negated sum.
nn::Tensor joined(Translator& t, std::size_t first, const nn::Shape& shape) {
  nn::Tensor all;
  all.shape = shape;
  all.shape.insert(all.shape.begin(), 1);
  all.shape[1] *= static_cast<std::int64_t>(gates);
  const bool coupled = t.constant_input(weights, "its weights").size() == 0;
  for (const std::size_t gate : in_onnx_order) {
    const bool negated = coupled && gate == 0;
    const nn::Tensor& part =
        t.constant_input(first + (negated ? forget_gate : gate), "its weights and biases");
    if (part.shape != shape || part.type != nn::ElementType::float32) {
      t.fail("weights or biases have shape {}; needed are real numbers of {}",
             nn::to_string(part.shape), nn::to_string(shape));
    }
    for (const float value : part.floats) all.floats.push_back(negated ? -value : value);
  }
  return all;
}

/// Peepholes of the gates input, output, forget; nothing if there are none.
std::optional<nn::Tensor> joined_peepholes(Translator& t, std::int64_t hidden) {
  if (t.constant_input(peepholes + 1, "its peepholes").size() == 0) return std::nullopt;
  nn::Tensor all;
  all.shape = {1, 3 * hidden};
  const bool coupled = t.constant_input(weights, "its weights").size() == 0;
  for (const std::size_t gate : {std::size_t{0}, std::size_t{2}, std::size_t{1}}) {
    const bool negated = coupled && gate == 0;
    const nn::Tensor& part =
        t.constant_input(peepholes + (negated ? forget_gate : gate), "its peepholes");
    if (part.floats.size() != static_cast<std::size_t>(hidden))
      t.fail("peepholes have {} elements of {}", part.size(), hidden);
    for (const float value : part.floats) all.floats.push_back(negated ? -value : value);
  }
  return all;
}

/// UNIDIRECTIONAL_SEQUENCE_LSTM: states begin as zeros.
void translate_lstm(Translator& t) {
  Value& x = t.input(data);
  t.expect_rank(x, 3, "input 0");
  const nn::Tensor& of_forget = t.constant_input(weights + forget_gate, "its weights");
  if (of_forget.shape.size() != 2) {
    t.fail("weights have shape {}; needed are 2 dimensions", nn::to_string(of_forget.shape));
  }
  const std::int64_t hidden = of_forget.shape[0];
  const bool time_major = t.node().flag("time_major", false);
  const std::int64_t steps = x.shape[time_major ? 0 : 1], batch = x.shape[time_major ? 1 : 0];
  // A step adds at most 1 to the cell.
  const float clip = t.node().real("cell_clip", 0);
  if (clip > 0 && static_cast<double>(steps) > static_cast<double>(clip)) {
    t.fail(
        "cells are clipped to {} in {} steps, which is not supported; supported are as many "
        "steps as the limit, or no limit",
        clip, steps);
  }
  nn::Tensor bias = joined(t, biases, {hidden});
  bias.shape[1] *= 2;
  bias.floats.resize(bias.floats.size() * 2);  // none for the recurrent sums
  Value in_order = time_major ? x : t.transposed(x, {1, 0, 2});
  const std::optional<nn::Tensor> peeps = joined_peepholes(t, hidden);
  const std::string all =
      t.emit("LSTM",
             {t.plain(in_order), t.constant(joined(t, weights, of_forget.shape)),
              t.constant(joined(t, recurrent, {hidden, hidden})), t.constant(std::move(bias)), "",
              "", "", peeps ? t.constant(*peeps) : ""},
             {{"hidden_size", hidden},
              {"activations", std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}}});
  Value with_direction = t.plain_value(all, {steps, 1, batch, hidden});
  Value result = t.reshaped(with_direction, {steps, batch, hidden});
  t.result(time_major ? result : t.transposed(result, {1, 0, 2}));
}

}  // namespace

Operators recurrent_operators() { return {{"UnidirectionalSequenceLSTM", 16, 16, translate_lstm}}; }

}  // namespace tactus::tf
