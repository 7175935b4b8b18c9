#include "firmware/python/configuration.h"

#include <nlohmann/json.hpp>

#include "firmware/config/architectures.h"
#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/config/memory_choice.h"
#include "firmware/driver/tcu/simulation_parameters.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

/// Name with which errors begin.
const std::string configuration_subject = "tactus.Configuration";

bool is_json(const std::string& text) { return !text.empty() && text.front() == '{'; }

/// Replaces values of the architecture by those of the same keys in `values`, and removes these
/// keys from `values`.
void replace_architecture(tcu::Architecture& architecture, Json& values) {
  Json keys = json_of_text(tcu::to_json(architecture, -1));
  bool any = false;
  for (const auto& parameter : tcu::architecture_parameters()) {
    if (!values.contains(parameter.key)) continue;
    keys[parameter.key] = values[parameter.key];
    values.erase(parameter.key);
    any = true;
  }
  if (any) architecture = tcu::parse_architecture(text_of_json(keys), configuration_subject);
}

void replace_values(TcuSimulationConfig& config, const Json& values) {
  JsonDocument document(text_of_json(values), configuration_subject);
  ObjectReader root = document.root();
  board_parameters().read(root, config, MissingKeys::allowed);
  simulation_parameters().read(root, config, MissingKeys::allowed);
  // The reader learns the keys of architectures here, so that it can suggest one for a wrong key.
  for (const auto& parameter : tcu::architecture_parameters()) (void)root.has(parameter.key);
  root.finish();
  document.problems().throw_if_any();
  choose_memory(config, configuration_subject + ": ", [&](const Parameter<BoardValues>& parameter) {
    return values.contains(parameter.key) ? parameter.key : std::string();
  });
}

}  // namespace

Configuration make_configuration(const std::string& board, const std::string& architecture,
                                 const std::string& values_json) {
  Configuration made;
  if (board.empty() && architecture.empty()) {
    user_error("{}: give board=NAME or architecture=F.tarch", configuration_subject);
  }
  if (!board.empty()) {
    const Board read = read_board(board);
    static_cast<BoardValues&>(made.config) = read;
    made.config.architecture = read.architecture;
    made.board = tcu::BoardEntry{read.name, read};
    made.path = read.path;
  }
  if (is_json(architecture)) {
    made.config.architecture =
        tcu::parse_architecture(architecture, configuration_subject + ": architecture");
  } else if (!architecture.empty()) {
    made.config.architecture = read_named_architecture(architecture);
    made.path = architecture;
  }
  Json values = json_of_text(values_json);
  replace_architecture(made.config.architecture, values);
  replace_values(made.config, values);
  check_axi_width(made.config.architecture, made.config.axi_data_bits);
  resolve_memory(made.config, board.empty() ? "the board's " : made.path + ":");
  return made;
}

Configuration configuration_of(const tcu::ModelFile& model, const std::string& where_model) {
  if (!model.board) {
    user_error("{}: the model does not say for which board it was compiled; give a configuration",
               where_model);
  }
  Configuration made;
  static_cast<BoardValues&>(made.config) = model.board->values;
  made.config.architecture = model.arch;
  made.board = model.board;
  resolve_memory(made.config, where_model + ":/board");
  return made;
}

Json values_of(const Configuration& configuration) {
  Json json = json_of_text(tcu::to_json(configuration.config.architecture, -1));
  board_parameters().write(json, configuration.config);
  simulation_parameters().write(json, configuration.config);
  return json;
}

std::string board_text(const Configuration& configuration) {
  if (!configuration.board) return "";
  const std::string changed =
      board_parameters().differences(configuration.board->values, configuration.config);
  return configuration.board->name + (changed.empty() ? "" : "; changed: " + changed);
}

}  // namespace tactus::python
