// Models of other projects under TACTUS_SHARED/golden/models: which compile, why others do not, and
// whether the outputs equal those of ONNX Runtime.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/tensor_files.h"
#include "tests/compiler/models/outcome.h"
#include "tests/support/shared.h"

namespace tactus::compiler {
namespace {

const std::string models = "golden/models/";

std::vector<std::string> files_in(const std::string& folder, const std::string& extension) {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(shared_folder() + "/" + models + folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// Returns the operator named in the first line of a refusal, or else the line.
std::string operator_of(const std::string& error) {
  const std::string line = error.substr(0, error.find('\n'));
  const std::size_t open = line.find("\" (");
  const std::size_t close = open == std::string::npos ? open : line.find(')', open);
  return close == std::string::npos ? line : line.substr(open + 3, close - open - 3);
}

/// Compiles all models, prints a table of the results, and returns the models that do not compile.
std::set<std::string> compile_all(const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<std::string>> by_operator;
  std::set<std::string> refused;
  for (const std::string& path : paths) {
    try {
      const nn::Graph graph = nn::load_graph(path);
      const Compiled compiled = compile(graph, ample_architecture(), open_dimensions(graph));
      std::printf("%-36s compiles, %zu nodes on the host\n", stem(path).c_str(),
                  compiled.host ? compiled.host->nodes.size() : 0);
    } catch (const UserError& error) {
      std::printf("%-36s %s\n", stem(path).c_str(), error.what());
      by_operator[operator_of(error.what())].push_back(stem(path));
      refused.insert(stem(path));
    }
  }
  std::printf("%zu of %zu compile\n", paths.size() - refused.size(), paths.size());
  for (const auto& [name, whose] : by_operator) {
    std::printf("  %-20s %zu\n", name.c_str(), whose.size());
  }
  return refused;
}

TEST(Families, SmallCasesCompile) {
  TACTUS_NEEDS_SHARED(models + "cases");
  EXPECT_EQ(compile_all(files_in("cases", ".onnx")), std::set<std::string>{});
}

/// Models that take too long for a test: without lookup tables, the curves of YOLOX take too many
/// instructions.
const std::set<std::string> large{"yolox_nano"};

TEST(Families, RealNetworksCompile) {
  TACTUS_NEEDS_SHARED(models + "onnx");
  std::vector<std::string> paths = files_in("onnx", ".onnx");
  paths.erase(std::remove_if(paths.begin(), paths.end(),
                             [](const std::string& path) { return large.count(stem(path)) != 0; }),
              paths.end());
  EXPECT_EQ(compile_all(paths), std::set<std::string>{});
}

#define TACTUS_NEEDS_TIME                            \
  if (std::getenv("TACTUS_LARGE_MODELS") == nullptr) \
  GTEST_SKIP() << "needs minutes and gigabytes; set TACTUS_LARGE_MODELS to a word to have it"

class LargeNetwork : public testing::TestWithParam<const char*> {};

TEST_P(LargeNetwork, Compiles) {
  const std::string file = models + GetParam() + ".onnx";
  TACTUS_NEEDS_SHARED(file);
  TACTUS_NEEDS_TIME;
  EXPECT_EQ(compile_all({shared_folder() + "/" + file}), std::set<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Families, LargeNetwork,
                         testing::Values("light/light_bvlc_alexnet", "light/light_densenet121",
                                         "light/light_inception_v1", "light/light_inception_v2",
                                         "light/light_resnet50", "light/light_shufflenet",
                                         "light/light_squeezenet", "light/light_vgg19",
                                         "light/light_zfnet512", "onnx/yolox_nano"));

/// YOLOX-nano, with its SiLUs and Sigmoids in lookup tables, is compared with the float reference.
TEST(Families, DetectorWithTablesIsRight) {
  const std::string file = models + "onnx/yolox_nano.onnx";
  TACTUS_NEEDS_SHARED(file);
  TACTUS_NEEDS_TIME;
  tcu::Architecture machine = ample_architecture();
  machine.lookup_tables = {2, 256, 4};
  machine.simd_registers_depth = 3;
  const nn::Graph graph = nn::load_graph(shared_folder() + "/" + file);
  const Compiled compiled = compile(graph, machine);
  EXPECT_EQ(compiled.host, nullptr);
  std::printf("%zu layers, %llu instructions\n", compiled.layers.size(),
              static_cast<unsigned long long>(compiled.instructions));
  nn::Values inputs;
  for (const auto& [name, values] : values_for(compiled, 1.0F)) {
    inputs[name] = nn::Tensor::of(compiled.input_layouts.front().shape, values);
  }
  const nn::Values outputs = finished(compiled, inputs);
  const nn::Values expected = nn::run_reference(graph, inputs);
  // The network has 70 layers and its input is noise, so with 16 fraction bits single values may be
  // very inaccurate. The mean error is tested instead.
  for (const std::string& name : compiled.model_outputs) {
    const std::vector<float>&got = outputs.at(name).floats, &wanted = expected.at(name).floats;
    ASSERT_EQ(got.size(), wanted.size());
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double off = static_cast<double>(got[i]) - static_cast<double>(wanted[i]);
      squares += off * off;
      largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
    }
    const double error = std::sqrt(squares / static_cast<double>(got.size())) / largest;
    std::printf("%s: RMS error %.6f of the largest value\n", name.c_str(), error);
    EXPECT_LT(error, 0.005);
  }
}

/// Outputs, computed with 16 fraction bits, are compared with those of ONNX Runtime.
TEST(Families, OutputsAreThoseOfOnnxRuntime) {
  TACTUS_NEEDS_SHARED(models + "expected");
  for (const std::string& path : files_in("expected", ".npz")) {
    SCOPED_TRACE(path);
    const nn::Graph graph =
        nn::load_graph(shared_folder() + "/" + models + "onnx/" + stem(path) + ".onnx");
    const Compiled compiled = compile(graph, ample_architecture(), open_dimensions(graph));
    std::vector<nn::Tensor> given, expected;
    for (nn::NamedTensor& array : nn::read_npz(path)) {
      (array.name.rfind("in_", 0) == 0 ? given : expected).push_back(std::move(array.tensor));
    }
    ASSERT_EQ(given.size(), compiled.input_layouts.size());
    ASSERT_EQ(expected.size(), compiled.model_outputs.size());
    nn::Values inputs;
    for (std::size_t i = 0; i < given.size(); ++i) {
      inputs[compiled.input_layouts[i].name] = given[i];
    }
    const nn::Values outputs = finished(compiled, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const nn::Tensor& actual = outputs.at(compiled.model_outputs[i]);
      EXPECT_EQ(actual.shape, expected[i].shape);
      const double error = relative_error(actual, expected[i]);
      std::printf("%-36s error %.6f of the largest value\n", stem(path).c_str(), error);
      EXPECT_LT(error, 0.005);
    }
  }
}

}  // namespace
}  // namespace tactus::compiler
