// The ONNX loader: what it reads, and errors that name everything a Graph cannot represent.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/operators.h"
#include "firmware/onnx/writer.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/onnx/models.h"

namespace tactus::nn {
namespace {

using Change = std::function<void(onnx::ModelProto&)>;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(accepted)";
}

/// Returns the error for the small model with one change.
std::string refusal(const Change& change) {
  onnx::ModelProto model = small_model();
  change(model);
  return message_of([&] { static_cast<void>(parse(model)); });
}

#define EXPECT_REFUSED(text, ...)                                                            \
  EXPECT_NE(refusal([](onnx::ModelProto& m) { __VA_ARGS__; }).find(text), std::string::npos) \
      << refusal([](onnx::ModelProto& m) { __VA_ARGS__; })

TEST(OnnxLoader, ReadsNodesTensorsAttributesAndShapes) {
  onnx::ModelProto model = small_model();
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("batch");
  const Graph graph = parse(model);
  EXPECT_EQ(graph.file, "m.onnx");
  EXPECT_EQ(graph.name, "small");
  EXPECT_EQ(graph.opset, 10);
  EXPECT_EQ(graph.ir_version, 5);
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<std::string>{"x", "w", "b"}));
  EXPECT_EQ(graph.nodes[0].real("alpha"), 2);
  EXPECT_EQ(graph.nodes[0].real("beta", 1), 1);
  EXPECT_EQ(*graph.initializer("w"),
            Tensor::of({4, 2}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(graph.initializer("x"), nullptr);
  EXPECT_EQ(graph.producer("z"), &graph.nodes[1]);
  EXPECT_EQ(graph.producer("w"), nullptr);
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_FALSE((*graph.inputs[0].dims)[0].size);
  EXPECT_EQ((*graph.inputs[0].dims)[0].symbol, "batch");
  EXPECT_EQ((*graph.inputs[0].dims)[1].size, 4);
  EXPECT_EQ(graph.outputs[0].name, "z");
}

TEST(OnnxLoader, AttributeErrorsNameFileNodeAndWhatIsAllowed) {
  const Graph graph = parse(small_model());
  const Node& node = graph.nodes[0];
  EXPECT_EQ(
      message_of([&] { static_cast<void>(node.integer("group")); }),
      "m.onnx: node \"dense\" (Gemm): attribute \"group\" is missing; an integer is required");
  EXPECT_EQ(message_of([&] { static_cast<void>(node.integers("alpha", {})); }),
            "m.onnx: node \"dense\" (Gemm): attribute \"alpha\" is a float; allowed is a list of "
            "integers");
}

TEST(OnnxLoader, UnnamedNodesGetTheNameOfTheirFirstOutputUnlessTaken) {
  onnx::ModelProto model = small_model();
  model.mutable_graph()->mutable_node(0)->set_name("");
  EXPECT_EQ(parse(model).nodes[0].name, "y");
  model.mutable_graph()->mutable_node(1)->set_name("y");
  const Graph graph = parse(model);
  EXPECT_EQ(graph.nodes[0].name, "y_1");
  EXPECT_EQ(graph.nodes[1].name, "y");
}

TEST(OnnxLoader, InitializersListedAsInputsAreNoInputs) {
  onnx::ModelProto model = small_model();
  auto& info = *model.mutable_graph()->add_input();
  info = model.graph().input(0);
  info.set_name("w");
  info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(4);
  info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(2);
  EXPECT_EQ(parse(model).inputs.size(), 1U);
  info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(3);
  EXPECT_NE(message_of([&] { static_cast<void>(parse(model)); }).find("another type or shape"),
            std::string::npos);
}

TEST(OnnxLoader, RawAndTypedDataAreTheSameTensor) {
  onnx::ModelProto model = small_model();
  const Graph typed = parse(model);
  onnx::TensorProto& w = *model.mutable_graph()->mutable_initializer(0);
  const std::vector<float> values(w.float_data().begin(), w.float_data().end());
  w.clear_float_data();
  w.set_raw_data(values.data(), values.size() * sizeof(float));
  EXPECT_EQ(*parse(model).initializer("w"), *typed.initializer("w"));
}

TEST(OnnxLoader, EmptyTensorsAndScalarsAreTensors) {
  onnx::ModelProto model = small_model();
  onnx::TensorProto& tensor = *model.mutable_graph()->mutable_initializer(1);
  tensor.clear_float_data();
  tensor.set_dims(0, 0);
  EXPECT_EQ(parse(model).initializer("b")->shape, Shape{0});
  tensor.clear_dims();
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_int64_data(-7);
  EXPECT_EQ(*parse(model).initializer("b"), Tensor::of({}, std::vector<std::int64_t>{-7}));
}

TEST(OnnxLoader, RefusesFilesThatAreNoModels) {
  const auto of_bytes = [](std::vector<std::uint8_t> bytes) {
    return message_of([&] { static_cast<void>(parse_graph(bytes, "m.onnx")); });
  };
  EXPECT_EQ(of_bytes({}), "m.onnx: is not an ONNX model, or is cut short");
  const std::string text = "# not a model\n";
  EXPECT_EQ(of_bytes({text.begin(), text.end()}), "m.onnx: is not an ONNX model, or is cut short");
}

TEST(OnnxLoader, TruncatedFilesAreRefused) {
  const std::vector<std::uint8_t> whole = write_graph(build_mlp(1).graph);
  std::size_t refused = 0;
  // Cuts at every length within the last kilobyte, which has the graph's small parts, and at a
  // sample of other lengths.
  for (std::size_t length = 0; length < whole.size();
       length += length + 1024 < whole.size() ? 97 : 1) {
    const std::vector<std::uint8_t> cut(whole.begin(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(static_cast<void>(parse_graph(cut, "cut.onnx")), UserError) << length;
    ++refused;
  }
  EXPECT_GT(refused, 1000U);
}

TEST(OnnxLoader, RefusesModelsOfAnotherKind) {
  EXPECT_REFUSED("IR version 2 is not supported; allowed is 3 or later", m.set_ir_version(2));
  EXPECT_REFUSED("no version of the default operator set", m.clear_opset_import());
  EXPECT_REFUSED("operator domain \"ai.onnx\" is imported twice", auto* o = m.add_opset_import();
                 o->set_domain("ai.onnx"); o->set_version(9));
  EXPECT_REFUSED("version 0 of domain \"\" is not positive",
                 m.mutable_opset_import(0)->set_version(0));
  EXPECT_REFUSED("training information", m.add_training_info());
  EXPECT_REFUSED("node \"relu\" (Relu) is of operator domain \"com.example\"",
                 m.mutable_graph()->mutable_node(1)->set_domain("com.example"));
  EXPECT_REFUSED("the graph has no outputs", m.mutable_graph()->clear_output());
}

onnx::SparseTensorProto& add_sparse(onnx::ModelProto& model, const std::vector<int>& indices) {
  onnx::SparseTensorProto& sparse = *model.mutable_graph()->add_sparse_initializer();
  sparse.add_dims(2);
  sparse.add_dims(3);
  onnx::TensorProto& values = *sparse.mutable_values();
  values.set_name("s");
  values.set_data_type(onnx::TensorProto::FLOAT);
  for (const float value : {5.0F, 6.0F}) values.add_float_data(value);
  values.add_dims(2);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  for (const int index : indices) sparse.mutable_indices()->add_int64_data(index);
  sparse.mutable_indices()->add_dims(2);
  if (indices.size() > 2) sparse.mutable_indices()->add_dims(2);
  return sparse;
}

TEST(OnnxLoader, MakesSparseInitializersDense) {
  for (const std::vector<int>& indices : {std::vector<int>{1, 5}, {0, 1, 1, 2}}) {
    onnx::ModelProto model = small_model();
    add_sparse(model, indices);
    EXPECT_EQ(parse(model).initializers.at("s"),
              Tensor::of({2, 3}, std::vector<float>{0, 5, 0, 0, 0, 6}));
  }
  EXPECT_REFUSED("sparse initializer \"s\": index 1 is outside [2,3]", add_sparse(m, {1, 6}));
  EXPECT_REFUSED("sparse initializer \"s\": index 0 is outside [2,3]", add_sparse(m, {0, 3, 1, 2}));
  EXPECT_REFUSED("indices of shape [2,2] do not fit 2 values of shape [2,3,1]",
                 add_sparse(m, {0, 1, 1, 2}).add_dims(1));
}

TEST(OnnxLoader, ReadsIntegersOfFourBits) {
  for (const int type : {21, 22}) {  // UINT4, INT4
    onnx::ModelProto model = small_model();
    onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name("q");
    tensor.set_data_type(type);
    tensor.add_dims(3);
    tensor.set_raw_data(std::string("\x81\x0f", 2));
    const Tensor read = parse(model).initializers.at("q");
    const bool is_signed = type == 22;
    EXPECT_EQ(read.integers, (is_signed ? std::vector<std::int64_t>{1, -8, -1}
                                        : std::vector<std::int64_t>{1, 8, 15}));
    tensor.set_raw_data("123");
    EXPECT_NE(message_of([&] { (void)parse(model); }).find("has 3 bytes of data, but shape [3]"),
              std::string::npos);
  }
}

TEST(OnnxLoader, ReadsModelsOfClassicalMachineLearningAlone) {
  onnx::ModelProto model = small_model();
  model.mutable_opset_import(0)->set_domain("ai.onnx.ml");
  auto& nodes = *model.mutable_graph()->mutable_node();
  for (auto& node : nodes) node.set_domain("ai.onnx.ml");
  const Graph graph = parse(model);
  EXPECT_EQ(graph.opset, newest_opset);
  EXPECT_EQ(graph.nodes.front().domain, "");
}

TEST(OnnxLoader, OtherDomainsAreReadIfImported) {
  onnx::ModelProto model = small_model();
  auto* import = model.add_opset_import();
  import->set_domain("com.example");
  import->set_version(1);
  model.mutable_graph()->mutable_node(1)->set_domain("com.example");
  EXPECT_EQ(parse(model).nodes[1].domain, "com.example");
  EXPECT_EQ(parse(model).nodes[1].where(), "m.onnx: node \"relu\" (com.example.Relu)");
}

TEST(OnnxLoader, RefusesNamesThatAreMissingOrTakenTwice) {
  EXPECT_REFUSED("node \"relu\" (Relu): output \"y\" has the name of another value",
                 m.mutable_graph()->mutable_node(1)->set_output(0, "y"));
  EXPECT_REFUSED("output \"w\" has the name of another value",
                 m.mutable_graph()->mutable_node(1)->set_output(0, "w"));
  EXPECT_REFUSED("output \"x\" has the name of another value",
                 m.mutable_graph()->mutable_node(1)->set_output(0, "x"));
  EXPECT_REFUSED("initializer \"w\" has the name of another value",
                 m.mutable_graph()->mutable_initializer(1)->set_name("w"));
  EXPECT_REFUSED("initializer without a name",
                 m.mutable_graph()->mutable_initializer(1)->set_name(""));
  EXPECT_REFUSED("input \"x\" is listed twice",
                 *m.mutable_graph()->add_input() = m.graph().input(0));
  EXPECT_REFUSED("output \"z\" is listed twice",
                 *m.mutable_graph()->add_output() = m.graph().output(0));
  EXPECT_REFUSED("has no outputs", m.mutable_graph()->mutable_node(1)->clear_output());
  EXPECT_REFUSED("has no operator type", m.mutable_graph()->mutable_node(1)->set_op_type(""));
}

TEST(OnnxLoader, NodesOfOneNameGetNumbersAndNodesOfAnyOrderAreSorted) {
  onnx::ModelProto model = small_model();
  model.mutable_graph()->mutable_node(1)->set_name("dense");
  model.mutable_graph()->mutable_node()->SwapElements(0, 1);
  const Graph graph = parse(model);
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].op_type, "Gemm");
  // the node that comes first in the file keeps the name
  EXPECT_EQ(graph.nodes[0].name, "dense_1");
  EXPECT_EQ(graph.nodes[1].op_type, "Relu");
  EXPECT_EQ(graph.nodes[1].name, "dense");
}

TEST(OnnxLoader, OutputsNeedNoType) {
  onnx::ModelProto model = small_model();
  model.mutable_graph()->mutable_output(0)->clear_type();
  const Graph graph = parse(model);
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.outputs[0].name, "z");
  EXPECT_FALSE(graph.outputs[0].dims);
}

/// Every type that can hold these numbers gives the same values.
TEST(OnnxLoader, NarrowTypesAreReadExactly) {
  const auto weights = [](int type, const std::string& raw) {
    onnx::ModelProto model = small_model();
    onnx::TensorProto& w = *model.mutable_graph()->mutable_initializer(1);
    w.clear_float_data();
    w.set_data_type(type);
    w.set_raw_data(raw);
    return parse(model).initializers.at("b");
  };
  using Proto = onnx::TensorProto;
  const std::vector<float> reals{-1.5F, 2.0F};
  EXPECT_EQ(weights(Proto::FLOAT16, std::string("\x00\xbe\x00\x40", 4)).floats, reals);
  EXPECT_EQ(weights(Proto::BFLOAT16, std::string("\xc0\xbf\x00\x40", 4)).floats, reals);
  EXPECT_EQ(
      weights(Proto::DOUBLE, std::string("\0\0\0\0\0\0\xf8\xbf\0\0\0\0\0\0\0\x40", 16)).floats,
      reals);
  const std::vector<std::int64_t> whole{-2, 3};
  const Tensor bytes = weights(Proto::INT8, "\xfe\x03");
  EXPECT_EQ(bytes.integers, whole);
  EXPECT_EQ(bytes.stored, onnx_int8);
  EXPECT_EQ(weights(Proto::UINT8, "\xfe\x03").integers, (std::vector<std::int64_t>{254, 3}));
  EXPECT_EQ(weights(Proto::INT32, std::string("\xfe\xff\xff\xff\x03\0\0\0", 8)).integers, whole);
}

TEST(OnnxLoader, RefusesUndefinedInputsAndCycles) {
  EXPECT_REFUSED("node \"dense\" (Gemm): input \"nowhere\" is not defined",
                 m.mutable_graph()->mutable_node(0)->set_input(0, "nowhere"));
  EXPECT_REFUSED("input \"w\" is not defined",
                 m.mutable_graph()->mutable_initializer()->DeleteSubrange(0, 1));
  EXPECT_REFUSED(
      "node \"relu\" (Relu): input \"y\" depends on the node itself: the graph has a cycle",
      m.mutable_graph()->mutable_node(0)->set_input(0, "z"));
  EXPECT_REFUSED("node \"relu\" (Relu): input \"z\" depends on the node itself",
                 m.mutable_graph()->mutable_node(1)->set_input(0, "z"));
  EXPECT_REFUSED("output \"q\" is neither made by a node nor an input or initializer",
                 m.mutable_graph()->mutable_output(0)->set_name("q"));
}

TEST(OnnxLoader, RefusesTensorsWhoseDataDoesNotFit) {
  const auto w = "m.onnx: initializer \"w\": ";
  EXPECT_REFUSED(std::string(w) + "has 8 elements, but shape [4,3] needs 12",
                 m.mutable_graph()->mutable_initializer(0)->set_dims(1, 3));
  EXPECT_REFUSED(std::string(w) + "shape [4,-2] has a negative size",
                 m.mutable_graph()->mutable_initializer(0)->set_dims(1, -2));
  EXPECT_REFUSED(std::string(w) + "shape [4,4611686018427387904] has more than 2^31 elements",
                 m.mutable_graph()->mutable_initializer(0)->set_dims(1, std::int64_t{1} << 62));
  EXPECT_REFUSED(std::string(w) + "has 8 elements, but shape [65536,32767] needs 2147418112",
                 m.mutable_graph()->mutable_initializer(0)->set_dims(0, 65536);
                 m.mutable_graph()->mutable_initializer(0)->set_dims(1, 32767));
  EXPECT_REFUSED(std::string(w) + "has both raw and typed data",
                 m.mutable_graph()->mutable_initializer(0)->set_raw_data("1234"));
  EXPECT_REFUSED(std::string(w) + "has 31 bytes of raw data, but shape [4,2] needs 32",
                 m.mutable_graph()->mutable_initializer(0)->clear_float_data();
                 m.mutable_graph()->mutable_initializer(0)->set_raw_data(std::string(31, 'x')));
  EXPECT_REFUSED(std::string(w) + "element type STRING is not supported; allowed are FLOAT, DOUBLE",
                 m.mutable_graph()->mutable_initializer(0)->set_data_type(8));
  EXPECT_REFUSED(std::string(w) + "8 elements are in a field for another type than DOUBLE",
                 m.mutable_graph()->mutable_initializer(0)->set_data_type(11));
  EXPECT_REFUSED(std::string(w) + "element type 12345 is not supported",
                 m.mutable_graph()->mutable_initializer(0)->set_data_type(12345));
  EXPECT_REFUSED(std::string(w) + "1 elements are in a field for another type than FLOAT",
                 m.mutable_graph()->mutable_initializer(0)->add_int64_data(1));
  EXPECT_REFUSED(std::string(w) + "is cut into segments",
                 m.mutable_graph()->mutable_initializer(0)->mutable_segment()->set_begin(0));
}

TEST(OnnxLoader, RefusesInputsThatAreNoSupportedTensors) {
  EXPECT_REFUSED("m.onnx: input \"x\": is not a tensor",
                 m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type());
  EXPECT_REFUSED(
      "m.onnx: input \"x\": element type STRING is not supported",
      m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(8));
  EXPECT_REFUSED("m.onnx: input \"x\": dimension 1 is negative (-4)", m.mutable_graph()
                                                                          ->mutable_input(0)
                                                                          ->mutable_type()
                                                                          ->mutable_tensor_type()
                                                                          ->mutable_shape()
                                                                          ->mutable_dim(1)
                                                                          ->set_dim_value(-4));
}

TEST(OnnxLoader, RefusesAttributesAGraphCannotHold) {
  const auto attribute = [](onnx::AttributeProto::AttributeType type) {
    return refusal([type](onnx::ModelProto& m) {
      m.mutable_graph()->mutable_node(0)->mutable_attribute(0)->set_type(type);
    });
  };
  EXPECT_EQ(attribute(onnx::AttributeProto::GRAPH),
            "m.onnx: node \"dense\" (Gemm): attribute \"alpha\": the graph has no outputs");
  EXPECT_NE(attribute(onnx::AttributeProto::SPARSE_TENSOR).find("of type SPARSE_TENSOR"),
            std::string::npos);
  EXPECT_NE(attribute(onnx::AttributeProto::UNDEFINED).find("of type UNDEFINED"),
            std::string::npos);
  EXPECT_REFUSED("attribute \"alpha\" is given twice",
                 auto* node = m.mutable_graph()->mutable_node(0);
                 *node->add_attribute() = node->attribute(0));
  EXPECT_REFUSED(
      "node \"dense\" (Gemm): attribute \"alpha\": has 0 elements, but shape [5] needs 5",
      auto* a = m.mutable_graph()->mutable_node(0)->mutable_attribute(0);
      a->set_type(onnx::AttributeProto::TENSOR); a->mutable_t()->set_data_type(1);
      a->mutable_t()->add_dims(5));
}

/// A folder with the small model, whose weights are in a side file.
class ExternalData : public testing::Test {
 protected:
  ExternalData() {
    folder_ = std::filesystem::temp_directory_path() /
              ("tactus_onnx_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "model" / "sub");
    std::vector<float> values(10);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 2;
    for (const char* name : {"model/w.bin", "model/sub/w.bin", "outside.bin"}) {
      std::ofstream(folder_ / name, std::ios::binary)
          .write(reinterpret_cast<const char*>(values.data()), 40);
    }
  }
  ~ExternalData() override { std::filesystem::remove_all(folder_); }

  /// Loads the model with these entries. Returns the error, or the first weight.
  std::string outcome(const std::vector<std::pair<std::string, std::string>>& entries) {
    onnx::ModelProto model = small_model();
    onnx::TensorProto& w = *model.mutable_graph()->mutable_initializer(0);
    w.clear_float_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto& entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    const std::string path = (folder_ / "model" / "m.onnx").string();
    write_file_atomically(path, bytes_of(model));
    std::string first;
    const std::string error =
        message_of([&] { first = std::to_string(load_graph(path).initializer("w")->floats[0]); });
    return error == "(accepted)" ? first : error;
  }

  std::filesystem::path folder_;
};

TEST_F(ExternalData, IsReadFromTheModelsFolderAndBelow) {
  EXPECT_EQ(outcome({{"location", "w.bin"}, {"offset", "8"}, {"length", "32"}}), "1.000000");
  EXPECT_EQ(outcome({{"location", "w.bin"}, {"offset", "8"}}), "1.000000");
  EXPECT_EQ(outcome({{"location", "sub/w.bin"}, {"length", "32"}, {"checksum", "x"}}), "0.000000");
}

TEST_F(ExternalData, OutsideIsRefused) {
  std::filesystem::create_symlink(folder_ / "outside.bin", folder_ / "model" / "link.bin");
  std::filesystem::create_directory_symlink(folder_, folder_ / "model" / "up");
  const std::string absolute = (folder_ / "model" / "w.bin").string();
  for (const std::string& location :
       {std::string("../outside.bin"), std::string("sub/../../outside.bin"), absolute,
        std::string("link.bin"), std::string("up/outside.bin"), std::string("sub"), std::string(),
        std::string("/dev/zero")}) {
    EXPECT_NE(outcome({{"location", location}, {"length", "32"}}).find("is allowed"),
              std::string::npos)
        << location << ": " << outcome({{"location", location}, {"length", "32"}});
  }
}

/// A cache of models may have one folder with the files under other names, and one folder with
/// links to these files.
TEST_F(ExternalData, AModelAndItsDataAreLinksIntoAnotherFolder) {
  EXPECT_EQ(outcome({{"location", "w.bin"}, {"length", "32"}}), "0.000000");
  const std::filesystem::path blobs = folder_ / "blobs", snapshot = folder_ / "snapshot";
  std::filesystem::create_directories(blobs);
  std::filesystem::create_directories(snapshot);
  std::filesystem::rename(folder_ / "model" / "m.onnx", blobs / "1f");
  std::filesystem::rename(folder_ / "model" / "w.bin", blobs / "2e");
  std::filesystem::create_symlink("../blobs/1f", snapshot / "m.onnx");
  std::filesystem::create_symlink("../blobs/2e", snapshot / "w.bin");
  EXPECT_EQ(load_graph((snapshot / "m.onnx").string()).initializer("w")->floats[1], 0.5F);
  // The data's link must lead to the same folder as the model's link; others are refused.
  std::filesystem::remove(snapshot / "w.bin");
  std::filesystem::create_symlink("../outside.bin", snapshot / "w.bin");
  EXPECT_NE(message_of([&] {
              (void)load_graph((snapshot / "m.onnx").string());
            }).find("leads out of the folder"),
            std::string::npos);
  // The data are beside the model's file itself, and only the model has a link.
  std::filesystem::remove(snapshot / "w.bin");
  std::filesystem::rename(blobs / "2e", blobs / "w.bin");
  EXPECT_EQ(load_graph((snapshot / "m.onnx").string()).initializer("w")->floats[1], 0.5F);
}

TEST_F(ExternalData, SizesAreCheckedBeforeReading) {
  const auto with = [&](const char* offset, const char* length) {
    return outcome({{"location", "w.bin"}, {"offset", offset}, {"length", length}});
  };
  EXPECT_NE(with("16", "32").find("goes beyond the end"), std::string::npos);
  EXPECT_NE(with("18446744073709551615", "32").find("goes beyond the end"), std::string::npos);
  EXPECT_NE(with("0", "18446744073709551615").find("goes beyond the end"), std::string::npos);
  EXPECT_NE(with("0", "40").find("has 40 bytes, but the shape needs 32"), std::string::npos);
  EXPECT_NE(with("-1", "32").find("a decimal number of bytes is allowed"), std::string::npos);
  EXPECT_NE(outcome({{"location", "none.bin"}}).find("No such file"), std::string::npos);
  EXPECT_NE(outcome({{"place", "w.bin"}}).find("\"place\" is unknown"), std::string::npos);
}

TEST_F(ExternalData, NeedsAFile) {
  EXPECT_REFUSED(
      "its data is in a side file, which is allowed only for models read from a file",
      m.mutable_graph()->mutable_initializer(0)->clear_float_data();
      m.mutable_graph()->mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL));
}

TEST(OnnxWriter, WhatIsWrittenReadsBack) {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "resnet50v2") continue;  // 100 MB, with the same features as other networks
    const Graph graph = entry.build(3).graph;
    const auto bytes = write_graph(graph);
    const Graph again = parse_graph(bytes, graph.file);
    EXPECT_EQ(write_graph(again), bytes) << entry.name;
    ASSERT_EQ(again.nodes.size(), graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      EXPECT_EQ(again.nodes[i].where(), graph.nodes[i].where());
      EXPECT_EQ(again.nodes[i].inputs, graph.nodes[i].inputs);
      EXPECT_EQ(again.nodes[i].outputs, graph.nodes[i].outputs);
      EXPECT_EQ(again.nodes[i].attributes, graph.nodes[i].attributes);
    }
    EXPECT_EQ(again.initializers, graph.initializers);
  }
}

}  // namespace
}  // namespace tactus::nn
