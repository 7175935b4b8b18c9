#include <algorithm>

#include "firmware/bench/evaluation.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/sweep/configuration.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {

const std::vector<ParameterSection>& parameters() {
  static const std::vector<ParameterSection> sections = [] {
    std::vector<ParameterSection> list{
        bench::workload_parameters().section(), board_parameters().section(),
        tcu::architecture_parameters().section(), bench::compiler_parameters().section()};
    ParameterInfo name;
    name.key = "name";
    name.type = ParameterType::text;
    name.sentence =
        "a board of configs/boards or a file, whose values and architecture come before all others";
    list[1].parameters.insert(list[1].parameters.begin(), name);
    for (ParameterSection& section : list) {
      auto& all = section.parameters;
      all.erase(std::remove_if(all.begin(), all.end(),
                               [](const ParameterInfo& parameter) {
                                 return parameter.type == ParameterType::other;  // no single value
                               }),
                all.end());
    }
    return list;
  }();
  return sections;
}

Configuration board_defaults(const std::string& name, const std::string& file) {
  const std::string path = config_path("boards", name);
  const Board board = read_board(path == name ? resolve_beside(file, name) : path);
  const bench::Task task;
  Configuration result;
  bench::workload_parameters().write(result["workload"], task);
  result["board"]["name"] = name;
  board_parameters().write(result["board"], board);
  tcu::architecture_parameters().write(result["architecture"], board.architecture);
  result["architecture"].erase("dais_blocks");  // no single value
  bench::compiler_parameters().write(result["compiler"], task);
  return result;
}

}  // namespace tactus::sweep
