#include "firmware/sweep/runner.h"

#include <algorithm>
#include <filesystem>

#include "firmware/bench/evaluation.h"
#include "firmware/energy/table.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {

// The kinds of points, each in a file of its own, such as gemm_point.cpp.
Runner network_runner();
Runner gemm_runner();
Runner stripe_runner();

namespace {

void insert_front(ParameterSection& section, std::string_view key, const char* sentence) {
  ParameterInfo parameter;
  parameter.key = key.substr(key.find('.') + 1);
  parameter.type = ParameterType::text;
  parameter.sentence = sentence;
  section.parameters.insert(section.parameters.begin(), std::move(parameter));
}

/// Figures that several kinds of points have besides those of their runs.
const std::vector<Figure>& point_columns() {
  static const std::vector<Figure> columns{
      {"memory_bits", "bits", "bits of all memories on the chip"},
      {"multipliers", "count",
       "multipliers of the machine; a TCU has N x N in the array and N in the ALUs"},
      {"area_proxy", "count", "memory_bits + multipliers: one number for the area"},
      {"accounted_cycles", "cycles",
       "for a matrix product: cycles until the machine is idle again; lost_by_reason divides the "
       "lost ones"}};
  return columns;
}

}  // namespace

const std::vector<Runner>& runners() {
  static const std::vector<Runner> list{network_runner(), gemm_runner(), stripe_runner()};
  return list;
}

const Runner& runner_of(const Configuration& configuration) {
  const auto found = std::find_if(runners().begin(), runners().end(), [&](const Runner& runner) {
    return find_key(configuration, runner.mark) != nullptr;
  });
  return found == runners().end() ? runners().front() : *found;
}

const std::vector<ParameterSection>& parameters() {
  static const std::vector<ParameterSection> sections = [] {
    std::vector<ParameterSection> list{bench::workload_parameters().section(),
                                       board_parameters().section(),
                                       tcu::architecture_parameters().section()};
    for (const Runner& runner : runners()) {
      list.insert(list.end(), runner.sections.begin(), runner.sections.end());
      if (*runner.about_subject != 0) insert_front(list[0], runner.subject, runner.about_subject);
    }
    insert_front(list[1], "machine",
                 "in place of name, for a matrix product: a machine as tactus gemm names it, whose "
                 "values come before all others");
    insert_front(list[1], "name",
                 "a board of configs/boards or a file, whose values and architecture come before "
                 "all others");
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

std::string evaluate(std::string_view configuration_json, const bench::ProgramCache& cache,
                     std::uint64_t max_cycles) {
  const Configuration configuration = Configuration::parse(configuration_json, nullptr, false);
  if (!configuration.is_object()) user_error("tactus sweep --point: no configuration at the input");
  return text_of_json(runner_of(configuration).evaluate(configuration, cache, max_cycles));
}

std::vector<Figure> result_columns() {
  std::vector<Figure> columns{
      {"point", "count", "number of the point"},
      {"hash", "text", "hash of the point's configuration"},
      {"status", "text",
       "ok, failed, or killed (something outside ended it, and it will run again)"},
      {"tool", "text", "version of Tactus"},
      {"configuration.*", "", "the point's parameters; tactus explain KEY explains each"},
      {"error", "text", "why a point failed"},
      {"host.*", "", "time that the host took"}};
  // Several kinds of points have figures of the same name and meaning, which are added once.
  const auto add = [&columns](const std::vector<Figure>& figures) {
    for (Figure figure : figures) {
      figure.name = "figures." + figure.name;
      const bool known = std::any_of(columns.begin(), columns.end(), [&](const Figure& other) {
        return other.name == figure.name;
      });
      if (!known) columns.push_back(std::move(figure));
    }
  };
  for (const Runner& runner : runners()) {
    add(runner.figures());
    add(point_columns());
  }
  return columns;
}

std::string full_path_beside(const std::string& name, const std::string& file) {
  return std::filesystem::absolute(resolve_beside(file, name)).lexically_normal().string();
}

NamedFile energy_file(const std::string& value, const std::string& beside) {
  const std::string path = energy::table_path(value);
  if (path != value) return {value, path};  // a table of configs/energy
  const std::string full = full_path_beside(value, beside);
  return {full, full};
}

}  // namespace tactus::sweep
