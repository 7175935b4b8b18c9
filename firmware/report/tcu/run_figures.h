// What the TCU says of a run beside the figures that its tables have.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/run_request.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/report/run_document.h"
#include "isa/tcu/model_file.h"

namespace tactus {

/// Values of the figures whose source is `own`. `probe`: the driver's, if it uses one.
[[nodiscard]] nlohmann::ordered_json own_figures(const TcuRunResult& run,
                                                 const tcu::Architecture& architecture,
                                                 const std::optional<Cycle>& probe);

/// Lines of the summary: name, text. `cycles` and `last_retire` are those that are reported;
/// `macs`: the network's multiply-accumulates, where they are known.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> summary_lines(
    const TcuRunResult& run, const tcu::Architecture& architecture, Cycle cycles, Cycle last_retire,
    std::optional<std::uint64_t> macs);

/// What a model file says of its layers.
[[nodiscard]] std::vector<Expectation> expectations(const std::vector<tcu::LayerEntry>& layers);

/// The machine in one line.
[[nodiscard]] std::string machine_line(const TcuSimulationConfig& config);

/// Document about images of a model, or about a program: `kind` says which. The caller adds times
/// and configuration. `macs`: as of summary_lines(). The result refers to `ran`.
[[nodiscard]] RunDocument tcu_document(const std::string& kind, const std::string& subject,
                                       const TcuSimulationConfig& config, const MachineRates& rates,
                                       const TcuImages& ran, std::optional<std::uint64_t> macs);
/// Adds to the configuration of that document: the architecture, what was asked for except the keys
/// to leave out, and the values of board and simulation.
void add_tcu_configuration(nlohmann::ordered_json& json, const TcuSimulationConfig& config,
                           Asker asker, const RunRequest& request,
                           const std::vector<std::string>& leave_out);

}  // namespace tactus
