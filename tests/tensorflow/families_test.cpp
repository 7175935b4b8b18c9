// Frozen graphs of other projects in TACTUS_SHARED/golden/models/tf: all of them compile, and the
// unit gives the results of the reference executor. The graphs have no expected outputs.
#include <gtest/gtest.h>

#include "firmware/tensorflow/model_files.h"
#include "tests/compiler/models/outcome.h"
#include "tests/support/shared.h"

namespace tactus::tf {
namespace {

const std::string folder = "golden/models/tf/";

struct Family {
  const char* file;
  std::vector<std::string> cuts;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  double tolerance = 0.001;
};

/// Sigmoids before a product are approximated by chords; there are three in succession.
constexpr double curves = 0.02;

void PrintTo(const Family& family, std::ostream* out) { *out << family.file; }

class Families : public testing::TestWithParam<Family> {};

TEST_P(Families, UnitAndReferenceAgree) {
  const Family& family = GetParam();
  TACTUS_NEEDS_SHARED(folder + family.file);
  ImportOptions options{{}, family.cuts, family.shapes};
  const nn::Graph graph = load_model(shared_folder() + "/" + folder + family.file, options);
  const compiler::Compiled compiled = compiler::compile(graph, compiler::ample_architecture());
  nn::Values inputs;
  for (const auto& [name, values] : compiler::values_for(compiled, 1)) {
    for (const compiler::TensorLayout& layout : compiled.input_layouts) {
      if (layout.name == name) inputs[name] = nn::Tensor::of(layout.shape, values);
    }
  }
  const nn::Values expected = nn::run_reference(graph, inputs);
  const nn::Values actual = compiler::finished(compiled, inputs);
  for (const std::string& name : compiled.model_outputs) {
    const double error = compiler::relative_error(actual.at(name), expected.at(name));
    std::printf("%-24s %-16s error %.6f of the largest value, %zu nodes on the host\n", family.file,
                name.c_str(), error, compiled.host ? compiled.host->nodes.size() : 0);
    EXPECT_LT(error, family.tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(
    TensorFlow, Families,
    testing::Values(Family{"autoencoder_ae0.pb", {}, {}, curves}, Family{"fc_layers.pb", {}, {}},
                    Family{"hey_snips.pb", {}, {{"inputs", {64, 40}}}},
                    Family{"kws_cnn_s.pb", {"Mfcc"}, {{"Mfcc", {1, 49, 10}}}},
                    Family{"kws_dnn_s.pb", {"Mfcc"}, {{"Mfcc", {1, 25, 10}}}},
                    Family{"kws_ds_cnn_s.pb", {"Mfcc"}, {{"Mfcc", {1, 49, 10}}}}),
    [](const auto& tested) {
      const std::string file = tested.param.file;
      return file.substr(0, file.find('.'));
    });

}  // namespace
}  // namespace tactus::tf
