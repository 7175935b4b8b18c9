// Single operators with values of ONNX Runtime or of ONNX's reference evaluator: cases.json, which
// make_cases.py writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::compiler {

/// One node. Inputs are named i0, i1..., outputs o0, o1...
struct RecordedCase {
  std::string op, domain, label;
  std::string
      refused;  ///< text of the message by which Tactus refuses the case; empty: it does not
  std::vector<std::int64_t> opsets;  ///< operator sets that give these values
  nlohmann::json inputs;             ///< a list; null: the input is absent
  nlohmann::json attributes;  ///< by name; an integer, a text, {"float": x}, a list, a tensor
  nn::Values outputs;         ///< expected

  [[nodiscard]] std::string text() const;
  /// The graph as a file has it. Inputs from number `first_constant` on are initializers.
  [[nodiscard]] nn::Graph graph(std::int64_t opset, std::size_t first_constant = SIZE_MAX) const;
  /// Values of the graph's inputs.
  [[nodiscard]] nn::Values values(std::size_t first_constant = SIZE_MAX) const;
};

[[nodiscard]] const std::vector<RecordedCase>& recorded_cases();

}  // namespace tactus::compiler
