// tactus codesign as a command: a sweep with its resume, shards and merge, and a page.
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Record = nlohmann::ordered_json;

class CodesignCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    const std::filesystem::path from = std::string(TACTUS_SOURCE_DIR) + "/configs/codesign";
    for (const char* file : {"two_convs.stripe", "passes.json.j2"}) {
      std::filesystem::copy_file(from / file, folder_ / file);
    }
  }

  void write_spec(const std::string& more = "", const std::string& energy = "relative") const {
    write("spec.json", R"({"name": "t", "base": {"workload": {"stripe": "two_convs.stripe"},
      "board": {"name": "zcu104", "axi_data_bits": 64, "memory_model": "fixed"},
      "codesign": {"passes": "passes.json.j2", "energy": ")" +
                           energy + R"(", "doubling": false)" + more + R"(}},
      "axes": [{"key": "architecture.array_size", "values": [8, 16]},
               {"key": "codesign.pipeline_depth", "values": [1, 2]}]})");
  }

  [[nodiscard]] std::vector<std::string> lines(const std::string& folder) const {
    std::vector<std::string> result;
    std::istringstream text(read(folder + "/results.jsonl"));
    for (std::string line; std::getline(text, line);) {
      Record json = Record::parse(line);
      json.erase("host");
      result.push_back(json.dump());
    }
    std::sort(result.begin(), result.end());
    return result;
  }
};

TEST_F(CodesignCommand, RunsASweepAndWritesAPage) {
  write_spec();
  const Output one = tactus("codesign spec.json -o one -j2");
  ASSERT_EQ(one.code, 0) << one.err << one.out;
  const std::vector<std::string> expected = lines("one");
  ASSERT_EQ(expected.size(), 4U);
  const Record first = Record::parse(expected[0]);
  for (const char* key :
       {"cycles", "latency_ms", "kernels", "units", "energy", "predicted", "ideas"}) {
    EXPECT_TRUE(first.at("figures").contains(key)) << key;
  }
  const std::string page = read("one/codesign.html");
  for (const char* text : {"Design ideas", "Kernels", "Latency, energy, area", "bound by",
                           "relative (relative units; default weights"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  // The same command finds no points left to run.
  const Output again = tactus("codesign spec.json -o one");
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.out.find("4 points, 0 of them to run"), std::string::npos) << again.out;

  ASSERT_EQ(tactus("codesign spec.json -o a --shard 1/2").code, 0);
  // A shard may also be run by tactus sweep, as configs/sweeps/slurm.sh does.
  ASSERT_EQ(tactus("sweep spec.json -o b --shard 2/2").code, 0);
  ASSERT_EQ(tactus("codesign merge a b -o all").code, 0);
  EXPECT_EQ(lines("all"), expected);
  EXPECT_TRUE(exists("all/codesign.html"));
}

TEST_F(CodesignCommand, RefusesSpecificationsThatItCannotStudy) {
  write("net.json", R"({"name": "t", "base": {"workload": {"network": "mlp"},
      "board": {"name": "zcu104"}}, "axes": [{"key": "architecture.array_size", "values": [8]}]})");
  expect_error("codesign net.json -o x", "net.json:/base/workload/stripe: is missing");
  write_spec(R"(, "pipeline_depth": 9)");
  expect_error("codesign spec.json -o x", "/base/codesign/pipeline_depth");
  write_spec(R"(, "tables": 1)");
  expect_error("codesign spec.json -o x", "unknown key");
  write_spec();
  write("two_convs.stripe", "0: block [] (\n");
  expect_error("codesign spec.json -o x", "two_convs.stripe");
  write_spec("", "mine.json");
  write("mine.json", "{}");
  expect_error("codesign spec.json -o x", "mine.json:/name: missing key");
  EXPECT_FALSE(exists("x"));
}

}  // namespace
}  // namespace tactus
