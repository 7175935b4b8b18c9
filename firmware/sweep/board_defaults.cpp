#include <algorithm>
#include <filesystem>

#include "firmware/bench/evaluation.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/gemm/config.h"
#include "firmware/sweep/configuration.h"
#include "firmware/sweep/gemm_point.h"
#include "firmware/sweep/stripe_point.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

ParameterInfo text_parameter(const char* key, const char* sentence) {
  ParameterInfo parameter;
  parameter.key = key;
  parameter.type = ParameterType::text;
  parameter.sentence = sentence;
  return parameter;
}

void insert_front(ParameterSection& section, ParameterInfo parameter) {
  section.parameters.insert(section.parameters.begin(), std::move(parameter));
}

}  // namespace

const std::vector<ParameterSection>& parameters() {
  static const std::vector<ParameterSection> sections = [] {
    std::vector<ParameterSection> list{
        bench::workload_parameters().section(),      board_parameters().section(),
        tcu::architecture_parameters().section(),    bench::compiler_parameters().section(),
        request_parameters(Asker::points).section(), gemm::kernel_parameters().section(),
        gemm::dpas_option_parameters().section(),    gemm::profile_parameters().section(),
        codesign::study_parameters().section()};
    insert_front(list[0], text_parameter("gemm", "in place of network: a matrix product MxNxK"));
    insert_front(
        list[0],
        text_parameter(
            "stripe",
            "in place of network: a Stripe program, an .onnx file or zoo:NAME, by way of Stripe"));
    insert_front(list[1], text_parameter("machine",
                                         "in place of name, for a matrix product: a machine as "
                                         "tactus gemm names it, whose values come before all "
                                         "others"));
    insert_front(list[1], text_parameter("name",
                                         "a board of configs/boards or a file, whose values and "
                                         "architecture come before all others"));
    for (ParameterSection& section : list) {
      // Lists and objects of an architecture are keys; a board's memory has keys for its parts.
      if (section.name == "architecture") continue;
      auto& all = section.parameters;
      all.erase(std::remove_if(all.begin(), all.end(),
                               [](const ParameterInfo& parameter) {
                                 return parameter.type == ParameterType::other;
                               }),
                all.end());
    }
    return list;
  }();
  return sections;
}

Configuration base_defaults(const Base& base, const std::string& file) {
  if (base.is_stripe) return stripe_defaults(base.value, file);
  return base.key == "board.machine" ? gemm_defaults(base.value, file)
                                     : board_defaults(base.value, file);
}

Configuration architecture_values(const tcu::Architecture& architecture) {
  Configuration values;
  tcu::architecture_parameters().write(values, architecture);
  for (std::size_t i = 0; i < architecture.dais_blocks.size(); ++i) {
    values["dais_blocks"][i]["program"] =
        std::filesystem::absolute(architecture.dais_blocks[i].path).lexically_normal().string();
  }
  return values;
}

Configuration board_defaults(const std::string& name, const std::string& file) {
  const std::string path = config_path("boards", name);
  const Board board = read_board(path == name ? resolve_beside(file, name) : path);
  const bench::Task task;
  Configuration result;
  bench::workload_parameters().write(result["workload"], task);
  result["board"]["name"] = name;
  BoardValues values = board;
  if (board.board_memory) {
    std::string& preset = values.board_memory->preset;
    const bool is_file = config_path("dram", preset) == preset;
    if (is_file) preset = std::filesystem::absolute(preset).lexically_normal();
    // The keys that axes may vary get values of their own. The rest of the memory stays an object.
    const MemoryPath& port = values.board_memory->path(0);
    values.port_clock_mhz = port.clock_mhz;  // not set: the port follows the design's clock
    values.port_data_bits = port.data_bits;
    values.interconnect_ns = port.interconnect_ns[0];
    values.ddr = preset;
  }
  board_parameters().write(result["board"], values);
  result["architecture"] = architecture_values(board.architecture);
  // An architecture leaves out extensions that are off, but points may switch them on.
  for (const auto& parameter : tcu::architecture_parameters()) {
    Configuration& section = result["architecture"];
    if (tcu::extension_name(parameter.key).empty() || section.contains(parameter.key)) continue;
    if (parameter.type == ParameterType::choice) section[parameter.key] = parameter.choices.front();
    if (parameter.type == ParameterType::whole) section[parameter.key] = parameter.whole.min;
    if (parameter.type == ParameterType::boolean) section[parameter.key] = false;
  }
  // The tables write no empty texts, so their keys are made here.
  result["compiler"] = {{"calibrate", ""}};
  bench::compiler_parameters().write(result["compiler"], task);
  result["measure"] = {{"energy", ""}};
  request_parameters(Asker::points).write(result["measure"], task);
  return result;
}

}  // namespace tactus::sweep
