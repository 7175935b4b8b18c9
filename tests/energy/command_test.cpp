// Energy on the command line: counts equal those of the statistics, and every energy is shown with
// its table's name.
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Each event has a different price, so that a wrong event gives a wrong sum.
const std::string prices = R"({"name": "mine", "source": "made up", "unit": "relative",
  "events": {"mac": 1, "simd_lane": 3, "local_read": 5, "local_write": 7, "accumulator_read": 11,
             "accumulator_write": 13, "dram_read": {"value": 17, "per_bits": 8},
             "dram_write": {"value": 19, "per_bits": 8}, "instruction": 23},
  "static_per_cycle": 0.25})";

class EnergyCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
    write("mine.json", prices);
  }
};

TEST_F(EnergyCommand, IsWhatTheStatisticsCount) {
  const Output run = tactus(
      "run --model m.tmodel --input x.csv --regions 3 --energy mine.json --stats s.json "
      "--report r.html --layers --layers-csv l.csv");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json stats = Json::parse(read("s.json"));
  const auto of = [&](const std::string& pointer) {
    return stats.at(Json::json_pointer(pointer)).get<double>();
  };
  const auto unit = [&](const std::string& name) { return of("/accounting/units/" + name); };
  const double accumulators = unit("accumulators/access");
  const Json& events = stats.at("energy").at("by_event");
  const auto count = [&](const char* name) { return events.at(name).at("count").get<double>(); };
  EXPECT_EQ(count("mac"), of("/array_runs") * 4 * 4);
  EXPECT_EQ(count("simd_lane"), of("/alu_operations") * 4);
  EXPECT_EQ(count("local_read"), unit("local_a/read") + unit("local_b/read"));
  EXPECT_EQ(count("local_write"), unit("local_a/write") + unit("local_b/write"));
  EXPECT_EQ(count("accumulator_read") + count("accumulator_write"), accumulators);
  EXPECT_EQ(count("instruction"), of("/instructions_retired"));
  double bytes_read = 0, bytes_written = 0;
  for (const char* port : {"dram0", "dram1"}) {
    bytes_read += of(std::string("/accounting/dram/") + port + "/bytes_read");
    bytes_written += of(std::string("/accounting/dram/") + port + "/bytes_written");
  }
  const double expected = count("mac") + 3 * count("simd_lane") + 5 * count("local_read") +
                          7 * count("local_write") + 11 * count("accumulator_read") +
                          13 * count("accumulator_write") + 17 * bytes_read + 19 * bytes_written +
                          23 * count("instruction") + 0.25 * of("/cycles");
  EXPECT_GT(bytes_read, 0);
  EXPECT_DOUBLE_EQ(of("/energy/total"), expected);
  // The layers' energies add up to the total. Their static part has more cycles, since accounting
  // continues until all units are idle.
  double layers = 0;
  for (const Json& layer : stats.at("energy").at("layers")) {
    layers += layer.at("total").get<double>();
  }
  EXPECT_DOUBLE_EQ(layers - 0.25 * of("/accounting/cycles"),
                   of("/energy/total") - 0.25 * of("/cycles"));
  EXPECT_EQ(stats.at("figures").at("energy.total").at("unit"), "energy.unit");
  // Every energy is shown with its table's name.
  EXPECT_NE(run.out.find("table mine"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("energy relative (mine)"), std::string::npos) << run.out;
  EXPECT_NE(read("l.csv").find("energy relative (mine)"), std::string::npos);
  EXPECT_NE(read("r.html").find("Energy by table mine"), std::string::npos);
  EXPECT_NE(read("r.html").find("made up"), std::string::npos);
}

TEST_F(EnergyCommand, ARepeatedRunHasTheSameEnergy) {
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --energy mine.json --stats s.json").code, 0);
  std::filesystem::create_directory(folder_ / "away");
  const Output again = shell("cd away && \"$0\" run --config ../s.json --stats t.json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(read("s.json")).at("energy"),
            Json::parse(read("away/t.json")).at("energy"));
  // A path in a --config file is relative to that file.
  write("away/c.json", R"({"workload": {"model": "../m.tmodel", "inputs": {"x": "../x.csv"}},
                           "run": {"energy": "../mine.json"}})");
  const Output beside = tactus("run --config away/c.json");
  EXPECT_EQ(beside.code, 0) << beside.err;
  EXPECT_NE(beside.out.find("table mine"), std::string::npos) << beside.out;
  // Without a table no energy is shown.
  const Output plain = tactus("run --model m.tmodel --input x.csv --stats -");
  EXPECT_FALSE(Json::parse(plain.out).contains("energy"));
}

TEST_F(EnergyCommand, ComparesRunsOfOneTableOnly) {
  const std::string run = "run --model m.tmodel --input x.csv ";
  ASSERT_EQ(tactus(run + "--energy mine.json --stats a.json").code, 0);
  ASSERT_EQ(tactus(run + "--energy mine.json --read-latency 9 --stats b.json").code, 0);
  ASSERT_EQ(tactus(run + "--energy relative --stats c.json").code, 0);
  const Output same = tactus("compare a.json b.json -o p.html --json j.json");
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find("energy by table mine, relative (made up)"), std::string::npos);
  const Json json = Json::parse(read("j.json"));
  EXPECT_EQ(json.at("energy").at("total")[0], Json::parse(read("a.json")).at("energy").at("total"));
  EXPECT_EQ(json.at("energy").at("total")[1], Json::parse(read("b.json")).at("energy").at("total"));
  EXPECT_NE(read("p.html").find("mine, relative"), std::string::npos);
  const Output other = tactus("compare a.json c.json");
  EXPECT_NE(other.out.find("energies of different tables do not compare"), std::string::npos);
}

TEST_F(EnergyCommand, RefusesIncompleteTables) {
  const std::string run = "run --model m.tmodel --input x.csv --stats s.json --energy ";
  expect_error(run + "nobody", "\"nobody\" is not in");
  write("bad.json", R"({"name": "b"})");
  expect_error(run + "bad.json", "bad.json:/source: missing key");
  std::string narrow = prices;
  narrow.replace(narrow.find("\"mac\": 1"), 8, R"("mac": {"by_size": [{"up_to": 8, "value": 1}]})");
  write("narrow.json", narrow);
  expect_error(run + "narrow.json", "narrow.json:/events/mac: has no value for scalars of 16 bits");
  EXPECT_FALSE(exists("s.json"));
}

TEST_F(EnergyCommand, IsAFigureOfSweeps) {
  std::filesystem::create_directory(folder_ / "d");
  write("d/mine.json", prices);
  write("d/s.json", R"({"name": "s", "base": {"workload": {"network": "mlp"},
    "board": {"name": "zcu104", "memory_model": "fixed"}, "measure": {"images": 3}},
    "axes": [{"key": "measure.energy", "values": ["mine.json", "horowitz_45nm"]}]})");
  const Output sweep = tactus("sweep d/s.json -o r");
  ASSERT_EQ(sweep.code, 0) << sweep.err << sweep.out;
  const std::string csv = read("r/results.csv");
  for (const char* column :
       {"figures.energy.table", "figures.energy.total", "figures.energy.area.total",
        "figures.throughput.frames_per_second", "figures.throughput.latency_cycles.p95"}) {
    EXPECT_NE(csv.find(column), std::string::npos) << column;
  }
  ASSERT_EQ(tactus("report r -o p.html").code, 0);
  const std::string page = read("p.html");
  for (const char* text : {"Energy", "Throughput", "horowitz_45nm", "do not compare"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("least energy"), std::string::npos) << "of different tables";
  // If all points use one table, the page names the point that takes the least energy; a table
  // without areas has no column for them.
  write("d/e.json", R"({"name": "e", "base": {"workload": {"network": "mlp"},
    "board": {"name": "zcu104", "memory_model": "fixed"}, "measure": {"energy": "mine.json"}},
    "axes": [{"key": "board.read_latency", "values": [200, 10]}]})");
  ASSERT_EQ(tactus("sweep d/e.json -o e").code, 0);
  ASSERT_EQ(tactus("report e -o e.html").code, 0);
  const std::string one_table = read("e.html");
  EXPECT_TRUE(std::regex_search(
      one_table,
      std::regex("Point 1</a> has the lowest latency[^:]* and takes the least energy: ")))
      << one_table.substr(one_table.find("<ul class=\"best\">"), 600);
  EXPECT_EQ(one_table.find(">area"), std::string::npos);
  write("d/s.json", R"({"name": "s", "base": {"workload": {"network": "mlp"},
    "board": {"name": "zcu104"}, "measure": {"energy": "none.json"}},
    "axes": [{"key": "workload.seed", "values": [1]}]})");
  expect_error("sweep d/s.json -o x", "d/s.json:/base/measure/energy");
}

// ---- machines with a DPAS array ------------------------------------------------------

/// D (8x16) = A (8x32) x B (32x16) in int8, and a mov of a number to 16 lanes.
const std::string kernel =
    ".version 3.6\n"
    ".kernel \"tile\"\n"
    ".decl PA v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl PB v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl PC v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl A v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl B v_type=G type=ud num_elts=128 align=GRF\n"
    ".decl D v_type=G type=d num_elts=128 align=GRF\n"
    ".decl E v_type=G type=d num_elts=16 align=GRF\n"
    ".input PA offset=64 size=8\n"
    ".input PB offset=128 size=8\n"
    ".input PC offset=192 size=8\n"
    "mov (M1, 16) E(0,0)<1> 3:d\n"
    "lsc_load_block2d.ugm (M1_NM, 1) A:d8.32x8nn flat[PA,0x1F,0x7,0x1F,0x0,0x0]\n"
    "lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[PB,0xF,0x1F,0xF,0x0,0x0]\n"
    "dpas.s8.s8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)\n"
    "lsc_store_block2d.ugm (M1_NM, 1) flat[PC,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn\n"
    "ret (M1, 1)\n";

/// The additional prices of a DPAS machine's events.
const std::string dpas_prices = R"({"name": "mine", "source": "made up", "unit": "relative",
  "events": {"mac": {"by_size": [{"up_to": 8, "value": 1}, {"value": 2}]}, "mac_float": 101,
             "simd_lane": 3, "alu_lane": 29, "local_read": 5, "local_write": 7,
             "accumulator_read": 11, "accumulator_write": 13,
             "register_read": {"value": 31, "per_bits": 512}, "register_write": 37,
             "dram_read": {"value": 17, "per_bits": 8}, "dram_write": {"value": 19, "per_bits": 8},
             "instruction": 23},
  "static_per_cycle": 0.25})";

TEST_F(EnergyCommand, OfADpasMachineIsWhatItsStatisticsCount) {
  write("k.visaasm", kernel);
  write("d.json", dpas_prices);
  const std::string run =
      "run --machine pvc --program k.visaasm --bind PA=256 --bind PB=512 --bind PC=512 ";
  const Output out = tactus(run + "--energy d.json --stats s.json --report r.html");
  ASSERT_EQ(out.code, 0) << out.err;
  const Json stats = Json::parse(read("s.json"));
  const auto of = [&](const char* name) { return stats.at(name).get<double>(); };
  const Json& events = stats.at("energy").at("by_event");
  const auto count = [&](const char* name) { return events.at(name).at("count").get<double>(); };
  EXPECT_EQ(count("mac"), 8 * 16 * 32);
  EXPECT_EQ(count("mac"), of("macs"));
  EXPECT_EQ(count("alu_lane"), 16);
  EXPECT_EQ(count("register_read"), of("grf_reads"));
  EXPECT_EQ(count("register_write"), of("grf_writes"));
  EXPECT_EQ(count("instruction"), of("instructions_retired"));
  EXPECT_FALSE(events.contains("local_read"));
  const Json& port = stats.at("accounting").at("memory").at("lsu");
  const double bytes_read = port.at("bytes_read"), bytes_written = port.at("bytes_written");
  EXPECT_GT(bytes_read, 0);
  const double expected = count("mac") + 29 * 16 + 31 * count("register_read") +
                          37 * count("register_write") + 17 * bytes_read + 19 * bytes_written +
                          23 * count("instruction") + 0.25 * of("cycles");
  EXPECT_DOUBLE_EQ(stats.at("energy").at("total").get<double>(), expected);
  EXPECT_TRUE(stats.at("figures").contains("energy.total"));
  EXPECT_NE(out.out.find("table mine"), std::string::npos) << out.out;
  EXPECT_NE(read("r.html").find("Energy by table mine"), std::string::npos);
  // Floating-point multiply-accumulates have a price of their own.
  std::string floats = kernel;
  floats.replace(floats.find("dpas.s8.s8"), 10, "dpas.hf.hf");
  floats.replace(floats.find("D v_type=G type=d "), 18, "D v_type=G type=f ");
  write("f.visaasm", floats);
  const Output other = tactus(
      "run --machine pvc --program f.visaasm --bind PA=256 --bind PB=512 --bind PC=512 "
      "--energy d.json --stats f.json");
  ASSERT_EQ(other.code, 0) << other.err;
  const Json float_events = Json::parse(read("f.json")).at("energy").at("by_event");
  EXPECT_EQ(float_events.at("mac").at("count"), 0);
  EXPECT_EQ(float_events.at("mac_float").at("count"), 8 * 16 * 16);
  EXPECT_EQ(float_events.at("mac_float").at("energy"), 101 * 8 * 16 * 16);
  // Runs of both kinds of machine can use one table and be compared.
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --energy d.json --stats t.json").code, 0);
  const Output compared = tactus("compare s.json t.json --json j.json");
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(Json::parse(read("j.json")).at("energy").at("total")[0],
            stats.at("energy").at("total"));
  write("mine.json", prices);
  expect_error(run + "--energy mine.json",
               "mine.json:/events/mac_float: missing key: a machine with a DPAS array has it");
}

TEST_F(EnergyCommand, OfProductsIsThatOfTheRuns) {
  write("d.json", dpas_prices);
  const Output run = tactus(
      "gemm --shape 40x48x64 --machine pvc --machine tcu:pynq_z1 --energy d.json --stats s.json "
      "--csv t.csv --report r.html --kernel k.visaasm");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("energy, table mine"), std::string::npos) << run.out;
  const Json stats = Json::parse(read("s.json"));
  for (const char* machine : {"pvc", "tcu:pynq_z1"}) {
    const Json& one = stats.at("products").at(0).at("runs").at(machine);
    EXPECT_EQ(one.at("energy").at("table"), "mine");
    EXPECT_GE(one.at("energy").at("by_event").at("mac").at("count"), 40 * 48 * 64);
  }
  for (const Json& machine : stats.at("machines")) {
    const Json& runs = stats.at("products").at(0).at("runs");
    EXPECT_EQ(machine.at("total").at("energy").at("total"),
              runs.at(machine.at("name").get<std::string>()).at("energy").at("total"));
  }
  EXPECT_NE(read("t.csv").find("energy.by_event.register_read.count"), std::string::npos);
  EXPECT_NE(read("r.html").find("energy, table mine"), std::string::npos);
  // With several products, energy is a column, and sums take the number of each product into
  // account.
  const Output many =
      tactus("gemm --shape 8x16x32 --shape 16x16x32 --machine pvc --energy relative");
  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_NE(many.out.find("energy, table relative"), std::string::npos) << many.out;
  expect_error("gemm --shape 8x8x8 --energy nobody", "\"nobody\" is not in");
  write("mine.json", prices);
  expect_error("gemm --shape 8x8x8 --energy mine.json", "mine.json:/events/mac_float");
  expect_error("gemm --energy relative", "--energy needs --shape");
}

TEST_F(EnergyCommand, IsAFigureOfSweepsOfProducts) {
  std::filesystem::create_directory(folder_ / "d");
  write("d/mine.json", dpas_prices);
  write("d/s.json", R"({"name": "s", "base": {"workload": {"gemm": "16x16x32"},
    "board": {"machine": "pvc"}, "measure": {"energy": "mine.json"}},
    "axes": [{"key": "board.machine", "values": ["pvc", "tcu:pynq_z1"]}]})");
  const Output sweep = tactus("sweep d/s.json -o r");
  ASSERT_EQ(sweep.code, 0) << sweep.err << sweep.out;
  EXPECT_NE(read("r/results.csv").find("figures.energy.total"), std::string::npos);
  ASSERT_EQ(tactus("report r -o p.html").code, 0);
  EXPECT_NE(read("p.html").find("made up"), std::string::npos);
  const Output compared = tactus("compare r:0 r:1");
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("energy by table mine"), std::string::npos) << compared.out;
  write("d/s.json", R"({"name": "s", "base": {"workload": {"gemm": "16x16x32"},
    "board": {"machine": "pvc"}, "measure": {"images": 4}},
    "axes": [{"key": "board.machine", "values": ["pvc"]}]})");
  expect_error("sweep d/s.json -o x", "board.machine \"pvc\" has no key \"measure.images\"");
}

// ---- throughput ---------------------------------------------------------------------------------

TEST_F(EnergyCommand, ManyImagesHaveAThroughput) {
  const Output run = tactus("run --model m.tmodel --input x.csv --images 5 --stats s.json -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json stats = Json::parse(read("s.json"));
  ASSERT_EQ(stats.at("images").size(), 5U);
  // With a memory of fixed latency, every image takes as long as the first, since the machine is
  // idle between images.
  const auto cycles = stats.at("cycles").get<std::uint64_t>();
  for (const Json& image : stats.at("images")) EXPECT_EQ(image.at("cycles"), cycles);
  const Json& rate = stats.at("throughput");
  EXPECT_EQ(rate.at("images"), 5);
  EXPECT_EQ(rate.at("latency_cycles"),
            Json({{"min", cycles}, {"median", cycles}, {"p95", cycles}, {"max", cycles}}));
  EXPECT_DOUBLE_EQ(rate.at("frames_per_second").get<double>(), 1e8 / static_cast<double>(cycles));
  EXPECT_NE(run.out.find("throughput    "), std::string::npos) << run.out;
  // The outputs hold each image of the input once, although the run repeats images.
  const std::string once = read("out/y.csv");
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv -o one").code, 0);
  EXPECT_EQ(once, read("one/y.csv"));
  EXPECT_EQ(tactus("run --config s.json --stats t.json").code, 0);
  EXPECT_EQ(Json::parse(read("t.json")).at("throughput").at("images"), 5);
  expect_error("run --program m.tprog --arch a.tarch --images 2", "--images needs a --model");
  expect_error("run --model m.tmodel --input x.csv --images 0", "--images");
}

/// The program has batch size 4, so each run computes four images; 10 images need three runs.
TEST_F(EnergyCommand, ImagesOfABatchHaveTheLatencyOfTheirRun) {
  ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
  const auto compiled = [&](const std::string& folder, const std::string& options) {
    const Output compile =
        tactus("compile mlp.onnx --board zcu104 --optimise --memory fixed -o " + folder + options);
    EXPECT_EQ(compile.code, 0) << compile.err;
    return folder + "/mlp_onnx_zcu104.tmodel";
  };
  const std::string one = compiled("one", ""), four = compiled("four", " --batch 4");
  std::string image;
  for (int i = 0; i < 32; ++i) image += i == 0 ? "1" : i < 16 ? ",0.5" : ",0";
  image += "\n";
  write("one.csv", image);
  write("four.csv", image + image + image + image);
  const auto run = [&](const std::string& model, const std::string& input,
                       const std::string& options) {
    const Output out = tactus("run --model " + model + " --input " + input +
                              " --memory fixed --energy relative " + options);
    EXPECT_EQ(out.code, 0) << out.err;
    return out.out;
  };
  const std::string text = run(four, "four.csv", "--images 10 --stats b.json --report r.html");
  const Json stats = Json::parse(read("b.json"));
  ASSERT_EQ(stats.at("images").size(), 3U);
  const auto cycles = stats.at("cycles").get<std::uint64_t>();
  const Json& rate = stats.at("throughput");
  EXPECT_EQ(rate.at("images"), 12);
  EXPECT_EQ(rate.at("batch"), 4);
  EXPECT_EQ(rate.at("latency_cycles").at("median"), cycles);
  const double ms = rate.at("latency_ms").at("median");
  EXPECT_DOUBLE_EQ(rate.at("ms_per_image").at("median").get<double>(), ms / 4);
  // The host takes 3.5 us per run.
  EXPECT_DOUBLE_EQ(rate.at("frames_per_second").get<double>(), 4 / (ms / 1e3 + 3.5e-6));
  EXPECT_DOUBLE_EQ(stats.at("energy").at("per_image").get<double>(),
                   stats.at("energy").at("total").get<double>() / 4);
  EXPECT_NE(text.find("3 runs of 4 images"), std::string::npos) << text;
  EXPECT_NE(read("r.html").find("4 a run"), std::string::npos);
  // Runs with batch size 1 and with batch size 4 can be compared.
  run(one, "one.csv", "--images 12 --stats a.json");
  const Output compared = tactus("compare a.json b.json --json j.json -o c.html");
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("throughput"), std::string::npos) << compared.out;
  const Json json = Json::parse(read("j.json"));
  EXPECT_EQ(json.at("throughput").at("batch"), Json({1., 4.}));
  EXPECT_EQ(json.at("throughput").at("images"), Json({12., 12.}));
  const auto frames = json.at("throughput").at("frames_per_second");
  EXPECT_EQ(frames[1], rate.at("frames_per_second"));
  EXPECT_GT(frames[1], frames[0]);
  EXPECT_NE(read("c.html").find("Throughput"), std::string::npos);
  const Output info = tactus("info " + four);
  EXPECT_NE(info.out.find("images of a run       4"), std::string::npos) << info.out;
  // A sweep can have the batch size as an axis.
  write("s.json", R"({"name": "s", "base": {"workload": {"network": "mlp"},
    "board": {"name": "zcu104", "memory_model": "fixed"}, "compiler": {"optimise": true},
    "measure": {"images": 10}}, "axes": [{"key": "compiler.batch", "values": [1, 4]}]})");
  const Output sweep = tactus("sweep s.json -o r");
  ASSERT_EQ(sweep.code, 0) << sweep.err << sweep.out;
  EXPECT_NE(read("r/results.csv").find("figures.throughput.ms_per_image.median"),
            std::string::npos);
  const Output points = tactus("compare r:0 r:1 --json -");
  ASSERT_EQ(points.code, 0) << points.err;
  EXPECT_EQ(Json::parse(points.out).at("throughput").at("images"), Json({10., 12.}));
}

}  // namespace
}  // namespace tactus
