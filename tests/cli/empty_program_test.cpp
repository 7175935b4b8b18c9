// Models whose program has no instructions, because the outputs have the same addresses as the
// inputs or the host computes them. Such a model takes 0 cycles and can be run, reported, swept and
// compared like any other.
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "firmware/onnx/graph.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/onnx/writer.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

nn::ValueInfo info_of(const std::string& name, const nn::Shape& shape,
                      nn::ElementType type = nn::ElementType::float32) {
  nn::ValueInfo info{name, type, 0, std::vector<nn::Dimension>()};
  for (const std::int64_t size : shape) info.dims->push_back({size, ""});
  return info;
}

/// A graph with one node that reads "x" and writes "y".
nn::Graph one_node(const std::string& op, const nn::Shape& from, const nn::Shape& to) {
  nn::Graph graph;
  graph.file = graph.name = "one";
  graph.ir_version = 7;
  graph.opset = 13;
  nn::Node node;
  node.name = "n";
  node.op_type = op;
  node.inputs = {"x"};
  node.outputs = {"y"};
  graph.nodes.push_back(std::move(node));
  graph.inputs.push_back(info_of("x", from));
  graph.outputs.push_back(info_of("y", to));
  return graph;
}

class EmptyProgram : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    nn::Tensor x = nn::Tensor::zeros({1, 6});
    for (std::size_t i = 0; i < x.floats.size(); ++i) x.floats[i] = static_cast<float>(i) / 4;
    nn::write_tensor((folder_ / "x.npy").string(), "x", x);
  }

  void write_graph(const std::string& file, const nn::Graph& graph) const {
    write(file, nn::write_graph(graph));
  }
  void write_identity() const { write_graph("id.onnx", one_node("Identity", {1, 6}, {1, 6})); }
  /// Compiles the network to "out/NAME_onnx_zcu104.tmodel".
  void compile(const std::string& name) const {
    const Output made = tactus("compile " + name + ".onnx --board zcu104 -o out");
    ASSERT_EQ(made.code, 0) << made.err;
    ASSERT_EQ(read("out/" + name + "_onnx_zcu104.tprog"), "");
  }
  [[nodiscard]] std::vector<float> output(const std::string& file) const {
    return nn::read_tensor((folder_ / file).string()).tensor.floats;
  }
};

/// The test runs every engine, with every file that a run can write.
TEST_F(EmptyProgram, CopiesItsInputsInNoCycles) {
  write_identity();
  compile("id");
  for (const std::string engine : {"fast", "step", "check"}) {
    const Output run = tactus(
        "run --model out/id_onnx_zcu104.tmodel --input x.npy --output o --engine " + engine +
        " --stats s.json --report r.html --timeline t.json --vcd w.vcd --events e.txt --layers "
        "--retire-log l.bin --energy horowitz_45nm --images 3");
    ASSERT_EQ(run.code, 0) << engine << run.err;
    EXPECT_NE(run.out.find("cycles        0 = 0 us at "), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("nan"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("inf"), std::string::npos) << run.out;
    EXPECT_EQ(output("o/y.npy"), (std::vector<float>{0, 0.25, 0.5, 0.75, 1, 1.25})) << engine;
    const Json stats = Json::parse(read("s.json"));
    EXPECT_EQ(stats.at("cycles"), 0);
    EXPECT_EQ(stats.at("accounting").at("cycles"), 0);
    EXPECT_EQ(stats.at("instructions"), 0);
    EXPECT_TRUE(stats.at("array_busy").is_null());
    EXPECT_TRUE(stats.at("accounting").at("lost_cycles").at("share").is_null());
    EXPECT_TRUE(stats.at("useful_mac").is_null());
    EXPECT_TRUE(stats.at("accounting").at("roofline").at("busy").at("share_of_roof").is_null());
    EXPECT_EQ(stats.at("energy").at("total"), 0);
    EXPECT_NE(read("r.html").find("The program has no instructions"), std::string::npos);
    EXPECT_EQ(read("e.txt"), "");
    EXPECT_EQ(read("l.bin"), "");
    EXPECT_NO_THROW((void)Json::parse(read("t.json")));
    EXPECT_NE(read("w.vcd").find("$enddefinitions"), std::string::npos);
  }
}

TEST_F(EmptyProgram, ANetworkMayBeComputedByTheHostAlone) {
  write_graph("soft.onnx", one_node("Softmax", {1, 6}, {1, 6}));
  compile("soft");
  const Output run = tactus("run --model out/soft_onnx_zcu104.tmodel --input x.npy --output o");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<float> values = output("o/y.npy");
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += std::exp(i / 4.0);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(values.at(i), std::exp(static_cast<double>(i) / 4) / sum, 0.002);
  }
}

/// The throughput is limited by the host alone.
TEST_F(EmptyProgram, ItsThroughputIsThatOfTheHost) {
  write_identity();
  compile("id");
  const auto rate = [this](const std::string& model) {
    const Output run = tactus("run --model " + model + " --input x.npy --images 4 --stats s.json");
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(read("s.json")).at("throughput").at("frames_per_second");
  };
  // The board's host takes 3.5 us per run. Without a board the host takes no time.
  EXPECT_DOUBLE_EQ(rate("out/id_onnx_zcu104.tmodel").get<double>(), 1e6 / 3.5);
  const std::string arch = std::string(TACTUS_SOURCE_DIR) + "/configs/arch/pynqz1.tarch";
  ASSERT_EQ(tactus("compile id.onnx --arch " + arch + " -o bare").code, 0);
  EXPECT_TRUE(rate("bare/id_onnx_pynqz1.tmodel").is_null());
}

/// Driver mode adds the two instructions of the probe.
TEST_F(EmptyProgram, RunsInDriverMode) {
  write_identity();
  compile("id");
  const Output run =
      tactus("run --model out/id_onnx_zcu104.tmodel --input x.npy --mode driver --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GT(Json::parse(read("s.json")).at("cycles"), 0);
}

/// An empty program file is refused unless the model says that its size is 0.
TEST_F(EmptyProgram, AnEmptyFileNeedsASizeOfZeroInTheModel) {
  write_model();
  write("m.tprog", std::string());
  expect_error("run --model m.tmodel --input x=x.csv", "the program is truncated");
  write("m.tmodel",
        std::regex_replace(read("m.tmodel"), std::regex(R"((m\.tprog"), "size": \d+)"), "$1"));
  expect_error("run --model m.tmodel --input x=x.csv", "m.tprog: the program is empty");
}

TEST_F(EmptyProgram, OtherCommandsAcceptIt) {
  write_identity();
  const Output made =
      tactus("compile id.onnx --board zcu104 -o out --check --summary --layers --dump asm");
  ASSERT_EQ(made.code, 0) << made.err;
  for (const char* wrong : {"nan", "inf "}) {
    EXPECT_EQ(made.out.find(wrong), std::string::npos) << made.out;
  }
  for (const std::string& command : std::vector<std::string>{
           "info out/id_onnx_zcu104.tmodel", "estimate out/id_onnx_zcu104.tmodel",
           "disasm out/id_onnx_zcu104.tmodel",
           "compile id.onnx --board zcu104 --optimise --summary"}) {
    const Output output = tactus(command);
    EXPECT_EQ(output.code, 0) << command << output.err;
  }
}

class EmptyPoint : public EmptyProgram {
 protected:
  /// Runs a sweep, with results in folder "r", of one network with instructions and one without.
  void sweep(const std::string& options = "") const {
    write_identity();
    write("s.json", R"({"name": "mix",
      "base": {"board": {"name": "zcu104"}, "measure": {"energy": "horowitz_45nm", "images": 2}},
      "axes": [{"key": "workload.network", "values": ["mlp", "id.onnx"]}]})");
    const Output swept = tactus("sweep s.json -o r " + options);
    ASSERT_EQ(swept.code, 0) << swept.out << swept.err;
  }
};

TEST_F(EmptyPoint, IsInReportsAndComparisons) {
  sweep();
  std::size_t empty = 0;
  std::istringstream lines(read("r/results.jsonl"));
  for (std::string text; std::getline(lines, text);) {
    const Json line = Json::parse(text);
    if (line.at("point") != 1) continue;
    ++empty;
    const Json& figures = line.at("figures");
    EXPECT_EQ(figures.at("cycles"), 0);
    EXPECT_EQ(figures.at("latency_ms"), 0);
    for (const char* none : {"frames_per_second", "array_busy", "useful_mac"}) {
      EXPECT_TRUE(figures.at(none).is_null()) << none;
    }
  }
  EXPECT_EQ(empty, 1U);
  const Output report = tactus("report r -o r.html");
  ASSERT_EQ(report.code, 0) << report.err;
  const std::string page = read("r.html");
  EXPECT_NE(page.find("At 1 point the program has no instructions"), std::string::npos);
  EXPECT_NE(page.find("<span id=\"p1\">1</span>"), std::string::npos);
  for (const char* wrong : {"nan", "inf<", "inf "}) {
    EXPECT_EQ(page.find(wrong), std::string::npos) << wrong;
  }
  EXPECT_EQ(tactus("sweep status r").code, 0);
  for (const std::string points : {"r:0 r:1", "r:1 r:0", "r:1 r:1", "r r"}) {
    const Output compared = tactus("compare " + points + " -o c.html --json c.json");
    ASSERT_EQ(compared.code, 0) << points << compared.err;
    EXPECT_EQ(compared.out.find("nan"), std::string::npos) << compared.out;
    EXPECT_EQ(compared.out.find("inf"), std::string::npos) << compared.out;
    EXPECT_EQ(read("c.html").find("inf %"), std::string::npos);
  }
}

TEST_F(EmptyPoint, ASweepMayHaveNoOtherPoints) {
  write_identity();
  write("s.json", R"({"name": "none", "base": {"workload": {"network": "id.onnx"},
                      "board": {"name": "zcu104"}},
                      "axes": [{"key": "board.clock_mhz", "values": [100, 200]}]})");
  ASSERT_EQ(tactus("sweep s.json -o r").code, 0);
  const Output report = tactus("report r -o r.html");
  ASSERT_EQ(report.code, 0) << report.err;
  const std::string page = read("r.html");
  EXPECT_NE(page.find("At 2 points the program has no instructions"), std::string::npos);
  EXPECT_NE(page.find("All points"), std::string::npos);
  EXPECT_EQ(page.find("Every point failed"), std::string::npos);
}

TEST_F(EmptyPoint, IsARowOfBench) {
  write_identity();
  write("b.json", R"({"rows": [{"onnx": "id.onnx", "board": "zcu104"}]})");
  const Output bench = tactus("bench --config b.json --json b.out.json --csv b.csv");
  ASSERT_EQ(bench.code, 0) << bench.err;
  const Json figures = Json::parse(read("b.out.json")).at("rows").at(0).at("figures");
  EXPECT_EQ(figures.at("cycles"), 0);
  EXPECT_TRUE(figures.at("frames_per_second").is_null());
}

TEST_F(EmptyPoint, StatisticsCompare) {
  write_identity();
  compile("id");
  ASSERT_EQ(tactus("run --model out/id_onnx_zcu104.tmodel --input x.npy --stats a.json").code, 0);
  ASSERT_EQ(
      tactus("run --model out/id_onnx_zcu104.tmodel --input x.npy --mode driver --stats b.json")
          .code,
      0);
  for (const std::string runs : {"a.json b.json", "b.json a.json", "a.json a.json"}) {
    const Output compared = tactus("compare " + runs + " -o c.html");
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_EQ(compared.out.find("nan"), std::string::npos) << compared.out;
  }
}

}  // namespace
}  // namespace tactus
