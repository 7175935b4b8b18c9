// TensorFlow Lite models that contain a package: the operator's options, and errors in the options.
#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include "isa/darwinn/file.h"
#include "isa/darwinn/tflite_generated.h"
#include "isa/darwinn/verify.h"
#include "isa/darwinn/writer.h"
#include "tests/darwinn/sample_package.h"

namespace tactus::darwinn {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Options {
  bool map = true;
  bool package = true;
  std::string package_bytes;
  std::vector<std::int64_t> chips{18};
  bool chips_are_text = false;
  bool former_caching = false;
  int further = 0;
  int data_version = 0;
};

Bytes flex(const Options& options) {
  flexbuffers::Builder builder;
  if (!options.map) {
    builder.Int(1);
    builder.Finish();
    return builder.GetBuffer();
  }
  builder.Map([&] {
    builder.Int("1", options.data_version);
    if (options.former_caching) builder.Int("3", 1);
    if (options.package) builder.String("4", options.package_bytes);
    builder.Int("5", -1);
    builder.Vector("6", [&] {
      for (const std::int64_t chip : options.chips) {
        if (options.chips_are_text) {
          builder.String("chip");
        } else {
          builder.Int(chip);
        }
      }
    });
    builder.Vector("7", [&] {
      for (int i = 0; i < options.further; ++i) builder.String(options.package_bytes);
    });
  });
  builder.Finish();
  return builder.GetBuffer();
}

struct MadeModel {
  std::string custom_code = "edgetpu-custom-op";
  std::uint64_t external_bytes = 0;
  int operators = 1;
  std::uint32_t version = 3;
};

Bytes tflite(const Bytes& options, const MadeModel& model = {}) {
  flatbuffers::FlatBufferBuilder builder;
  const auto code =
      tfl::CreateOperatorCode(builder, 32, builder.CreateString(model.custom_code), 1, 32);
  const auto codes = builder.CreateVector(&code, 1);
  std::vector<flatbuffers::Offset<tfl::Operator>> operators;
  for (int i = 0; i < model.operators; ++i) {
    const auto bytes = builder.CreateVector(options);
    operators.push_back(tfl::CreateOperator(builder, 0, 0, 0, bytes, 0, model.external_bytes,
                                            model.external_bytes));
  }
  const auto all = builder.CreateVector(operators);
  const auto graph = tfl::CreateSubGraph(builder, 0, 0, 0, all);
  const auto graphs = builder.CreateVector(&graph, 1);
  builder.Finish(tfl::CreateModel(builder, model.version, codes, graphs), "TFL3");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::string sample_bytes() {
  const SamplePackage sample;
  const Bytes bytes = write_package(sample.package);
  return {bytes.begin(), bytes.end()};
}

void expect_refused(const Bytes& bytes, Code code, const std::string& says) {
  try {
    const File file(bytes, "f.tflite");
    ADD_FAILURE() << "accepted; expected " << says;
  } catch (const PackageError& error) {
    const std::string text = error.what();
    EXPECT_EQ(name(error.code()), name(code)) << text;
    EXPECT_NE(text.find(says), std::string::npos) << text;
  }
}

TEST(DarwinnContainer, ReadsAModelMadeByTheTest) {
  Options options;
  options.package_bytes = sample_bytes();
  options.former_caching = true;
  const File file(tflite(flex(options)), "f.tflite");
  ASSERT_NE(file.tflite(), nullptr);
  EXPECT_EQ(file.tflite()->options.chips, std::vector<std::int64_t>{18});
  EXPECT_EQ(file.tflite()->options.execution_preference, -1);
  EXPECT_EQ(file.tflite()->options.further_packages, 0U);
  EXPECT_EQ(file.warnings().size(), 1U);  // the warning is about key "3"
  EXPECT_TRUE(verify(file.package(), "f.tflite").empty());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.package().main().parameters.data()) % 4096, 0U);
}

TEST(DarwinnContainer, UnknownVersionsAreWarnedAbout) {
  Options options;
  options.package_bytes = sample_bytes();
  options.data_version = 7;
  MadeModel model;
  model.version = 4;
  const File file(tflite(flex(options), model), "f.tflite");
  std::string text;
  for (const Warning& warning : file.warnings()) text += warning.text + "\n";
  EXPECT_EQ(text,
            "f.tflite: E_VERSION: TensorFlow Lite model: version 4; known is 3, and the model is "
            "read as one of that version\n"
            "f.tflite: E_VERSION: custom options: data version 7 (key \"1\"); known is 0, and the "
            "options are read as those of that version\n");
}

TEST(DarwinnContainer, RefusedModels) {
  Options good;
  good.package_bytes = sample_bytes();
  const Bytes options = flex(good);
  Bytes cut = tflite(options);
  cut.resize(cut.size() / 2);
  expect_refused(cut, Code::truncated, "no sound FlatBuffer");
  expect_refused(tflite(options, {"other-op", 0, 1}), Code::tfl_no_operator, "edgetpu-custom-op");
  expect_refused(tflite(options, {"edgetpu-custom-op", 7, 1}), Code::tfl_external_options,
                 "7 bytes");
  expect_refused(tflite(options, {"edgetpu-custom-op", 0, 2}), Code::multi_package, "a second");
}

TEST(DarwinnContainer, RefusedOptions) {
  Options good;
  good.package_bytes = sample_bytes();
  const auto refused = [&](auto change, Code code, const std::string& says) {
    Options options = good;
    change(options);
    expect_refused(tflite(flex(options)), code, says);
  };
  refused([](Options& o) { o.map = false; }, Code::flexbuffer, "no map");
  refused([](Options& o) { o.package = false; }, Code::flexbuffer, "is missing");
  refused([](Options& o) { o.package_bytes.clear(); }, Code::flexbuffer, "is empty");
  refused([](Options& o) { o.chips.clear(); }, Code::flexbuffer, "is empty");
  refused([](Options& o) { o.chips = {17, 18}; }, Code::flexbuffer, "2 chips");
  refused([](Options& o) { o.chips_are_text = true; }, Code::flexbuffer, "no whole number");
  refused(
      [](Options& o) {
        o.further = 1;
        o.chips = {18, 18};
      },
      Code::multi_package, "1 further");
  refused([](Options& o) { o.package_bytes.resize(100); }, Code::verify_package, "100 bytes");
  refused([](Options& o) { o.package_bytes = "no package at all"; }, Code::magic, "DWN1");
  expect_refused(tflite({}), Code::flexbuffer, "0 bytes");
  expect_refused(tflite({1, 2, 3, 255}), Code::flexbuffer, "no FlexBuffer");
}

}  // namespace
}  // namespace tactus::darwinn
