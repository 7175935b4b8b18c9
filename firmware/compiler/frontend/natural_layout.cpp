// The layouts of values that may have any.
#include <algorithm>
#include <string>
#include <utility>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/operators.h"

namespace tactus::compiler {
namespace {

bool is_to_image(const nn::Node& node) {
  const auto permutation = node.attributes.find("perm");
  return node.op_type == "Transpose" && permutation != node.attributes.end() &&
         permutation->second == nn::Attribute(nn::Shape{0, 3, 1, 2});
}

/// True if an operator that needs rows reads the value, directly or through operators on single
/// elements and Transposes, which move no data.
bool reaches_rows(const Model& model, const std::string& value, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  const auto readers = model.nodes_reading.find(value);
  if (readers == model.nodes_reading.end() || depth > deepest) return false;
  return std::any_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* node) {
    if (node->outputs.empty()) return false;
    if (has(*node, wants_rows)) return true;
    return has(*node, keeps_layout | keeps_rows) &&
           reaches_rows(model, node->outputs.front(), depth + 1);
  });
}

/// True if an operator that needs an image reads the value, directly or through operators on single
/// elements; with `turned`, through a Transpose from NHWC to NCHW.
bool reaches_image(const Model& model, const std::string& value, bool turned, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  const auto readers = model.nodes_reading.find(value);
  if (readers == model.nodes_reading.end() || depth > deepest) return false;
  return std::any_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* node) {
    if (node->outputs.empty()) return false;
    if (!turned && has(*node, wants_image)) return node->inputs.front() == value;
    if (turned && is_to_image(*node)) {
      return reaches_image(model, node->outputs.front(), false, depth + 1);
    }
    return has(*node, keeps_layout) &&
           reaches_image(model, node->outputs.front(), turned, depth + 1);
  });
}

/// True if all readers of a value, apart from operators on single elements, are Transposes of the
/// last two of three dimensions whose results are read as rows.
bool reaches_turn(const Model& model, const std::string& value, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  const auto readers = model.nodes_reading.find(value);
  if (readers == model.nodes_reading.end() || depth > deepest) return false;
  return std::all_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* node) {
    if (node->outputs.empty()) return false;
    const auto permutation = node->attributes.find("perm");
    if (node->op_type == "Transpose") {
      const std::string& turned = node->outputs.front();
      return permutation != node->attributes.end() &&
             permutation->second == nn::Attribute(nn::Shape{0, 2, 1}) &&
             reaches_rows(model, turned) && !reaches_image(model, turned, false);
    }
    return (has(*node, keeps_layout) || node->op_type == "Concat") &&
           reaches_turn(model, node->outputs.front(), depth + 1);
  });
}

}  // namespace

Layout Model::natural_layout(const std::string& name, nn::Shape shape) const {
  const auto readers = nodes_reading.find(name);
  if (shape.size() == 4 && readers != nodes_reading.end() && readers->second.size() == 1) {
    const nn::Node& reader = *readers->second.front();
    const auto permutation = reader.attributes.find("perm");
    if (reader.op_type == "Transpose" && permutation != reader.attributes.end() &&
        permutation->second == nn::Attribute(std::vector<std::int64_t>{0, 3, 1, 2})) {
      return Layout::plain(std::move(shape));
    }
  }
  if (!compat && shape.size() == 4 && !reaches_image(*this, name, false) &&
      reaches_image(*this, name, true)) {
    return Layout::plain(std::move(shape));
  }
  if (!compat && shape.size() == 4 && !reaches_image(*this, name, false) &&
      reaches_rows(*this, name)) {
    return Layout::plain(std::move(shape));
  }
  if (!compat && shape.size() == 3 &&
      (reaches_image(*this, name, false) || reaches_turn(*this, name))) {
    return {std::move(shape), {0, 2, 1}};
  }
  return Layout::activation(std::move(shape));
}

}  // namespace tactus::compiler
