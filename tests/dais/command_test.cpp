// tactus dais: the files that it reads and writes, its summary and its errors.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include "tests/cli/cli.h"
#include "tests/dais/golden.h"

namespace tactus {
namespace {

using dais::golden_path;

class DaisCommand : public CliTest {
 protected:
  void copy(const std::string& golden, const std::string& name) const {
    std::filesystem::copy_file(golden_path(golden), folder_ / name);
  }
  [[nodiscard]] bool same_bytes(const std::string& name, const std::string& golden) const {
    return read(name) == read_text(golden_path(golden));
  }
};

TEST_F(DaisCommand, RunsRawAndText) {
  copy("prog/m01_mlp16_16_5/prog.seed.bin", "p.bin");
  copy("prog/m01_mlp16_16_5/in.f64", "in.f64");
  for (const char* options : {"", " --executor plain", " --threads 3", " --dialect seed"}) {
    const Output raw =
        tactus(std::string("dais run p.bin --input in.f64 --output o.f64") + options);
    ASSERT_EQ(raw.code, 0) << raw.err;
    EXPECT_EQ(raw.out.rfind("256 samples in ", 0), 0U) << raw.out;
    EXPECT_NE(raw.out.find(" million samples/s\n"), std::string::npos) << raw.out;
    EXPECT_TRUE(same_bytes("o.f64", "prog/m01_mlp16_16_5/out.f64")) << options;
  }
  write("in.csv", std::string("1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
                              "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1.5\n"));
  const Output text = tactus("dais run p.bin --input in.csv");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 2);
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), ','), 8);
  EXPECT_EQ(text.err.rfind("2 samples in ", 0), 0U) << text.err;
}

TEST_F(DaisCommand, RunsPipelinesAndOldComparisons) {
  copy("pipe/c01_cmvm8x8_w4.json", "p.json");
  copy("prog/c01_cmvm8x8_w4/in.f64", "in.f64");
  ASSERT_EQ(tactus("dais run p.json --input in.f64 --output o.f64").code, 0);
  EXPECT_TRUE(same_bytes("o.f64", "prog/c01_cmvm8x8_w4/out.f64"));

  copy("prog/q01_mux_unsigned/prog.v1.bin", "q.bin");
  copy("prog/q01_mux_unsigned/in.f64", "q.f64");
  const std::string run = "dais run q.bin --input q.f64 --output o.f64 ";
  ASSERT_EQ(tactus(run).code, 0);
  EXPECT_TRUE(same_bytes("o.f64", "prog/q01_mux_unsigned/out.doc.f64"));
  ASSERT_EQ(tactus(run + "--mux v0.3").code, 0);
  EXPECT_TRUE(same_bytes("o.f64", "prog/q01_mux_unsigned/out.v041.f64"));
  ASSERT_EQ(tactus(run + "--mux v0.6").code, 0);
  EXPECT_TRUE(same_bytes("o.f64", "prog/q01_mux_unsigned/out.head.f64"));
}

TEST_F(DaisCommand, ConvertsBetweenAllForms) {
  copy("prog/h06_mux_signed/prog.seed.bin", "p.seed");
  for (const char* form : {"v0", "v1", "json", "seed"}) {
    const Output made =
        tactus(fmt::format("dais convert p.seed --to {0} --output p.{0}.bin", form));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.err, "") << form;
    EXPECT_EQ(made.out.rfind(fmt::format("p.{0}.bin: {0}, ", form), 0), 0U) << made.out;
  }
  EXPECT_TRUE(same_bytes("p.v0.bin", "prog/h06_mux_signed/prog.v0.bin"));
  EXPECT_TRUE(same_bytes("p.v1.bin", "prog/h06_mux_signed/prog.v1.bin"));
  EXPECT_TRUE(same_bytes("p.seed.bin", "prog/h06_mux_signed/prog.seed.bin"));
  ASSERT_EQ(tactus("dais convert p.json.bin --to seed --output again").code, 0);
  EXPECT_TRUE(same_bytes("again", "prog/h06_mux_signed/prog.seed.bin"));

  copy("prog/q02_mux_wrap/prog.seed.bin", "q.seed");
  const Output noted = tactus("dais convert q.seed --to v1 --output q.v1");
  EXPECT_EQ(noted.code, 0);
  EXPECT_EQ(noted.err.rfind("tactus: note: q.seed:operation 3: an operand of the mux may not fit "
                            "its 7 bits; dialect seed keeps it, v0 and v1 cut it\n",
                            0),
            0U)
      << noted.err;
}

TEST_F(DaisCommand, InfoAndDisassembly) {
  copy("prog/c01_cmvm8x8_w4/prog.v1.bin", "p.bin");
  copy("prog/c01_cmvm8x8_w4/comb.json", "p.json");
  const Output binary = tactus("dais info p.bin");
  ASSERT_EQ(binary.code, 0) << binary.err;
  EXPECT_NE(binary.out.find("file                  p.bin: binary program, dialect v1\n"),
            std::string::npos)
      << binary.out;
  EXPECT_NE(binary.out.find("operations            8 copy, "), std::string::npos) << binary.out;
  const Output json = tactus("dais info p.json");
  // Both forms have the same estimate. The JSON form also has ranges and sizes of adders.
  for (const Output* output : {&binary, &json}) {
    EXPECT_NE(output->out.find("estimated logic       317 LUT (adder size 1, "), std::string::npos)
        << output->out;
  }
  EXPECT_NE(json.out.find("da4ml's estimate      312, latency "), std::string::npos) << json.out;
  EXPECT_EQ(binary.out.find("da4ml's estimate"), std::string::npos) << binary.out;
  EXPECT_NE(json.out.find("  in0      s3.0      4 bits, -8 .. 7\n"), std::string::npos) << json.out;
  const Output text = tactus("dais disasm p.bin");
  EXPECT_EQ(text.out.rfind("# 8 inputs, 8 outputs, 62 operations, rules of dialect v1\n"
                           "v0 : s3.0 = in0\n",
                           0),
            0U)
      << text.out;
  ASSERT_EQ(tactus("dais disasm p.bin --output p.txt").code, 0);
  EXPECT_EQ(read("p.txt"), text.out);
}

TEST_F(DaisCommand, OutputsDoNotReplaceInputs) {
  const std::string why = ": would be written over a file that this command reads or writes too";
  copy("prog/m01_mlp16_16_5/prog.seed.bin", "p.seed");
  copy("prog/m01_mlp16_16_5/in.f64", "in.f64");
  const std::string before = read("p.seed");
  for (const char* command : {"convert p.seed --to v1", "disasm p.seed"}) {
    expect_error(fmt::format("dais {} --output ./p.seed", command), "./p.seed" + why);
  }
  expect_error("dais run p.seed --input in.f64 --output in.f64", "in.f64" + why);
  EXPECT_EQ(read("p.seed"), before);
}

TEST_F(DaisCommand, Help) {
  for (const char* command : {"", "info ", "run ", "disasm ", "convert "}) {
    const Output help = tactus(std::string("dais ") + command + "--help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_EQ(help.out.rfind(std::string("Usage: tactus dais ") + command, 0), 0U) << help.out;
  }
  EXPECT_EQ(tactus("dais").code, 0);
  EXPECT_EQ(tactus("dais").out, tactus("dais --help").out);
}

TEST_F(DaisCommand, Errors) {
  copy("prog/h01_copy/prog.v1.bin", "p.bin");
  copy("bad/seed_id0_fwd.bin", "bad.bin");
  copy("bad/v1_lut_oob.bin", "lut.bin");
  copy("pipe/c01_cmvm8x8_w4.json", "pipe.json");
  write("x.csv", std::string("1\n2,3\n"));
  write("four.csv", std::string("-4,-4,-4,-4\n-4,-4,3,-4\n"));
  expect_error("dais rum p.bin",
               "tactus: error: dais: unknown command \"rum\"; did you mean \"run\"?");
  expect_error("dais run p.bin",
               "tactus: error: dais run: --input F.csv, F.f64 or F.npy is missing");
  expect_error("dais run", "tactus: error: dais run: name exactly one file");
  expect_error("dais info missing.bin", "missing.bin: ");
  expect_error("dais info bad.bin --dialect seed",
               "bad.bin:operation 3: id0 7 is no earlier operation; allowed 0..2");
  expect_error("dais info bad.bin", "bad.bin: fits no dialect of DAIS");
  expect_error(
      "dais info p.bin --dialect v2",
      "tactus: error: dais info: --dialect \"v2\" is not allowed; allowed \"seed\", \"v0\", "
      "\"v1\", \"auto\"");
  expect_error("dais run p.bin --input x.csv", "x.csv:2: 2 numbers; expected 1");
  expect_error(
      "dais run p.bin --input x.txt",
      "x.txt: the name must end in .csv (decimal text), .f64 (raw doubles), .npy (NumPy) or "
      ".pb (ONNX tensor)");
  write("nan.csv", std::string("1\nnan\n"));
  expect_error("dais run p.bin --input nan.csv",
               "nan.csv:2:1: \"nan\" is not allowed; allowed are finite numbers");
  expect_error("dais run p.bin --input x.csv --mux new", "x.csv:2: 2 numbers; expected 1");
  expect_error("dais run lut.bin --input four.csv --threads 2",
               "lut.bin: operation 10: sample 1: value 24 is entry 56 of table 0; allowed 0..2");
  expect_error("dais convert pipe.json --to v1 --output o",
               "pipe.json: dialect v1 holds one program, not a pipeline; allowed json");
  expect_error("dais convert p.bin --output o",
               "tactus: error: dais convert: --to FORM is missing");
  EXPECT_FALSE(exists("o"));
}

// ---- blocks of a machine -----------------------------------------------------------------------

class DaisBlockCommand : public DaisCommand {
 protected:
  /// Writes the architecture of write_model(), N = 4, with the block "cmvm" of 8 inputs and
  /// outputs.
  void write_architecture(const std::string& program) const {
    std::string text = architecture_text();
    text.insert(text.rfind('}'),
                R"(, "dais_blocks": [{"name": "cmvm", "program": ")" + program + R"("}])");
    write("d.tarch", text);
  }
  void write_program() const {
    write("d.tasm", std::string("DataMove DRAM0(0) -> Local(0), 4\n"
                                "Dais Local(0) -> Block(cmvm) -> Acc(0), 2\n"
                                "Dais.acc Local(0) -> Block(0) -> Acc(0), 1\n"));
    ASSERT_EQ(tactus("asm d.tasm --arch d.tarch --output d.tprog").code, 0);
  }
  static constexpr const char* warning =
      "tactus: warning: DAIS block cmvm (p.json): 8 of 8 outputs can leave -128 .. 127.99609375, "
      "the range of FP16BP8, and saturate; output 0 has -335 .. 340\n";
};

TEST_F(DaisBlockCommand, InfoShowsShapeLatencyAndEstimates) {
  copy("prog/c01_cmvm8x8_w4/comb.json", "p.json");
  write_architecture("p.json");
  const Output one = tactus("info d.tarch");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("DAIS block            0: cmvm, p.json\n"
                         "  shape               8 inputs, 8 outputs: 2 vectors in, 2 out a sample\n"
                         "  latency             1 cycles (one combinational program)\n"
                         "  estimate            317 LUT, 77 bits of registers (at the outputs)\n"),
            std::string::npos)
      << one.out;
  // The same figure for the same file, beside that of da4ml: 8 inputs of 4 bits more.
  const Output alone = tactus("dais info p.json");
  EXPECT_NE(alone.out.find("estimated registers   77 bits at the outputs, as a block of a TCU has; "
                           "109 as da4ml counts, "
                           "with those at the inputs\n"),
            std::string::npos)
      << alone.out;
  EXPECT_EQ(one.err, warning);
  std::filesystem::remove(folder_ / "p.json");
  copy("pipe/c01_cmvm8x8_w4.json", "p.json");
  const Output staged = tactus("info d.tarch");
  EXPECT_NE(staged.out.find("  latency             3 cycles (pipeline of 2 stages)\n"),
            std::string::npos)
      << staged.out;
  const std::string where = "(at the inputs and behind every stage)\n";
  const Output pipeline = tactus("dais info p.json");
  const std::string title = "estimated registers   ";
  const std::size_t at = std::min(pipeline.out.find(title), pipeline.out.size() - title.size());
  const std::string bits =
      pipeline.out.substr(at + title.size(), pipeline.out.find('\n', at) + 1 - at - title.size());
  EXPECT_NE(bits.find(" bits " + where), std::string::npos) << pipeline.out;
  EXPECT_NE(
      staged.out.find(" LUT, " + bits.substr(0, bits.find(' ')) + " bits of registers " + where),
      std::string::npos)
      << staged.out << bits;
}

TEST_F(DaisBlockCommand, RunCountsAndLogs) {
  copy("prog/c01_cmvm8x8_w4/comb.json", "p.json");
  write_architecture("p.json");
  write_program();
  const Output run = tactus("run --program d.tprog --arch d.tarch --events e.txt --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, warning);
  EXPECT_NE(run.out.find("DAIS block    cmvm: 3 samples of 2 instructions\n"), std::string::npos)
      << run.out;
  const auto stats = nlohmann::json::parse(read("s.json"));
  EXPECT_EQ(stats["dais"].dump(), R"([{"block":"cmvm","instructions":2,"samples":3}])");
  EXPECT_EQ(stats["config"]["architecture"]["dais_blocks"].dump(),
            R"([{"name":"cmvm","program":"p.json"}])");
  // The table of figures explains all figures of the block. The accounting counts vectors of 4
  // lanes.
  EXPECT_TRUE(stats["figures"].contains("dais.samples"));
  const auto& accounting = stats["accounting"];
  EXPECT_EQ(accounting["instructions"]["dais"]["count"], 2);
  EXPECT_EQ(accounting["instructions"]["dais"]["vectors"], 3 * 2);
  EXPECT_EQ(accounting["instructions"]["undefined"]["count"], 0);
  EXPECT_EQ(accounting["units"]["dais"]["take"], 3 * 2);
  EXPECT_GT(accounting["lost_cycles"]["reasons"]["dais"], 0);
  const std::string events = read("e.txt");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = events.find(" DAIS b=0\n", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, 3U);
  const Output over = tactus("run --program d.tprog --arch d.tarch --stats p.json");
  EXPECT_EQ(over.code, 2);
  EXPECT_NE(over.err.find("p.json: would be written over a file"), std::string::npos) << over.err;
  write("a.tarch", architecture_text());
  expect_error("run --program d.tprog --arch a.tarch",
               "d.tprog: instruction 1: opcode 0x6 is undefined; allowed 0x0..0x4 and 0xf");
}

TEST_F(DaisBlockCommand, TimelineReportWaveformAndSamplesShowBlocks) {
  copy("prog/c01_cmvm8x8_w4/comb.json", "p.json");
  write_architecture("p.json");
  write_program();
  const Output run = tactus(
      "run --program d.tprog --arch d.tarch --timeline t.json --report r.html --vcd w.vcd "
      "--samples s.tsample --sample-interval 1 --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  std::map<std::string, std::uint64_t> cycles;
  std::uint64_t instructions = 0;
  unsigned unit_track = 0, instruction_track = 0;
  const auto timeline = nlohmann::json::parse(read("t.json")).at("traceEvents");
  for (const auto& e : timeline) {
    if (e.at("ph") == "M" && e.at("name") == "thread_name") {
      const std::string title = e.at("args").at("name");
      if (title == "DAIS blocks") unit_track = e.at("tid");
      if (title == "DAIS blocks: instructions") instruction_track = e.at("tid");
    }
    if (e.at("ph") != "X") continue;
    if (e.at("tid") == unit_track) {
      cycles[e.at("name")] += e.at("dur").get<std::uint64_t>();
    } else if (e.at("tid") == instruction_track) {
      EXPECT_EQ(e.at("name"), "cmvm");
      EXPECT_EQ(e.at("args").at("instruction"), 1 + instructions);
      ++instructions;
    }
  }
  EXPECT_EQ(instructions, 2U);
  const auto stats = nlohmann::json::parse(read("s.json"));
  const auto& states = stats["accounting"]["units"]["dais"];
  for (const auto& [state, count] : states.items()) {
    if (state == "idle") continue;
    EXPECT_EQ(cycles[state], count.get<std::uint64_t>()) << state;
  }
  EXPECT_NE(read("r.html").find("DAIS blocks"), std::string::npos);
  EXPECT_NE(read("r.html").find("Dais instructions"), std::string::npos);
  const std::string dump = read("w.vcd");
  EXPECT_NE(dump.find("$scope module cmvm $end"), std::string::npos);
  // The signal "done" has one more bit, for the blocks.
  EXPECT_NE(dump.find("$var wire 9 "), std::string::npos);
  const Output samples = tactus("samples s.tsample --program d.tprog --arch d.tarch --json h.json");
  ASSERT_EQ(samples.code, 0) << samples.err;
  std::set<std::string> classes;
  const auto histograms = nlohmann::json::parse(read("h.json"));
  for (const auto& one : histograms.at("classes")) {
    classes.insert(one.at("name").get<std::string>());
  }
  EXPECT_EQ(classes.count("Dais"), 1U);
  EXPECT_EQ(classes.count("invalid opcode"), 0U);
  // The two instructions have 3 samples of 2 vectors each. At the head they only wait for local
  // memory.
  const auto& head = stats["accounting"]["instructions"]["dais"];
  EXPECT_EQ(head["head_cycles"], head["head_busy"]);
}

TEST_F(DaisBlockCommand, WithoutBlocksNoReportMentionsThem) {
  write_model();
  write("n.tprog", std::vector<std::uint8_t>(read("m.tprog").size(), 0));
  ASSERT_EQ(tactus("run --program n.tprog --arch a.tarch --stats s.json").code, 0);
  EXPECT_EQ(read("s.json").find("dais"), std::string::npos);
  ASSERT_EQ(tactus("run --program n.tprog --arch a.tarch --timeline t.json --report r.html "
                   "--vcd w.vcd --gtkw w.gtkw")
                .code,
            0);
  for (const char* file : {"t.json", "w.vcd", "w.gtkw"}) {
    EXPECT_EQ(read(file).find("dais"), std::string::npos) << file;
    EXPECT_EQ(read(file).find("DAIS"), std::string::npos) << file;
  }
  const Output list = tactus("run --arch a.tarch --trace-list");
  ASSERT_EQ(list.code, 0) << list.err;
  EXPECT_EQ(list.out.find("dais"), std::string::npos);
}

TEST_F(DaisBlockCommand, ErrorsInBlocksAreUserErrors) {
  copy("prog/c01_cmvm8x8_w4/comb.json", "p.json");
  write_architecture("p.json");
  write_program();
  write_architecture("q.json");
  for (const char* command : {"info d.tarch", "disasm d.tprog --arch d.tarch",
                              "run --program d.tprog --arch d.tarch", "selftest --arch d.tarch"}) {
    expect_error(command, "d.tarch:/dais_blocks/0/program: q.json: no such file");
  }
  write_architecture("p.json");
  expect_error("asm d.tasm --arch d.tarch --output p.json", "p.json: would be written over a file");
  expect_error("disasm d.tprog --arch d.tarch --output p.json",
               "p.json: would be written over a file");
  write_architecture("q.json");
  // A lookup outside its table ends the run, since the hardware defines no result for it.
  copy("bad/v1_lut_oob.bin", "q.json");
  write("d.tasm", std::string("Dais Local(0) -> Block(cmvm) -> Acc(0), 1\n"));
  ASSERT_EQ(tactus("asm d.tasm --arch d.tarch --output d.tprog").code, 0);
  expect_error("run --program d.tprog --arch d.tarch -q -q",
               "top.tcu.dais.cmvm: stage 0: operation 8: sample 0: value");
}

}  // namespace
}  // namespace tactus
