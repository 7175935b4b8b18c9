// Compiled programs stay equal byte for byte: the hashes of programs, constants and tensor layouts
// of networks of the zoo and of TACTUS_SHARED/golden/models, on four boards and two machines
// with lookup tables, by each way of compiling, are those of hashes/NETWORK.txt.
//
// TACTUS_WRITE_HASHES=1 writes the files anew; a change of them belongs into the changelog.
// Networks that took longer than a few seconds then are compiled only if TACTUS_LARGE_MODELS is
// set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <sstream>

#include <fmt/format.h>

#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/zoo/network_file.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/sha256.h"
#include "isa/tcu/architecture.h"
#include "tests/compiler/models/outcome.h"
#include "tests/support/shared.h"

namespace tactus::compiler {
namespace {

namespace fs = std::filesystem;

const std::string sources = TACTUS_SOURCE_DIR;
const std::string recorded = sources + "/tests/compiler/programs/hashes/";
/// Networks with all their programs above this time of the host are large.
constexpr double quick_seconds = 4;

bool writes() { return std::getenv("TACTUS_WRITE_HASHES") != nullptr; }

/// A network of the zoo, or a file below TACTUS_SHARED/golden/models.
struct NetworkName {
  std::string name, file;
};
void PrintTo(const NetworkName& network, std::ostream* out) { *out << network.name; }

/// The networks that are recorded, or all if they are to be.
std::vector<NetworkName> networks() {
  std::vector<NetworkName> all;
  for (const nn::ZooEntry& entry : nn::zoo()) all.push_back({std::string(entry.name), ""});
  const std::string models = shared_folder() + "/golden/models/";
  for (const char* folder : {"cases", "onnx", "light", "tf"}) {
    if (!fs::exists(models + folder)) continue;
    std::vector<NetworkName> here;
    for (const auto& entry : fs::directory_iterator(models + folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".onnx" && (extension != ".pb" || folder != std::string("tf"))) continue;
      here.push_back(
          {fmt::format("{}_{}", folder, entry.path().stem().string()), entry.path().string()});
    }
    std::sort(here.begin(), here.end(),
              [](const NetworkName& a, const NetworkName& b) { return a.name < b.name; });
    all.insert(all.end(), here.begin(), here.end());
  }
  if (writes()) return all;
  const auto is_missing = [](const NetworkName& network) {
    return !fs::exists(recorded + network.name + ".txt");
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_missing), all.end());
  return all;
}

struct Way {
  const char* name;
  std::function<void(Options&)> set;
};
const std::vector<Way> ways{
    {"compat", [](Options& o) { o.compat = true; }},
    {"isolated", [](Options& o) { o.strategy = Strategy::local_isolated; }},
    {"vars", [](Options& o) { o.strategy = Strategy::local_vars; }},
    {"consts", [](Options& o) { o.strategy = Strategy::local_consts; }},
    {"both", [](Options& o) { o.strategy = Strategy::local_vars_and_consts; }},
    {"optimise", [](Options& o) { o.optimise = true; }},
    {"stripe", [](Options& o) { o.via = Via::stripe; }},
};

struct Machine {
  std::string name;
  TcuSimulationConfig config;
};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const char* board : {"arty_a7_35", "pynq_z1", "ultra96_v2", "zcu104"}) {
    all.push_back({board, read_board(board).simulation_config()});
    resolve_memory(all.back().config);
  }
  for (const char* name : {"ultra96v2_tables", "zcu104_tables"}) {
    all.push_back({name, {}});
    all.back().config.architecture =
        tcu::read_architecture(sources + "/configs/arch/" + name + ".tarch");
  }
  return all;
}

std::string short_hash(const std::vector<std::uint8_t>& bytes) {
  return sha256(bytes).substr(0, 8);
}

/// The program, the constants and the text of .tensors.json.
std::string hashes_of(const Compiled& compiled) {
  const std::string tensors = to_json(tensors_of(compiled), {});
  return fmt::format("{} {} {}", short_hash(compiled.program), short_hash(compiled.constants),
                     short_hash({tensors.begin(), tensors.end()}));
}

/// A line for each machine and way, "zcu104 optimise 01234567 89abcdef 01234567", or "refused".
std::string compile_all(const nn::Graph& graph) {
  std::string lines;
  for (const Machine& machine : machines()) {
    for (const Way& way : ways) {
      Options options;
      options.input_shapes = open_dimensions(graph).input_shapes;
      way.set(options);
      bench::fit_to(machine.config, options);
      std::string hashes = "refused";
      try {
        hashes = hashes_of(bench::compile_network(graph, machine.config, options));
      } catch (const UserError&) {
      }
      lines += fmt::format("{} {} {}\n", machine.name, way.name, hashes);
    }
  }
  return lines;
}

class ProgramHashes : public testing::TestWithParam<NetworkName> {};

TEST_P(ProgramHashes, AreThoseRecorded) {
  const NetworkName& network = GetParam();
  const std::string path = recorded + network.name + ".txt";
  std::string seconds, wanted;
  if (!writes()) {
    std::ifstream stream(path);
    ASSERT_TRUE(stream) << path << " is not there";
    std::getline(stream, seconds);
    wanted.assign(std::istreambuf_iterator<char>(stream), {});
    if (std::stod(seconds) > quick_seconds && std::getenv("TACTUS_LARGE_MODELS") == nullptr) {
      GTEST_SKIP() << "takes minutes; set TACTUS_LARGE_MODELS to a word to have it";
    }
  }
  nn::Graph graph;
  try {
    graph = network.file.empty() ? nn::zoo_entry(network.name).build(nn::default_zoo_seed).graph
                                 : nn::load_network(network.file);
  } catch (const UserError& error) {
    if (!writes()) throw;
    GTEST_SKIP() << "needs options: " << error.what();
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string lines = compile_all(graph);
  if (!writes()) {
    EXPECT_EQ(lines, wanted);
    return;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  fs::create_directories(recorded);
  std::ofstream(path) << fmt::format("{:.1f} s\n{}", taken.count(), lines);
}

INSTANTIATE_TEST_SUITE_P(, ProgramHashes, testing::ValuesIn(networks()), [](const auto& case_of) {
  std::string name = case_of.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace tactus::compiler
