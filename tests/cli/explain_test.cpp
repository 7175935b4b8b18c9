// tactus explain knows every figure of every statistics file and every column of every CSV file.
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

class ExplainTest : public CliTest {
 protected:
  void run(const std::string& command) const {
    const Output output = tactus(command);
    ASSERT_EQ(output.code, 0) << command << "\n" << output.out << output.err;
  }
  /// Expects that one call of explain knows all the names; it stops at the first unknown name.
  void expect_known(const std::set<std::string>& names, const std::string& machine = "tcu") const {
    std::vector<std::string> command{TACTUS_BINARY, "explain", "--machine", machine};
    command.insert(command.end(), names.begin(), names.end());
    const Output output = program(command);
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(output.out.find("is the name of nothing"), std::string::npos) << output.out;
  }
  /// Returns the titles of the printed table whose header begins with these words. Columns are two
  /// blanks apart.
  [[nodiscard]] std::set<std::string> titles(const std::string& command,
                                             const std::string& begin) const {
    const Output output = tactus(command);
    EXPECT_EQ(output.code, 0) << command << output.err;
    std::istringstream lines(output.out);
    std::set<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
      if (line.compare(first, begin.size(), begin) != 0) continue;
      for (std::size_t at = first; at < line.size();) {
        const std::size_t end = std::min(line.find("  ", at), line.size());
        found.insert(line.substr(at, end - at));
        at = std::min(line.find_first_not_of(' ', end), line.size());
      }
      break;
    }
    EXPECT_GT(found.size(), 1U) << command << "\n" << output.out;
    return found;
  }
  /// Returns the column names in the first lines of the files.
  [[nodiscard]] std::set<std::string> columns(const std::vector<std::string>& files) const {
    std::set<std::string> names;
    for (const std::string& file : files) {
      const std::string text = read(file);
      std::istringstream header(text.substr(0, text.find('\n')));
      for (std::string name; std::getline(header, name, ',');) names.insert(name);
    }
    EXPECT_FALSE(names.empty());
    return names;
  }
};

/// Collects the paths of all leaves, without array indices. Skips the parts of the file that
/// explain themselves or repeat the command.
void leaves(const Json& json, const std::string& path, std::set<std::string>& names) {
  if (path == "figures" || path == "rerun" || path == "config") return;
  if (!json.is_structured()) {
    names.insert(path);
    return;
  }
  for (const auto& item : json.items()) {
    const std::string below = path.empty() ? item.key() : path + "." + item.key();
    leaves(item.value(), json.is_array() ? path : below, names);
  }
}

std::set<std::string> figures_of(const std::string& text) {
  std::set<std::string> names;
  leaves(Json::parse(text), "", names);
  return names;
}

TEST_F(ExplainTest, KnowsTheStatisticsOfModels) {
  run("zoo cnn -o cnn.onnx");
  run("compile cnn.onnx --board zcu104 --optimise -o out");
  const Json model = Json::parse(read("out/cnn_onnx_zcu104.tmodel"));
  constexpr std::size_t vector_bytes = 32 * 2;
  write("x.bin", std::vector<std::uint8_t>(model.at("inputs").at(0).at("size").get<std::size_t>() *
                                           vector_bytes));
  run("run --model out/cnn_onnx_zcu104.tmodel --input x.bin --images 2 --energy horowitz_45nm "
      "--stats s.json --layers-csv l.csv");
  const std::set<std::string> names = figures_of(read("s.json"));
  for (const char* name :
       {"array_busy", "useful_mac", "macs", "accounting.roofline.useful.macs",
        "accounting.layers.useful_mac", "accounting.layers.predicted_cycles", "energy.total"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
  expect_known(names);
  const std::set<std::string> titles = columns({"l.csv"});
  EXPECT_EQ(titles.count("array busy %"), 1U);
  EXPECT_EQ(titles.count("useful MAC %"), 1U);
  EXPECT_EQ(titles.count("predicted"), 1U);
  expect_known(titles);
}

TEST_F(ExplainTest, KnowsTheTablesOfCommands) {
  write("topology.csv", std::string("Layer, M, N, K,\nfc, 36, 12, 20,\n"));
  run("topologies topology.csv --board pynq_z1 -o topologies --energy horowitz_45nm");
  run("gemm --shape 16x16x32 --machine pvc --machine tcu:pynq_z1 --csv gemm.csv --stats gemm.json "
      "--energy relative");
  write("bench.json", std::string(R"({"rows": [{"network": "mlp", "board": "zcu104",
    "published": {"latency_ms": 1, "source": "s", "date": "2022-03"},
    "measured": {"frames_per_second": 1000, "source": "s", "date": "2022-07"}}]})"));
  run("bench --config bench.json --csv bench.csv");
  write("trace.csv", std::string("time_ns,port,operation,address,bytes\n0,0,read,0,64\n"
                                 "10,0,write,4096,64\n"));
  run("dram trace.csv --ddr ddr3_1600 -o answers.csv --commands commands.csv");
  expect_known(
      columns({"topologies/topology.csv", "gemm.csv", "bench.csv", "answers.csv", "commands.csv"}));
  expect_known(figures_of(read("topologies/topology.json")));
}

TEST_F(ExplainTest, KnowsTheTablesOnTheScreen) {
  run("zoo cnn -o cnn.onnx");
  run("compile cnn.onnx --board pynq_z1 -o out");
  write("bench.json", std::string(R"({"rows": [{"network": "mlp", "board": "zcu104"},
    {"network": "mlp", "board": "zcu104", "optimise": true},
    {"network": "mlp", "board": "zcu104", "strategy": "local-consts"},
    {"network": "mlp", "board": "zcu104", "beside": "cnn", "duration": "100us"}]})"));
  write("topology.csv", std::string("Layer, M, N, K,\nfc, 36, 12, 20,\n"));
  run("zoo mlp -o mlp.onnx");
  run("compile mlp.onnx --board pynq_z1 -o out");
  const std::string serve = "run out/cnn_onnx_pynq_z1.tmodel out/mlp_onnx_pynq_z1.tmodel --tcus 2";
  std::set<std::string> all;
  for (const auto& [command, begin] : std::vector<std::pair<std::string, std::string>>{
           {"networks", "network"},
           {"boards", "board"},
           {"architectures", "architecture"},
           {"drams", "DRAM"},
           {"machines", "machine"},
           {"bench --config bench.json -j 1", "network"},
           {"bench --config bench.json -j 1", "requests that arrive"},
           {"bench --config bench.json --speed 1", "network"},
           {"compile cnn.onnx --board pynq_z1 --layers", "layer"},
           {"compile cnn.onnx --board pynq_z1 --layers --optimise", "layer"},
           {"compile cnn.onnx --board pynq_z1 --check", "tensor"},
           {"run out/cnn_onnx_pynq_z1.tmodel --layers", "layer"},
           {serve, "model"},
           {serve, "unit  MHz"},
           {"topologies topology.csv --board pynq_z1", "topology"},
           {"gemm --shape 16x16x32 --shape 8x8x8 --machine pvc --machine tcu:pynq_z1",
            "product "}}) {
    const std::set<std::string> some = titles(command, begin);
    all.insert(some.begin(), some.end());
  }
  EXPECT_GT(all.size(), 80U);
  run(serve + " --images 1 --request-log one.csv");
  run(serve + " --images 1 --unit-clocks 1=90 --request-log two.csv");
  const std::set<std::string> log = columns({"one.csv", "two.csv"});
  EXPECT_EQ(log.count("arrival") + log.count("arrival_ps"), 2U);
  all.insert(log.begin(), log.end());
  expect_known(all);
  // Registers on the bus, and words that are no names but stand in explanations.
  expect_known({"TCU_LATENCY", "MM2S_DMASR", "registers"});
  const Output word = tactus("explain hang");
  EXPECT_EQ(word.code, 0) << word.err;
  EXPECT_NE(word.out.find("why the run ended: finished, hang or cycle_limit"), std::string::npos);
  expect_error("explain ninety", "lists all");
}

TEST_F(ExplainTest, KnowsEveryOption) {
  const std::string completions = tactus("completion bash").out;
  const std::regex option("--([a-z][a-z0-9-]*)");
  std::set<std::string> names{
      std::sregex_token_iterator(completions.begin(), completions.end(), option, 1), {}};
  names.erase("help");
  EXPECT_GT(names.size(), 200U);
  expect_known(names);
  const std::string summary = tactus("explain summary").out;
  EXPECT_EQ(summary.rfind("tactus compile: --summary", 0), 0U) << summary;
}

TEST_F(ExplainTest, KnowsTheWordsOfSummaries) {
  expect_known({"DRAM0 read, data arriving", "DRAM, data on its way", "NoOps of padding",
                "row hits", "bus busy", "memory roof", "last response", "estimated energy",
                "constants lost", "for any number of images", "memPortA", "at the head", "IFIRE",
                "AR0", "FP16BP8", "zcu104", "resnet20v2", "ddr4_2133_zcu104"});
}

TEST_F(ExplainTest, KnowsTheResultsOfSweeps) {
  write("networks.json", std::string(R"({"name": "n", "base": {"board": {"name": "zcu104"},
    "workload": {"network": "mlp"}, "measure": {"images": 2, "energy": "horowitz_45nm"}},
    "axes": [{"key": "compiler.optimise", "values": [false, true]}]})"));
  run("sweep networks.json -o networks");
  write("products.json", std::string(R"({"name": "p", "base": {"board": {"machine": "pvc"},
    "workload": {"gemm": "16x16x32"}}, "axes": [{"key": "workload.seed", "values": [1, 2]}]})"));
  run("sweep products.json -o products");
  const std::string stripe = std::string(TACTUS_SOURCE_DIR) + "/configs/codesign/";
  for (const char* file : {"two_convs.stripe", "passes.json.j2"}) {
    std::filesystem::copy_file(stripe + file, folder_ / file);
  }
  write("stripe.json", std::string(R"({"name": "s", "base": {
    "workload": {"stripe": "two_convs.stripe"},
    "board": {"name": "zcu104", "axi_data_bits": 64, "memory_model": "fixed"},
    "codesign": {"passes": "passes.json.j2", "energy": "relative"}},
    "axes": [{"key": "architecture.array_size", "values": [8, 16]}]})"));
  run("codesign stripe.json -o stripe");
  const std::set<std::string> names = columns({"networks/results.csv", "networks/points.csv",
                                               "products/results.csv", "stripe/results.csv"});
  for (const char* name : {"figures.array_busy", "figures.useful_mac", "figures.macs"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
  expect_known(names);
}

TEST_F(ExplainTest, FindsEveryNameThatItPrints) {
  std::set<std::string> names{"MatMul", "simd", "Timeout", "bench"};
  for (const char* topic : {"board", "architecture", "dram", "link", "run", "sweep"}) {
    std::istringstream text(tactus(std::string("explain ") + topic).out);
    for (std::string line; std::getline(text, line);) {
      // The first line of a parameter begins with its name and ends with its default.
      if (line.find("; default ") == std::string::npos || line.front() == ' ') continue;
      names.insert(line.substr(0, line.find(' ')));
    }
  }
  EXPECT_GT(names.size(), 100U);
  expect_known(names);
  const Output one = tactus("explain board.port_clock_mhz");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out.rfind("board.port_clock_mhz  [MHz]", 0), 0U) << one.out;
}

TEST_F(ExplainTest, TellsEveryMeaningOfAName) {
  const auto expect = [this](const std::string& name, const std::vector<std::string>& parts) {
    const Output output = tactus("explain " + name);
    EXPECT_EQ(output.code, 0) << output.err;
    for (const std::string& part : parts) {
      const std::size_t at = output.out.find(part);
      EXPECT_NE(at, std::string::npos) << part << "\n" << output.out;
      EXPECT_EQ(output.out.find(part, at + 1), std::string::npos) << part << "\n" << output.out;
    }
  };
  expect("clock_mhz",
         {"board.clock_mhz  [MHz]", "; default 100; option --clock-mhz; key of sweeps\n",
          "gemm --csv: clock_mhz  [MHz]", ": serving.clock_mhz  [MHz]",
          ": serving.units.clock_mhz  [MHz]"});
  // A run and the points of a sweep have keys of the same name.
  expect("images", {"run.images  [images]", "; option --images\n", "measure.images  [images]",
                    "tactus bench: images\n"});
  expect("effort", {"compiler.effort  ", "; key of sweeps\n"});
  expect("latency_ms",
         {"results.csv of a sweep: figures.latency_ms", "bench --csv: figures.latency_ms",
          "gemm --csv: latency_ms", ": serving.models.latency_ms.*"});
  expect("array_size", {"architecture.array_size  "});
}

/// A figure and its column in a table have different names and the same explanation.
TEST_F(ExplainTest, SaysTheSameOfAFigureAndItsColumn) {
  const Output figure = tactus("explain useful_mac"), column = tactus("explain 'useful MAC %'");
  EXPECT_EQ(figure.code, 0);
  EXPECT_EQ(column.code, 0);
  for (const Output& output : {figure, column}) {
    EXPECT_NE(output.out.find("macs / (cycles x the array's multiply-accumulates a cycle)"),
              std::string::npos)
        << output.out;
  }
  // The figure is known without the prefix "figures.", as in the table that `report --csv` writes.
  EXPECT_NE(tactus("explain lost_cycles.drain").out.find("figures.lost_cycles.*"),
            std::string::npos);
  // The name of a DPAS profile selects the machine that all profiles share.
  EXPECT_EQ(tactus("explain --machine pvc asm").out, tactus("explain --machine dpas asm").out);
  expect_error("explain useful_mak", "did you mean");
}

}  // namespace
}  // namespace tactus
