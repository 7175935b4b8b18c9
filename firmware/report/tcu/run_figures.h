// What reports say about a run of the TCU, besides the figures in its tables.
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

/// Values of the figures whose source is `own`. `probe` is the cycle in which the driver's probe
/// arrived, if it uses one.
[[nodiscard]] nlohmann::ordered_json own_figures(const TcuRunResult& run,
                                                 const tcu::Architecture& architecture,
                                                 const std::optional<Cycle>& probe);

/// Lines of the summary: name, text. `cycles` and `last_retire` are the reported values. `macs` are
/// the network's multiply-accumulates, if known.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> summary_lines(
    const TcuRunResult& run, const tcu::Architecture& architecture, Cycle cycles, Cycle last_retire,
    std::optional<std::uint64_t> macs);

/// What the compiler expects of the layers, from the entries of a model file.
[[nodiscard]] std::vector<Expectation> expectations(const std::vector<tcu::LayerEntry>& layers);

/// The machine in one line.
[[nodiscard]] std::string machine_line(const TcuSimulationConfig& config);

/// The data of a report about images of a model, or about a program; `kind` is "model", "topology"
/// or "program". The caller adds times and configuration. `macs` are as in summary_lines(). The
/// result refers to `ran`, which must outlive it.
[[nodiscard]] RunDocument tcu_document(const std::string& kind, const std::string& subject,
                                       const TcuSimulationConfig& config, const MachineRates& rates,
                                       const TcuImages& ran, std::optional<std::uint64_t> macs);
/// Adds to the configuration of that document: the architecture, the values of `request` except the
/// keys in `leave_out`, and the values of board and simulation.
void add_tcu_configuration(nlohmann::ordered_json& json, const TcuSimulationConfig& config,
                           Asker asker, const RunRequest& request,
                           const std::vector<std::string>& leave_out);

}  // namespace tactus
