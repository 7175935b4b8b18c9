// tactus darwinn: output, files and errors.
#include <filesystem>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "isa/darwinn/writer.h"
#include "tests/cli/cli.h"
#include "tests/darwinn/golden.h"
#include "tests/darwinn/sample_package.h"

namespace tactus {
namespace {

using darwinn::SamplePackage;
using Json = nlohmann::ordered_json;

class DarwinnCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("f.dwn1", write_package(sample_.package));
  }
  /// Returns the output of a command. Expects success and no warnings.
  [[nodiscard]] std::string good(const std::string& command) const {
    const Output output = tactus(command);
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(output.err, "");
    return output.out;
  }
  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }

  SamplePackage sample_;
};

TEST_F(DarwinnCommand, Info) {
  const std::string text = good("darwinn info f.dwn1");
  expect_in(text, "chip                  beagle\n");
  expect_in(text, "\nEXECUTION_ONLY\n  token               0x0123456789abcdef\n");
  expect_in(text, "chunk 0             128 bytes, fields: 2 INPUT, 2 PARAMETER, 1 SCRATCH\n");
  expect_in(text, "    OUTFEED OUTPUT            32 bytes from 0 of out\n    INTERRUPT 0\n");
  expect_in(text,
            "out 1x2x4x3 FIXED_POINT8, 24 bytes (32 padded), zero point 128, factor 0.5, tiles");
  const Json json = Json::parse(good("darwinn info f.dwn1 --json"));
  EXPECT_EQ(json.at("container"), "DWN1");
  EXPECT_EQ(json.at("package").at("executables")[1].at("parameter_bytes"), 5000);
}

TEST_F(DarwinnCommand, VerifyNamesTheFirstBrokenRule) {
  EXPECT_EQ(good("darwinn verify f.dwn1 f.dwn1"),
            "f.dwn1: sound, for chip beagle\nf.dwn1: sound, for chip beagle\n");
  sample_.main().chunks[0].fields[4].offset_bit = 993;
  write("g.dwn1", write_package(sample_.package));
  expect_error("darwinn verify g.dwn1",
               "g.dwn1: E_FIELD_RANGE: EXECUTION_ONLY, chunk 0, field 4: 32 bits from bit 993 on, "
               "in a chunk of 1024 bits");
  expect_error("darwinn info g.dwn1", "E_FIELD_RANGE");
  expect_error("darwinn verify f.dwn1 --chip tcu-pynqz1", "E_CHIP");
  write("text", std::string("no package at all"));
  expect_error("darwinn verify text", "text: E_MAGIC: bytes 4..7 are \"acka\"");
}

TEST_F(DarwinnCommand, Link) {
  const std::string text = good(
      "darwinn link f.dwn1 --address parameters=0x1122334455667788 --address input:in=16 "
      "--output out");
  expect_in(text, "  parameters  0x1122334455667788\n");
  expect_in(text, "  input       0x10  in\n");
  expect_in(text, "out/EXECUTION_ONLY.chunk0.bin: 128 bytes\n");
  EXPECT_TRUE(exists("out/PARAMETER_CACHING.chunk0.bin"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "out/EXECUTION_ONLY.chunk1.bin"), 64U);
  expect_error("darwinn link f.dwn1 --address input:inn=16", "no executable has this layer");
  expect_error("darwinn link f.dwn1 --address input:in#1=16", "batch element 1; allowed 0..0");
  expect_error("darwinn link f.dwn1 --address scratch=x", "\"x\" is not allowed");
  expect_error("darwinn link f.dwn1 --address other=1", "allowed: scratch=N");
  expect_error("darwinn link f.dwn1 --address input:in=0xffffffffffffffff",
               "goes beyond the last address");
  expect_error("darwinn link f.dwn1 --address input:in=0x1000 --address output:out=0x1001",
               "overlap");
}

TEST_F(DarwinnCommand, Relayout) {
  std::vector<std::uint8_t> device(32);
  for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<std::uint8_t>(i);
  write("d.bin", device);
  expect_in(good("darwinn relayout f.dwn1 --input d.bin --output t.bin"),
            "t.bin: out, 24 bytes, by tiles");
  EXPECT_EQ(read("t.bin").substr(0, 12), std::string("\0\1\2\4\5\6\x10\x11\x12\x14\x15\x16", 12));
  write("short.bin", std::vector<std::uint8_t>(31));
  expect_error("darwinn relayout f.dwn1 --input short.bin --output t.bin", "E_IO_SIZE");
  expect_error("darwinn relayout f.dwn1 --layer o --input d.bin --output t.bin", "allowed \"out\"");
  expect_error("darwinn relayout f.dwn1 --input d.bin --output d.bin", "d.bin");
}

TEST_F(DarwinnCommand, Unpack) {
  (void)good("darwinn unpack f.dwn1 --output out");
  EXPECT_EQ(read("out/package.dwn1"), read("f.dwn1"));
  EXPECT_EQ(read("out/PARAMETER_CACHING.parameters.bin").size(), 5000U);
  EXPECT_TRUE(exists("out/info.json"));
  EXPECT_TRUE(exists("out/EXECUTION_ONLY.chunk1.bin"));
}

TEST_F(DarwinnCommand, SeriesOfReplaysLoadParametersByToken) {
  const auto series = [this](const std::string& files) {
    return Json::parse(good("darwinn replay " + files + " --link usb3 --requests 6 --json"));
  };
  const Json alone = Json::parse(good("darwinn replay f.dwn1 --link usb3 --json"));
  const auto main = alone.at("main").at("total_ps").get<std::uint64_t>();
  const auto load = alone.at("parameter_caching").at("total_ps").get<std::uint64_t>();
  const Json one = series("f.dwn1");
  EXPECT_EQ(one.at("parameter_loads"), 1);
  EXPECT_EQ(one.at("requests")[5].at("end_ps"), load + 6 * main);
  write("same.dwn1", write_package(sample_.package));
  for (darwinn::Executable& executable : sample_.package.executables) executable.token += 1;
  write("other.dwn1", write_package(sample_.package));
  const Json shared = series("f.dwn1 same.dwn1");
  EXPECT_EQ(shared.at("parameter_loads"), 2);
  EXPECT_EQ(shared.at("parameter_hits"), 4);
  EXPECT_EQ(shared.at("requests")[5].at("end_ps"), 2 * load + 6 * main);
  const Json apart = series("f.dwn1 other.dwn1");
  EXPECT_EQ(apart.at("parameter_loads"), 6);
  EXPECT_EQ(apart.at("evictions"), 5);
  EXPECT_EQ(apart.at("requests")[5].at("end_ps"), 6 * (load + main));
  expect_in(good("darwinn replay f.dwn1 other.dwn1 --link usb3"), "2 loads, 0 token hits, 1 evict");
  expect_error("darwinn replay f.dwn1 other.dwn1 --link usb3 --report r.html",
               "--report is for one request of one file");
}

TEST_F(DarwinnCommand, Replay) {
  const std::string words =
      "Edge TPU executable replayed; instruction encoding undocumented; compute not modelled; "
      "result is a transfer-bound latency; no output values.";
  for (const char* model : {"r1", "r2"}) {
    for (const char* link : {"usb3", "usb2", "pcie"}) {
      const std::string command =
          fmt::format("darwinn replay f.dwn1 --link {} --model {}", link, model);
      SCOPED_TRACE(command);
      const std::string text = good(command);
      EXPECT_EQ(text.find(words), 0U) << text;
      expect_in(text, "parameter caching");
      const Json json = Json::parse(good(command + " --json"));
      EXPECT_EQ(json.at("words").get<std::string>().find(words), 0U);
      EXPECT_GT(json.at("main").at("total_ps").get<std::uint64_t>(), 430000000U);
      EXPECT_EQ(json.at("main").at("steps").size(), 10U);
      EXPECT_EQ(json.at("main").at("bytes").at("parameters"), 192);
    }
  }
  (void)good("darwinn replay f.dwn1 --link usb3 --cycles 1000 --timeline t.json --report r.html");
  expect_in(read("r.html"), "compute = single lump of 1000 estimated cycles from the command line");
  expect_in(read("r.html"), "no output values");
  expect_in(read("r.html"), "PARAMETER_CACHING");
  const Json timeline = Json::parse(read("t.json"));
  std::size_t slices = 0;
  for (const Json& event : timeline.at("traceEvents")) slices += event.at("ph") == "X" ? 1 : 0;
  // There are two requests. One has 8 transfers and a computation, the other has 2 transfers.
  EXPECT_EQ(slices, 2U + 8 + 1 + 2);
  const std::string lump = good("darwinn replay f.dwn1 --link usb3 --cycles 1000");
  expect_in(lump, "compute = single lump of 1000 estimated cycles from the command line;");
  sample_.main().estimated_cycles_64bit = 4321;
  write("g.dwn1", write_package(sample_.package));
  expect_in(good("darwinn replay g.dwn1 --link usb3"), "4321 estimated cycles from the package");
  // If the 64-bit field is missing, the 32-bit field is used.
  sample_.main().estimated_cycles_64bit = 0;
  sample_.main().estimated_cycles_32bit = 77;
  write("h.dwn1", write_package(sample_.package));
  expect_in(good("darwinn replay h.dwn1 --link usb3"), "77 estimated cycles from the package");
  expect_in(good("darwinn info h.dwn1"), "estimated cycles    77\n");
  expect_in(good("darwinn replay f.dwn1 --link usb3 --cycles-from h.dwn1"), "77 estimated cycles");
  expect_in(good("darwinn replay f.dwn1 --link usb3 --cycles-from g.dwn1"),
            "4321 estimated cycles from g.dwn1");
  expect_error("darwinn replay f.dwn1 --link usb3 --cycles-from f.dwn1", "estimates no cycles");
  expect_error("darwinn replay f.dwn1", "--link NAME is missing");
  expect_error("darwinn replay f.dwn1 --link usb4", "usb3");
  expect_error("darwinn replay f.dwn1 --link usb3 --model r3", "allowed \"r1\", \"r2\"");
}

TEST_F(DarwinnCommand, ReplayOfAnOpenList) {
  sample_.main().fully_deterministic = false;
  sample_.main().hints.resize(4);
  write("g.dwn1", write_package(sample_.package));
  expect_error("darwinn replay g.dwn1 --link usb3", "E_NONDET");
  expect_in(good("darwinn replay g.dwn1 --link usb3 --descriptors"), "OUTPUT out (inferred)");
  expect_in(good("darwinn replay g.dwn1 --link pcie"), "inferred tail");
}

TEST_F(DarwinnCommand, TcuPackagesAreNotReplayed) {
  SamplePackage tcu;
  make_tcu(tcu);
  write("t.dwn1", write_package(tcu.package));
  expect_error("darwinn replay t.dwn1 --link usb3", "E_CHIP");
  expect_in(good("darwinn link t.dwn1 --address scratch=0x10000"), "  scratch     0x10000\n");
  expect_error("darwinn link t.dwn1 --address scratch=0x10001", "cannot be linked for a TCU");
  expect_error("darwinn link t.dwn1 --address scratch=0x100000000", "cannot be linked for a TCU");
}

TEST_F(DarwinnCommand, Pack) {
  write_model();
  expect_error("pack m.tmodel -o m.dwn1", "--chip NAME is needed");
  expect_in(good("pack m.tmodel -o m.dwn1 --chip small"), "m.dwn1: for chip tcu-small, ");
  expect_in(good("darwinn info m.dwn1"), "fields: 1 PARAMETER, 1 SCRATCH\n");
  EXPECT_EQ(good("darwinn verify m.dwn1 --chip tcu-small"), "m.dwn1: sound, for chip tcu-small\n");
  expect_error("pack m.tmodel --chip small", "--output M.dwn1 is missing");
  expect_error("pack m.tmodel --chip 'a b' -o b.dwn1", "1 to 64 letters, digits");
  expect_error("darwinn link m.dwn1 --address scratch=0x0 --address scratch=0x10000",
               "--address \"scratch\" is given twice");
  expect_error("pack m.tmodel --chip small -o m.tmodel", "m.tmodel");
}

TEST_F(DarwinnCommand, OutputsInThePlaceOfInputsAreRefused) {
  // The compiler gives the output the addresses of the input, so two requests in flight would
  // conflict.
  (void)good("zoo mlp -o mlp.onnx");
  (void)good("compile mlp.onnx --board zcu104 -o out");
  expect_error("pack out/mlp_onnx_zcu104.tmodel -o mlp.dwn1", "overlap in DRAM0, at vector 0");
}

TEST_F(DarwinnCommand, BenchOfEdgeTpuModels) {
  const std::string none = good("bench --config edgetpu --models nowhere --filter PoseNet");
  expect_in(none, "skipped: model not at hand");
  write("t.json", std::string(R"({"replays": [{"model": "M", "file": "f.dwn1", "link": "usb3",
      "published_ms": 0.5, "source": "nobody"}]})"));
  const std::string text = good("bench --config ./t.json --models . --json o.json");
  expect_in(text, "not modelled");
  const Json json = Json::parse(read("o.json"));
  EXPECT_EQ(json.at("rows")[0].at("status"), "ok");
  write("t.json", std::string(R"({"replays": [{"model": "M", "file": "f.dwn1", "link": "usb3",
      "published_ms": 0.5, "source": "nobody", "cycles": 7}]})"));
  expect_error("bench --config ./t.json", "t.json:/replays/0/cycles_source");
}

TEST_F(DarwinnCommand, BadArgumentsAreRefused) {
  expect_error("darwinn inf f.dwn1", "did you mean \"info\"?");
  expect_error("darwinn info", "name exactly one file");
  expect_error("darwinn info missing.dwn1", "missing.dwn1");
  expect_error("compile f.dwn1 --board zcu104 -o out", "tactus darwinn takes it");
}

}  // namespace
}  // namespace tactus
