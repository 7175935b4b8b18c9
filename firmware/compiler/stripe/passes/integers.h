// Signed integers of JSON objects.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/support/json.h"

namespace tactus::stripe {

inline std::int64_t integer(ObjectReader& object, std::string_view key) {
  if (!object.has(key)) {
    object.add_problem(key, "is missing");
    return 1;
  }
  const JsonScalar value = object.get_scalar(key);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  object.add_problem(key, "must be an integer");
  return 1;
}

inline std::vector<std::int64_t> integers(ObjectReader& object, std::string_view key) {
  std::vector<std::int64_t> result;
  const auto list = object.get_optional_array(key);
  if (!list) return result;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonScalar value = list->get_scalar(i);
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      result.push_back(*number);
    } else {
      list->add_problem(i, "must be an integer");
    }
  }
  return result;
}

}  // namespace tactus::stripe
