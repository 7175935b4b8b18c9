// Fixes inputs of a graph to values of the user's, so that what depends on them alone is known when
// compiling: a sample rate, the length of a sequence, a mode.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/onnx/input_shapes.h"

namespace tactus::nn {

/// Values by input name: one for each element, or one for all of them.
using GivenValues = std::map<std::string, std::vector<double>>;

/// Returns the graph with these inputs as constants, and removes the shapes given for them. The
/// size of an input of one dimension follows from the number of values if nobody states it. Throws
/// UserError: no such input, a shape that is unknown or has another number of elements, a value
/// that the element type does not hold.
[[nodiscard]] Graph with_input_values(Graph graph, const GivenValues& values, GivenShapes& shapes);

}  // namespace tactus::nn
