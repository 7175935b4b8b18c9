// Scales are chosen by the machine's own values on calibration images, so that no network gets
// worse.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "firmware/bench/calibration.h"
#include "firmware/bench/evaluation.h"
#include "firmware/bench/program_cache.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/zoo/random_input.h"
#include "firmware/zoo/zoo.h"
#include "tests/support/error_of.h"

namespace tactus::bench {
namespace {

using compiler::Compiled;
using compiler::Options;
using compiler::Scales;

TcuSimulationConfig machine(std::uint32_t accumulators = 4096) {
  TcuSimulationConfig config;
  tcu::Architecture& a = config.architecture;
  a.array_size = 8;
  a.dram0_depth = a.dram1_depth = 1U << 16;
  a.local_depth = 4096;
  a.accumulator_depth = accumulators;
  return config;
}

/// A file of images that is removed at the end.
class ImageFile {
 public:
  ImageFile(const std::string& name, const nn::Tensor& tensor)
      : path_((std::filesystem::temp_directory_path() / name).string()) {
    nn::write_tensor(path_, "", tensor);
  }
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;
  ~ImageFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

nn::Values outputs_of(const Compiled& compiled, const nn::Values& inputs) {
  const compiler::ModelTensors tensors = compiler::tensors_of(compiled);
  const compiler::Started started = start_on_host(tensors, inputs);
  const Program program = to_program(compiled, "test");
  TcuSimulationConfig config;
  config.architecture = compiled.architecture;
  TensorData data;
  for (const compiler::TensorLayout& layout : program.inputs) {
    data[layout.name] =
        pack_tensor(layout, compiled.architecture, started.inputs.at(layout.name).floats);
  }
  const ImageResult image = run_once(config, program.model, data, {}, {});
  nn::Values results;
  for (const compiler::TensorLayout& layout : program.outputs) {
    results[layout.name] = nn::Tensor::of(
        layout.shape, unpack_tensor(layout, compiled.architecture, image.outputs.at(layout.name)));
  }
  return finish_on_host(tensors, results, started.carried);
}

/// RMS error of all outputs.
double rms_of(const nn::Graph& graph, const Compiled& compiled, const nn::Values& inputs) {
  const nn::Values wanted = nn::run_reference(graph, inputs), got = outputs_of(compiled, inputs);
  double squares = 0, count = 0;
  for (const auto& [name, tensor] : got) {
    const std::vector<float> values = wanted.at(name).reals();
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += std::pow(double{tensor.reals()[i]} - double{values[i]}, 2);
    }
    count += static_cast<double>(values.size());
  }
  return std::sqrt(squares / count);
}

struct Case {
  nn::Graph graph;
  nn::Values image;

  explicit Case(const std::string& network, float range = 1)
      : graph(nn::zoo_entry(network).build(1).graph) {
    for (const nn::ValueInfo& input : graph.inputs) {
      image[input.name] = nn::random_input(graph, input, 5);
      for (float& value : image[input.name].floats) value *= range;
    }
  }
  [[nodiscard]] Compiled compile(Scales scales, const std::string& calibrate = "",
                                 Options options = {}) const {
    options.scales = scales;
    options.calibrate = calibrate;
    return compile_network(graph, machine(), options);
  }
};

bool has_note(const Compiled& compiled, const std::string& text) {
  return std::any_of(compiled.notes.begin(), compiled.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(ScaleChoice, NeverWorseOnTheCalibrationImage) {
  for (const char* network : {"mlp", "cnn", "csp"}) {
    const Case c(network);
    const ImageFile file(std::string("tactus_scales_") + network + ".npy", c.image.begin()->second);
    const double unscaled = rms_of(c.graph, c.compile(Scales::none), c.image);
    const Compiled weights = c.compile(Scales::weights, file.path());
    const Compiled both = c.compile(Scales::automatic, file.path());
    const double in_weights = rms_of(c.graph, weights, c.image);
    EXPECT_LE(in_weights, unscaled) << network;
    EXPECT_LT(rms_of(c.graph, both, c.image), 0.6 * unscaled) << network;
    EXPECT_TRUE(has_note(both, "scales: ")) << network;
    EXPECT_TRUE(has_note(both, "1 image of " + file.path())) << network;
    ASSERT_TRUE(both.scaled) << network;
    EXPECT_FALSE(both.bounds.empty());
  }
}

TEST(ScaleChoice, InWeightsTakesNoInstruction) {
  const Case c("cnn");
  const Compiled scaled = c.compile(Scales::weights);
  EXPECT_EQ(scaled.instructions, c.compile(Scales::none).instructions);
  EXPECT_TRUE(has_note(scaled, "8 images, drawn")) << scaled.notes.front();
}

TEST(ScaleChoice, EveryWayOfCompilingTakesTheScaledNetwork) {
  const Case c("cnn");
  const double unscaled = rms_of(c.graph, c.compile(Scales::none), c.image);
  Options optimised, stripe, variables;
  optimised.optimise = true;
  optimised.effort = 5;
  stripe.via = compiler::Via::stripe;
  variables.strategy = compiler::Strategy::local_vars_and_consts;
  for (const Options& options : {optimised, stripe, variables}) {
    const Compiled scaled = c.compile(Scales::automatic, "", options);
    ASSERT_TRUE(scaled.scaled);
    EXPECT_LT(rms_of(c.graph, scaled, c.image), 0.8 * unscaled);
  }
  optimised.batch = 2;
  EXPECT_EQ(c.compile(Scales::automatic, "", optimised).batch, 2U);
}

TEST(ScaleChoice, WhatDoesNotFitTheMachineIsNotTaken) {
  const Case c("cnn");
  Options options;
  options.strategy = compiler::Strategy::local_vars_and_consts;
  options.scales = Scales::automatic;
  // Too few accumulators for a multiply behind the first layer.
  const Compiled compiled = compile_network(c.graph, machine(1280), options);
  EXPECT_TRUE(has_note(compiled, "scales: "));
  EXPECT_FALSE(has_note(compiled, "behind sums"));
}

TEST(ScaleChoice, InputsBeyondTheTypeAreScaledByTheHost) {
  const Case c("cnn", 255);
  const ImageFile file("tactus_scales_255.npy", c.image.begin()->second);
  const Compiled unscaled = c.compile(Scales::none);
  const Compiled scaled = c.compile(Scales::automatic, file.path());
  ASSERT_TRUE(scaled.host_before);
  EXPECT_TRUE(has_note(scaled, "has values that FP16BP8 does not hold"));
  EXPECT_LT(rms_of(c.graph, scaled, c.image), 0.1 * rms_of(c.graph, unscaled, c.image));
}

std::string refusal(const Case& c, const std::string& path) {
  return error_of([&] { (void)c.compile(Scales::automatic, path); });
}

TEST(ScaleChoice, WrongCalibrationFilesAreRefused) {
  const Case c("cnn");
  EXPECT_NE(refusal(c, "/nowhere/a.npy").find("no such file"), std::string::npos);
  nn::Tensor image = c.image.begin()->second;
  const ImageFile shape("tactus_scales_shape.npy", nn::Tensor::zeros({1, 2, 3}));
  EXPECT_NE(refusal(c, shape.path()).find("has shape [1,2,3]"), std::string::npos);
  image.floats[3] = NAN;
  const ImageFile nan("tactus_scales_nan.npy", image);
  EXPECT_NE(refusal(c, nan.path()).find("value 3 of input"), std::string::npos);
  EXPECT_NE(refusal(c, nan.path()).find("is NaN; allowed are finite numbers"), std::string::npos);
  const std::filesystem::path empty =
      std::filesystem::temp_directory_path() / "tactus_scales_empty";
  std::filesystem::create_directories(empty);
  EXPECT_NE(refusal(c, empty.string()).find("there are no values for input"), std::string::npos);
  std::filesystem::remove(empty);
}

TEST(ScaleChoice, CalibrationImagesAreSpreadEvenly) {
  const Case c("cnn");
  const nn::ValueInfo& input = c.graph.inputs.front();
  nn::Tensor all = c.image.at(input.name);
  const std::size_t size = all.floats.size();
  all.shape.front() *= 10;
  all.floats.resize(10 * size);
  for (std::size_t i = 0; i < 10; ++i) all.floats[i * size] = static_cast<float>(i);
  const ImageFile file("tactus_scales_many.npy", all);
  const std::vector<nn::Values> images = read_calibration(file.path(), c.graph.inputs, 5);
  ASSERT_EQ(images.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(images[k].at(input.name).floats.front(), static_cast<float>(2 * k));
  }
}

TEST(ScaleChoice, HashFollowsTheFilesContent) {
  const ImageFile file("tactus_scales_hash.npy", nn::Tensor::zeros({1, 2}));
  const std::string before = calibration_hash(file.path());
  EXPECT_EQ(calibration_hash(file.path()), before);
  nn::write_tensor(file.path(), "", nn::Tensor::of({1, 2}, std::vector<float>{0, 1}));
  EXPECT_NE(calibration_hash(file.path()), before);
}

TEST(ScaleChoice, ExcludedByCompat) {
  compiler::Choices choices;
  choices.scales = Scales::automatic;
  choices.compat = true;
  const auto named = [](std::string key) { return key; };
  const auto none = [](const std::string&) { return false; };
  ASSERT_TRUE(choices_problem(choices, none, false, named));
  EXPECT_EQ(choices_problem(choices, none, false, named)->key, "scales");
  choices = {};
  choices.calibrate = "x.npy";
  ASSERT_TRUE(choices_problem(choices, none, false, named));
  EXPECT_EQ(choices_problem(choices, none, false, named)->text,
            "needs scales weights or scales auto");
}

TEST(ScaleChoice, OptionsWithoutEffectAreRefused) {
  const auto named = [](std::string key) { return key; };
  const auto effort = [](const std::string& key) { return key == "effort"; };
  compiler::Choices choices;
  ASSERT_TRUE(choices_problem(choices, effort, false, named));
  EXPECT_EQ(choices_problem(choices, effort, false, named)->key, "effort");
  EXPECT_EQ(choices_problem(choices, effort, false, named)->text, "needs optimise");
  choices.optimise = true;
  EXPECT_FALSE(choices_problem(choices, effort, false, named));
  const auto none = [](const std::string&) { return false; };
  choices = {};
  choices.value_bound = 3;
  EXPECT_FALSE(choices_problem(choices, none, false, named));
  choices.compat = true;
  ASSERT_TRUE(choices_problem(choices, none, false, named));
  EXPECT_EQ(choices_problem(choices, none, false, named)->key, "value_bound");
}

}  // namespace
}  // namespace tactus::bench
