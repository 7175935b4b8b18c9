#include "firmware/compiler/frontend/operators.h"

#include <map>

#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

const std::map<std::string_view, Operator>& table() {
  static const std::map<std::string_view, Operator> all = [] {
    std::map<std::string_view, Operator> by_type;
    for (const auto family : {convolution_operators, matrix_operators,        arithmetic_operators,
                              activation_operators,  normalisation_operators, pool_operators,
                              resize_operators,      relabel_operators,       rearrange_operators,
                              constant_operators,    selection_operators,     function_operators,
                              reduction_operators,   quantisation_operators,  statistics_operators,
                              recurrent_operators,   logic_operators,         attention_operators,
                              indexing_operators,    composed_operators,      sampling_operators}) {
      for (const Operator& op : family()) by_type.emplace(op.type, op);
    }
    return by_type;
  }();
  return all;
}

}  // namespace

const Operator* find_operator(std::string_view type) {
  const auto found = table().find(type);
  return found == table().end() ? nullptr : &found->second;
}

const Operator* find_internal_operator(std::string_view type) {
  static const Operators all = internal_operators();
  for (const Operator& op : all) {
    if (op.type == type) return &op;
  }
  return nullptr;
}

bool has(const nn::Node& node, Traits traits) {
  const Operator* op = find_operator(node.op_type);
  return op != nullptr && (op->traits & traits) != 0;
}

std::vector<std::string_view> operator_types() {
  std::vector<std::string_view> types;
  for (const auto& [type, op] : table()) types.push_back(type);
  return types;
}

std::string supported_operators() { return fmt::format("{}", fmt::join(operator_types(), ", ")); }

}  // namespace tactus::compiler
