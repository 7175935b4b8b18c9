// Serves requests for models on the units of one board, cycle by cycle.
//
// Times are in cycles of Serving::clock_mhz() and count from the moment at which all units are
// prepared: constants are in DRAM and, for each unit's first model, in local memory. A request is
// done in the cycle of its image's last event, as `tactus run` counts it. The unit is free again
// when it is idle and the host's time of a run (BoardValues::host_us) has passed. Units do nothing,
// and cost no time to simulate, while no request is there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/run_request.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/report/run_sums.h"
#include "firmware/serving/serving_plan.h"

namespace tactus {

/// A request that is done. arrival <= taken <= begin <= end.
struct ServedRequest {
  unsigned model = 0, unit = 0;
  Cycle arrival = 0;
  Cycle taken = 0;  ///< by its unit, which then begins with the model if it has run another
  Cycle begin = 0;  ///< of the program
  Cycle end = 0;
};

/// Figures of a model's images, or of a unit's.
struct ServedSums : RunSums {
  using RunSums::RunSums;
  std::uint64_t bytes = 0;  ///< read and written at the DRAM ports
};

/// An image on a machine that has the board alone.
struct AloneImage {
  Cycle cycles = 0;            ///< on the model's first unit, of its clock
  std::vector<Cycle> by_unit;  ///< its time on each of the model's units; empty: not simulated
};

struct ServingResult {
  struct OfModel {
    ServedSums sums;
    std::uint64_t arrived = 0, dropped = 0;
    std::vector<Cycle> waiting;  ///< arrivals of the requests that were never begun
    AloneImage alone;
    TensorData outputs;  ///< of the image that was done first
    bool has_outputs = false;
  };
  struct OfUnit {
    ServedSums sums;
    Cycle entering = 0;  ///< time in which it began with another model
  };
  std::vector<OfModel> models;
  std::vector<OfUnit> units;
  std::vector<ServedRequest> requests;  ///< in order of arrival, then of models
  Cycle cycles = 0;  ///< up to the end of the last image, or to the end of serving
  std::optional<DdrFigures> shared_memory;  ///< none for one unit
  bool ended = false;                       ///< true: ServingWatch::ends has ended it
};

/// Observers of a serving run; all may be empty.
struct ServingWatch {
  std::function<void(unsigned unit, const std::string& name, const std::vector<std::uint8_t>&)>
      begin;                                                  ///< before each image
  std::function<void(unsigned unit, const Accounting&)> end;  ///< after each image
  /// Asked from time to time; nothing more is begun once it returns true.
  std::function<bool()> ends;
};

/// Serves on machines made of plan.units. Returns the run that did not finish by itself, if any.
[[nodiscard]] std::optional<TcuRunResult> serve_requests(
    const Serving& serving, const ServingPlan& plan, TcuMachines& machines,
    const RunRequest& request, const ServingWatch& watch, ServingResult& result);
/// Does the same, and runs one image of each model alone, for ServingResult::OfModel::alone.
[[nodiscard]] std::optional<TcuRunResult> serve(const Serving& serving, const ServingPlan& plan,
                                                TcuMachines& machines, const RunRequest& request,
                                                const ServingWatch& watch, ServingResult& result);

}  // namespace tactus
