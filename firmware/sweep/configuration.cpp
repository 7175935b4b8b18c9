#include "firmware/sweep/configuration.h"

#include <algorithm>
#include <iterator>

#include "firmware/driver/tcu/run_request.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/nearest_name.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

std::pair<std::string, std::string> split(std::string_view key) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  return {std::string(key.substr(0, dot)), std::string(key.substr(std::min(dot + 1, key.size())))};
}

JsonScalar scalar_of(const KeyValue& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

/// Says what is wrong with a list or an object for a key of the architecture.
std::string list_problem(const std::string& key, const KeyValue& value, const std::string& file) {
  if (value.is_null()) return "";
  JsonDocument document(text_of_json({{key, value}}), file);
  ObjectReader reader = document.root();
  tcu::Architecture architecture;
  tcu::architecture_parameters().read(reader, architecture, MissingKeys::allowed);
  try {
    document.problems().throw_if_any();
  } catch (const UserError& error) {
    const std::string prefix = file + ":";
    std::string text = error.what();
    text.erase(0, prefix.size());
    for (std::size_t at = 0; (at = text.find("\n" + prefix, at)) != text.npos;) {
      text.replace(at, prefix.size() + 1, "; ");
    }
    return text;
  }
  return "";
}

}  // namespace

const Configuration* find_key(const Configuration& configuration, std::string_view key) {
  const auto [section, name] = split(key);
  const auto keys = configuration.find(section);
  if (keys == configuration.end()) return nullptr;
  const auto value = keys->find(name);
  return value == keys->end() ? nullptr : &*value;
}

std::vector<std::string> key_names(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const auto& section : configuration.items()) {
    for (const auto& key : section.value().items()) {
      std::string name = section.key() + "." + key.key();
      // The memory of a board is an object that has no key of its own.
      if (key.value().is_object() && find_parameter(name) == nullptr) continue;
      names.push_back(std::move(name));
    }
  }
  return names;
}

const ParameterInfo* find_parameter(std::string_view key) {
  const auto [section, name] = split(key);
  for (const ParameterSection& group : parameters()) {
    if (group.name != section) continue;
    for (const ParameterInfo& parameter : group.parameters) {
      if (parameter.key == name) return &parameter;
    }
  }
  return nullptr;
}

std::string unknown_key(std::string_view key) {
  constexpr std::string_view section = "measure.";
  if (key.substr(0, section.size()) == section) {
    const std::string reason = why_not_for(Asker::points, key.substr(section.size()));
    if (!reason.empty()) return "unknown key; it " + reason;
  }
  const std::string own = split(key).first;
  std::vector<std::string> names;
  std::vector<std::string> of_section;
  std::vector<std::string_view> sections;
  for (const ParameterSection& group : parameters()) {
    sections.emplace_back(group.name);
    for (const ParameterInfo& parameter : group.parameters) {
      names.push_back(group.name + "." + parameter.key);
      if (group.name == own) of_section.push_back(names.back());
    }
  }
  const std::string near = nearest_name(key, {names.begin(), names.end()});
  if (!near.empty()) return "unknown key" + near;
  if (of_section.empty()) return "unknown key" + allowed_names(sections) + ", a dot and a key";
  return "unknown key" + allowed_names({of_section.begin(), of_section.end()});
}

std::string key_problem(std::string_view key, const KeyValue& value, const std::string& file) {
  const ParameterInfo* parameter = find_parameter(key);
  if (parameter == nullptr) return unknown_key(key);
  if (parameter->type == ParameterType::other) return list_problem(parameter->key, value, file);
  if (value.is_null() || value.is_structured()) {
    return fmt::format("must be a number, a string, true or false, is {}", value.is_null() ? "null"
                                                                           : value.is_array()
                                                                               ? "an array"
                                                                               : "an object");
  }
  return scalar_problem(*parameter, scalar_of(value));
}

std::string derived_problem(std::string_view key) {
  const ParameterInfo* parameter = find_parameter(key);
  if (parameter == nullptr) return unknown_key(key);
  const bool number =
      parameter->type == ParameterType::whole || parameter->type == ParameterType::real;
  return number ? "" : scalar_problem(*parameter, std::int64_t{0});
}

void set_key(Configuration& configuration, std::string_view key, const KeyValue& value) {
  const auto [section, name] = split(key);
  Configuration& place = configuration.at(section)[name];  // creates optional keys that are missing
  const ParameterInfo* info = find_parameter(key);
  const bool is_real = info != nullptr && info->type == ParameterType::real;
  place = value.is_number() && is_real ? KeyValue(value.get<double>()) : value;
}

Configuration without_nulls(Configuration section) {
  for (auto key = section.begin(); key != section.end();) {
    key = key->is_null() ? section.erase(key) : std::next(key);
  }
  return section;
}

const Configuration& get_key(const Configuration& configuration, std::string_view key) {
  const Configuration* value = find_key(configuration, key);
  if (value == nullptr) internal_error("no key {} in a configuration", key);
  return *value;
}

std::string hash(const Configuration& configuration) {
  const std::string text = text_of_json(configuration);
  return sha256({text.begin(), text.end()});
}

}  // namespace tactus::sweep
