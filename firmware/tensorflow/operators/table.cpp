#include <map>

#include "firmware/tensorflow/importer.h"
#include "firmware/tensorflow/translator.h"

namespace tactus::tf {
namespace {

const std::map<std::string_view, Operator>& table() {
  static const std::map<std::string_view, Operator> all = [] {
    std::map<std::string_view, Operator> by_name;
    for (const auto family : {arithmetic_operators, batch_operators, constant_operators,
                              image_operators, product_operators, quantisation_operators,
                              rearrangement_operators, recurrent_operators}) {
      for (const Operator& op : family()) by_name.emplace(op.name, op);
    }
    return by_name;
  }();
  return all;
}

}  // namespace

const Operator* find_operator(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::string supported_operators() {
  std::string list = "Placeholder";
  for (const auto& entry : table()) list += fmt::format(", {}", entry.first);
  return list;
}

}  // namespace tactus::tf
