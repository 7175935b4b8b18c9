// Several models on the units of one board, from Python.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/python/machine.h"

namespace tactus::python {

/// Serves requests for models, which are given with their names. Inputs are zeroes: no cycle
/// depends on them. `machine`: the board for all models; null: the one that each was compiled for.
/// `options` is a JSON object with the keys on, arrivals, duration, queue, order, images, tcus and
/// slowdowns. Returns the figures as "serving", and "requests". Throws UserError.
[[nodiscard]] nlohmann::ordered_json serve_models(
    const KernelUse& use, const std::vector<std::pair<std::string, const CompiledModel*>>& models,
    const Configuration* machine, const std::string& options,
    const std::function<void()>& progress);

}  // namespace tactus::python
