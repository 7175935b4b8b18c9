// Operators of others that are computed by one of the standard.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "firmware/reference/call.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {

/// The first result of an operator of the standard with these inputs. It has the node's attributes
/// without the node's own.
[[nodiscard]] inline Tensor of_standard(const Call& call, const char* op,
                                        const std::vector<const Tensor*>& inputs,
                                        std::initializer_list<const char*> own = {}) {
  Node node = call.node;
  node.domain.clear();
  node.op_type = op;
  for (const char* attribute : own) node.attributes.erase(attribute);
  node.inputs.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    node.inputs.push_back(inputs[i] == nullptr ? "" : "x" + std::to_string(i));
  }
  node.outputs.resize(1);
  return run_node(node, call.opset, inputs).front();
}

}  // namespace tactus::nn
