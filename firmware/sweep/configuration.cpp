#include "firmware/sweep/configuration.h"

#include <algorithm>

#include "firmware/driver/tcu/run_request.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/support/nearest_name.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

std::pair<std::string, std::string> split(std::string_view key) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  return {std::string(key.substr(0, dot)), std::string(key.substr(std::min(dot + 1, key.size())))};
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
      if (key.value().is_object()) continue;  // an object is no single value
      names.push_back(section.key() + "." + key.key());
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

bool is_gemm(const Configuration& configuration) {
  return find_key(configuration, "board.machine") != nullptr;
}

bool is_stripe(const Configuration& configuration) {
  return find_key(configuration, "workload.stripe") != nullptr;
}

std::string base_key(const Configuration& configuration) {
  return is_gemm(configuration) ? "board.machine" : "board.name";
}

std::string subject_key(const Configuration& configuration) {
  if (is_stripe(configuration)) return "workload.stripe";
  return is_gemm(configuration) ? "workload.gemm" : "workload.network";
}

std::string unknown_key(std::string_view key) {
  constexpr std::string_view section = "measure.";
  if (key.substr(0, section.size()) == section) {
    const std::string reason = why_not_for(Asker::points, key.substr(section.size()));
    if (!reason.empty()) return "unknown key; it " + reason;
  }
  std::vector<std::string> names;
  for (const ParameterSection& group : parameters()) {
    for (const ParameterInfo& parameter : group.parameters) {
      names.push_back(group.name + "." + parameter.key);
    }
  }
  return "unknown key" + nearest_name(key, {names.begin(), names.end()});
}

std::string key_problem(std::string_view key, const JsonScalar& value) {
  const ParameterInfo* parameter = find_parameter(key);
  return parameter == nullptr ? unknown_key(key) : scalar_problem(*parameter, value);
}

std::string derived_problem(std::string_view key) {
  const ParameterInfo* parameter = find_parameter(key);
  if (parameter == nullptr) return unknown_key(key);
  const bool number =
      parameter->type == ParameterType::whole || parameter->type == ParameterType::real;
  return number ? "" : scalar_problem(*parameter, std::int64_t{0});
}

void set_key(Configuration& configuration, std::string_view key, const JsonScalar& value) {
  const auto [section, name] = split(key);
  Configuration& place = configuration.at(section)[name];  // creates optional keys that are missing
  const ParameterInfo* info = find_parameter(key);
  const bool is_real = info != nullptr && info->type == ParameterType::real;
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer && is_real) {
    place = static_cast<double>(*integer);
    return;
  }
  std::visit([&](const auto& v) { place = v; }, value);
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
