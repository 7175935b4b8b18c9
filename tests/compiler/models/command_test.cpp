// tactus compile --check, run and info with tensors in the model's own layout: test data, .npy and
// .pb files, operators left to the host, saturation, and a machine with lookup tables.
#include <filesystem>
#include <functional>
#include <limits>
#include <sstream>

#include <nlohmann/json.hpp>

#include "firmware/onnx/tensor_files.h"
#include "firmware/onnx/writer.h"
#include "firmware/reference/reference.h"
#include "isa/support/files.h"
#include "tests/cli/cli.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/support/shared.h"

namespace tactus {
namespace {

using compiler::GraphMaker;

class TensorCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("a.tarch", architecture("FP16BP8", ""));
    write("wide.tarch", architecture("FP32BP16", ""));
    write("tables.tarch",
          architecture("FP16BP8",
                       R"(, "lookup_tables": {"count": 2, "depth": 256, "key_binary_point": 4})"));
  }

  static std::string architecture(const std::string& type, const std::string& more) {
    return R"({"data_type": ")" + type + R"(", "array_size": 8, "dram0_depth": 65536,
 "dram1_depth": 65536, "local_depth": 2048, "accumulator_depth": 512,
 "simd_registers_depth": 3, "stride0_depth": 8, "stride1_depth": 8, "number_of_threads": 1,
 "thread_queue_depth": 8)" +
           more + "}";
  }

  void write_graph(const std::string& file, const nn::Graph& graph) const {
    write(file, nn::write_graph(graph));
  }

  void write_tensor(const std::string& file, const nn::Tensor& tensor) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    nn::write_tensor((folder_ / file).string(), "t", tensor);
  }

  [[nodiscard]] nn::Tensor tensor(const std::string& file) const {
    return nn::read_tensor((folder_ / file).string()).tensor;
  }

  static void expect_near(const nn::Tensor& actual, const nn::Tensor& expected, float tolerance) {
    EXPECT_EQ(actual.shape, expected.shape);
    ASSERT_EQ(actual.floats.size(), expected.floats.size());
    for (std::size_t i = 0; i < actual.floats.size(); ++i) {
      EXPECT_NEAR(actual.floats[i], expected.floats[i], tolerance) << i;
    }
  }
};

nn::Tensor rows(std::int64_t count, std::int64_t width, float scale) {
  nn::Tensor tensor = nn::Tensor::zeros({count, width});
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    tensor.floats[i] = scale * static_cast<float>(static_cast<int>(i * 37 % 17) - 8) / 8;
  }
  return tensor;
}

/// A classifier: rows of 8 values to 6 classes, with a Softmax at the end.
nn::Graph classifier(std::int64_t rows = 3) {
  GraphMaker maker(13);
  maker.input("x", {rows, 8})
      .weights("w", {8, 6}, 1)
      .node("MatMul", {"x", "w"}, {"z"})
      .node("Softmax", {"z"}, {"p"}, {{"axis", std::int64_t{-1}}})
      .output("p");
  return maker.graph;
}

nn::Tensor expected_of(const nn::Graph& graph, const nn::Tensor& x, const std::string& output) {
  return nn::run_reference(graph, {{"x", x}}).at(output);
}

TEST_F(TensorCommand, CheckTakesFoldersOfTestDataAndCountsClasses) {
  const nn::Graph graph = classifier();
  write_graph("m.onnx", graph);
  for (int set = 0; set < 2; ++set) {
    const nn::Tensor x = rows(3, 8, set == 0 ? 1.0F : -1.5F);
    const std::string folder = "data/test_data_set_" + std::to_string(set);
    write_tensor(folder + "/input_0.pb", x);
    write_tensor(folder + "/output_0.pb", expected_of(graph, x, "p"));
  }
  const Output good = tactus("compile m.onnx --arch a.tarch --check --test-data data");
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  for (const char* text : {"p: the expected class is first in 3 of 3 rows, among the first five "
                           "in 3",
                           "against the outputs expected in data/test_data_set_0",
                           "against the outputs expected in data/test_data_set_1"}) {
    EXPECT_NE(good.out.find(text), std::string::npos) << text << "\n" << good.out;
  }
  // Wrong expected outputs, with other classes, are reported as a mismatch.
  nn::Tensor wrong = tensor("data/test_data_set_1/output_0.pb");
  for (float& value : wrong.floats) value = 0.4F - value;
  write_tensor("data/test_data_set_1/output_0.pb", wrong);
  const Output bad = tactus("compile m.onnx --arch a.tarch --check --test-data data");
  EXPECT_EQ(bad.code, 1) << bad.out;
  EXPECT_NE(bad.out.find("BEYOND THE TOLERANCE"), std::string::npos) << bad.out;
  EXPECT_NE(bad.out.find("first in 0 of 3 rows"), std::string::npos) << bad.out;
  wrong.floats[4] = std::numeric_limits<float>::quiet_NaN();
  write_tensor("data/test_data_set_1/output_0.pb", wrong);
  const Output nan = tactus("compile m.onnx --arch a.tarch --check --test-data data");
  EXPECT_EQ(nan.code, 2) << nan.out;
  EXPECT_NE(nan.err.find("data/test_data_set_1: value 4 expected of output \"p\" is NaN"),
            std::string::npos)
      << nan.err;
  wrong.floats[4] = std::numeric_limits<float>::infinity();
  write_tensor("data/test_data_set_1/output_0.pb", wrong);
  const auto refused = [this](const std::string& options, const std::string& text) {
    const Output output = tactus("compile m.onnx --arch a.tarch --check " + options);
    EXPECT_EQ(output.code, 2) << output.out;
    EXPECT_NE(output.err.find(text), std::string::npos) << output.err;
  };
  refused("--test-data data", "data/test_data_set_1: value 4 expected of output \"p\" is infinite");
  write_tensor("data/test_data_set_1/output_0.pb", rows(2, 4, 1));
  refused("--test-data data", "data/test_data_set_1: expected values of output \"p\"");
}

TEST_F(TensorCommand, CheckNamesTheFileOfAnInputThatItChanges) {
  write_graph("m.onnx", classifier());
  nn::Tensor x = rows(3, 8, 1);
  x.floats[2] = std::numeric_limits<float>::quiet_NaN();
  write_tensor("x.npy", x);
  for (const char* option : {"--input", "--test-data"}) {
    const Output output =
        tactus(std::string("compile m.onnx --arch a.tarch --check ") + option + " x.npy");
    EXPECT_NE(output.err.find("x.npy: input \"x\": 1 of 24 values are NaN and become 0"),
              std::string::npos)
        << output.err;
  }
  const Output archive = tactus("compile m.onnx --arch a.tarch --check --input x.npz");
  EXPECT_EQ(archive.code, 2) << archive.out;
  EXPECT_NE(archive.err.find("x.npz: the name must end in .npy (NumPy), .pb (ONNX tensor)"),
            std::string::npos)
      << archive.err;
}

TEST_F(TensorCommand, LongNamesOfModelsAreCutInNamesOfFiles) {
  const std::string name(240, 'n');
  write_graph(name + ".onnx", classifier());
  EXPECT_EQ(tactus("compile " + name + ".onnx --arch a.tarch -o m").code, 0);
  EXPECT_TRUE(exists("m/" + std::string(198, 'n') + "_a.tmodel"));
}

TEST_F(TensorCommand, CheckTakesSingleTensorsAndRefusesOthers) {
  write_graph("m.onnx", classifier());
  write_tensor("x.npy", rows(3, 8, 1));
  write_tensor("short.npy", rows(2, 8, 1));
  write("x.txt", "1 2 3");
  const std::string compile = "compile m.onnx --arch a.tarch --check --test-data ";
  EXPECT_EQ(tactus(compile + "x.npy").code, 0);
  const auto refused = [&](const std::string& data, const std::string& text) {
    const Output output = tactus(compile + data);
    EXPECT_EQ(output.code, 2) << output.out;
    EXPECT_NE(output.err.find(text), std::string::npos) << output.err;
  };
  refused("short.npy", "short.npy: has shape [2,8]; allowed for input \"x\": [3,8]");
  write_tensor("two.npy", rows(6, 8, 1));
  refused("two.npy",
          "two.npy: has shape [6,8], 2 images for input \"x\"; --check takes one, [3,8]");
  refused("x.txt", "allowed are a folder, an .npz");
  refused("x.npy --seed 3", "--test-data has the inputs");
}

TEST_F(TensorCommand, CheckTakesArchives) {
  const std::string data = "golden/models/expected/traffic_classifier64.npz";
  TACTUS_NEEDS_SHARED(data);
  const std::string model = shared_folder() + "/golden/models/onnx/traffic_classifier64.onnx";
  const Output check = tactus("compile " + model + " --arch wide.tarch --check --test-data " +
                              shared_folder() + "/" + data);
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("first in 1 of 1 rows"), std::string::npos) << check.out;
}

TEST_F(TensorCommand, TheHostComputesForAllImagesOfABatch) {
  write_graph("m.onnx", classifier());
  const nn::Tensor x = rows(6, 8, 1);
  write_tensor("x.npy", x);
  ASSERT_EQ(tactus("compile m.onnx --arch wide.tarch --optimise --batch 2 -o out").code, 0);
  const Output run = tactus("run --model out/m_onnx_wide.tmodel --output r --input x.npy");
  ASSERT_EQ(run.code, 0) << run.err;
  expect_near(tensor("r/p.npy"), expected_of(classifier(6), x, "p"), 0.001F);
}

TEST_F(TensorCommand, RunsTensorsAndComputesWhatIsLeftToTheHost) {
  const nn::Graph graph = classifier();
  write_graph("m.onnx", graph);
  const nn::Tensor x = rows(3, 8, 1);
  write_tensor("x.npy", x);
  write_tensor("x.pb", x);
  ASSERT_EQ(tactus("compile m.onnx --arch wide.tarch -o out").code, 0);
  EXPECT_TRUE(exists("out/m_onnx_wide.host.onnx"));
  for (const char* input : {"x.npy", "x.pb"}) {
    const Output run =
        tactus(std::string("run --model out/m_onnx_wide.tmodel --output r --input ") + input);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("host work"), std::string::npos) << run.out;
    for (const char* output : {"r/p.npy", "r/p.pb"}) {
      expect_near(tensor(output), expected_of(graph, x, "p"), 0.001F);
    }
  }
  const Output info = tactus("info out/m_onnx_wide.tmodel");
  EXPECT_NE(info.out.find("[3,8]"), std::string::npos) << info.out;
}

TEST_F(TensorCommand, InputsBeyondTheDataTypeAreWarnedAbout) {
  write_graph("m.onnx", classifier());
  nn::Tensor x = rows(3, 8, 1);
  x.floats[5] = 1000;
  x.floats[7] = -1000;
  write_tensor("x.npy", x);
  ASSERT_EQ(tactus("compile m.onnx --arch a.tarch -o out").code, 0);
  const Output run = tactus("run --model out/m_onnx_a.tmodel --input x.npy");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("2 of 24 values"), std::string::npos) << run.err;
  const Output check = tactus("compile m.onnx --arch a.tarch --check --test-data x.npy");
  EXPECT_NE(check.err.find("2 of 24 values are beyond"), std::string::npos) << check.err;
}

TEST_F(TensorCommand, NaNIsNamed) {
  write_graph("m.onnx", classifier());
  nn::Tensor x = rows(3, 8, 1);
  x.floats[5] = std::numeric_limits<float>::quiet_NaN();
  x.floats[7] = -1000;
  write_tensor("x.npy", x);
  ASSERT_EQ(tactus("compile m.onnx --arch a.tarch -o out").code, 0);
  const std::string text =
      "1 of 24 values are beyond -128 .. 127.996, what FP16BP8 holds, and saturate; 1 of 24 values "
      "are NaN and become 0";
  const Output run = tactus("run out/m_onnx_a.tmodel --input x.npy");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("x.npy: " + text), std::string::npos) << run.err;
  const Output check = tactus("compile m.onnx --arch a.tarch --check --test-data x.npy");
  EXPECT_NE(check.err.find("input \"x\": " + text), std::string::npos) << check.err;
}

/// A 1x1 convolution of 3 channels to 2.
nn::Graph image_graph() {
  GraphMaker maker(13);
  maker.input("x", {1, 3, 4, 5})
      .weights("w", {2, 3, 1, 1}, 1)
      .node("Conv", {"x", "w"}, {"y"})
      .output("y");
  return maker.graph;
}

nn::Tensor image(const nn::Shape& shape) {
  nn::Tensor tensor = nn::Tensor::zeros(shape);
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    tensor.floats[i] = static_cast<float>(static_cast<int>(i * 37 % 17) - 8) / 8;
  }
  return tensor;
}

TEST_F(TensorCommand, ShapesOfInputsHaveToAgree) {
  const nn::Graph graph = image_graph();
  write_graph("m.onnx", graph);
  ASSERT_EQ(tactus("compile m.onnx --arch wide.tarch -o out").code, 0);
  const std::string run = "run out/m_onnx_wide.tmodel -o r --input ";
  const std::string check = "compile m.onnx --arch wide.tarch --check ";
  const nn::Tensor expected = expected_of(graph, image({1, 3, 4, 5}), "y");
  struct Good {
    nn::Shape shape;
    std::string note;
  };
  for (const Good& good :
       {Good{{1, 3, 4, 5}, ""},
        Good{{3, 4, 5}, "x.npy: has shape [3,4,5], taken as [1,3,4,5] of input \"x\""},
        Good{{60}, "x.npy: has shape [60], taken as [1,3,4,5] of input \"x\""}}) {
    write_tensor("x.npy", image(good.shape));
    const Output output = tactus(run + "x.npy");
    ASSERT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(output.err, good.note.empty() ? "" : "tactus: " + good.note + "\n");
    expect_near(tensor("r/y.npy"), expected, 0.001F);
    for (const char* option : {"--input x.npy", "--test-data x.npy"}) {
      const Output checked = tactus(check + option);
      EXPECT_EQ(checked.code, 0) << checked.err;
      EXPECT_EQ(checked.err.find("taken as") == std::string::npos, good.note.empty())
          << checked.err;
    }
  }
  write_tensor("two.npy", image({2, 3, 4, 5}));
  write_tensor("flat.npy", image({120}));
  ASSERT_EQ(tactus(run + "two.npy").code, 0);
  EXPECT_EQ(tensor("r/y.npy").shape, (nn::Shape{2, 2, 4, 5}));
  const std::string two = read("r/y.npy");
  const Output flat = tactus(run + "flat.npy");
  EXPECT_NE(flat.err.find("taken as [1,3,4,5] of input \"x\", 2 images"), std::string::npos);
  EXPECT_EQ(read("r/y.npy"), two);
  for (const nn::Shape& shape :
       {nn::Shape{1, 4, 5, 3}, nn::Shape{1, 3, 5, 4}, nn::Shape{3, 4, 5, 1}, nn::Shape{6, 4, 5},
        nn::Shape{2, 1, 3, 4, 5}, nn::Shape{1, 3, 20}, nn::Shape{1, 60}, nn::Shape{1, 3, 4, 4},
        nn::Shape{59}, nn::Shape{0, 3, 4, 5}, nn::Shape{}}) {
    write_tensor("x.npy", image(shape));
    write_tensor("x.pb", image(shape));
    const std::string text =
        ": has shape " + nn::to_string(shape) + "; allowed for input \"x\": [1,3,4,5]";
    for (const std::string file : {"x.npy", "x.pb"}) {
      expect_error(run + file, file + text);
      expect_error(check + "--input " + file, file + text);
      expect_error(check + "--test-data " + file, file + text);
    }
  }
  expect_error(run + "x.npz",
               "x.npz: the name must end in .npy (NumPy), .pb (ONNX tensor), .csv (decimal text), "
               ".bin or .tdata (raw bytes); an .npz is an archive of several .npy");
}

TEST_F(TensorCommand, ShapesOfExpectedOutputsHaveToAgree) {
  const nn::Graph graph = image_graph();
  write_graph("m.onnx", graph);
  const nn::Tensor x = image({1, 3, 4, 5});
  nn::Tensor y = expected_of(graph, x, "y");
  write_tensor("d/input_0.pb", x);
  const std::string check = "compile m.onnx --arch wide.tarch --check --test-data d";
  const auto with_shape = [&](const nn::Shape& shape) {
    y.shape = shape;
    write_tensor("d/output_0.pb", y);
    return tactus(check);
  };
  EXPECT_EQ(with_shape({1, 2, 4, 5}).code, 0);
  const Output bare = with_shape({2, 4, 5});
  EXPECT_EQ(bare.code, 0) << bare.err;
  EXPECT_NE(bare.out.find("expected values of output \"y\": has shape [2,4,5], taken as [1,2,4,5]"),
            std::string::npos)
      << bare.out;
  const Output turned = with_shape({1, 4, 5, 2});
  EXPECT_EQ(turned.code, 2);
  EXPECT_NE(turned.err.find("has shape [1,4,5,2]; allowed for output \"y\": [1,2,4,5]"),
            std::string::npos)
      << turned.err;
}

/// Files beside a model must belong to the model.
TEST_F(TensorCommand, AFileOfTensorsOfAnotherModelIsRefused) {
  write_graph("m.onnx", classifier());
  write_tensor("x.npy", rows(3, 8, 1));
  ASSERT_EQ(tactus("compile m.onnx --arch wide.tarch -o out").code, 0);
  const std::string good = read("out/m_onnx_wide.tensors.json");
  const auto expect_refused = [&](const std::function<void(nlohmann::ordered_json&)>& change,
                                  const std::string& text) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(good);
    change(json);
    write("out/m_onnx_wide.tensors.json", json.dump());
    expect_error("run out/m_onnx_wide.tmodel -o r --input x.npy",
                 "out/m_onnx_wide.tensors.json:" + text);
  };
  expect_refused(
      [](auto& json) { json["outputs"][0]["name"] = "q"; },
      "/outputs/0/name: \"q\" is not among the outputs of out/m_onnx_wide.tmodel; allowed "
      "\"p\"");
  expect_refused([](auto& json) { json["inputs"][0]["name"] = "X"; },
                 "/inputs/0/name: \"X\" is not among the inputs");
  expect_refused([](auto& json) { json["outputs"].push_back(json["outputs"][0]); },
                 "/outputs/1/name: \"p\" is described twice");
  expect_refused([](auto& json) { json["outputs"].clear(); },
                 "/outputs: \"p\" of out/m_onnx_wide.tmodel is not described");
  expect_refused([](auto& json) { json["inputs"][0]["vectors"] = 4; },
                 "/inputs/0/vectors: is 4, but \"x\" has 3 in out/m_onnx_wide.tmodel");
  expect_refused(
      [](auto& json) {
        json["inputs"][0]["shape"] = {4, 8};
      },
      "/inputs/0/shape: [4,8] with 8 scalars a vector does not take 3 vectors");
  expect_refused(
      [](auto& json) {
        json["inputs"][0]["shape"] = {1ULL << 62, 1ULL << 62};
      },
      "/inputs/0/shape: ");
  expect_refused(
      [](auto& json) {
        json["model_outputs"] = {"p", "p"};
      },
      "/model_outputs/1: \"p\" is listed twice");
  expect_refused([](auto& json) { json["model_outputs"] = {"w"}; },
                 "/model_outputs/0: \"w\" is no output of the program or the host graph");
  expect_refused([](auto& json) { json["host_graph"] = "gone.onnx"; },
                 "/host_graph: out/gone.onnx: no such file");
  write("secret.onnx", nn::write_graph(classifier(2)));
  std::filesystem::create_symlink("../secret.onnx", folder_ / "out/link.onnx");
  for (const std::string& name : {std::string("../secret.onnx"), (folder_ / "secret.onnx").string(),
                                  std::string("link.onnx")}) {
    for (const char* key : {"host_graph", "host_graph_before"}) {
      expect_refused([&](auto& json) { json[key] = name; }, std::string("/") + key + ": \"");
    }
  }
  // A host graph of another model is refused.
  write("out/other.host.onnx", nn::write_graph(classifier(2)));
  expect_refused(
      [](auto& json) { json["host_graph"] = "other.host.onnx"; },
      "/host_graph: input \"x\" [2,8] of out/other.host.onnx is no output of the program");
}

/// DAIS programs of the architecture and a DRAM file of the board are copied to the model's folder,
/// and a model that names such files elsewhere is refused.
TEST_F(TensorCommand, FilesOfMachinesBecomePartsOfTheModel) {
  const std::string preset = "ddr3_1050_pynq";
  write_graph("m.onnx", classifier());
  write("dram.json", read_text(TACTUS_SOURCE_DIR "/configs/dram/" + preset + ".json"));
  write("logic.json", read_text(TACTUS_GOLDEN_DIR "/dais/prog/h03_relu/comb.json"));
  ASSERT_EQ(tactus("new machine mine --like pynq_z1").code, 0);
  std::string board = read("mine.json"), arch = read("mine.tarch");
  board.replace(board.find(preset), preset.size(), "dram.json");
  write("mine.json", board);
  arch.insert(arch.rfind('}'), R"(, "dais_blocks": [{"name": "act", "program": "logic.json"}])");
  write("mine.tarch", arch);
  ASSERT_EQ(tactus("compile m.onnx --board mine.json -o out").code, 0);
  std::filesystem::rename(folder_ / "out", folder_ / "moved");
  const std::string model = "moved/m_onnx_mine.tmodel";
  ASSERT_EQ(tactus("run " + model).code, 0);
  std::filesystem::create_symlink("../dram.json", folder_ / "moved/link.json");
  const std::string good = read(model);
  for (const char* own : {"m_onnx_mine.ddr1.json", "m_onnx_mine.act.json"}) {
    ASSERT_TRUE(exists(std::string("moved/") + own)) << own;
    for (const std::string& name : {std::string("../dram.json"), (folder_ / "dram.json").string(),
                                    std::string("link.json")}) {
      std::string changed = good;
      changed.replace(changed.find(own), std::string(own).size(), name);
      write(model, changed);
      EXPECT_EQ(tactus("run " + model).code, 2) << name;
    }
  }
  std::string second = good;
  second.insert(second.find("\"clock_mhz\""), "\"ddr\":\"../dram.json\",");
  write(model, second);
  expect_error("run " + model,
               "/board: DRAM: \"../dram.json\" is refused; only a file in the folder");
}

TEST_F(TensorCommand, OutputsWithSimilarNamesGetFilesOfTheirOwn) {
  const std::string tall = std::string(300, 'n');
  GraphMaker maker(13);
  maker.input("x", {2, 8});
  for (const std::string& name : {std::string("a/b"), std::string("a_b"), tall + "1", tall + "2"}) {
    const std::string w = "w" + std::to_string(maker.graph.nodes.size());
    maker.weights(w, {8, 8}, 1).node("MatMul", {"x", w}, {name}).output(name);
  }
  write_graph("m.onnx", maker.graph);
  const nn::Tensor x = rows(2, 8, 1);
  write_tensor("x.npy", x);
  ASSERT_EQ(tactus("compile m.onnx --arch wide.tarch -o out").code, 0);
  const Output run = tactus("run out/m_onnx_wide.tmodel -o r --input x.npy");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("output \"a/b\": its files are named a_b~2: in names of files "),
            std::string::npos)
      << run.err;
  const std::pair<std::string, std::string> files[] = {{"a/b", "a_b~2"},
                                                       {"a_b", "a_b"},
                                                       {tall + "1", tall.substr(0, 200)},
                                                       {tall + "2", tall.substr(0, 200) + "~2"}};
  for (const auto& [name, file] : files) {
    expect_near(tensor("r/" + file + ".npy"), expected_of(maker.graph, x, name), 0.01F);
    EXPECT_TRUE(exists("r/" + file + ".csv")) << file;
  }
}

/// Names in a model file with control characters, formulas or wrong encoding do no harm in any
/// output.
TEST_F(TensorCommand, ControlCharactersInTensorNamesAreEscaped) {
  const std::string bell = "y\x1b[31m\x07\nz", latin = "caf\xE9", formula = "=cmd|' /C calc'!A0";
  GraphMaker maker(13);
  maker.input("x", {2, 8});
  for (const std::string& name : {bell, latin, formula}) {
    const std::string w = "w" + std::to_string(maker.graph.nodes.size());
    maker.weights(w, {8, 8}, 1).node("MatMul", {"x", w}, {name}).output(name);
    maker.graph.nodes.back().name = name;
  }
  write_graph("m.onnx", maker.graph);
  write_tensor("x.npy", rows(2, 8, 1));
  const Output compiled =
      tactus("compile m.onnx --arch wide.tarch -o out --check --layers --summary");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const Output run = tactus(
      "run out/m_onnx_wide.tmodel -o r --input x.npy --layers --layers-csv l.csv --stats s.json "
      "--report r.html --timeline t.json");
  ASSERT_EQ(run.code, 0) << run.err;
  for (const std::string& text : {compiled.out, compiled.err, run.out, run.err, read("l.csv"),
                                  read("s.json"), read("r.html"), read("t.json")}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find('\xE9'), std::string::npos);
  }
  EXPECT_NE(run.out.find("y\\x1B[31m\\x07\\x0Az"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("caf\\xE9"), std::string::npos) << run.out;
  EXPECT_TRUE(exists("r/y_x1B[31m_x07_x0Az.csv"));
  EXPECT_TRUE(exists("r/caf_xE9.npy"));
  EXPECT_NE(read("l.csv").find("\n'=cmd|"), std::string::npos) << read("l.csv");
  (void)nlohmann::json::parse(read("s.json"));
}

TEST_F(TensorCommand, SaturationWithinALayerIsCounted) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 14, 14}).node("GlobalAveragePool", {"x"}, {"y"}).output("y");
  write_graph("m.onnx", maker.graph);
  nn::Tensor x = nn::Tensor::zeros({1, 8, 14, 14});
  for (float& value : x.floats) value = 2.7F;
  write_tensor("x.npy", x);
  const auto inside = [&](const std::string& machine) {
    const std::string out =
        tactus("compile m.onnx --compat --arch " + machine + " --check --input x.npy").out;
    const std::size_t at = out.find("\ny ");
    const std::string row = out.substr(at + 1, out.find('\n', at + 1) - at - 1);
    std::istringstream words(row);
    std::vector<std::string> fields;
    for (std::string word; words >> word;) fields.push_back(word);
    return fields.size() > 11 ? std::stoi(fields[11]) : -1;
  };
  EXPECT_GT(inside("a.tarch"), 0) << "196 times 2.7 are more than 128";
  EXPECT_EQ(inside("wide.tarch"), 0);
}

TEST_F(TensorCommand, BothEnginesAgreeOnLookupTables) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 6, 6})
      .weights("w", {8, 8, 3, 3}, 0.25F)
      .node("Conv", {"x", "w"}, {"c"})
      .node("Sigmoid", {"c"}, {"s"})
      .node("Mul", {"c", "s"}, {"m"})
      .node("Reshape", {"m", "shape"}, {"r"})
      .node("Softmax", {"r"}, {"y"}, {{"axis", std::int64_t{-1}}})
      .output("y");
  maker.constant("shape", compiler::integers({16, 8}));
  write_graph("m.onnx", maker.graph);
  nn::Tensor x = rows(8 * 6, 6, 1);
  x.shape = {1, 8, 6, 6};
  write_tensor("x.npy", x);
  const Output compiled = tactus("compile m.onnx --arch tables.tarch -o out --check");
  ASSERT_EQ(compiled.code, 0) << compiled.out << compiled.err;
  EXPECT_FALSE(exists("out/m_onnx_tables.host.onnx"));
  const nn::Tensor expected = expected_of(maker.graph, x, "y");
  std::string retired;
  for (const char* engine : {"fast", "step", "check"}) {
    const Output run = tactus(std::string("run --model out/m_onnx_tables.tmodel --input x.npy "
                                          "--output r --retire-log log --engine ") +
                              engine);
    ASSERT_EQ(run.code, 0) << engine << run.err;
    expect_near(tensor("r/y.npy"), expected, 0.03F);
    if (!retired.empty()) {
      EXPECT_EQ(read("log"), retired) << engine;
    }
    retired = read("log");
  }
  EXPECT_NE(tactus("compile m.onnx --arch tables.tarch --dump asm").out.find("LoadLUT"),
            std::string::npos);
}

/// Summary, note, .tensors.json, sweep and explanation agree on the constants that the type loses.
TEST_F(TensorCommand, CountsOfLostConstantsAreTheSameInEachPlace) {
  GraphMaker maker(13);
  nn::Tensor weights = nn::Tensor::zeros({8, 8});
  for (std::size_t i = 0; i < 64; ++i) {
    // One weight of each eight becomes 0, two lose more than 1 %, and five are kept.
    weights.floats[i] = i % 8 == 0 ? 0.001F : i % 8 < 3 ? 0.0255F : 0.5F;
  }
  maker.input("x", {1, 8}).constant("w", weights);
  maker.constant("b", nn::Tensor::of({8}, std::vector<float>{500, 1, 1, -300, 1, 1, 1, 200}));
  write_graph("m.onnx", maker.node("Gemm", {"x", "w", "b"}, {"y"}).output("y").graph);

  const Output compiled = tactus("compile m.onnx --arch a.tarch -o o --summary");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_NE(compiled.out.find("of 72 values: 3 saturated, 8 became 0, 16 lost more than 1 %"),
            std::string::npos)
      << compiled.out;
  EXPECT_NE(compiled.out.find("constants that saturate in FP16BP8: 3 of 8 values of \"b\""),
            std::string::npos)
      << compiled.out;
  std::uint64_t saturated = 0, vanished = 0, reduced = 0, values = 0;
  const auto written = nlohmann::json::parse(read("o/m_onnx_a.tensors.json"));
  for (const auto& loss : written.at("constant_losses")) {
    saturated += loss.at("saturated").get<std::uint64_t>();
    vanished += loss.at("became_0").get<std::uint64_t>();
    reduced += loss.at("lost_1_percent").get<std::uint64_t>();
    values += loss.at("values").get<std::uint64_t>();
  }
  EXPECT_EQ(values, 72U);
  EXPECT_EQ(saturated, 3U);
  EXPECT_EQ(vanished, 8U);
  EXPECT_EQ(reduced, 16U);

  write("s.json", R"({"name": "s", "base": {"workload": {"network": "m.onnx"},
      "board": {"name": "arty_a7_35"}}, "axes": [{"key": "compiler.strategy",
      "values": ["local-isolated"]}]})");
  ASSERT_EQ(tactus("sweep s.json -o swept").code, 0);
  const auto point = nlohmann::json::parse(read("swept/results.jsonl"));
  const auto& figures = point.at("figures");
  EXPECT_EQ(figures.at("constants_saturated"), 3);
  EXPECT_EQ(figures.at("constants_became_0"), 8);
  EXPECT_EQ(figures.at("constants_lost_1_percent"), 16);
  for (const char* name :
       {"constants_saturated", "constants_became_0", "constants_lost_1_percent"}) {
    EXPECT_NE(tactus(std::string("explain ") + name).out.find("results.csv of a sweep"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tactus
