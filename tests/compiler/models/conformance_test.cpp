// ONNX's own tests of single nodes (Debian: libonnx-testdata): those whose operators Tactus has
// either give the expected values on the simulated unit or are listed here with the reason.
#include <filesystem>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/onnx/loader.h"
#include "firmware/onnx/tensor_files.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::compiler {
namespace {

namespace fs = std::filesystem;

const std::string suite = "/usr/share/libonnx-testdata/data/node";

struct Case {
  nn::Graph graph;
  std::vector<nn::Tensor> inputs, expected;  ///< in the graph's order
};

std::vector<nn::Tensor> read_set(const fs::path& folder, const std::string& what) {
  std::vector<nn::Tensor> tensors;
  for (std::size_t i = 0;; ++i) {
    const fs::path path = folder / (what + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) return tensors;
    tensors.push_back(nn::read_tensor(path.string()).tensor);
  }
}

/// The inputs from number `first` on become initializers, as models have weights and shapes.
nn::Graph with_initializers(const Case& c, std::size_t first) {
  nn::Graph graph = c.graph;
  graph.inputs.clear();
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const nn::ValueInfo& info = c.graph.inputs[i];
    if (i < first) {
      graph.inputs.push_back(info);
    } else {
      graph.initializers[info.name] = c.inputs[i];
    }
  }
  return graph;
}

enum class Outcome { right, wrong, refused };

/// Compiles with all inputs computed at run time or, if that is refused, with all but the first
/// known; runs, and compares. `text`: what was refused or how far the values are off.
Outcome outcome_of(const Case& c, std::string& text) {
  for (const std::size_t first : {c.inputs.size(), std::size_t{1}}) {
    const nn::Graph graph = with_initializers(c, first);
    try {
      const Compiled compiled = compile(graph, ample_architecture());
      nn::Values inputs;
      for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        inputs[c.graph.inputs[i].name] = c.inputs[i];
      }
      const nn::Values outputs = finished(compiled, inputs);
      for (std::size_t i = 0; i < c.expected.size(); ++i) {
        const nn::Tensor& actual = outputs.at(compiled.model_outputs.at(i));
        const double error = relative_error(actual, c.expected[i]);
        // A scalar is a row of one value on the unit.
        const bool same_shape = actual.shape == c.expected[i].shape ||
                                (c.expected[i].shape.empty() && actual.shape == nn::Shape{1});
        if (!same_shape || !(error < 0.005)) {
          text = "shape " + nn::to_string(actual.shape) + ", error " + std::to_string(error);
          return Outcome::wrong;
        }
      }
      return Outcome::right;
    } catch (const UserError& error) {
      text = error.what();
    }
  }
  return Outcome::refused;
}

/// Nothing for tests of operators that Tactus does not have, or that are no tests of tensors.
std::optional<Case> read_case(const fs::path& folder) {
  Case c;
  try {
    c.graph = nn::load_graph((folder / "model.onnx").string());
    for (const nn::Node& node : c.graph.nodes) {
      const bool known = node.domain.empty() && (find_operator(node.op_type) != nullptr ||
                                                 nn::reference_has(node, c.graph.opset));
      if (!known) return std::nullopt;
    }
    c.inputs = read_set(folder / "test_data_set_0", "input");
    c.expected = read_set(folder / "test_data_set_0", "output");
  } catch (const UserError&) {
    return std::nullopt;
  }
  if (c.inputs.size() != c.graph.inputs.size()) return std::nullopt;
  return c;
}

/// Why tests whose names begin so are refused.
const std::map<std::string, std::string>& reasons() {
  static const std::map<std::string, std::string> all{};
  return all;
}

std::string reason_of(const std::string& name) {
  std::string best, reason;
  for (const auto& [prefix, why] : reasons()) {
    if (name.rfind(prefix, 0) == 0 && prefix.size() >= best.size()) {
      best = prefix;
      reason = why;
    }
  }
  return reason;
}

TEST(Conformance, NodeTestsOfTheStandard) {
  if (!fs::exists(suite)) {
    GTEST_SKIP() << suite << " is not there; as root: apt-get install libonnx-testdata";
  }
  std::map<Outcome, std::size_t> counts;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(suite)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    const std::string name = folder.filename().string();
    const std::optional<Case> c = read_case(folder);
    if (!c) continue;
    std::string text;
    const Outcome outcome = outcome_of(*c, text);
    ++counts[outcome];
    if (outcome == Outcome::wrong) ADD_FAILURE() << name << " is wrong: " << text;
    if (outcome != Outcome::refused) {
      EXPECT_EQ(reason_of(name) == "" || outcome == Outcome::right, true) << name;
      continue;
    }
    EXPECT_NE(reason_of(name), "") << name << " is refused and not on the list: " << text;
  }
  std::printf("%zu right, %zu wrong, %zu refused with a reason\n", counts[Outcome::right],
              counts[Outcome::wrong], counts[Outcome::refused]);
}

}  // namespace
}  // namespace tactus::compiler
