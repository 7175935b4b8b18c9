// tactus compile and estimate: from a network of the zoo to a program that runs.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/onnx/tensor_files.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

class CompileTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("a.tarch", R"({"data_type": "FP16BP8", "array_size": 8, "dram0_depth": 65536,
 "dram1_depth": 65536, "local_depth": 2048, "accumulator_depth": 512, "simd_registers_depth": 1,
 "stride0_depth": 8, "stride1_depth": 8, "number_of_threads": 1, "thread_queue_depth": 8})");
    ASSERT_EQ(tactus("zoo cnn -o cnn.onnx").code, 0);
  }
};

TEST_F(CompileTest, WritesAModelThatRunsAndIsNearFloat) {
  const Output compiled =
      tactus("compile cnn.onnx --arch a.tarch -o out --summary --layers --check");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  for (const char* text :
       {"out/cnn_onnx_a.tmodel", "instructions  ", "constants  ", "DRAM0  ", "host, in all",
        "estimated latency", "formula, without memory and instruction delivery",
        "simulated latency", "est. cycles", "array busy %", "useful MAC %",
        "over the simulated cycles", "RMS errors are of the size of what"}) {
    EXPECT_NE(compiled.out.find(text), std::string::npos) << text << "\n" << compiled.out;
  }
  EXPECT_TRUE(exists("out/cnn_onnx_a.tprog"));
  EXPECT_TRUE(exists("out/cnn_onnx_a.tdata"));
  const auto model = nlohmann::json::parse(read("out/cnn_onnx_a.tmodel"));
  EXPECT_GE(model.at("layers").size(), 3U);
  std::string csv;
  const auto vectors = model.at("inputs").at(0).at("size").get<unsigned>();
  for (unsigned v = 0; v < vectors; ++v) csv += "0.5,-0.25,0.125,0,0,0,0,0\n";
  write("x.csv", csv);
  const Output run = tactus("run --model out/cnn_onnx_a.tmodel --input x.csv --axi-data-bits 64");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("accuracy      the unit is covered by recordings of the RTL; memory of "
                         "fixed latency"),
            std::string::npos)
      << run.out;

  const Output estimate = tactus("estimate out/cnn_onnx_a.tmodel --clock-mhz 150");
  ASSERT_EQ(estimate.code, 0) << estimate.err;
  for (const char* text : {"MatMul", "DataMove DRAM0 -> Local", "layer", "at 150 MHz"}) {
    EXPECT_NE(estimate.out.find(text), std::string::npos) << text << "\n" << estimate.out;
  }
}

/// --summary simulates a program that takes little time, and says what --optimise would need.
TEST_F(CompileTest, TheSummaryHasSimulatedCycles) {
  const std::string compile = "compile cnn.onnx --board zcu104 -o ";
  const Output plain = tactus(compile + "plain --summary");
  const Output optimised = tactus(compile + "optimised --summary --optimise");
  ASSERT_EQ(plain.code, 0) << plain.err;
  ASSERT_EQ(optimised.code, 0) << optimised.err;
  const auto cycles = [this](const std::string& folder) {
    const std::string file = folder + "/cnn_onnx_zcu104.tmodel";
    const auto model = nlohmann::json::parse(read(file));
    constexpr std::size_t vector_bytes = 32 * 2;
    write("x.bin", std::vector<std::uint8_t>(
                       model.at("inputs").at(0).at("size").get<std::size_t>() * vector_bytes));
    const Output run = tactus("run --model " + file + " --input x.bin --stats s.json");
    EXPECT_EQ(run.code, 0) << run.err;
    // The run is covered by recordings of the RTL and by runs measured on this board.
    EXPECT_NE(run.out.find("accuracy      the unit is covered by recordings of the RTL; memory of "
                           "board zcu104: six designs"),
              std::string::npos)
        << run.out;
    return nlohmann::json::parse(read("s.json")).at("cycles").get<std::uint64_t>();
  };
  const std::uint64_t before = cycles("plain"), after = cycles("optimised");
  ASSERT_LT(after, before);
  const auto expect = [](const Output& output, const std::string& text) {
    EXPECT_NE(output.out.find(text), std::string::npos) << text << "\n" << output.out;
  };
  expect(plain, "simulated latency         " + std::to_string(before) + " cycles = ");
  expect(optimised, "simulated latency         " + std::to_string(after) + " cycles = ");
  expect(plain, "with --optimise           " + std::to_string(after) + " cycles simulated, ");
  EXPECT_EQ(optimised.out.find("with --optimise"), std::string::npos);
}

/// For layers that only move data, the compiler says why they take instructions and which array
/// sizes need none.
TEST_F(CompileTest, ANoteSaysHowToAvoidARearrangement) {
  ASSERT_EQ(tactus("zoo csp -o csp.onnx").code, 0);
  std::string text = read("a.tarch");
  EXPECT_EQ(tactus("compile csp.onnx --arch a.tarch -o out").out.find("rearranges"),
            std::string::npos);
  text.replace(text.find("\"array_size\": 8"), 15, "\"array_size\": 24");
  write("b.tarch", text);
  for (const char* way : {"", " --optimise"}) {
    const Output mixed = tactus("compile csp.onnx --arch b.tarch -o out" + std::string(way));
    ASSERT_EQ(mixed.code, 0) << mixed.err;
    const std::size_t note = mixed.out.find("layer \"concat\" (Concat) only rearranges data, in ");
    ASSERT_NE(note, std::string::npos) << mixed.out;
    EXPECT_NE(mixed.out.find("64 of its 64 vectors mix lanes of others, for rows of 16, 8 and 24 "
                             "values do not fill vectors of 24; arrays of 4, 8, 16 need none",
                             note),
              std::string::npos)
        << mixed.out;
  }
}

/// The disassembly names the layers in comments; assembling it again gives the same bytes.
TEST_F(CompileTest, DisassemblyNamesTheLayers) {
  ASSERT_EQ(tactus("compile cnn.onnx --arch a.tarch -o out").code, 0);
  const Output text = tactus("disasm out/cnn_onnx_a.tmodel --output d.tasm");
  ASSERT_EQ(text.code, 0) << text.err;
  const auto model = nlohmann::json::parse(read("out/cnn_onnx_a.tmodel"));
  for (const auto& layer : model.at("layers")) {
    const auto first = layer.at("first").get<std::uint64_t>();
    const std::string comment =
        fmt::format("\n# layer {}: instructions {} to {}\n", layer.at("name").get<std::string>(),
                    first, first + layer.at("count").get<std::uint64_t>() - 1);
    const std::size_t at = read("d.tasm").find(comment);
    ASSERT_NE(at, std::string::npos) << comment;
    const std::string next = read("d.tasm").substr(at + comment.size(), 200);
    const std::string line = next.substr(0, next.find('\n'));
    EXPECT_NE(line.find(fmt::format("  # {}", first)), std::string::npos) << line;
  }
  ASSERT_EQ(tactus("asm d.tasm --arch a.tarch --output again.tprog").code, 0);
  EXPECT_EQ(read("again.tprog"), read("out/cnn_onnx_a.tprog"));
  EXPECT_EQ(tactus("disasm out/cnn_onnx_a.tmodel --plain").out.find("# layer"), std::string::npos);
}

TEST_F(CompileTest, CompatFilesHaveNoLayersAndDumpsAreWrittenBesideTheProgram) {
  ASSERT_EQ(tactus("compile cnn.onnx --arch a.tarch -o out --compat --dump asm --dump hir").code,
            0);
  EXPECT_FALSE(nlohmann::json::parse(read("out/cnn_onnx_a.tmodel")).contains("layers"));
  EXPECT_NE(read("out/cnn_onnx_a.tasm").find("MatMul"), std::string::npos);
  EXPECT_TRUE(exists("out/cnn_onnx_a.hir"));
  EXPECT_FALSE(exists("out/cnn_onnx_a.lir"));
  const Output printed = tactus("compile cnn.onnx --arch a.tarch --dump dot");
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.out.rfind("digraph", 0), 0U) << printed.out.substr(0, 100);
}

TEST_F(CompileTest, AnErrorAboveTheToleranceIsExitCodeOne) {
  const Output check = tactus("compile cnn.onnx --arch a.tarch --check --tolerance 0.000001");
  EXPECT_EQ(check.code, 1);
  EXPECT_NE(check.out.find("BEYOND THE TOLERANCE"), std::string::npos) << check.out;
}

TEST_F(CompileTest, ErrorsArePrintedBesideThoseOfAStrategy) {
  const std::string check = "compile cnn.onnx --arch a.tarch --check ";
  const Output beside = tactus(check + "--optimise --beside local-isolated");
  ASSERT_EQ(beside.code, 0) << beside.err;
  EXPECT_NE(beside.out.find("RMS error local-isolated  saturated"), std::string::npos)
      << beside.out;
  EXPECT_NE(beside.out.find("pool_0:0"), std::string::npos) << beside.out;
  const Output unfit = tactus(check + "--optimise --beside local-consts");
  EXPECT_EQ(unfit.code, 0) << unfit.err;
  expect_error(check + "--beside local-vars", "--beside needs --optimise");
  expect_error(check + "--optimise --beside local", "unknown strategy \"local\"");
  expect_error("compile cnn.onnx --arch a.tarch -o out --optimise --beside local-vars",
               "--beside belongs to --check");
}

TEST_F(CompileTest, BoardsGiveArchitectureAndClock) {
  const Output compiled = tactus("compile cnn.onnx --board ultra96_v2 -o out --summary");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_NE(compiled.out.find("out/cnn_onnx_ultra96_v2.tmodel"), std::string::npos) << compiled.out;
  EXPECT_NE(compiled.out.find("at 300 MHz"), std::string::npos) << compiled.out;
  const auto model = nlohmann::json::parse(read("out/cnn_onnx_ultra96_v2.tmodel"));
  std::string csv;
  for (unsigned v = 0; v < model.at("inputs").at(0).at("size").get<unsigned>(); ++v) {
    csv += "1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n";
  }
  write("x.csv", csv);
  const std::string run = "run --model out/cnn_onnx_ultra96_v2.tmodel --input x.csv ";
  ASSERT_EQ(tactus(run + "--board ultra96_v2 --stats s.json").code, 0);
  auto stats = nlohmann::json::parse(read("s.json"));
  EXPECT_EQ(stats.at("config").at("clock_mhz"), 300);
  EXPECT_EQ(stats.at("config").at("axi_data_bits"), 128);
  EXPECT_EQ(stats.at("config").at("read_latency_cycles"), 20);
  // An option overrides the board's value.
  ASSERT_EQ(tactus(run + "--board ultra96_v2 --read-latency 7 --stats s.json").code, 0);
  stats = nlohmann::json::parse(read("s.json"));
  EXPECT_EQ(stats.at("config").at("read_latency_cycles"), 7);
  EXPECT_EQ(stats.at("config").at("write_latency_cycles"), 5);
  expect_error(run + "--board zcu104", "differ in: array_size (16, 32)");
}

TEST_F(CompileTest, BadInputsWriteNothing) {
  const std::string compile = "compile cnn.onnx --arch a.tarch -o out ";
  expect_error("compile none.onnx --arch a.tarch -o out", "none.onnx");
  expect_error("compile cnn.onnx -o out", "give --arch F.tarch or --board NAME");
  expect_error("compile cnn.onnx --arch a.tarch", "nothing to do");
  expect_error("compile --arch a.tarch -o out", "name exactly one model file");
  expect_error(compile + "--strategi local-vars", "did you mean \"--strategy\"?");
  expect_error(compile + "--strategy local", "local-vars-and-consts");
  expect_error(compile + "--dump hri", "allowed: hir, lir, asm, dot");
  expect_error(compile + "--output-tensor none", "none");
  expect_error(compile + "--input-shape 1,x", "--input-shape \"1,x\" is not allowed");
  expect_error(compile + "--input-shape 1,0", "--input-shape \"1,0\" is not allowed");
  expect_error(compile + "--tolerance 1", "--tolerance belongs to --check");
  expect_error(compile + "--board zcu14", "did you mean \"zcu104\"?");
  write("cnn.onnx", read("cnn.onnx").substr(0, 500));
  expect_error(compile, "cnn.onnx");
  ASSERT_EQ(tactus("zoo cnn -o cnn.onnx").code, 0);
  write("a.tarch", R"({"array_size": 1, "data_typ": "FP16BP8"})");
  expect_error(compile, "a.tarch:/array_size: 1 is out of range; allowed 2..256");
  expect_error(compile, "a.tarch:/data_typ: unknown key; did you mean \"data_type\"?");
  write("b.json", R"({"name": "b", "clock_mzh": 100})");
  expect_error("compile cnn.onnx --board b.json -o out", "b.json:/clock_mzh: unknown key");
  write("cnn.tprog", std::vector<std::uint8_t>(8));
  expect_error("estimate cnn.tprog", "needs --arch");
  expect_error("estimate none.tmodel", "none.tmodel");
  expect_error("estimate none.tmodel --formula old", "allowed: current, march-2022");
}

/// What --check reads is judged before files are written, and so are its options.
TEST_F(CompileTest, WrongInputsOfACheckWriteNothing) {
  const std::string check = "compile cnn.onnx --arch a.tarch -o made/out --check ";
  const auto refused = [&](const std::string& options, const std::string& text) {
    expect_error(check + options, text);
    EXPECT_FALSE(exists("made")) << options;
  };
  nn::write_tensor((folder_ / "x.npy").string(), "", nn::Tensor::zeros({1, 16, 16, 3}));
  nn::write_tensor((folder_ / "short.npy").string(), "", nn::Tensor::zeros({7}));
  nn::write_tensor((folder_ / "two.npy").string(), "", nn::Tensor::zeros({2, 16, 16, 3}));
  refused("--tolerance -1", "--tolerance");
  refused("--seed x", "--seed");
  refused("--input none.npy", "none.npy");
  refused("--input short.npy",
          "short.npy: has shape [7]; allowed for input \"x:0\": [1,16,16,3]\n");
  refused("--input two.npy",
          "two.npy: has shape [2,16,16,3], 2 images for input \"x:0\"; --check "
          "takes one, [1,16,16,3]");
  refused("--test-data nope", "nope: no such file");
  refused("--test-data x.npy --input x.npy", "--test-data has the inputs");
  refused("--input x.npy --seed 3", "--seed has no effect");
  write("d.txt", "");
  refused("--test-data d.txt", "allowed are a folder, an .npz");
  ASSERT_EQ(tactus("compile cnn.onnx --arch a.tarch --check --input x.npy").code, 0);
  // Outputs of another shape are found before, too.
  std::filesystem::create_directories(folder_ / "set");
  nn::write_tensor((folder_ / "set/input_0.pb").string(), "", nn::Tensor::zeros({1, 16, 16, 3}));
  nn::write_tensor((folder_ / "set/output_0.pb").string(), "", nn::Tensor::zeros({3}));
  refused("--test-data set",
          "set: expected values of output \"Identity:0\": has shape [3]; allowed for output ");
}

/// A folder that was made for files that cannot be written is taken away; one of the user's stays.
TEST_F(CompileTest, AFullDiskLeavesNoFolder) {
  std::filesystem::create_directories(folder_ / "mine");
  for (const char* folder : {"made/deep", "mine/new", "mine"}) {
    const Output full =
        shell("ulimit -f 1; trap '' XFSZ; \"$0\" compile cnn.onnx --arch a.tarch -o " +
              std::string(folder));
    EXPECT_EQ(full.code, 2) << full.err;
    EXPECT_NE(full.err.find("cnn_onnx_a"), std::string::npos) << full.err;
  }
  EXPECT_FALSE(exists("made"));
  EXPECT_TRUE(exists("mine"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "mine"));
}

TEST_F(CompileTest, OptionsWithoutEffectAreRefused) {
  const std::string compile = "compile cnn.onnx --arch a.tarch -o out ";
  expect_error(compile + "--effort 5", "--effort needs --optimise");
  expect_error(compile + "--compat --value-bound 3",
               "--value-bound and --compat exclude each other");
  expect_error(compile + "--calibrate x.npy --scales none",
               "--calibrate needs --scales weights or --scales auto");
  EXPECT_FALSE(exists("out"));
}

/// Scales that are chosen for images are checked with the first of them.
TEST_F(CompileTest, ACheckTakesTheFirstCalibrationImage) {
  nn::Tensor images = nn::Tensor::zeros({3, 16, 16, 3});
  for (std::size_t i = 0; i < images.floats.size(); ++i) {
    images.floats[i] = static_cast<float>(i * 37 % 101) / 2;
  }
  nn::Tensor first = nn::Tensor::zeros({1, 16, 16, 3});
  std::copy_n(images.floats.begin(), first.floats.size(), first.floats.begin());
  nn::write_tensor((folder_ / "all.npy").string(), "", images);
  nn::write_tensor((folder_ / "first.npy").string(), "", first);
  const std::string check =
      "compile cnn.onnx --arch a.tarch --scales weights --calibrate all.npy --check";
  const Output by_default = tactus(check);
  const Output by_hand = tactus(check + " --input first.npy");
  const Output seeded = tactus(check + " --seed 1");
  EXPECT_NE(by_default.out.find("against float, the first image of --calibrate: "),
            std::string::npos)
      << by_default.out << by_default.err;
  const auto table = [](const std::string& text) { return text.substr(0, text.find("simulated")); };
  EXPECT_EQ(table(by_default.out), table(by_hand.out));
  EXPECT_NE(table(by_default.out), table(seeded.out));
}

TEST_F(CompileTest, AProgramTooLargeForTheMachineSaysWhatIsMissing) {
  std::string arch = read("a.tarch");
  arch.replace(arch.find("\"dram1_depth\": 65536"), 20, "\"dram1_depth\": 64");
  write("a.tarch", arch);
  expect_error("compile cnn.onnx --arch a.tarch -o out", "64");
  write("a.tarch",
        std::string(arch).replace(arch.find("\"dram0_depth\": 65536"), 20, "\"dram0_depth\": 64"));
  expect_error("compile cnn.onnx --arch a.tarch -o out", "cnn.onnx: out of DRAM");
}

}  // namespace
}  // namespace tactus
