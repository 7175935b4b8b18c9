// Configuration of a machine from Python: a board or an architecture, and values that replace
// theirs.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "isa/tcu/model_file.h"

namespace tactus::python {

struct Configuration {
  TcuSimulationConfig config;
  std::optional<tcu::BoardEntry> board;  ///< including its own values
  /// Path of board or architecture; empty: neither is a file.
  std::string path;
};

/// `board`: a name or path, or empty. `architecture`: a path, the JSON text of an architecture, or
/// empty. `values`: JSON object; keys are those of `tactus explain architecture`, `board` and `run`
/// that shape a simulation. Throws UserError.
[[nodiscard]] Configuration make_configuration(const std::string& board,
                                               const std::string& architecture,
                                               const std::string& values);

/// The machine that a model was compiled for. Throws UserError if it names no board.
[[nodiscard]] Configuration configuration_of(const tcu::ModelFile& model, const std::string& where);

/// All values by key, in the form that make_configuration() takes.
[[nodiscard]] nlohmann::ordered_json values_of(const Configuration& configuration);

/// "zcu104; changed: read_latency (20, 7)"; empty without a board.
[[nodiscard]] std::string board_text(const Configuration& configuration);

}  // namespace tactus::python
