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

/// The program after a pass. Step 0 is the result of lowering.
struct Step {
  std::string name;      ///< "03_light"
  std::string text;      ///< path of the printed text
  std::string protobuf;  ///< path of the protobuf text
  std::string outputs;   ///< path of PlaidML's results; empty if it has none
};

struct Case {
  std::string name;
  std::string passes;  ///< path of the configuration
  std::vector<Step> steps;
};

/// Returns the folder with the golden data; empty if it does not exist.
[[nodiscard]] std::string golden_folder();
[[nodiscard]] std::vector<Case> golden_cases();
/// Returns the paths of all golden files whose names end in `ending`.
[[nodiscard]] std::vector<std::string> golden_files(const std::string& ending);
/// True for steps that are wrong because of a defect in PlaidML's scheduler: they write read-only
/// views and compute a different result.
[[nodiscard]] bool wrong_upstream(const Case& one, const Step& step);
[[nodiscard]] std::string read(const std::string& path);

/// Returns the tensors of a .vm file.
[[nodiscard]] Tensors read_outputs(const std::string& path);
/// An expected element of a fragment's result.
struct Element {
  std::string buffer;
  std::size_t index = 0;
  double value = 0;
};
/// Returns the "inputs" of a fragment's data.json, and all expected elements.
[[nodiscard]] std::pair<Tensors, std::vector<Element>> fragment_data(const std::string& path);
/// Returns the number of points of all blocks, as an estimate of the interpreter's time.
[[nodiscard]] double work_of(const Program& program);

}  // namespace tactus::stripe::test

/// Skips the test if the golden data does not exist.
#define TACTUS_NEEDS_GOLDEN_STRIPE()                                                          \
  if (tactus::stripe::test::golden_folder().empty()) {                                        \
    GTEST_SKIP() << "no golden/stripe; set TACTUS_SHARED to the folder with the golden data"; \
  }
