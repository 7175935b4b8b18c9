// What the TCU says of a run beside the figures that its tables have.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/report/run_figures.h"
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

}  // namespace tactus
