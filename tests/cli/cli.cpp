#include "tests/cli/cli.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "isa/tcu/arithmetic.h"
#include "isa/tcu/assembler.h"

namespace tactus {
namespace fs = std::filesystem;

void CliTest::SetUp() {
  std::string name = (fs::temp_directory_path() / "tactus_cli_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
}

void CliTest::TearDown() { fs::remove_all(folder_); }

Output CliTest::tactus(const std::string& command, const fs::path& out) const {
  std::vector<std::string> arguments = words(command);
  arguments.insert(arguments.begin(), TACTUS_BINARY);
  return program(arguments, out);
}

Output CliTest::program(const std::vector<std::string>& arguments, const fs::path& out) const {
  Process::Files files;
  files.folder = folder_;
  files.out = out.empty() ? fs::path(folder_.string() + ".out") : out;
  files.err = folder_.string() + ".err";
  Output output;
  output.code = Process(arguments, files).wait();
  const auto text = [](const fs::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    fs::remove(path);
    return content.str();
  };
  if (out.empty()) output.out = text(files.out);
  output.err = text(files.err);
  return output;
}

Output CliTest::shell(const std::string& line) const {
  return program({"bash", "-c", line, TACTUS_BINARY});
}

std::string CliTest::chromium(const std::vector<std::string>& options) const {
  std::vector<std::string> command = words(
      "timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars "
      "--enable-logging=stderr --virtual-time-budget=5000");
  command.insert(command.begin(), {"env", "HOME=" + folder_.string()});
  command.push_back("--user-data-dir=" + (folder_ / "profile").string());
  command.insert(command.end(), options.begin(), options.end());
  const Output output = program(command);
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.err.find("CONSOLE"), std::string::npos) << output.err;
  return output.out;
}

std::string CliTest::browse(const std::string& page) const {
  return chromium({"--dump-dom", (folder_ / page).string()});
}

void CliTest::take_screenshot(const std::string& page, unsigned width, unsigned height,
                              const std::string& png) const {
  (void)chromium({fmt::format("--window-size={},{}", width, height),
                  "--screenshot=" + (folder_ / png).string(), (folder_ / page).string()});
}

void CliTest::expect_error(const std::string& command, const std::string& text) const {
  const std::vector<std::string> before = files();
  const Output output = tactus(command);
  EXPECT_EQ(output.code, 2) << command << "\n" << output.err;
  EXPECT_EQ(output.out, "") << command;
  EXPECT_EQ(output.err.rfind("tactus: error: ", 0), 0U) << output.err;
  EXPECT_NE(output.err.find(text), std::string::npos) << command << "\n" << output.err;
  EXPECT_EQ(files(), before) << command << ": something was written";
}

void CliTest::write(const std::string& file, const std::string& content) const {
  std::ofstream(folder_ / file, std::ios::binary) << content;
}

void CliTest::write(const std::string& file, const std::vector<std::uint8_t>& content) const {
  write(file, std::string(content.begin(), content.end()));
}

std::string CliTest::read(const std::string& file) const {
  std::ostringstream content;
  content << std::ifstream(folder_ / file, std::ios::binary).rdbuf();
  return content.str();
}

bool CliTest::exists(const std::string& file) const { return fs::exists(folder_ / file); }

std::vector<std::string> CliTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    names.push_back(entry.path().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string CliTest::architecture_text() {
  return R"({"data_type": "FP16BP8", "array_size": 4, "dram0_depth": 256, "dram1_depth": 256,
 "local_depth": 256, "accumulator_depth": 64, "simd_registers_depth": 1, "stride0_depth": 8,
 "stride1_depth": 8, "number_of_threads": 1, "thread_queue_depth": 8})";
}

void CliTest::write_model(const std::string& prog_size) const {
  const tcu::Architecture architecture =
      tcu::parse_architecture(architecture_text(), "test architecture");
  const std::vector<std::uint8_t> program = tcu::assemble_bytes(architecture, R"(
    DataMove DRAM1(0) -> Local(0), 5
    LoadWeights Local(0), 5
    DataMove DRAM0(0) -> Local(8), 4
    MatMul Local(8) -> Acc(0), 4
    DataMove Acc(0) -> Local(16), 4
    DataMove Local(16) -> DRAM0(16), 4
  )",
                                                                "test program");
  // The constants are the biases 1, 2, 3, 4, then the weights of inputs 0..3: the identity matrix
  // times 2.
  std::vector<std::uint8_t> constants(5 * architecture.vector_bytes());
  const auto set = [&](unsigned vector, unsigned lane, std::int64_t value) {
    tcu::set_lane(tcu::DataType::fp16bp8, constants.data() + vector * 8, lane, value);
  };
  for (unsigned i = 0; i < 4; ++i) {
    set(0, i, (i + 1) * 256);
    set(1 + i, i, 512);
  }
  write("a.tarch", architecture_text());
  write("m.tprog", program);
  write("m.tdata", constants);
  write("x.csv", std::string("1,2,3,4\n0,0,0,0\n-1,0.5,-0.25,100\n0,1,0,1\n"));
  write("m.tmodel", fmt::format(R"({{"name": "m", "prog": {{"file_name": "m.tprog", "size": {}}},
 "consts": [{{"file_name": "m.tdata", "base": 0, "size": 5}}],
 "inputs": [{{"name": "x", "base": 0, "size": 4}}],
 "outputs": [{{"name": "y", "base": 16, "size": 4}}],
 "arch": {}, "load_consts_to_local": false}})",
                                prog_size.empty() ? std::to_string(program.size()) : prog_size,
                                architecture_text()));
}

}  // namespace tactus
