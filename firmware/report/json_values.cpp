#include "firmware/report/json_values.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/read_number.h"

namespace tactus {

using Json = nlohmann::ordered_json;

/// Returns null if the path does not exist. json_pointer is not used, since it throws other
/// exceptions for keys that contain a "~".
const Json* JsonValues::find(const std::string& path) const {
  const Json* value = &json_;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string key = path.substr(begin, end - begin);
    begin = end + 1;
    if (value->is_object()) {
      const auto found = value->find(key);
      if (found == value->end()) return nullptr;
      value = &*found;
      continue;
    }
    const auto index = read_number<std::size_t>(key);
    if (!value->is_array() || !index || *index >= value->size()) return nullptr;
    value = &(*value)[*index];
  }
  return value;
}

const Json& JsonValues::at(const std::string& path) const {
  const Json* const value = find(path);
  if (value == nullptr) refuse(path, "is missing");
  return *value;
}

const Json& JsonValues::object(const std::string& path) const {
  const Json& value = at(path);
  if (!value.is_object()) refuse(path, "must be an object");
  return value;
}

const Json& JsonValues::array(const std::string& path) const {
  const Json& value = at(path);
  if (!value.is_array()) refuse(path, "must be an array");
  return value;
}

std::uint64_t JsonValues::count(const Json& value, const std::string& path) const {
  if (!value.is_number_unsigned()) refuse(path, "must be a whole number, 0 or more");
  return value.get<std::uint64_t>();
}

double JsonValues::number(const std::string& path) const {
  const Json& value = at(path);
  if (!value.is_number()) refuse(path, "must be a number");
  return value.get<double>();
}

std::optional<double> JsonValues::number_or_null(const std::string& path) const {
  const Json& value = at(path);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number()) refuse(path, "must be a number or null");
  return value.get<double>();
}

const std::string& JsonValues::text(const std::string& path) const {
  const Json& value = at(path);
  if (!value.is_string()) refuse(path, "must be a string");
  return value.get_ref<const std::string&>();
}

void JsonValues::refuse(const std::string& path, const std::string& what) const {
  user_error("{}:{}: {}", where_, path, what);
}

}  // namespace tactus
