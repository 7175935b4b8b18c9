#include "firmware/onnx/input_shapes.h"

#include <algorithm>

#include <fmt/format.h>

namespace tactus::nn {

std::optional<Shape> input_shape(const std::string& where, const ValueInfo& info,
                                 const GivenShapes& given_shapes,
                                 std::vector<std::string>& problems) {
  auto given = given_shapes.find(info.name);
  const bool by_name = given != given_shapes.end();
  if (!by_name) given = given_shapes.find("");
  Shape wanted;
  if (given != given_shapes.end()) wanted = given->second;
  if (!info.dims) {
    if (!wanted.empty() && *std::min_element(wanted.begin(), wanted.end()) > 0) return wanted;
    problems.push_back(where + ": the model states no shape; give one");
    return std::nullopt;
  }
  const std::vector<Dimension>& dims = *info.dims;
  // A shape given for all inputs may name only leading dimensions, such as the batch.
  if (by_name ? wanted.size() != dims.size() : wanted.size() > dims.size()) {
    problems.push_back(fmt::format("{}: has {} dimensions, the given shape {} has {}", where,
                                   dims.size(), to_string(wanted), wanted.size()));
    return std::nullopt;
  }
  Shape shape;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::int64_t user = k < wanted.size() ? wanted[k] : -1;
    std::int64_t size = user;
    if (dims[k].size) {
      if (user >= 0 && user != *dims[k].size) {
        problems.push_back(fmt::format("{}: dimension {} is {} in the model, {} was given", where,
                                       k, *dims[k].size, user));
        return std::nullopt;
      }
      size = *dims[k].size;
    } else if (size < 0) {
      if (k != 0) {
        problems.push_back(
            fmt::format("{}: dimension {} is open in the model{}; give its size "
                        "(--input-shape, input_shapes in Python)",
                        where, k, dims[k].symbol.empty() ? "" : " (" + dims[k].symbol + ")"));
        return std::nullopt;
      }
      size = 1;
    }
    if (size < 1) {
      problems.push_back(
          fmt::format("{}: dimension {} is {}; allowed are 1 and more", where, k, size));
      return std::nullopt;
    }
    shape.push_back(size);
  }
  return shape;
}

}  // namespace tactus::nn
