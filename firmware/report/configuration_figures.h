// Writes the parameters of a run with the names that they have in statistics files.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/parameter.h"

namespace tactus {

/// Adds the parameters that shape the machine and have a value, except those with a key in
/// `leave_out`. Keys of parameters in cycles get the ending _cycles: "read_latency_cycles".
template <typename T>
void add_configuration_figures(nlohmann::ordered_json& json, const ParameterTable<T>& table,
                               const T& values, const std::vector<std::string>& leave_out) {
  nlohmann::ordered_json all;
  table.write(all, values);
  for (const Parameter<T>& parameter : table) {
    const auto& out = leave_out;
    if (std::find(out.begin(), out.end(), parameter.key) != out.end()) continue;
    if (!parameter.shapes_machine || !all.contains(parameter.key)) continue;
    json[parameter.key + (parameter.unit == "cycles" ? "_cycles" : "")] = all[parameter.key];
  }
}

}  // namespace tactus
