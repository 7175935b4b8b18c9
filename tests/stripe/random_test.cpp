// Passes do not change what random programs compute; readers refuse random texts with one error.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "isa/support/error.h"
#include "random_program.h"

namespace tactus::stripe::test {
namespace {

std::uint64_t scaled(std::uint64_t count) {
  const char* scale = std::getenv("TACTUS_TEST_SCALE");
  return scale != nullptr ? count * std::strtoull(scale, nullptr, 10) : count;
}

std::uint64_t seed(std::uint64_t index) {
  const char* given = std::getenv("TACTUS_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : index;
}

TEST(StripeRandom, TextsOfRandomProgramsRoundTrip) {
  for (std::uint64_t i = 0; i < scaled(200); ++i) {
    Random random(seed(i));
    const Program program = random_program(random);
    ASSERT_NO_THROW(verify(program, "random")) << print(program);
    const std::string text = print(program);
    EXPECT_EQ(print(read_text_form(text, "again")), text);
    const std::string protobuf = print_protobuf_text(program);
    EXPECT_EQ(print(read_protobuf_text(protobuf, "again")), text);
  }
}

/// A pass may give an error. Otherwise the program computes the same results, after passes in any
/// order.
TEST(StripeRandom, PassesKeepWhatProgramsCompute) {
  std::map<std::string_view, std::size_t> ran;
  for (std::uint64_t i = 0; i < scaled(1500); ++i) {
    Random random(1000 + seed(i));
    const Program original = random_program(random);
    const Tensors inputs = sample_inputs(original);
    const Tensors expected = interpret(original, inputs);
    const std::string list = random_passes(random);
    Program program = original;
    for (const ConfiguredPass& pass : read_passes(list, "random passes")) {
      const Program before = program;
      try {
        pass.pass->run(program);
      } catch (const UserError&) {
        program = before;
        continue;
      }
      ASSERT_NO_THROW(verify(program, "after " + pass.name))
          << i << "\n"
          << list << print(before) << print(program);
      InterpretOptions options;
      options.shuffle_seed = i;
      Tensors outputs;
      ASSERT_NO_THROW(outputs = interpret(program, inputs, options))
          << i << " " << pass.name << "\n"
          << list << print(before) << print(program);
      ASSERT_EQ(outputs, expected) << i << " " << pass.name << "\n"
                                   << list << print(before) << print(program);
      // Counts only passes that changed the program.
      if (print(program) != print(before)) ++ran[pass.kind];
    }
  }
  for (const std::string_view kind : {"aggrinit",
                                      "autotile",
                                      "cache",
                                      "compute_deps",
                                      "dce",
                                      "fix_strides",
                                      "fusion",
                                      "ilp_cstr_reduction",
                                      "light_cstr_reduction",
                                      "localize",
                                      "locate_block",
                                      "locate_inner_block",
                                      "locate_memory",
                                      "memory_placement",
                                      "pad",
                                      "partition_compute",
                                      "partition_memory",
                                      "prune_idxs",
                                      "prune_refs",
                                      "scalarize",
                                      "schedule",
                                      "stencil",
                                      "transpose",
                                      "unroll",
                                      "vector_layout"}) {
    std::cout << "  " << kind << " " << ran[kind] << "\n";
    EXPECT_GE(ran[kind], 1U) << kind;
  }
}

/// Changes, deletes or copies bytes.
std::string mutated(std::string text, Random& random) {
  const std::uint64_t changes = pick(random, 1, 6);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(text.size() - at, pick(random, 1, 20));
    switch (pick(random, 0, 4)) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      case 3:
        text.insert(at, "99999999999999999999");
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

template <typename Read>
void expect_error_or_program(const Read& read) {
  try {
    const Program program = read();
    (void)print(program);
    verify(program, "fuzz");
    // A legal program can be interpreted.
    InterpretOptions options;
    options.max_positions = 20000;
    (void)interpret(program, sample_inputs(program), options);
  } catch (const UserError& error) {
    EXPECT_STRNE(error.what(), "");
  }
}

TEST(StripeRandom, ReadersRefuseMutatedTexts) {
  for (std::uint64_t i = 0; i < scaled(4000); ++i) {
    Random random(5000 + seed(i));
    const Program program = random_program(random);
    const std::string text = mutated(
        print(program, pick(random, 0, 3) == 0 ? Dialect::slides : Dialect::canonical), random);
    SCOPED_TRACE(text);
    ASSERT_NO_FATAL_FAILURE(
        expect_error_or_program([&text] { return read_text_form(text, "fuzz"); }));
    if (i % 4 != 0) continue;
    const std::string protobuf = mutated(print_protobuf_text(program), random);
    ASSERT_NO_FATAL_FAILURE(
        expect_error_or_program([&protobuf] { return read_protobuf_text(protobuf, "fuzz"); }));
  }
}

TEST(StripeRandom, PassListsRefuseMutatedTexts) {
  for (std::uint64_t i = 0; i < scaled(2000); ++i) {
    Random random(9000 + seed(i));
    const std::string text = mutated(random_passes(random), random);
    try {
      (void)read_passes(text, "fuzz");
    } catch (const UserError& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

}  // namespace
}  // namespace tactus::stripe::test
