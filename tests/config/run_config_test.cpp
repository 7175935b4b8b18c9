// tactus run --print-config and --config, tactus explain, and the help: what the program does with
// the parameter tables.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/simulation_parameters.h"
#include "isa/support/board_values.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture_table.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

const std::string run_model = "run --model m.tmodel --input x.csv ";

class RunConfigTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
  }

  /// Returns the statistics of a run without figures about the host.
  [[nodiscard]] Json statistics(const std::string& command) const {
    const Output output = tactus(command + " --stats s.json");
    EXPECT_EQ(output.code, 0) << command << output.err;
    Json stats = Json::parse(read("s.json"));
    for (const char* key : {"wall_seconds", "cycles_per_second"}) stats.erase(key);
    return stats;
  }

  [[nodiscard]] Json print_config(const std::string& command) const {
    const Output output = tactus(command + " --print-config");
    EXPECT_EQ(output.code, 0) << command << output.err;
    write("c.json", output.out);
    return Json::parse(output.out);
  }

  void expect_round_trip(const std::string& command) const {
    Json direct = statistics(command);
    const Json printed = print_config(command);
    Json again = statistics("run --config c.json");
    // The two runs name the same file by different paths.
    for (const char* key : {"model", "program"}) {
      for (Json* stats : {&direct, &again}) {
        Json& config = stats->at("config");
        if (!config.contains(key)) continue;
        const std::string path = config.at(key);
        config[key] = path.substr(path.rfind('/') + 1);
      }
    }
    EXPECT_EQ(direct.dump(), again.dump()) << command;
    EXPECT_EQ(print_config("run --config c.json"), printed) << command;
  }

  void write_board(const std::string& more = "") const {
    write("b.json", R"({"name": "b", "title": "B", "architecture": "a.tarch", "clock_mhz": 50,
                        "axi_data_bits": 32, "read_latency": 20, "write_latency": 5)" +
                        more + "}");
  }
};

TEST_F(RunConfigTest, APrintedConfigurationRepeatsTheRun) {
  write_board();
  write("d.bin", std::string(64, '\1'));
  expect_round_trip(run_model);
  expect_round_trip(run_model + "--read-latency 9 --axi-data-bits 32 --mode driver");
  expect_round_trip(run_model + "--board b.json --write-latency 7 --clock-mhz 12.5");
  expect_round_trip(run_model + "--stall-percent 30 --stall-seed 5 --feed-gap 2 --regions 3");
  expect_round_trip(run_model + "--engine step --decoder-timeout 7 --mac-rounding legacy");
  expect_round_trip(run_model + "--shuffle-seed 3 --max-cycles 100000");
  expect_round_trip("run --program m.tprog --arch a.tarch --dram0 d.bin --dram1 d.bin");
  expect_round_trip("run --program m.tprog --board b.json --permissive");
}

TEST_F(RunConfigTest, ThePrintedMemoryIncludesReplacedValues) {
  Json board =
      Json::parse(read_text(std::string(TACTUS_SOURCE_DIR) + "/configs/boards/zcu104_dual.json"));
  board["architecture"] = "a.tarch";
  board["axi_data_bits"] = 32;
  board.erase("provenance");
  write("b.json", board.dump());
  const std::string command =
      run_model + "--board b.json --port-data-bits 64 --interconnect-ns 12 --ddr ddr4_2400";
  const Json printed = print_config(command).at("board");
  for (const char* key : {"port_data_bits", "interconnect_ns", "ddr", "port_clock_mhz"}) {
    EXPECT_FALSE(printed.contains(key)) << key;
  }
  const Json& memory = printed.at("memory");
  EXPECT_EQ(memory.at("paths").at("hp2").at("data_bits"), 64);
  EXPECT_EQ(memory.at("paths").at("hp2").at("interconnect_ns").dump(), "[12.0,12.0]");
  EXPECT_EQ(memory.at("paths").at("hp2").at("clock_ratio"), "29/9");
  EXPECT_EQ(memory.at("ddr").at("preset"), "ddr4_2400");
  const Json direct = statistics(command);
  (void)print_config(command);
  EXPECT_EQ(statistics("run --config c.json").at("cycles"), direct.at("cycles"));

  // Errors about options without effect name the file or option.
  const auto error = [this](const std::string& options) {
    const Output output = tactus(run_model + options);
    EXPECT_EQ(output.code, 2) << options;
    return output.err;
  };
  EXPECT_NE(error("--board b.json --ddr ddr4_2400 --read-latency 20")
                .find("--ddr has no effect with the memory of fixed latency, which "
                      "--read-latency chooses"),
            std::string::npos);
  EXPECT_NE(error("--board b.json --memory fixed --port-data-bits 64")
                .find("--port-data-bits has no effect with the memory of fixed latency, which "
                      "--memory fixed chooses"),
            std::string::npos);
  EXPECT_NE(error("--port-data-bits 64").find("--port-data-bits needs the board's memory: a board"),
            std::string::npos);
  EXPECT_NE(error("--board b.json --ddr ddr4_240").find("error: --ddr: \"ddr4_240\" is not in "),
            std::string::npos);
  board["memory"]["base"]["dram1"] = "0x40000000";
  board["memory_model"] = "fixed";
  write("b.json", board.dump());
  EXPECT_NE(
      error("--board b.json --memory board").find("b.json:/memory/base/dram1: the bank takes"),
      std::string::npos);
}

TEST_F(RunConfigTest, AModelWhoseBoardLacksItsMemoryIsRefused) {
  Json model = Json::parse(read("m.tmodel"));
  model["board"] = {{"name", "b"},       {"clock_mhz", 100},   {"axi_data_bits", 32},
                    {"read_latency", 1}, {"write_latency", 1}, {"memory_model", "board"}};
  write("m.tmodel", model.dump());
  const Output output = tactus(run_model);
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.err.find("m.tmodel:/board/memory: missing key; memory_model \"board\" needs it"),
            std::string::npos)
      << output.err;
}

TEST_F(RunConfigTest, PathsStartAtTheFileAndOptionsWin) {
  std::filesystem::create_directory(folder_ / "sub");
  write("sub/c.json", R"({"workload": {"model": "../m.tmodel", "inputs": {"x": "../x.csv"}},
                          "run": {"stall_percent": 20}, "board": {"read_latency": 9}})");
  const Json all = statistics("run --config sub/c.json");
  EXPECT_EQ(all.at("config").at("read_latency_cycles"), 9);
  EXPECT_EQ(all.at("config").at("stall_percent"), 20);
  const Json less = statistics("run --config sub/c.json --read-latency 1 --stall-percent 0");
  EXPECT_EQ(less.at("cycles"), statistics(run_model).at("cycles"));
  write("y.csv", read("x.csv") + read("x.csv"));
  EXPECT_EQ(statistics("run --config sub/c.json --input y.csv").at("images").size(), 2U);
}

TEST_F(RunConfigTest, EveryParameterIsPrintedAndTaken) {
  write_board();
  const Json printed = print_config(run_model + "--shuffle-seed 1 --max-cycles 9 --regions 2");
  for (const auto& p : tcu::architecture_parameters()) {
    if (p.type != ParameterType::other && !p.optional) {
      EXPECT_TRUE(printed.at("architecture").contains(p.key)) << p.key;
    }
  }
  for (const auto& p : board_parameters()) {
    if (p.optional && p.key != "memory_model" && p.key != "stream_model")
      continue;  // printed only if it has a value
    EXPECT_TRUE(printed.at("board").contains(p.key)) << p.key;
  }
  for (const auto& p : simulation_parameters()) {
    EXPECT_TRUE(printed.at("run").contains(p.key)) << p.key;
  }
}

/// Returns a value beyond the range, as text that is also JSON for numbers.
std::string too_much(const ParameterInfo& p) {
  if (p.type == ParameterType::whole) return std::to_string(p.whole.max + 1);
  return p.type == ParameterType::real ? "1e9" : "nonsense";
}

TEST_F(RunConfigTest, EveryValueOutOfRangeIsRefusedByFileAndOption) {
  const auto expect = [this](const std::string& section, const ParameterInfo& p) {
    Json json;
    const std::string wrong = too_much(p);
    json[section][p.key] = p.type == ParameterType::choice ? Json(wrong) : Json::parse(wrong);
    write("c.json", json.dump());
    expect_error(run_model + "--config c.json", "c.json:/" + section + "/" + p.key + ": ");
    expect_error(run_model + "--config c.json", "allowed " + p.range());
    if (p.option.empty()) return;
    expect_error(run_model + "--" + p.option + " " + wrong, "--" + p.option + " \"" + wrong + "\"");
  };
  for (const auto& p : board_parameters()) {
    const bool ranged = p.type != ParameterType::text && p.type != ParameterType::other;
    if (ranged) expect("board", p);
  }
  for (const auto& p : simulation_parameters()) expect("run", p);
}

TEST_F(RunConfigTest, WrongFilesAreRefusedWithTheirPath) {
  const auto expect = [this](const std::string& json, const std::string& text) {
    write("c.json", json);
    expect_error(run_model + "--config c.json", text);
  };
  expect(R"({"rnu": {}})", "c.json:/rnu: unknown key; did you mean \"run\"?");
  expect(R"({"run": {"engin": "step"}})",
         "c.json:/run/engin: unknown key; did you mean \"engine\"?");
  expect(R"({"board": {"read_latncy": 3}})", "did you mean \"read_latency\"?");
  expect(R"({"board": {"name": "zcu14"}})", "did you mean \"zcu104\"?");
  Json other = print_config(run_model);
  Json misspelt = other;
  misspelt["architecture"]["array_siz"] = 4;
  expect(misspelt.dump(), "c.json:/architecture/array_siz: unknown key");
  other["architecture"]["array_size"] = 8;
  expect(other.dump(),
         "c.json: the model was compiled for another architecture; (model, file) "
         "differ in: array_size (4, 8)");
  write("c.json", R"({"workload": {"model": "m.tmodel", "inputs": {"z": "x.csv"}}})");
  expect_error("run --config c.json", "c.json:/workload/inputs: the model has no input \"z\"");
  expect_error("run --config none.json", "none.json");
}

TEST_F(RunConfigTest, ANamedBoardSuppliesKeysMissingInTheFile) {
  write_board();
  write("c.json", R"({"workload": {"model": "m.tmodel", "inputs": {"x": "x.csv"}},
                      "board": {"name": "./b.json", "write_latency": 7}})");
  const Json config = statistics("run --config c.json").at("config");
  EXPECT_EQ(config.at("board"), "b");
  EXPECT_EQ(config.at("read_latency_cycles"), 20);
  EXPECT_EQ(config.at("write_latency_cycles"), 7);
  EXPECT_EQ(config.at("clock_mhz"), 50);
  EXPECT_EQ(config.at("axi_data_bits"), 32);
}

// ---- the board of a model -----------------------------------------------------------------------

TEST_F(RunConfigTest, AModelRemembersItsBoard) {
  ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
  ASSERT_EQ(tactus("compile mlp.onnx --board arty_a7_35 -o out").code, 0);
  const std::string path = "out/mlp_onnx_arty_a7_35.tmodel";
  const Json board = Json::parse(read(path)).at("board");
  const std::string values = R"({"name":"arty_a7_35","clock_mhz":150.0,"axi_data_bits":64,)"
                             R"("read_latency":20,"write_latency":5,"memory_model":"board",)"
                             R"("stream_model":"ideal","memory":{"ports":)";
  EXPECT_EQ(board.dump().substr(0, values.size()), values);
  const auto size = Json::parse(read(path)).at("inputs").at(0).at("size").get<unsigned>();
  std::string csv;
  for (unsigned i = 0; i < size; ++i) csv += "1,2,3,4,5,6,7,8\n";
  write("v.csv", csv);
  Json one = Json::parse(read(path)).at("board");  // another board with the same architecture
  one["name"] = "other";
  one["title"] = "Other";
  one["read_latency"] = 3;
  one["architecture"] = Json::parse(read(path)).at("arch");
  write("b.json", one.dump());
  const std::string run = "run --model " + path + " --input v.csv ";
  const Json kept = statistics(run);
  const Json named = statistics(run + "--board arty_a7_35");
  EXPECT_EQ(kept.at("cycles"), named.at("cycles"));
  EXPECT_EQ(kept.at("latency_ms"), named.at("latency_ms"));
  EXPECT_EQ(kept.at("config").at("board"), "arty_a7_35");
  EXPECT_EQ(kept.at("config").at("board_of_model"), true);
  EXPECT_EQ(named.at("config").dump(), kept.at("config").dump());
  const Json other = statistics(run + "--board b.json");
  EXPECT_EQ(other.at("config").at("board_of_model"), false);
  EXPECT_EQ(other.at("config").at("read_latency_cycles"), 3);
  EXPECT_NE(tactus(run).out.find("board         arty_a7_35, which the model was compiled for\n"),
            std::string::npos);
  const Output changed = tactus(run + "--read-latency 1 --report r.html");
  EXPECT_NE(changed.out.find("changed: read_latency (20, 1)"), std::string::npos) << changed.out;
  EXPECT_NE(read("r.html").find("arty_a7_35"), std::string::npos);
  expect_round_trip(run);

  // Models compiled with --arch only, or with --compat, name no board.
  ASSERT_EQ(tactus("compile mlp.onnx --arch a.tarch -o plain").code, 0);
  EXPECT_FALSE(Json::parse(read("plain/mlp_onnx_a.tmodel")).contains("board"));
  ASSERT_EQ(tactus("compile mlp.onnx --board arty_a7_35 --compat -o compat").code, 0);
  EXPECT_FALSE(Json::parse(read("compat/mlp_onnx_arty_a7_35.tmodel")).contains("board"));
}

// ---- options ------------------------------------------------------------------------------------

TEST_F(RunConfigTest, HelpAndExplainKnowEveryParameter) {
  const std::string help = tactus("run --help").out;
  for (const auto& table : {board_parameters().section(), simulation_parameters().section()}) {
    const std::string topic = table.name == "board" ? "board" : "run";
    const std::string explained = tactus("explain " + topic).out;
    const std::string markdown = tactus("explain --markdown " + topic).out;
    for (const ParameterInfo& p : table.parameters) {
      if (!p.option.empty()) {
        EXPECT_NE(help.find("--" + p.option + " "), std::string::npos) << p.key;
      }
      EXPECT_NE(explained.find("\n" + p.key + "  "), std::string::npos) << p.key;
      EXPECT_NE(explained.find(p.sentence), std::string::npos) << p.key;
      EXPECT_NE(markdown.find("| `" + p.key + "` |"), std::string::npos) << p.key;
    }
  }
  const std::string architecture = tactus("explain architecture").out;
  for (const auto& p : tcu::architecture_parameters()) {
    EXPECT_NE(architecture.find("\n" + p.key + "  "), std::string::npos) << p.key;
    EXPECT_NE(tactus("explain sweep").out.find(p.type == ParameterType::other ? "" : p.key),
              std::string::npos)
        << p.key;
  }
  EXPECT_NE(help.find("(1..1000000; default 1)"), std::string::npos) << help;
  EXPECT_EQ(help.find("18446744073709551615"), std::string::npos) << help;
  EXPECT_NE(help.find("\nBoard:\n"), std::string::npos) << help;
  EXPECT_NE(tactus("explain read_latency").out.find("board.read_latency"), std::string::npos);
}

TEST_F(RunConfigTest, ThreeWaysPrintTheHelpOfACommand) {
  const std::string help = tactus("run --help").out;
  EXPECT_EQ(tactus("run -h").out, help);
  EXPECT_EQ(tactus("help run").out, help);
  EXPECT_EQ(tactus("-h").out, tactus("--help").out);
  EXPECT_EQ(tactus("help dais run").out, tactus("dais run --help").out);
  expect_error("help rnu", "did you mean \"run\"?");
  EXPECT_EQ(tactus("bench --help").out.find("--row "), std::string::npos);
  EXPECT_EQ(tactus("sweep --help").out.find("--point "), std::string::npos);
}

TEST_F(RunConfigTest, ADashIsStandardOutputForTextsOnly) {
  const Output output = tactus(run_model + "--stats -");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(Json::parse(output.out).at("end"), "finished");
  EXPECT_NE(output.err.find("cycles  "), std::string::npos) << output.err;
  const Output events = tactus(run_model + "--events -");
  EXPECT_EQ(events.out.find("lost cycles"), std::string::npos);
  EXPECT_FALSE(events.out.empty());
  for (const char* option :
       {"--retire-log -", "--samples -", "--timeline -", "--dump local=-", "--vcd -"}) {
    expect_error(run_model + option, "write ./- for a file of that name");
  }
  EXPECT_FALSE(exists("-"));
}

TEST_F(RunConfigTest, WindowsIncludeTheirLastCycle) {
  const auto timeline = [this](const std::string& window) {
    const Output output = tactus(run_model + "--timeline t.json " + window);
    EXPECT_EQ(output.code, 0) << output.err;
    return Json::parse(read("t.json"));
  };
  // A window of one cycle is allowed; in earlier versions its end had to be later.
  double end = 0;
  const Json one_cycle = timeline("--timeline-from 12 --timeline-to 12");
  for (const Json& event : one_cycle.at("traceEvents")) {
    if (event.contains("dur")) {
      end = std::max(end, event.at("ts").get<double>() + event.at("dur").get<double>());
    }
  }
  EXPECT_EQ(end, 13);
  expect_error(run_model + "--timeline t.json --timeline-from 9 --timeline-to 8",
               "the window --timeline-from 9 --timeline-to 8 is empty");
}

TEST_F(RunConfigTest, CompileTakesTheOutputOptionsOfRun) {
  ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
  const std::string compile = "compile mlp.onnx --arch a.tarch ";
  const std::string model = "/mlp_onnx_a.tmodel";
  for (const char* way : {"-o one", "--output two", "--output=three"}) {
    ASSERT_EQ(tactus(compile + way).code, 0) << way;
  }
  for (const char* folder : {"two", "three"}) {
    EXPECT_EQ(read(folder + model), read("one" + model)) << folder;
  }
  const std::string tensor = Json::parse(read("one" + model)).at("outputs").at(0).at("name");
  ASSERT_EQ(tactus(compile + "-o four --output-tensor " + tensor).code, 0);
  EXPECT_EQ(read("four" + model), read("one" + model));
  expect_error(compile + "-o a --output " + tensor, "--output is given 2 times; once is allowed");
  expect_error(compile + "--target a", "unknown option \"--target\"");
  EXPECT_EQ(tactus(run_model + "-o out").code, 0);
  EXPECT_TRUE(exists("out/y.csv"));
}

}  // namespace
}  // namespace tactus
