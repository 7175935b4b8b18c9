// Operators that the host computes before the program: lookups by whole numbers, masks, quantised
// images. Expected values are ONNX Runtime's.
#include <filesystem>

#include <gtest/gtest.h>

#include "firmware/compiler/host_work.h"
#include "firmware/compiler/images.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/onnx/input_values.h"
#include "tests/compiler/models/outcome.h"
#include "tests/support/error_of.h"

namespace tactus::compiler {
namespace {

/// Element (i, j) is ((i * a + j * b) mod m) / 4 + c.
nn::Tensor table(std::int64_t rows, std::int64_t a, std::int64_t b, std::int64_t m, float c) {
  nn::Tensor tensor = nn::Tensor::zeros({rows, 4});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      tensor.floats[static_cast<std::size_t>(i * 4 + j)] =
          static_cast<float>((i * a + j * b) % m) / 4 + c;
    }
  }
  return tensor;
}

void whole_input(GraphMaker& maker, const std::string& name, const nn::Shape& shape,
                 std::int32_t stored = 0) {
  maker.input(name, shape);
  maker.graph.inputs.back().type = nn::ElementType::int64;
  maker.graph.inputs.back().stored = stored;
}

nn::Tensor whole(const nn::Shape& shape, std::vector<std::int64_t> values,
                 std::int32_t stored = 0) {
  nn::Tensor tensor = nn::Tensor::of(shape, std::move(values));
  tensor.stored = stored;
  return tensor;
}

/// Scores of all pairs of three words, the last of which is padding; the column of the padding is
/// set to -8.
nn::Graph masked_words() {
  GraphMaker maker(17);
  whole_input(maker, "ids", {1, 3});
  whole_input(maker, "mask", {1, 3}, nn::onnx_int32);
  maker.constant("table", table(5, 7, 3, 11, -1)).constant("w", table(4, 5, 2, 7, -0.75F));
  maker.constant("positions", table(3, 3, 1, 5, -0.5F))
      .constant("zero", whole({}, {0}, nn::onnx_int32));
  maker.constant("axes", integers({1})).constant("lowest", floats({}, {-8}));
  maker.node("Gather", {"table", "ids"}, {"words"}).node("Add", {"words", "positions"}, {"x"});
  maker.node("MatMul", {"x", "w"}, {"q"})
      .node("Transpose", {"x"}, {"k"}, {{"perm", Ints{0, 2, 1}}});
  maker.node("MatMul", {"q", "k"}, {"scores"}).node("Equal", {"mask", "zero"}, {"padding"});
  maker.node("Unsqueeze", {"padding", "axes"}, {"row"});
  maker.node("Where", {"row", "lowest", "scores"}, {"masked"});
  maker.node("MatMul", {"masked", "x"}, {"y"}).output("y");
  return maker.graph;
}

nn::Values words() {
  return {{"ids", whole({1, 3}, {4, 0, 2})}, {"mask", whole({1, 3}, {1, 1, 0}, nn::onnx_int32)}};
}

const std::vector<float> expected_words{4.234375F,   -5.46875F,    -10.95703125F, 1.33984375F,
                                        5.04296875F, -4.84765625F, -11.625F,      0.484375F,
                                        4.65625F,    -2.703125F,   -13.13671875F, 1.50390625F};

TEST(HostBefore, TheHostLooksUpWordsAndMakesMasks) {
  const nn::Graph graph = masked_words();
  Options optimised;
  optimised.optimise = true;
  for (const Compiled& compiled :
       {compile(graph, ample_architecture()), compile(graph, ample_architecture(), optimised),
        compile_via_stripe(graph, ample_architecture(), {}).model}) {
    ASSERT_NE(compiled.host_before, nullptr);
    EXPECT_EQ(compiled.host_before->nodes.size(), 3U);
    EXPECT_EQ(compiled.host, nullptr);
    ASSERT_EQ(compiled.input_layouts.size(), 2U);
    EXPECT_EQ(compiled.input_layouts[0].name, "row");
    EXPECT_EQ(compiled.input_layouts[1].name, "words");
    const nn::Tensor y = finished(compiled, words()).at("y");
    EXPECT_LT(relative_error(y, floats({1, 3, 4}, expected_words)), 1e-4);
    const auto is_said = [](const std::string& note) {
      return note.find("the host computes 3 nodes (Equal, Unsqueeze, Gather) before the program") !=
             std::string::npos;
    };
    EXPECT_EQ(std::count_if(compiled.notes.begin(), compiled.notes.end(), is_said), 1);
  }
}

/// The host makes three words of four numbers from INT64 word numbers, and a row of three truth
/// values from an INT32 mask.
TEST(HostBefore, ItsWorkIsCounted) {
  const Compiled compiled = compile(masked_words(), ample_architecture());
  const HostWork work = host_work(compiled);
  EXPECT_EQ(text_of(work.before),
            "Equal: 1 node, 3 elements, 19 bytes; Unsqueeze: 1 node, 3 elements, 14 bytes; "
            "Gather: 1 node, 12 elements, 120 bytes");
  EXPECT_TRUE(work.behind.empty());
  constexpr std::uint64_t vector_bytes = 8 * 4;
  EXPECT_EQ(work.packed, (1 + 3) * vector_bytes);
  EXPECT_EQ(work.unpacked, 3 * vector_bytes);
}

TEST(HostBefore, IsKeptBesideTheProgram) {
  const Compiled compiled = compile(masked_words(), ample_architecture());
  const std::string folder = testing::TempDir() + "/host_before";
  const std::string path = write_artefacts(compiled, folder, "words");
  EXPECT_TRUE(std::filesystem::exists(folder + "/words.before.onnx"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/words.host.onnx"));
  const auto read = read_model_tensors(path, model_file(compiled, "words"));
  ASSERT_TRUE(read.has_value());
  std::vector<std::string> names;
  for (const nn::ValueInfo& info : read->model_inputs()) names.push_back(info.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ids", "mask"}));
  const nn::Values started = start_on_host(*read, words()).inputs;
  EXPECT_EQ(started.at("row").floats, (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(started.at("words"), start_on_host(tensors_of(compiled), words()).inputs.at("words"));

  // A batch of two images.
  nn::Values two{{"ids", whole({2, 3}, {4, 0, 2, 1, 1, 3})},
                 {"mask", whole({2, 3}, {1, 1, 0, 0, 1, 1}, nn::onnx_int32)}};
  std::vector<std::string> notes;
  const std::vector<InputVectors> packed =
      pack_model_inputs(*read, compiled.architecture, two, {{"ids", "a.npy"}, {"mask", "b.npy"}},
                        notes)
          .inputs;
  ASSERT_EQ(packed.size(), 2U);
  EXPECT_TRUE(notes.empty());
  const TensorLayout* row = read->input("row");
  EXPECT_EQ(unpack_tensor(*row, compiled.architecture, packed[1].at("row")),
            (std::vector<float>{1, 0, 0}));
  two["mask"] = whole({1, 3}, {1, 1, 0}, nn::onnx_int32);
  EXPECT_NE(error_of([&] {
              (void)pack_model_inputs(*read, compiled.architecture, two,
                                      {{"ids", "a.npy"}, {"mask", "b.npy"}}, notes);
            }).find("b.npy: 1 images of input \"mask\", but 2"),
            std::string::npos);
  // A word number beyond the table is an error.
  nn::Values beyond = words();
  beyond["ids"].integers[1] = 5;
  EXPECT_NE(error_of([&] { (void)start_on_host(*read, beyond); }).find("index 5 is out of range"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(HostBefore, TheHostConvertsQuantisedImages) {
  GraphMaker maker(13);
  whole_input(maker, "image", {1, 1, 2, 2}, nn::onnx_uint8);
  maker.constant("scale", floats({}, {0.5F})).constant("zero", whole({}, {128}, nn::onnx_uint8));
  maker.node("DequantizeLinear", {"image", "scale", "zero"}, {"x"});
  maker.constant("w", floats({2, 1, 1, 1}, {1, -0.25F}))
      .node("Conv", {"x", "w"}, {"y"})
      .output("y");
  const Compiled compiled = compile(maker.graph, ample_architecture());
  const nn::Values inputs{{"image", whole({1, 1, 2, 2}, {0, 255, 128, 100}, nn::onnx_uint8)}};
  EXPECT_EQ(finished(compiled, inputs).at("y").floats,
            (std::vector<float>{-64, 63.5F, 0, -14, 16, -15.875F, 0, 3.5F}));
}

TEST(HostBefore, OutputsNeedNotPassThroughTheMachine) {
  GraphMaker maker;
  whole_input(maker, "ids", {3});
  maker.input("x", {1, 3});
  // Whole numbers that no data type of the machine holds.
  maker.constant("table", integers({5, 6000000001, 7}));
  maker.node("Gather", {"table", "ids"}, {"found"}).output("found");
  maker.node("Shape", {"x"}, {"size"}).output("size");
  maker.node("Cast", {"found"}, {"real"}, {{"to", std::int64_t{nn::onnx_float}}});
  maker.node("Relu", {"x"}, {"y"}).output("y");
  const Compiled compiled = compile(maker.graph, ample_architecture());
  EXPECT_EQ(compiled.output_layouts.size(), 1U);
  const nn::Values outputs =
      finished(compiled, {{"ids", whole({3}, {1, 2, 0})}, {"x", floats({1, 3}, {-1, 2, 3})}});
  EXPECT_EQ(outputs.at("found").integers, (std::vector<std::int64_t>{6000000001, 7, 5}));
  EXPECT_EQ(outputs.at("size").integers, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(outputs.at("y").floats, (std::vector<float>{0, 2, 3}));
}

TEST(HostBefore, NodesOfTheUnitComeBeforeThoseOfWholeNumbers) {
  // Keras makes indices that count from the end positive: by a comparison, which the unit has.
  GraphMaker maker;
  whole_input(maker, "ids", {3});
  maker.constant("zero", floats({}, {0})).constant("words", integers({4}));
  maker.constant("table", floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  maker.constant("matrix", floats({2, 2}, {1, 0, 0, 1}));
  maker.node("Cast", {"ids"}, {"real"}, {{"to", std::int64_t{nn::onnx_float}}});
  maker.node("Less", {"real", "zero"}, {"negative"});
  maker.node("Cast", {"negative"}, {"one"}, {{"to", std::int64_t{nn::onnx_int64}}});
  maker.node("Mul", {"one", "words"}, {"shift"});
  maker.node("Add", {"ids", "shift"}, {"index"});
  maker.node("Gather", {"table", "index"}, {"rows"});
  maker.node("MatMul", {"rows", "matrix"}, {"y"}).output("y");
  const Compiled compiled = compile(maker.graph, ample_architecture());
  const nn::Values outputs = finished(compiled, {{"ids", whole({3}, {-1, 0, -3})}});
  EXPECT_EQ(outputs.at("y").floats, (std::vector<float>{7, 8, 1, 2, 3, 4}));
}

TEST(HostBefore, SamplesOfZeroAreNoDivisors) {
  GraphMaker maker;
  whole_input(maker, "a", {3});
  whole_input(maker, "b", {3});
  maker.node("Div", {"a", "b"}, {"whole"});
  maker.node("Cast", {"whole"}, {"real"}, {{"to", std::int64_t{nn::onnx_float}}});
  maker.node("Relu", {"real"}, {"y"}).output("y");
  const Compiled compiled = compile(maker.graph, ample_architecture());
  const nn::Values outputs =
      finished(compiled, {{"a", whole({3}, {9, 8, -7})}, {"b", whole({3}, {2, 3, 1})}});
  EXPECT_EQ(outputs.at("y").floats, (std::vector<float>{4, 2, 0}));
}

TEST(HostBefore, InputsCanBeFixed) {
  GraphMaker maker;
  whole_input(maker, "rate", {});
  maker.input("x", {1, 3}).constant("low", whole({}, {8000}));
  maker.node("Equal", {"rate", "low"}, {"is_low"});
  maker.node("Cast", {"is_low"}, {"factor"}, {{"to", std::int64_t{nn::onnx_float}}});
  maker.node("Mul", {"x", "factor"}, {"y"}).output("y");
  nn::GivenShapes shapes;
  const nn::Graph fixed = nn::with_input_values(maker.graph, {{"rate", {8000}}}, shapes);
  ASSERT_EQ(fixed.inputs.size(), 1U);
  const Compiled compiled = compile(fixed, ample_architecture());
  EXPECT_EQ(compiled.host_before, nullptr);
  const nn::Values outputs = finished(compiled, {{"x", floats({1, 3}, {1, 2, 3})}});
  EXPECT_EQ(outputs.at("y").floats, (std::vector<float>{1, 2, 3}));
  const auto refusal = [&](const nn::GivenValues& values) {
    return error_of([&] { (void)nn::with_input_values(maker.graph, values, shapes); });
  };
  EXPECT_NE(refusal({{"rat", {1}}}).find("\"rat\", which is no input; allowed \"rate\", \"x\""),
            std::string::npos);
  EXPECT_NE(refusal({{"rate", {0.5}}}).find("0.5 is no whole number"), std::string::npos);
  EXPECT_NE(refusal({{"x", {1, 2}}}).find("2 values are given for shape [1,3]"), std::string::npos);
}

TEST(HostBefore, RefusesShapesThatDependOnValues) {
  GraphMaker shape;
  shape.input("x", {1, 4});
  whole_input(shape, "to", {2});
  shape.node("Reshape", {"x", "to"}, {"y"}).output("y");
  EXPECT_NE(error_of([&] {
              (void)compile(shape.graph, ample_architecture());
            }).find("node \"n_y\" (Reshape): input 1 (\"to\") holds INT64 elements"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::compiler
