// Passes: the text after each is PlaidML's, and what programs compute stays.
#include "firmware/compiler/stripe/passes/pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "firmware/compiler/stripe/text.h"
#include "golden.h"
#include "isa/support/error.h"

namespace tactus::stripe::test {
namespace {

/// What protobuf does not have comes from the text: bank dimensions, cache units, order of
/// dependencies; what the text does not have, types and values, comes from protobuf.
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

struct Tally {
  std::size_t equal = 0, total = 0;
};

TEST(StripePasses, GoldenTextAfterEachPass) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::map<std::string, Tally> tallies;
  const char* show = std::getenv("TACTUS_STRIPE_SHOW");
  for (const Case& one : golden_cases()) {
    const nlohmann::json entries = nlohmann::json::parse(read(one.passes)).at("passes");
    // Where PlaidML gave up there are fewer steps than passes.
    ASSERT_LE(one.steps.size(), entries.size() + 1) << one.name;
    for (std::size_t i = 0; i + 1 < one.steps.size(); ++i) {
      const auto kind = std::find_if(entries[i].items().begin(), entries[i].items().end(),
                                     [](const auto& item) { return item.key() != "name"; });
      Tally& tally = tallies[kind.key()];
      ++tally.total;
      Program program = read_step(one.steps[i]);
      std::string text;
      try {
        const auto passes = read_passes(nlohmann::json{entries[i]}.dump(), one.passes);
        passes.at(0).pass->run(program);
        text = print(program);
      } catch (const UserError& error) {
        text = error.what();
      }
      const bool equal = text == read(one.steps[i + 1].text);
      if (equal) ++tally.equal;
      const std::string label = one.name + "/" + one.steps[i + 1].name;
      if (!equal) std::cout << "differs: " << label << "\n";
      if (show != nullptr && label == show) std::cout << text;
    }
  }
  for (const auto& [kind, tally] : tallies) {
    std::cout << kind << " " << tally.equal << " / " << tally.total << "\n";
  }
}

}  // namespace
}  // namespace tactus::stripe::test
