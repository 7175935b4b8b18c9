// Networks of quantised operators, of ONNX and of ONNX Runtime's own domain, compared with outputs
// of ONNX Runtime.
#include <gtest/gtest.h>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/loader.h"
#include "tests/compiler/models/outcome.h"
#include "tests/support/error_of.h"

namespace tactus::compiler {
namespace {

/// Builds an ONNX model as a protobuf message, as a file would hold it.
class ModelMaker {
 public:
  ModelMaker(const nn::Shape& input, const nn::Shape& output) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(13);
    onnx::OperatorSetIdProto& runtime = *model_.add_opset_import();
    runtime.set_domain("com.microsoft");
    runtime.set_version(1);
    graph().set_name("g");
    describe(*graph().add_input(), "x", input);
    describe(*graph().add_output(), "y", output);
  }
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const char* domain = "") {
    onnx::NodeProto& made = *graph().add_node();
    made.set_op_type(op);
    made.set_domain(domain);
    for (const std::string& input : inputs) made.add_input(input);
    for (const std::string& output : outputs) made.add_output(output);
    return made;
  }
  static void attribute(onnx::NodeProto& node, const char* name,
                        const std::vector<std::int64_t>& values) {
    onnx::AttributeProto& made = *node.add_attribute();
    made.set_name(name);
    made.set_type(values.size() == 1 ? onnx::AttributeProto::INT : onnx::AttributeProto::INTS);
    if (values.size() == 1) made.set_i(values.front());
    for (const std::int64_t value : values) {
      if (values.size() > 1) made.add_ints(value);
    }
  }
  void number(const char* name, float value) {
    onnx::TensorProto& made = *graph().add_initializer();
    made.set_name(name);
    made.set_data_type(onnx::TensorProto::FLOAT);
    made.add_float_data(value);
  }
  /// Adds an initializer of integers. Element i is (7 i + 3) mod m + `low` if m is above 0, else
  /// `low`.
  void integers(const char* name, std::int32_t type, const nn::Shape& shape, std::int64_t m,
                std::int64_t low) {
    onnx::TensorProto& made = *graph().add_initializer();
    made.set_name(name);
    made.set_data_type(type);
    for (const std::int64_t size : shape) made.add_dims(size);
    for (std::int64_t i = 0; i < nn::element_count(shape); ++i) {
      made.add_int32_data(static_cast<std::int32_t>((m > 0 ? (7 * i + 3) % m : 0) + low));
    }
  }
  [[nodiscard]] nn::Graph parsed() const {
    const std::string bytes = model_.SerializeAsString();
    return nn::parse_graph({bytes.begin(), bytes.end()}, "m.onnx");
  }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  static void describe(onnx::ValueInfoProto& info, const char* name, const nn::Shape& shape) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
  }

  onnx::ModelProto model_;
};

constexpr const char* of_runtime = "com.microsoft";

/// A quantised Conv, MaxPool, sum, mean and Gemm. All values between QuantizeLinear and
/// DequantizeLinear are integers.
ModelMaker quantised_network() {
  ModelMaker m({1, 2, 6, 6}, {1, 3});
  constexpr auto u8 = onnx::TensorProto::UINT8, i8 = onnx::TensorProto::INT8,
                 i32 = onnx::TensorProto::INT32;
  const std::vector<std::pair<const char*, float>> scales{
      {"xs", 1.0F / 64}, {"ws", 1.0F / 32}, {"cs", 1.0F / 32}, {"as", 1.0F / 16},
      {"gs", 1.0F / 32}, {"fs", 1.0F / 16}, {"ys", 1.0F / 32}};
  for (const auto& [name, value] : scales) m.number(name, value);
  const std::vector<std::pair<const char*, std::int64_t>> zeros{
      {"xz", 128}, {"cz", 100}, {"az", 90}, {"gz", 110}, {"yz", 120}};
  for (const auto& [name, value] : zeros) m.integers(name, u8, {}, 0, value);
  m.integers("wz", i8, {}, 0, 0);
  m.integers("fz", i8, {}, 0, 1);
  m.integers("w", i8, {4, 2, 3, 3}, 11, -5);
  m.integers("cb", i32, {4}, 41, -20);
  m.integers("fw", i8, {4, 3}, 13, -6);
  m.integers("fb", i32, {3}, 29, -14);
  m.node("QuantizeLinear", {"x", "xs", "xz"}, {"q"});
  ModelMaker::attribute(
      m.node("QLinearConv", {"q", "xs", "xz", "w", "ws", "wz", "cs", "cz", "cb"}, {"c"}), "pads",
      {1, 1, 1, 1});
  onnx::NodeProto& pool = m.node("MaxPool", {"c"}, {"m"});
  ModelMaker::attribute(pool, "kernel_shape", {2, 2});
  ModelMaker::attribute(pool, "strides", {2, 2});
  m.node("QLinearAdd", {"m", "cs", "cz", "m", "cs", "cz", "as", "az"}, {"a"}, of_runtime);
  ModelMaker::attribute(
      m.node("QLinearGlobalAveragePool", {"a", "as", "az", "gs", "gz"}, {"g"}, of_runtime),
      "channels_last", {0});
  m.node("Flatten", {"g"}, {"f"});
  m.node("QGemm", {"f", "gs", "gz", "fw", "fs", "fz", "fb", "ys", "yz"}, {"o"}, of_runtime);
  m.node("DequantizeLinear", {"o", "ys", "yz"}, {"y"});
  return m;
}

/// Returns an input whose element i is ((37 i + 11) mod 97) / 32 - 1.5.
nn::Values image(const nn::Shape& shape) {
  nn::Tensor tensor = nn::Tensor::zeros(shape);
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    tensor.floats[i] = static_cast<float>((37 * i + 11) % 97) / 32 - 1.5F;
  }
  return {{"x", tensor}};
}

TEST(Quantised, AQuantisedNetworkIsCompiledAsOneOfRealNumbers) {
  const nn::Graph graph = quantised_network().parsed();
  const nn::Tensor expected = nn::Tensor::of({1, 3}, std::vector{-0.28125F, -0.0625F, -0.15625F});
  const nn::Values inputs = image({1, 2, 6, 6});
  EXPECT_LE(relative_error(nn::run_reference(graph, inputs).at("y"), expected), 1e-6)
      << "the integer arithmetic of the standard";
  Options optimised;
  optimised.optimise = true;
  for (const Options& options : {Options(), optimised}) {
    const Compiled compiled = compile(graph, ample_architecture(), options);
    EXPECT_EQ(compiled.host, nullptr);
    // The allowed error is two quantisation steps of the output.
    EXPECT_LE(relative_error(finished(compiled, inputs).at("y"), expected), 2.0 / 32);
  }
}

TEST(Quantised, IncompleteRuntimeFunctionsAreRefused) {
  ModelMaker m({1, 2, 6, 6}, {1, 2, 1, 1});
  m.number("s", 0.5F);
  m.integers("z", onnx::TensorProto::UINT8, {}, 0, 100);
  m.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  ModelMaker::attribute(
      m.node("QLinearGlobalAveragePool", {"q", "s", "z", "s", "z"}, {"g"}, of_runtime),
      "channels_last", {1});
  m.node("DequantizeLinear", {"g", "s", "z"}, {"y"});
  const std::string error = error_of([&] { static_cast<void>(m.parsed()); });
  EXPECT_NE(error.find("attribute \"channels_last\" is not supported"), std::string::npos) << error;
}

/// A product of integers whose quantisation step is computed from the values at run time
/// (DynamicQuantizeLinear).
ModelMaker dynamic_network() {
  ModelMaker m({3, 5}, {3, 4});
  m.integers("w", onnx::TensorProto::INT8, {5, 4}, 23, -11);
  m.integers("wz", onnx::TensorProto::INT8, {}, 0, 2);
  m.number("ws", 1.0F / 32);
  m.node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  m.node("MatMulInteger", {"q", "w", "z", "wz"}, {"p"});
  ModelMaker::attribute(m.node("Cast", {"p"}, {"r"}), "to", {1});
  m.node("Mul", {"s", "ws"}, {"t"});
  m.node("Mul", {"r", "t"}, {"y"});
  return m;
}

TEST(Quantised, DynamicScalesKeepTheRealNumbers) {
  const nn::Graph graph = dynamic_network().parsed();
  const nn::Tensor expected =
      nn::Tensor::of({3, 4}, std::vector{0.06807598F, 0.52607232F, -0.36464462F, 0.40340075F,
                                         0.27398899F, 0.62447917F, -0.37374389F, 0.48832721F,
                                         -0.47147673F, 0.43676472F, -0.00370711F, -0.56044734F});
  const nn::Values inputs = image({3, 5});
  EXPECT_LE(relative_error(nn::run_reference(graph, inputs).at("y"), expected), 1e-5);
  Options optimised;
  optimised.optimise = true;
  for (const Options& options : {Options(), optimised}) {
    const Compiled compiled = compile(graph, ample_architecture(), options);
    EXPECT_EQ(compiled.host, nullptr);
    // The allowed error is that of a sum of five products: each weight is at most 13 / 32, and each
    // value is off by half a step of 3 / 255.
    EXPECT_LE(relative_error(finished(compiled, inputs).at("y"), expected), 5 * 13.0 / 32 * 0.006);
  }
}

TEST(Quantised, IntegerSumsAsOutputsAreRefused) {
  ModelMaker m({3, 5}, {3, 4});
  m.integers("w", onnx::TensorProto::INT8, {5, 4}, 23, -11);
  m.node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  m.node("MatMulInteger", {"q", "w", "z"}, {"p"});
  ModelMaker::attribute(m.node("Cast", {"p"}, {"r"}), "to", {1});
  m.node("Relu", {"r"}, {"y"});
  const nn::Graph graph = m.parsed();
  const std::string error =
      error_of([&] { static_cast<void>(compile(graph, ample_architecture())); });
  EXPECT_NE(error.find("its sums are whole numbers, which the program has not; supported are a "
                       "Cast to real numbers and a product with the scales behind it"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace tactus::compiler
