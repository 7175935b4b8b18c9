#include "firmware/sweep/evaluate.h"

#include "firmware/config/memory.h"
#include "firmware/energy/tcu.h"
#include "firmware/sweep/gemm_point.h"
#include "firmware/sweep/stripe_point.h"
#include "firmware/zoo/network_file.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

/// Figures about the host, which are not figures of the point.
constexpr const char* host_figures[] = {"from_cache", "compile_seconds", "simulate_seconds"};

}  // namespace

bench::Task to_task(const Configuration& configuration) {
  const Configuration& workload = configuration.at("workload");
  const Configuration& board = configuration.at("board");
  const auto network = workload.at("network").get<std::string>();
  // A task has the keys of all sections in one object. Its reader checks their ranges.
  Configuration task;
  task["source"] = nn::is_network_file(network)    ? "onnx"
                   : ends_with(network, ".tmodel") ? "model"
                   : ends_with(network, ".tprog")  ? "program"
                                                   : "network";
  task["workload"] = network;
  task["seed"] = workload.at("seed");
  for (const auto& p : bench::compiler_parameters()) {
    task[p.key] = configuration.at("compiler").at(p.key);
  }
  task["architecture"] = without_nulls(configuration.at("architecture"));
  for (const Parameter<BoardValues>& p : board_parameters()) {
    if (replaces_board_memory(p.key)) continue;  // board.memory of the point has its value already
    if (board.contains(p.key)) task[p.key] = board.at(p.key);
  }
  for (const auto& p : request_parameters(Asker::points)) {
    if (const auto& measure = configuration.at("measure"); measure.contains(p.key)) {
      task[p.key] = measure.at(p.key);
    }
  }
  task["max_cycles"] = 0;
  return bench::parse_task(text_of_json(task), "the point's configuration");
}

std::string evaluate(std::string_view configuration_json, const bench::ProgramCache& cache,
                     std::uint64_t max_cycles) {
  const Configuration configuration = Configuration::parse(configuration_json, nullptr, false);
  if (!configuration.is_object()) user_error("tactus sweep --point: no configuration at the input");
  if (is_gemm(configuration)) return evaluate_gemm(configuration, max_cycles);
  if (is_stripe(configuration)) return evaluate_stripe(configuration, max_cycles);
  bench::Task task = to_task(configuration);
  if (max_cycles != 0) task.max_cycles = max_cycles;
  Configuration figures = Configuration::parse(to_json(bench::evaluate(task, cache)));
  for (const char* key : host_figures) figures.erase(key);
  const energy::OnChip needed = energy::on_chip(task.architecture, task.tcus);
  figures["memory_bits"] = needed.memory_bits;
  figures["multipliers"] = needed.multipliers;
  return text_of_json(figures);
}

}  // namespace tactus::sweep
