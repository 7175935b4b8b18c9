// Errors that the compiler's way of computing a node causes by itself, apart from rounding.
#pragma once

#include <map>
#include <string>

namespace tactus::compiler {

/// Largest error of a node's results, as the machine holds them. The larger of the two counts. For
/// whole numbers the unit is 1: half a step of quantisation is 0.5.
struct ExpectedError {
  double absolute = 0;
  double relative = 0;  ///< of 1, or of the result if that is above 1
};

/// By the name of the model's node. Absent: rounding only.
using ExpectedErrors = std::map<std::string, ExpectedError>;

}  // namespace tactus::compiler
