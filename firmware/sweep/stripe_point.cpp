#include "firmware/sweep/stripe_point.h"

#include <filesystem>

#include "firmware/bench/evaluation.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/energy/tcu.h"
#include "firmware/sweep/evaluate.h"
#include "firmware/sweep/read_section.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/sha256.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

/// A key that names a file: its section, its name, and the key of the file's hash.
struct File {
  const char *section, *key, *hash;
};
constexpr File files[] = {{"workload", "stripe", "sha256"},
                          {"codesign", "passes", "passes_sha256"},
                          {"codesign", "energy", "energy_sha256"}};

std::string full_path_beside(const std::string& name, const std::string& file) {
  return std::filesystem::absolute(resolve_beside(file, name)).lexically_normal().string();
}

bool is_of_zoo(const std::string& name) { return name.compare(0, 4, "zoo:") == 0; }

}  // namespace

Configuration stripe_defaults(const std::string& board, const std::string& file) {
  Configuration result;
  result["workload"] = {{"stripe", ""}};
  const Configuration of_board = board_defaults(board, file);
  for (const char* section : {"board", "architecture"}) result[section] = of_board.at(section);
  // The tables write no empty texts, so the keys are made here.
  result["codesign"] = {{"passes", ""}, {"energy", ""}};
  codesign::study_parameters().write(result["codesign"], codesign::Study());
  return result;
}

void bind_stripe_files(Configuration& configuration, const std::string& file) {
  for (const File& one : files) {
    Configuration& section = configuration[one.section];
    const auto name = section[one.key].get<std::string>();
    if (name.empty() || is_of_zoo(name)) continue;
    const bool is_table = std::string_view(one.key) == "energy";
    const std::string path = is_table ? full_path_beside(energy::table_path(name, file), file)
                                      : full_path_beside(name, file);
    // A table of configs/energy keeps its short name.
    section[one.key] = is_table && energy::table_path(name) != name ? name : path;
    section[one.hash] = sha256(read_file(path));
  }
}

codesign::PointTask to_stripe_task(const Configuration& configuration) {
  codesign::PointTask task;
  task.program = configuration.at("workload").at("stripe").get<std::string>();
  if (task.program.empty()) user_error("workload.stripe is missing: a Stripe program");
  // The section "board" also has keys that are no single values, such as the description of the
  // board's memory.
  read_section(configuration, "board", board_parameters(), static_cast<BoardValues&>(task),
               {"name"});
  read_section(configuration, "architecture", tcu::architecture_parameters(), task.architecture);
  read_section(configuration, "codesign", codesign::study_parameters(), task.study,
               {"passes_sha256", "energy_sha256"});
  return task;
}

std::string evaluate_stripe(const Configuration& configuration, std::uint64_t max_cycles) {
  codesign::PointTask task = to_stripe_task(configuration);
  if (max_cycles != 0) task.request.max_cycles = max_cycles;
  Configuration figures = codesign::evaluate(task);
  const energy::OnChip needed = energy::on_chip(task.architecture);
  figures["memory_bits"] = needed.memory_bits;
  figures["multipliers"] = needed.multipliers;
  // One number that stands for the area. A multiplier counts like a bit of memory.
  figures["area_proxy"] = needed.memory_bits + needed.multipliers;
  return text_of_json(figures);
}

std::string stripe_file_problem(const std::string& key, const std::string& value,
                                const std::string& file) {
  if (value.empty()) return "";
  try {
    if (key == "codesign.energy") (void)energy::read_table(energy::table_path(value, file));
    if (key == "codesign.energy") return "";
    const std::string path = resolve_beside(file, value);
    if (key == "workload.stripe") {
      if (is_of_zoo(value)) {
        (void)nn::zoo_entry(value.substr(4));
      } else if (tf::is_model_name(value)) {
        (void)tf::load_model(path);
      } else {
        stripe::verify(stripe::read_program(read_text(path), path), path);
      }
    }
    if (key == "codesign.passes") (void)read_text(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tactus::sweep
