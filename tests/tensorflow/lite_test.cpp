// TensorFlow Lite models compared with TensorFlow's interpreter: small models with its results
// (make_lite_cases.py); Tactus computes them with the reference executor and on the simulated unit.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "firmware/onnx/tensor_files.h"
#include "firmware/tensorflow/lite/reader.h"
#include "firmware/tensorflow/model_files.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/compiler/models/outcome.h"
#include "tests/support/mutation.h"
#include "tests/support/shared.h"
#include "tests/support/test_scale.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tactus::tf {
namespace {

const std::string lite_folder = TACTUS_GOLDEN_DIR "/lite/";

std::vector<std::string> lite_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(lite_folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".tflite" && name != "unsupported") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct LiteCase {
  nn::Graph graph;
  nn::Values inputs;
  std::vector<nn::Tensor> expected;  ///< in the order of the graph's outputs
};

LiteCase read_lite_case(const std::string& name) {
  LiteCase c;
  c.graph = load_model(lite_folder + name + ".tflite");
  for (nn::NamedTensor& array : nn::read_npz(lite_folder + name + ".npz")) {
    if (array.name.rfind("in_", 0) == 0) {
      const std::size_t k = std::stoul(array.name.substr(3));
      c.inputs[c.graph.inputs.at(k).name] = std::move(array.tensor);
    } else {
      c.expected.push_back(std::move(array.tensor));
    }
  }
  return c;
}

/// Tolerance relative to the largest value. The interpreter rounds every tensor of a model of 8
/// bits to 256 steps, and the operands of products by weights of 8 bits.
double tolerance_of(const std::string& name, double exact) {
  const bool bytes = name.find("_whole") != std::string::npos;
  return bytes ? 0.06 : name.find("_dynamic") != std::string::npos ? 0.02 : exact;
}

void expect_near(const LiteCase& c, const nn::Values& values, double tolerance) {
  ASSERT_EQ(c.graph.outputs.size(), c.expected.size());
  for (std::size_t k = 0; k < c.expected.size(); ++k) {
    const std::string& name = c.graph.outputs[k].name;
    nn::Tensor actual = values.at(name);
    actual = nn::Tensor::of(actual.shape, actual.reals());
    EXPECT_EQ(actual.shape, c.expected[k].shape) << name;
    EXPECT_LT(compiler::relative_error(actual, c.expected[k]), tolerance) << name;
  }
}

class LiteModels : public testing::TestWithParam<std::string> {};

TEST_P(LiteModels, TheReferenceEqualsTheInterpreter) {
  const LiteCase c = read_lite_case(GetParam());
  expect_near(c, nn::run_reference(c.graph, c.inputs), tolerance_of(GetParam(), 1e-4));
}

TEST_P(LiteModels, TheUnitEqualsTheInterpreter) {
  const LiteCase c = read_lite_case(GetParam());
  tcu::Architecture machine = compiler::ample_architecture();
  machine.lookup_tables = {2, 4096, 8};
  machine.simd_registers_depth = 3;
  const compiler::Compiled compiled = compiler::compile(c.graph, machine);
  expect_near(c, compiler::finished(compiled, c.inputs), tolerance_of(GetParam(), 0.01));
}

INSTANTIATE_TEST_SUITE_P(TensorFlow, LiteModels, testing::ValuesIn(lite_names()),
                         [](const auto& tested) { return tested.param; });

std::string refusal_of(const std::string& path) {
  try {
    (void)load_model(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LiteModel, ARefusalNamesTheOperatorAndWhereToCut) {
  const std::string text = refusal_of(lite_folder + "unsupported.tflite");
  EXPECT_NE(text.find("(TOPK_V2): the operator is not supported"), std::string::npos) << text;
  EXPECT_NE(text.find("supported operators: ABS, ADD, "), std::string::npos) << text;
  EXPECT_NE(text.find("what comes before can be compiled alone: --output-tensor \"Relu\""),
            std::string::npos)
      << text;
}

TEST(LiteModel, APackageForAnEdgeTpuIsRefused) {
  const std::string name = "golden/darwinn/tflite/split_concat_edgetpu.tflite";
  TACTUS_NEEDS_SHARED(name);
  const std::string text = refusal_of(shared_folder() + "/" + name);
  EXPECT_NE(text.find("is a package compiled for an Edge TPU"), std::string::npos) << text;
}

TEST(LiteModel, MutatedModelsAreReadOrRefused) {
  std::vector<std::vector<std::uint8_t>> models;
  for (const char* name : {"cnn_whole_io", "branches_float", "split", "shapes"}) {
    models.push_back(read_file(lite_folder + name + ".tflite"));
  }
  for (std::size_t size = 0; size < models[2].size(); ++size) {
    LLVMFuzzerTestOneInput(models[2].data(), size);
  }
  for (const std::uint64_t seed : test_seeds(1, 5000)) {
    nn::Random random(seed);
    const std::vector<std::uint8_t> changed =
        mutated(models[random.next() % models.size()], random);
    SCOPED_TRACE(seed);
    LLVMFuzzerTestOneInput(changed.data(), changed.size());
  }
}

}  // namespace
}  // namespace tactus::tf
