// Configuration of a machine from Python: a board or an architecture, and values that replace some
// of theirs.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "isa/tcu/model_file.h"

namespace tactus::python {

struct Configuration {
  TcuSimulationConfig config;
  std::optional<tcu::BoardEntry> board;  ///< the board with its values, before any were replaced
  /// Path or name of the architecture, or else path of the board; empty: neither was given by file.
  std::string path;
};

/// Makes a configuration. Throws UserError.
/// - `board`: a name or path; empty: none
/// - `architecture`: a name, a path or the JSON text of an architecture; empty: the board's
/// - `values`: a JSON object with keys of `tactus explain architecture`, `tactus explain board` and
///   `tactus explain run` that shape a simulation
[[nodiscard]] Configuration make_configuration(const std::string& board,
                                               const std::string& architecture,
                                               const std::string& values);

/// Configuration of the machine that a model was compiled for. Throws UserError if the model names
/// no board.
[[nodiscard]] Configuration configuration_of(const tcu::ModelFile& model, const std::string& where);

/// All values of a configuration by key, in the form that make_configuration() takes.
[[nodiscard]] nlohmann::ordered_json values_of(const Configuration& configuration);

/// Text such as "zcu104; changed: read_latency (20, 7)"; empty without a board.
[[nodiscard]] std::string board_text(const Configuration& configuration);

}  // namespace tactus::python
