#include "firmware/codesign/point.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/energy/tcu.h"
#include "firmware/sweep/codesign_sections.h"
#include "firmware/sweep/network_point.h"
#include "firmware/sweep/read_section.h"
#include "firmware/sweep/runner.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

bool is_of_zoo(const std::string& name) { return name.compare(0, 4, "zoo:") == 0; }

NamedFile plain_file(const std::string& value, const std::string& beside) {
  if (is_of_zoo(value)) return {value, {}};
  const std::string path = full_path_beside(value, beside);
  return {path, path};
}

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

void check_stripe(const Configuration& configuration) {
  const codesign::PointTask task = to_stripe_task(configuration);
  check_machine(task, task.architecture);
  codesign::check_files(task);
}

Configuration evaluate_stripe(const Configuration& configuration, const bench::ProgramCache&,
                              std::uint64_t max_cycles) {
  codesign::PointTask task = to_stripe_task(configuration);
  if (max_cycles != 0) task.request.max_cycles = max_cycles;
  Configuration figures = codesign::evaluate(task);
  add_size(figures, task.architecture);
  // One number that stands for the area. A multiplier counts like a bit of memory.
  figures["area_proxy"] = figures.at("memory_bits").get<std::uint64_t>() +
                          figures.at("multipliers").get<std::uint64_t>();
  return figures;
}

void check_stripe_value(const std::string& key, const std::string& value,
                        const std::string& beside) {
  if (value.empty()) return;
  if (key == "codesign.energy") (void)energy::read_table(energy::table_path(value, beside));
  if (key == "codesign.passes") (void)read_text(resolve_beside(beside, value));
  if (key != "workload.stripe") return;
  const std::string path = resolve_beside(beside, value);
  if (is_of_zoo(value)) {
    (void)nn::zoo_entry(value.substr(4));
  } else if (tf::is_model_name(value)) {
    (void)tf::load_model(path);
  } else {
    stripe::verify(stripe::read_program(read_text(path), path), path);
  }
}

/// Figures of a point that runs a Stripe program.
std::vector<Figure> codesign_columns() {
  return {
      {"cycles_outside_kernels", "cycles", "cycles of the run outside its kernels"},
      {"mac_points", "count", "multiply-accumulates that the program's kernels ask for"},
      {"mac_slots", "count", "multiply-accumulates that the array does in all its busy cycles"},
      {"kernels.*", "", "each kernel: start, cycles, predicted cycles, tiles"},
      {"kernels", "list", "each kernel: start, cycles, predicted cycles, tiles"},
      {"units.*", "", "share of the run in which each unit is busy"},
      {"buses.*", "", "share of the run in which each bus is busy"},
      {"predicted.*", "", "what the cost model predicts for the run"},
      {"doubled.*", "", "time of the point with one parameter doubled, simulated and predicted"},
      {"extended.*", "", "time of the point with an extension added, simulated and predicted"},
      {"ideas", "list", "suggestions that would improve the point, with their evidence"},
      {"hypothetical", "list", "predictions for hardware that was not simulated"}};
}

}  // namespace

Runner stripe_runner() {
  return {"workload.stripe",
          "program",
          "in place of network: a Stripe program, an .onnx file or zoo:NAME, by way of Stripe",
          "board.name",
          "workload.stripe",
          {codesign::study_parameters().section()},
          {{"workload", "stripe", "sha256", plain_file},
           {"codesign", "passes", "passes_sha256", plain_file},
           {"codesign", "energy", "energy_sha256", energy_file}},
          stripe_defaults,
          check_stripe_value,
          check_stripe,
          evaluate_stripe,
          codesign_columns,
          codesign_sections};
}

}  // namespace tactus::sweep
