// Stripe programs of PlaidML 0.7.0, in TACTUS_SHARED/golden/stripe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe::test {

/// A program after one pass; step 0 is what lowering made.
struct Step {
  std::string name;      ///< "03_light"
  std::string text;      ///< path of the printed text
  std::string protobuf;  ///< path of the protobuf text
  std::string outputs;   ///< path of PlaidML's results; empty if there are none
};

struct Case {
  std::string name;
  std::string passes;  ///< path of the configuration
  std::vector<Step> steps;
};

/// Folder with the golden data; empty if it is not there.
[[nodiscard]] std::string golden_folder();
[[nodiscard]] std::vector<Case> golden_cases();
/// Paths below the folder that end so.
[[nodiscard]] std::vector<std::string> golden_files(const std::string& ending);
/// Steps that are wrong by a defect of PlaidML's scheduler: they write views that are only read and
/// compute something else.
[[nodiscard]] bool wrong_upstream(const Case& one, const Step& step);
[[nodiscard]] std::string read(const std::string& path);

/// Tensors of a .vm file.
[[nodiscard]] Tensors read_outputs(const std::string& path);
/// An element that a fragment's test expects.
struct Element {
  std::string buffer;
  std::size_t index = 0;
  double value = 0;
};
/// "inputs" of a fragment's data.json, and all elements expected.
[[nodiscard]] std::pair<Tensors, std::vector<Element>> fragment_data(const std::string& path);
/// Positions of all blocks, as an estimate of what interpreting costs.
[[nodiscard]] double work_of(const Program& program);

}  // namespace tactus::stripe::test

/// Skips a test where the golden data is not there.
#define TACTUS_NEEDS_GOLDEN_STRIPE()                                                          \
  if (tactus::stripe::test::golden_folder().empty()) {                                        \
    GTEST_SKIP() << "no golden/stripe; set TACTUS_SHARED to the folder with the golden data"; \
  }
