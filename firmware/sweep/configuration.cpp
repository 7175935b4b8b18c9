#include "firmware/sweep/configuration.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

std::pair<std::string, std::string> split(std::string_view key) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  return {std::string(key.substr(0, dot)), std::string(key.substr(std::min(dot + 1, key.size())))};
}

const Configuration* find(const Configuration& configuration, std::string_view key) {
  const auto [section, name] = split(key);
  const auto keys = configuration.find(section);
  if (keys == configuration.end()) return nullptr;
  const auto value = keys->find(name);
  return value == keys->end() ? nullptr : &*value;
}

}  // namespace

std::vector<std::string> key_names(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const auto& section : configuration.items()) {
    for (const auto& key : section.value().items())
      names.push_back(section.key() + "." + key.key());
  }
  return names;
}

std::string key_problem(const Configuration& configuration, std::string_view key,
                        const JsonScalar& value) {
  const Configuration* present = find(configuration, key);
  if (present == nullptr) {
    const std::vector<std::string> names = key_names(configuration);
    return "unknown key" + suggestion(key, {names.begin(), names.end()});
  }
  const bool integer = std::holds_alternative<std::int64_t>(value);
  if (present->is_number_integer()) return integer ? "" : "must be an integer";
  if (present->is_number()) {
    return integer || std::holds_alternative<double>(value) ? "" : "must be a number";
  }
  if (present->is_boolean()) {
    return std::holds_alternative<bool>(value) ? "" : "must be true or false";
  }
  return std::holds_alternative<std::string>(value) ? "" : "must be a string";
}

void set_key(Configuration& configuration, std::string_view key, const JsonScalar& value) {
  const auto [section, name] = split(key);
  Configuration& place = configuration.at(section).at(name);
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer && place.is_number_float()) {
    place = static_cast<double>(*integer);
    return;
  }
  std::visit([&](const auto& v) { place = v; }, value);
}

const Configuration& get_key(const Configuration& configuration, std::string_view key) {
  const Configuration* value = find(configuration, key);
  if (value == nullptr) internal_error("no key {} in a configuration", key);
  return *value;
}

std::string hash(const Configuration& configuration) {
  const std::string text = configuration.dump();
  return sha256({text.begin(), text.end()});
}

}  // namespace tactus::sweep
