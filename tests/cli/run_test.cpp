// Output and files of tactus run.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

TEST_F(CliTest, RunWritesOutputsAndStatistics) {
  write_model();
  const Output run = tactus("run --model m.tmodel --input x.csv --output out --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(read("out/y.csv"),
            "3.0,6.0,9.0,12.0\r\n1.0,2.0,3.0,4.0\r\n-1.0,3.0,2.5,127.99609\r\n1.0,4.0,3.0,6.0\r\n");
  EXPECT_EQ(read("out/y.bin").size(), 4U * 8);

  const Json stats = Json::parse(read("s.json"));
  // One beat per vector (m = 1), latency 1; occupancies of hardware spec 12.1 and 12.5. With
  // six-byte instructions on an eight-byte stream the width adapter takes one cycle, so the first
  // instruction is at the decoder's head in cycle 2, and the stream is padded with two NoOps to
  // three whole words.
  const int mat_mul = 2 + (4 + 1 + 5) + 5 + (4 + 1 + 4);  // weights read and loaded, inputs read
  const int last_result = mat_mul + 2 * 4 + 4 - 1;        // pipeline of 2N cycles, four vectors
  const int moved = last_result + 1 + 4;                  // read, and written one cycle later
  const int stored = moved + 4;                           // local reads
  EXPECT_EQ(stats.at("last_retire"), stored + 2);
  EXPECT_EQ(stats.at("instructions_retired"), 6 + 2);
  EXPECT_EQ(stats.at("instructions"), 6);
  EXPECT_EQ(stats.at("read_beats"), Json({4, 5}));
  EXPECT_EQ(stats.at("write_beats"), Json({4, 0}));
  // Cycles from the last local read on: 1 in the host router and the Converter's queue, 1 in the
  // serializer, 1 in its register, 1 in the AXI queue to the pins, 1 to the response.
  EXPECT_EQ(stats.at("last_b0"), stored + 1 + 1 + 1 + 1 + 1);
  EXPECT_TRUE(stats.at("last_b1").is_null());
  EXPECT_EQ(stats.at("cycles"), stats.at("last_b0"));
  EXPECT_DOUBLE_EQ(stats.at("latency_ms").get<double>(), stats.at("cycles").get<double>() / 1e5);
  EXPECT_GT(stats.at("wall_seconds").get<double>(), 0);
  EXPECT_GT(stats.at("cycles_per_second").get<double>(), 0);
  EXPECT_EQ(stats.at("config").at("architecture").at("array_size"), 4);
  EXPECT_EQ(stats.at("version"), TACTUS_VERSION);
}

TEST_F(CliTest, LatencyFollowsTheClock) {
  write_model();
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --stats s.json --clock-mhz 12.5").code, 0);
  const Json stats = Json::parse(read("s.json"));
  EXPECT_DOUBLE_EQ(stats.at("latency_ms").get<double>(),
                   stats.at("cycles").get<double>() / 12.5 / 1000);
}

TEST_F(CliTest, SeveralImagesInOneCall) {
  write_model();
  write("three.csv", read("x.csv") + read("x.csv") + read("x.csv"));
  ASSERT_EQ(tactus("run --model m.tmodel --input x=three.csv --output out --stats s.json").code, 0);
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --output one").code, 0);
  const std::string one = read("one/y.bin");
  EXPECT_EQ(read("out/y.bin"), one + one + one);
  const Json stats = Json::parse(read("s.json"));
  ASSERT_EQ(stats.at("images").size(), 3U);
  for (const Json& image : stats.at("images")) EXPECT_EQ(image.at("cycles"), stats.at("cycles"));
  EXPECT_GE(stats.at("total_cycles").get<int>(), 3 * stats.at("cycles").get<int>());
}

TEST_F(CliTest, DriverModeAddsTheProbe) {
  write_model();
  const Output run =
      tactus("run --model m.tmodel --input x.csv --mode driver --output d --stats s");
  ASSERT_EQ(run.code, 0) << run.err;
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --output p --stats t").code, 0);
  EXPECT_EQ(read("d/y.bin"), read("p/y.bin"));
  const Json driver = Json::parse(read("s"));
  EXPECT_EQ(driver.at("instructions"), 6 + 2);
  EXPECT_GT(driver.at("probe").get<int>(), Json::parse(read("t")).at("last_b0").get<int>());
}

TEST_F(CliTest, DriverModeRefusesModelsThatUseTheVectorsOfTheProbe) {
  write_model();
  const std::string model = read("m.tmodel");
  const auto written = [&](const std::string& from, const std::string& to) {
    std::string text = model;
    write("o.tmodel", text.replace(text.find(from), from.size(), to));
  };
  const std::string plain = "run --model o.tmodel --input x.csv ";
  const std::string driver = plain + "--mode driver ";
  const std::string taken =
      "and the driver's completion probe takes DRAM0 vectors 254 and 255 (bytes 2032..2047) and "
      "local vector 255";
  written(R"("base": 16, "size": 4)", R"("base": 252, "size": 4)");
  expect_error(driver, "o.tmodel: output \"y\" lies in DRAM0 vectors 252..255, " + taken);
  written(R"("base": 16, "size": 4)", R"("base": 250, "size": 4)");
  EXPECT_EQ(tactus(driver).code, 0);  // ends just below the probe
  written(R"("name": "x", "base": 0)", R"("name": "x", "base": 251)");
  expect_error(driver, "o.tmodel: input \"x\" lies in DRAM0 vectors 251..254, " + taken);
  EXPECT_EQ(tactus(plain).code, 0);

  write("m.tdata", std::string(8 * 256, '\0'));
  written("\"base\": 0, \"size\": 5}]", "\"base\": 0, \"size\": 256}]");
  EXPECT_EQ(tactus(driver).code, 0);
  std::string preloading = read("o.tmodel");
  const std::string off = "\"load_consts_to_local\": false";
  write("o.tmodel",
        preloading.replace(preloading.find(off), off.size(), "\"load_consts_to_local\": true"));
  expect_error(driver, "o.tmodel: constants are copied to local vectors 0..255, " + taken);
  EXPECT_EQ(tactus(plain).code, 0);
  write_model();

  const auto program = [&](const std::string& text) {
    write("o.tasm", text);
    ASSERT_EQ(tactus("asm o.tasm --arch a.tarch --output m.tprog").code, 0);
    std::string any_size = model;
    const std::string size = "\"size\": 36";
    ASSERT_NE(any_size.find(size), std::string::npos);
    write("o.tmodel", any_size.replace(any_size.find(size), size.size(),
                                       "\"size\": " + std::to_string(read("m.tprog").size())));
  };
  program("NoOp\nDataMove Local(0) -> DRAM0(3)@4, 64\n");
  // -q -q hides the warning that the program reads unwritten local memory.
  expect_error(driver + " -q -q",
               "o.tmodel: instruction 1 writes DRAM0 bytes 2040..2047, " + taken);
  program("NoOp\nDataMove Local(0) -> DRAM0(0)@4, 64\n");  // writes vectors 0..252, below the probe
  EXPECT_EQ(tactus(driver).code, 0);
  program("Configure Dram0Offset = 1\nDataMove Local(0) -> DRAM0(0), 4\n");
  expect_error(driver + " -q -q",
               "o.tmodel: instruction 0 sets Dram0Offset to 1 and nothing sets it back");
  EXPECT_EQ(tactus(plain).code, 0);
  program(
      "Configure Dram0Offset = 1\nDataMove Local(0) -> DRAM0(0), 4\n"
      "Configure Dram0Offset = 0\n");
  EXPECT_EQ(tactus(driver).code, 0);
}

TEST_F(CliTest, SaturatedInputsAreWarnedAbout) {
  write_model();
  write("hot.csv", std::string("1,2,3,4\n0,0,300,0\n-1,0.5,-0.25,-1e3\n0,1,0,1\n"));
  write("top.csv", std::string("1,2,3,4\n0,0,127.99609375,0\n-1,0.5,-0.25,-128\n0,1,0,1\n"));
  const Output hot = tactus("run --model m.tmodel --input hot.csv --output a");
  EXPECT_EQ(hot.code, 0);
  EXPECT_EQ(hot.err,
            "tactus: warning: hot.csv: 2 numbers are outside -128..127.99609375, the range of "
            "FP16BP8, and saturated; the first in line 2, cell 3\n");
  const Output top = tactus("run --model m.tmodel --input top.csv --output b");
  EXPECT_EQ(top.err, "");
  EXPECT_EQ(read("a/y.csv"), read("b/y.csv"));
}

TEST_F(CliTest, RetireLogEventsAndDumps) {
  write_model();
  const Output run = tactus(
      "run --model m.tmodel --input x.csv --retire-log r --events e --dump dram0=d0 --dump "
      "dram1=d1 "
      "--dump local=l --dump acc=a --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string log = read("r");
  ASSERT_EQ(log.size(), 6U * 4);
  std::uint32_t last = 0;
  std::memcpy(&last, log.data() + 20, 4);
  // The log holds the program's own instructions; the statistics also count the two NoOps that pad
  // the stream.
  EXPECT_EQ(last + 2, Json::parse(read("s.json")).at("last_retire").get<std::uint32_t>());
  const std::string events = read("e");
  EXPECT_EQ(events.rfind("1 IFIRE 220400000000\n", 0), 0U) << events.substr(0, 100);
  EXPECT_NE(events.find("\n11 DEC op=2 fl=2 pc=0\n"), std::string::npos);
  EXPECT_EQ(read("d0").size(), 256U * 8);
  EXPECT_EQ(read("d1").size(), 256U * 8);
  EXPECT_EQ(read("l").size(), 256U * 8);
  EXPECT_EQ(read("a").size(), 64U * 8);
  EXPECT_EQ(read("d1").substr(0, 40), read("m.tdata"));
  EXPECT_EQ(read("a").substr(0, 32), read("d0").substr(16 * 8, 32));
}

TEST_F(CliTest, AProgramWithoutAModel) {
  write_model();
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --output out --stats m.json").code, 0);
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --dump dram0=after").code, 0);
  std::string image = read("after").substr(0, 4 * 8);  // the inputs as the host wrote them
  write("d0", image);
  const Output run = tactus(
      "run --program m.tprog --arch a.tarch --dram0 d0 --dram1 m.tdata --dump dram0=o --stats "
      "p.json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(read("o").substr(16 * 8, 32), read("out/y.bin"));
  EXPECT_EQ(Json::parse(read("m.json")).at("cycles"), Json::parse(read("p.json")).at("cycles"));
}

/// An .npy file of little-endian float32, shape [rows, columns].
std::string npy(std::size_t rows, std::size_t columns, const std::vector<float>& values) {
  std::string header = fmt::format(
      "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}\n", rows, columns);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return bytes;
}

/// The form of a file for a memory is told by its extension; what it cannot be is refused.
TEST_F(CliTest, MemoriesOfAProgramAreReadByTheirForm) {
  write_model();
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv -o out --dump dram0[0:4]=d0.csv "
                   "--dump dram0[0:4]=d0.bin --dump dram0[0:4]=d0")
                .code,
            0);
  std::vector<float> values;
  std::string numbers = read("d0.csv");
  for (std::size_t at = 0; at < numbers.size();) {
    const std::size_t end = numbers.find_first_of(",\n", at);
    values.push_back(std::stof(numbers.substr(at, end - at)));
    at = end + 1;
  }
  write("d0.npy", npy(4, 4, values));
  write("flat.npy", npy(1, 16, values));
  const std::string run = "run --arch a.tarch --program m.tprog --dram1 m.tdata -o made --dram0 ";
  for (const char* file : {"d0", "d0.bin", "d0.csv", "d0.npy"}) {
    const Output output = tactus(run + file);
    ASSERT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(read("made/dram0.csv"), read("out/y.csv")) << file;
  }
  expect_error(run + "flat.npy", "flat.npy: has shape [1,16]; allowed for a memory: [vectors,4]");
  for (const char* wrong : {"x.onnx", "x.npz", "x.json", "x.f64", "m.tmodel"}) {
    if (std::string(wrong) != "m.tmodel") write(wrong, std::string(64, 'x'));
    expect_error(run + wrong, std::string(wrong) +
                                  ": the name must end in .bin, .tdata or no "
                                  "extension (raw bytes), .csv (decimal text)");
  }
}

/// An input is named by NAME=F; a name that no input has is refused as such.
TEST_F(CliTest, InputsThatDoNotExistAreNamed) {
  write_model();
  const std::string run = "run --model m.tmodel --input ";
  expect_error(run + "X1=x.csv", "--input \"X1=x.csv\": there is no input \"X1\"; allowed \"x\"");
  expect_error(run + "x=x.csv --input unused=x.csv", "there is no input \"unused\"");
  write("a=b.csv", read("x.csv"));
  EXPECT_EQ(tactus(run + "a=b.csv").code, 0);
  EXPECT_EQ(tactus(run + "./a=b.csv").code, 0);
}

/// Unknown options: a name that is near, one that has the word as a part, or another command's.
TEST_F(CliTest, UnknownOptionsHaveSuggestions) {
  expect_error("run --clock 100", "unknown option \"--clock\"; did you mean \"--clock-mhz\"?");
  expect_error("run --optimize", "unknown option \"--optimize\"; tactus compile has --optimise");
  expect_error("run --qqqqqqqqqqqq 1", "unknown option \"--qqqqqqqqqqqq\"; see tactus run --help");
}

/// --dump writes parts of memories, as raw bytes or as numbers that --input can read.
TEST_F(CliTest, DumpsOfPartsAndAsNumbers) {
  write_model();
  const std::string run = "run --model m.tmodel --input x.csv ";
  ASSERT_EQ(
      tactus(run + "-o out --dump dram0=all --dump dram0[16:20]=part --dump dram0[16:20]=y.csv "
                   "--dump acc=acc.csv --dump acc[0:2]=two.csv")
          .code,
      0);
  EXPECT_EQ(read("part"), read("all").substr(16 * 8, 4 * 8));
  EXPECT_EQ(read("part"), read("out/y.bin"));
  EXPECT_EQ(read("y.csv"), read("out/y.csv"));
  EXPECT_EQ(read("acc.csv").rfind(read("two.csv"), 0), 0U);
  const std::string acc = read("acc.csv"), two = read("two.csv");
  EXPECT_EQ(std::count(acc.begin(), acc.end(), '\n'), 64);
  EXPECT_EQ(std::count(two.begin(), two.end(), '\n'), 2);
  const auto refused = [&](const std::string& dump, const std::string& text) {
    expect_error(run + "--dump " + dump, text);
  };
  refused("acc[60:65]=f", "--dump acc[60:65]: the memory has vectors 0..63");
  refused("acc[64:65]=f", "the memory has vectors 0..63");
  refused("acc[0:0]=f", "\"[0:0]\" is not [BEGIN:END]");
  refused("acc[4:2]=f", "is not [BEGIN:END], the first vector and the one behind the last");
  refused("acc[1]=f", "is not [BEGIN:END]");
  refused("acc[1:2=f", "is not [BEGIN:END]");
  refused("acc[-1:2]=f", "is not [BEGIN:END]");
  refused("arc[0:1]=f", "allowed memories: dram0, dram1, local, acc");
  refused("acc[0:1]=", "is not MEMORY=F or MEMORY[BEGIN:END]=F");
  EXPECT_FALSE(exists("f"));
}

/// For a bare program, --output writes what the program has stored to DRAM.
TEST_F(CliTest, OutputsOfAProgram) {
  write_model();
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv -o out --dump dram0[0:4]=d0").code, 0);
  const std::string run = "run --arch a.tarch --dram0 d0 --dram1 m.tdata ";
  const Output program = tactus(run + "--program m.tprog -o made");
  ASSERT_EQ(program.code, 0) << program.err;
  EXPECT_NE(program.out.find("output        dram0[16:20] in made/dram0.csv\n"), std::string::npos)
      << program.out;
  EXPECT_EQ(read("made/dram0.csv"), read("out/y.csv"));
  EXPECT_EQ(read("made/dram0.bin"), read("out/y.bin"));
  EXPECT_FALSE(exists("made/dram1.csv"));
  // The program stores with strides and to both banks.
  write("s.tasm",
        std::string("DataMove Local(0) -> DRAM1(5)@4, 3\nDataMove Local(0) -> DRAM0(2), 1\n"
                    "DataMove Local(0) -> DRAM0(9), 1\n"));
  ASSERT_EQ(tactus("asm s.tasm --arch a.tarch --output s.tprog").code, 0);
  const Output strided = tactus(run + "--program s.tprog -o made");
  EXPECT_NE(strided.out.find("dram1[5:14] in made/dram1.csv\n"), std::string::npos) << strided.out;
  EXPECT_NE(strided.out.find("dram0[2:10] in made/dram0.bin\n"), std::string::npos) << strided.out;
  // Offsets of the banks move what the program stores, also beyond the bank.
  write("o.tasm", std::string("DataMove Local(0) -> DRAM0(2), 1\nConfigure Dram0Offset = 1\n"
                              "DataMove Local(0) -> DRAM0(9), 1\n"));
  ASSERT_EQ(tactus("asm o.tasm --arch pynqz1 --output o.tprog").code, 0);
  const Output moved = tactus("run --program o.tprog --arch pynqz1 -o made");
  EXPECT_NE(moved.out.find("dram0[2:4106] in made/dram0.bin\n"), std::string::npos) << moved.out;
  write("n.tasm", std::string("MatMul.zeroes Acc(0), 1\n"));
  ASSERT_EQ(tactus("asm n.tasm --arch a.tarch --output n.tprog").code, 0);
  const Output none = tactus(run + "--program n.tprog -o nothing");
  EXPECT_NE(none.out.find("the program writes nothing to DRAM"), std::string::npos) << none.out;
  EXPECT_FALSE(exists("nothing"));
}

/// Expects that in a timeline of several units, unit u is process u + 1 and runs the images i with
/// i mod units = u.
void expect_images_by_process(const Json& timeline, unsigned images, unsigned units) {
  std::map<std::string, unsigned> process_of;
  std::map<unsigned, std::string> names;
  std::set<unsigned> with_slices;
  for (const Json& event : timeline.at("traceEvents")) {
    const auto process = event.at("pid").get<unsigned>();
    if (event.at("name") == "process_name") names[process] = event.at("args").at("name");
    if (event.value("cat", "") == "run") process_of[event.at("name")] = process;
    if (event.value("cat", "") == "busy") with_slices.insert(process);
  }
  ASSERT_EQ(process_of.size(), images);
  for (unsigned i = 0; i < images; ++i) {
    EXPECT_EQ(process_of.at("image " + std::to_string(i)), i % units + 1);
  }
  ASSERT_EQ(names.size(), units);
  for (unsigned u = 0; u < units; ++u) {
    EXPECT_EQ(names.at(u + 1), "unit " + std::to_string(u) + " (1 us is 1 cycle)");
  }
  EXPECT_EQ(with_slices.size(), units) << "each has states of its own";
}

/// Images distributed over several units give the same outputs as images run one after the other.
/// All engines give the same cycles.
TEST_F(CliTest, SeveralUnitsBehindOneMemory) {
  ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
  ASSERT_EQ(tactus("compile mlp.onnx --board zcu104 -o .").code, 0);
  const std::string run = "run mlp_onnx_zcu104.tmodel --input random:3 --images 5 ";
  const std::string energy = " --energy horowitz_45nm ";
  ASSERT_EQ(tactus(run + "-o alone --stats one.json" + energy).code, 0);
  const Output units = tactus(run + "--tcus 3 -o together --stats s.json --report p.html" + energy);
  ASSERT_EQ(units.code, 0) << units.err;
  EXPECT_NE(units.out.find("\nunits         3 behind one memory: "), std::string::npos)
      << units.out;
  EXPECT_NE(units.out.find("\nunit 2        1 image in "), std::string::npos) << units.out;
  EXPECT_NE(units.out.find("several units: not compared with hardware"), std::string::npos);
  EXPECT_NE(read("p.html").find("Units behind one memory"), std::string::npos);
  const Json stats = Json::parse(read("s.json")), one = Json::parse(read("one.json"));
  const Json& tcus = stats.at("tcus");
  EXPECT_EQ(tcus.at("count"), 3);
  EXPECT_EQ(tcus.at("alone_cycles"), one.at("cycles"));
  ASSERT_EQ(tcus.at("each").size(), 3U);
  ASSERT_EQ(stats.at("images").size(), 5U);
  for (std::size_t u = 0; u < 3; ++u) {
    std::uint64_t cycles = 0;
    for (std::size_t i = u; i < 5; i += 3) {
      cycles += stats.at("images").at(i).at("cycles").get<std::uint64_t>();
    }
    EXPECT_EQ(tcus.at("each").at(u).at("cycles"), cycles) << "unit " << u;
    EXPECT_EQ(tcus.at("each").at(u).at("images"), u < 2 ? 2 : 1);
  }
  EXPECT_FALSE(one.contains("tcus"));
  // Energy, power and area are those of all units and images.
  const Json &all = stats.at("energy"), &first = one.at("energy");
  EXPECT_EQ(all.at("units"), 3);
  EXPECT_EQ(all.at("images"), 5);
  double sum = 0;
  for (const Json& image : stats.at("images")) {
    sum += image.at("energy").at("total").get<double>();
  }
  EXPECT_NEAR(all.at("total").get<double>(), sum, 1e-6 * sum);
  EXPECT_NEAR(all.at("per_image").get<double>(), sum / 5, 1e-6 * sum);
  EXPECT_NEAR(all.at("area").at("total").get<double>(),
              3 * first.at("area").at("total").get<double>(), 1e-3);
  std::uint64_t longest = 0;  // cycles of the unit that ends last, at 100 MHz; pJ / us = uW
  for (const Json& unit : tcus.at("each")) {
    longest = std::max(longest, unit.at("cycles").get<std::uint64_t>());
  }
  EXPECT_NEAR(all.at("power_mw").get<double>(), sum / (static_cast<double>(longest) / 100) / 1e3,
              1e-6 * all.at("power_mw").get<double>());
  EXPECT_FALSE(first.contains("units"));
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "alone")) {
    const std::string name = file.path().filename().string();
    EXPECT_EQ(read("alone/" + name), read("together/" + name)) << name;
  }
  ASSERT_EQ(tactus(run + "--tcus 3 --engine step --stats step.json").code, 0);
  EXPECT_EQ(Json::parse(read("step.json")).at("tcus"), tcus);
  ASSERT_EQ(tactus(run + "--tcus 3 --timeline t.json --engine check=10 --stats check.json").code,
            0);
  EXPECT_EQ(Json::parse(read("check.json")).at("tcus"), tcus);
  expect_images_by_process(Json::parse(read("t.json")), 5, 3);
  expect_error(run + "--tcus 6", "tcus 6: there are 5 runs to deal out");
  expect_error(run + "--tcus 2 --memory fixed",
               "units behind a memory of fixed latency do not slow each other down");
  expect_error(run + "--tcus 65", "allowed: a whole number 1..64");
  expect_error("run mlp_onnx_zcu104.tmodel --input random:3 --images 64 --tcus 64",
               "do not fit the DRAM");
}

TEST_F(CliTest, TheSummaryNamesTheFilesOfWaveformAndTimeline) {
  write_model();
  const Output run = tactus("run m.tmodel --input x.csv --timeline t.json --vcd w.vcd");
  ASSERT_EQ(run.code, 0) << run.err;
  std::size_t events = 0;  // without the names of processes and threads
  const Json timeline = Json::parse(read("t.json"));
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.at("ph") != "M") ++events;
  }
  EXPECT_NE(run.out.find(fmt::format("\ntimeline      {} events, 0.0 MB in t.json\n", events)),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find(" in w.vcd\n"), std::string::npos) << run.out;
  EXPECT_EQ(tactus("run m.tmodel --input x.csv").out.find("timeline"), std::string::npos);
}

/// A run ended by a signal prints and writes its figures so far, marked as incomplete.
TEST_F(CliTest, AnInterruptedRunWritesWhatItHas) {
  write_model();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(tactus("run m.tmodel --input x.csv -o one").code, 0);
  const auto one_run = std::chrono::steady_clock::now() - start;
  std::vector<std::string> command = words(
      "run m.tmodel --input x.csv --images 100000 --feed-gap 1000 -o out --stats s.json "
      "--report p.html --layers-csv l.csv --regions 2");
  command.insert(command.begin(), TACTUS_BINARY);
  Process process(command, Process::Files{folder_, folder_ / "o", folder_ / "e"});
  for (int i = 0; i < 600 && !exists("out"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  // The first image has to finish, on a slow host too.
  std::this_thread::sleep_for(std::chrono::seconds(1) + 3 * one_run);
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 128 + SIGINT) << read("e");
  EXPECT_NE(read("e").find("tactus: interrupted by a signal after "), std::string::npos)
      << read("e");
  EXPECT_NE(read("o").find("\ninterrupted   in run "), std::string::npos) << read("o");
  const Json stats = Json::parse(read("s.json"));
  EXPECT_EQ(stats.at("interrupted"), true);
  EXPECT_LT(stats.at("images").size(), 100000U);
  EXPECT_EQ(stats.at("images").at(0).at("end"), "finished");
  EXPECT_EQ(read("out/y.csv"), read("one/y.csv"));
  EXPECT_NE(read("p.html").find("was interrupted in run "), std::string::npos);
  EXPECT_TRUE(exists("l.csv"));
}

/// An interrupted run of several units keeps the images before the first unfinished one.
TEST_F(CliTest, AnInterruptedRunOfUnitsWritesWhatItHas) {
  ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
  ASSERT_EQ(tactus("compile mlp.onnx --board zcu104 -o .").code, 0);
  std::vector<std::string> command = words(
      "run mlp_onnx_zcu104.tmodel --input random:1 --images 100000 --tcus 2 -o out --stats s.json");
  command.insert(command.begin(), TACTUS_BINARY);
  Process process(command, Process::Files{folder_, folder_ / "o", folder_ / "e"});
  for (int i = 0; i < 600 && !exists("out"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 128 + SIGINT) << read("e");
  EXPECT_NE(read("e").find("tactus: interrupted by a signal after "), std::string::npos)
      << read("e");
  EXPECT_EQ(read("e").find("max-cycles"), std::string::npos) << read("e");
  if (!exists("s.json")) return;  // interrupted before the first image had finished
  const Json stats = Json::parse(read("s.json"));
  EXPECT_EQ(stats.at("interrupted"), true);
  EXPECT_LT(stats.at("images").size(), 100000U);
  for (const Json& image : stats.at("images")) EXPECT_EQ(image.at("end"), "finished");
}

TEST_F(CliTest, TheSameInputGivesTheSameFiles) {
  write_model();
  const std::string command = "run --model m.tmodel --input x.csv --stall-percent 30 --events ";
  ASSERT_EQ(tactus(command + "a").code, 0);
  ASSERT_EQ(tactus(command + "b").code, 0);
  ASSERT_EQ(tactus(command + "c --shuffle-seed 5").code, 0);
  ASSERT_EQ(tactus(command + "d --stall-seed 2").code, 0);
  EXPECT_EQ(read("a"), read("b"));
  EXPECT_EQ(read("a"), read("c"));
  EXPECT_NE(read("a"), read("d"));
}

TEST_F(CliTest, AHangNamesWhatEachUnitWaitsFor) {
  write_model();
  write("h.tasm", std::string("SIMD O = Move(I), write Acc(3)\nMatMul Local(0) -> Acc(0), 4\n"));
  ASSERT_EQ(tactus("asm h.tasm --arch a.tarch --output h.tprog --permissive").code, 0);
  const Output run = tactus("run --program h.tprog --arch a.tarch --permissive --stats s.json");
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("the program hangs"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("accumulators: SIMD instruction (write) waits for the ALU's input vector"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(Json::parse(read("s.json")).at("end"), "hang");
}

TEST_F(CliTest, TheCycleLimitStops) {
  write_model();
  const Output run = tactus("run --model m.tmodel --input x.csv --max-cycles 20 --output out");
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("stopped at --max-cycles 20; 2 of 6 instructions retired"),
            std::string::npos)
      << run.err;
  EXPECT_FALSE(exists("out/y.csv"));
}

}  // namespace
}  // namespace tactus
