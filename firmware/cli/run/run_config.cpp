#include "firmware/cli/run/run_config.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "firmware/cli/run/input_vectors.h"
#include "firmware/cli/run/run_parameters.h"
#include "firmware/cli/verbosity.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/simulation_parameters.h"
#include "firmware/energy/table.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// Applies a function to every path of a workload: all texts except inputs that are generated.
template <typename Function>
void change_paths(Workload& workload, Function&& function) {
  for (const Parameter<Workload>& parameter : workload_parameters()) {
    const ParameterValue value = parameter.get(workload);
    if (const auto* path = std::get_if<std::string>(&value)) {
      parameter.set(workload, function(*path));
    }
  }
  for (auto& [name, path] : workload.inputs) {
    if (!is_drawn(path)) path = function(path);
  }
}

/// True for the path of an energy table, false for a name of configs/energy.
bool is_table_file(const std::string& name) {
  return !name.empty() && energy::table_path(name) == name;
}

void read_workload(ObjectReader reader, const std::string& file, Workload& workload) {
  workload_parameters().read(reader, workload, MissingKeys::allowed);
  if (auto inputs = reader.get_optional_object("inputs")) {
    for (const std::string& name : inputs->keys()) {
      workload.inputs.emplace_back(name, inputs->get_string(name));
    }
  }
  reader.finish();
  change_paths(workload, [&](const std::string& path) { return resolve_beside(file, path); });
}

void read_board_section(ObjectReader reader, RunConfig& config) {
  config.board = reader.get_optional_string("name").value_or("");
  for (const auto& parameter : board_parameters()) {
    if (reader.has(parameter.key)) config.given.push_back(parameter.key);
  }
  board_parameters().read(reader, config.values, MissingKeys::allowed);
  std::string& ddr = config.values.ddr;
  if (!ddr.empty() && config_path("dram", ddr) == ddr) ddr = resolve_beside(config.path, ddr);
  reader.finish();
}

void read_run_section(ObjectReader reader, const std::string& file, RunPlan& plan) {
  run_parameters().read(reader, plan, MissingKeys::allowed);
  simulation_parameters().read(reader, plan.config, MissingKeys::allowed);
  sampler_parameters().read(reader, plan.sampling, MissingKeys::allowed);
  reader.finish();
  if (!plan.regions_wanted.empty() && !is_number(plan.regions_wanted)) {
    plan.regions_wanted = resolve_beside(file, plan.regions_wanted);
  }
  if (is_table_file(plan.energy)) plan.energy = resolve_beside(file, plan.energy);
}

}  // namespace

bool RunConfig::needs_board(bool has_model) const {
  if (board.empty()) return false;
  const auto has = [&](std::string_view key) {
    return std::find(given.begin(), given.end(), key) != given.end();
  };
  bool complete =
      has("memory_model") && (values.memory_model == MemoryModel::fixed || has("memory"));
  for (const auto& parameter : board_parameters()) {
    complete = complete && (parameter.optional || has(parameter.key));
  }
  return !complete || (!architecture && !has_model);
}

RunConfig read_run_config(const std::string& path, RunPlan& plan) {
  const std::string text = read_text(path);
  JsonDocument document(text, path);
  ObjectReader root = document.root();
  // A statistics file contains the configuration of its run.
  if (kind_of_file(path, text) == FileKind::statistics) root = root.get_object("rerun");
  RunConfig config;
  config.path = path;
  if (root.has("workload")) read_workload(root.get_object("workload"), path, plan.workload);
  if (root.has("architecture")) {
    const ObjectReader architecture = root.get_object("architecture");
    config.architecture = tcu::decode_architecture(architecture, MissingKeys::allowed);
    const std::string defaults = tcu::keys_left_out(architecture);
    if (!defaults.empty()) note("{}:/architecture leaves to their defaults: {}", path, defaults);
  }
  if (root.has("board")) read_board_section(root.get_object("board"), config);
  if (root.has("run")) read_run_section(root.get_object("run"), path, plan);
  root.finish();
  document.problems().throw_if_any();
  return config;
}

std::string run_config_json(const RunPlan& plan) {
  Json json;
  Workload workload = plan.workload;
  change_paths(workload, absolute);
  workload_parameters().write(json["workload"], workload);
  for (const auto& [name, path] : workload.inputs) json["workload"]["inputs"][name] = path;
  tcu::Architecture architecture = plan.config.architecture;
  for (tcu::DaisBlockEntry& block : architecture.dais_blocks) block.program = absolute(block.path);
  json["architecture"] = json_of_text(tcu::to_json(architecture, -1));
  if (!plan.board.name.empty()) json["board"]["name"] = plan.board.name;
  board_parameters().write(json["board"], in_force(plan.config));
  RunChoices run = plan;
  if (!run.regions_wanted.empty() && !is_number(run.regions_wanted)) {
    run.regions_wanted = absolute(run.regions_wanted);
  }
  if (is_table_file(run.energy)) run.energy = absolute(run.energy);
  run_parameters().write(json["run"], run);
  simulation_parameters().write(json["run"], plan.config);
  sampler_parameters().write(json["run"], plan.sampling);
  return text_of_json(json, 2) + "\n";
}

}  // namespace tactus
