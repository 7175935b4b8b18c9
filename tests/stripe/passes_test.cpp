// Passes: the text after each pass equals PlaidML's, and programs compute the same results.
#include "firmware/compiler/stripe/passes/pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "firmware/compiler/stripe/text.h"
#include "golden.h"
#include "isa/support/error.h"

namespace tactus::stripe::test {
namespace {

/// Completes a block. Bank dimensions, cache units and the order of dependencies come from the
/// text, since protobuf lacks them; types and values come from protobuf, since the text lacks them.
void complete(Block& block, const Block& text) {
  for (auto& [into, ref] : block.refs) {
    ref.bank_dim = text.ref_at(into).bank_dim;
    ref.cache_unit = text.ref_at(into).cache_unit;
  }
  for (std::size_t i = 0; i < block.statements.size(); ++i) {
    block.statements[i].deps = text.statements[i].deps;
    if (Block* nested = block.statements[i].block()) {
      complete(*nested, *text.statements[i].block());
    }
  }
}

Program read_step(const Step& step) {
  Program program = read_protobuf_text(read(step.protobuf), step.protobuf);
  const Program text = read_text_form(read(step.text), step.text);
  complete(program.block(), text.block());
  return program;
}

/// Sorts the dependencies. PlaidML lists them by the statements' age, and a statement made by a
/// pass is younger than its neighbours; a step that is read from a file does not have the ages.
std::string with_sorted_deps(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find_first_not_of(" 0123456789");
    const std::size_t close = line.find("]: ");
    if (open != std::string::npos && line[open] == '[' && close != std::string::npos) {
      std::set<std::string> deps;
      std::istringstream list(line.substr(open + 1, close - open - 1));
      for (std::string dep; std::getline(list, dep, ',');) {
        deps.insert(dep.substr(dep.find_first_not_of(' ')));
      }
      std::string sorted;
      for (const std::string& dep : deps) sorted += (sorted.empty() ? "" : ", ") + dep;
      line = line.substr(0, open + 1) + sorted + line.substr(close);
    }
    out += line + "\n";
  }
  return out;
}

/// The pass schedule works in another way than PlaidML's; other tests compare its text on the
/// fixtures.
bool expected_to_differ(const std::string& kind) { return kind == "schedule"; }

std::string kind_of(const nlohmann::json& entry) {
  for (const auto& item : entry.items()) {
    if (item.key() != "name") return item.key();
  }
  return {};
}

void run_one(const nlohmann::json& entry, const std::string& where, Program& program) {
  run_passes(program, read_passes(nlohmann::json{entry}.dump(), where));
}

struct Tally {
  std::size_t equal = 0, total = 0;
};

/// Runs every pass on PlaidML's text before it, and compares with PlaidML's text after it.
TEST(StripePasses, GoldenTextAfterEachPass) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::map<std::string, Tally> tallies;
  for (const Case& one : golden_cases()) {
    const nlohmann::json entries = nlohmann::json::parse(read(one.passes)).at("passes");
    // There are fewer steps than passes if PlaidML failed.
    ASSERT_LE(one.steps.size(), entries.size() + 1) << one.name;
    for (std::size_t i = 0; i + 1 < one.steps.size(); ++i) {
      const std::string kind = kind_of(entries[i]);
      const std::string label = one.name + "/" + one.steps[i + 1].name;
      // A wrong step is not used as the input of a pass.
      if (wrong_upstream(one, one.steps[i])) continue;
      Tally& tally = tallies[kind];
      ++tally.total;
      std::string text;
      try {
        Program program = read_step(one.steps[i]);
        run_one(entries[i], one.passes, program);
        text = print(program);
      } catch (const UserError& error) {
        text = error.what();
      }
      const bool equal = with_sorted_deps(text) == with_sorted_deps(read(one.steps[i + 1].text));
      if (equal) ++tally.equal;
      const char* show = std::getenv("TACTUS_STRIPE_SHOW");
      if (show != nullptr && label == show) std::cout << text;
      EXPECT_TRUE(equal || expected_to_differ(kind)) << label;
    }
  }
  for (const auto& [kind, tally] : tallies) {
    std::cout << "  " << kind << " " << tally.equal << " / " << tally.total << "\n";
  }
}

/// Runs whole lists: each pass continues with Tactus's previous result, including the order of
/// dependencies, up to the first pass that is expected to differ.
TEST(StripePasses, GoldenTextsOfWholeLists) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t compared = 0;
  for (const Case& one : golden_cases()) {
    const nlohmann::json entries = nlohmann::json::parse(read(one.passes)).at("passes");
    Program program = read_step(one.steps[0]);
    for (std::size_t i = 0; i + 1 < one.steps.size(); ++i) {
      const std::string label = one.name + "/" + one.steps[i + 1].name;
      if (expected_to_differ(kind_of(entries[i]))) break;
      ASSERT_NO_THROW(run_one(entries[i], one.passes, program)) << label;
      EXPECT_EQ(print(program), read(one.steps[i + 1].text)) << label;
      ++compared;
    }
  }
  EXPECT_GE(compared, 130U);
  std::cout << "  " << compared << " steps\n";
}

/// Tactus's passes do not change what programs compute, even if the text differs from PlaidML's.
TEST(StripePasses, GoldenProgramsComputeTheSame) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  for (const Case& one : golden_cases()) {
    const nlohmann::json entries = nlohmann::json::parse(read(one.passes)).at("passes");
    Program program = read_step(one.steps[0]);
    if (work_of(program) > 1e6) continue;
    const Tensors inputs = sample_inputs(program);
    const Tensors expected = interpret(program, inputs);
    for (const auto& entry : entries) {
      try {
        run_one(entry, one.passes, program);
      } catch (const UserError&) {
        break;
      }
      InterpretOptions options;
      options.shuffle_seed = 3;
      EXPECT_EQ(interpret(program, inputs, options), expected) << one.name << " " << entry.dump();
    }
  }
}

/// Runs the lists of each golden program on all others. A pass on a program that it was not
/// configured for must compute the same results, or give an error.
TEST(StripePasses, ListsOfOtherProgramsKeepWhatTheyCompute) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  constexpr double most_work = 3e4;
  std::size_t ran = 0, refused = 0;
  const std::vector<Case> cases = golden_cases();
  for (const Case& one : cases) {
    const Program original = read_step(one.steps[0]);
    if (work_of(original) > most_work) continue;
    const Tensors inputs = sample_inputs(original);
    const Tensors expected = interpret(original, inputs);
    for (const Case& other : cases) {
      Program program = original;
      const nlohmann::json entries = nlohmann::json::parse(read(other.passes)).at("passes");
      for (const auto& entry : entries) {
        try {
          run_one(entry, other.passes, program);
        } catch (const UserError&) {
          ++refused;
          break;
        }
        if (work_of(program) > 4 * most_work) break;
        InterpretOptions options;
        options.shuffle_seed = 5;
        ASSERT_EQ(interpret(program, inputs, options), expected)
            << one.name << " by " << other.name << " " << entry.dump() << "\n"
            << print(program);
        // The text can be read back.
        const std::string text = print(program);
        ASSERT_EQ(print(read_text_form(text, "again")), text);
        ++ran;
      }
    }
  }
  EXPECT_GE(ran, 1000U);
  std::cout << "  " << ran << " passes, " << refused << " refused\n";
}

/// The results for PlaidML's fixtures of the scheduler are equal, protobuf for protobuf.
TEST(StripePasses, SchedulesTheFixturesAsPlaidMl) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  const std::string folder = golden_folder() + "/repo_tests/schedule_";
  for (const std::string name : {"EmptyMain", "CachesIO", "UsesTmps"}) {
    const std::string where = folder + name + "/";
    Program program = read_protobuf_text(read(where + "fixture.block.pbtxt"), name, true);
    Block& main = *program.block().statements.at(0).block();
    if (name == "UsesTmps") {
      Refinement tmp;
      tmp.into = "t1";
      tmp.access.resize(1);
      tmp.shape.type = DataType::fp32;
      tmp.shape.dims = {{16, 1}};
      tmp.location.devices = {{"RAM", {}}};
      main.add_ref(tmp);
    }
    for (const char* part : {"append_to_main_0.block.pbtxt", "append_to_main_1.block.pbtxt"}) {
      if (!std::filesystem::exists(where + part)) continue;
      Program block = read_protobuf_text(read(where + part), part, true);
      main.append(block.entry);
    }
    run_passes(program, read_passes(R"([{"schedule": {"reqs": ["main"], "mem_loc":
      {"devs": [{"name": "CACHE"}]}, "mem_KiB": 1024, "alignment": 16,
      "xfer_loc": {"devs": [{"name": "DMA"}]}}}])",
                                    name));
    const Program after = read_protobuf_text(read(where + "after.block.pbtxt"), name, true);
    EXPECT_EQ(print_protobuf_text(program), print_protobuf_text(after)) << name;
  }
}

/// Compares offsets with the fixtures of memory_placement, and dependencies with those of
/// compute_deps.
TEST(StripePasses, FixturesOfPlacementAndDependencies) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t count = 0;
  for (const std::string& path : golden_files("pass.json")) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    if (!std::filesystem::exists(folder + "after.block.pbtxt")) continue;
    nlohmann::json options = nlohmann::json::parse(read(path));
    const std::string kind = options.at("pass");
    options.erase("pass");
    Program program = read_protobuf_text(read(folder + "before.block.pbtxt"), folder, true);
    const auto passes = read_passes(nlohmann::json{{{kind, options}}}.dump(), path);
    passes.at(0).pass->run(program);
    const Program after = read_protobuf_text(read(folder + "after.block.pbtxt"), folder, true);
    EXPECT_EQ(print_protobuf_text(program), print_protobuf_text(after)) << folder;
    ++count;
  }
  EXPECT_GE(count, 6U);
}

}  // namespace
}  // namespace tactus::stripe::test
