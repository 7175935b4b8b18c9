// Several compiled models on the units of one board, and the requests for them: what is served, and
// where everything lies.
//
// Each unit runs the images of its models one at a time. A unit has the architecture that its
// models were compiled for, so all models of a unit must have the same. Each model has DRAM banks
// of its own on each of its units. Where a unit has several models, the registers Dram0Offset and
// Dram1Offset choose the banks, and the unit begins with another model by writing them and by
// copying that model's constants to local memory, if it wants them there.
//
// Units have the board's clock, or one of their own. Times of serving are in cycles of one clock
// for all units: the board's, or, if a unit has another one, a clock of 1 THz, so that they are in
// ps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/bank_places.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/serving/arrivals.h"
#include "firmware/serving/dispatcher.h"

namespace tactus {

struct ServedModel {
  std::string name;
  Model model;
  TensorData inputs;           ///< of every image
  TcuSimulationConfig config;  ///< machine for the model alone
  Arrivals arrivals;
  std::vector<unsigned> units;  ///< that run it; empty: as deal_units() says
};

struct Serving {
  std::vector<ServedModel> models;
  unsigned units = 1;
  ServingOrder order = ServingOrder::turns;
  std::optional<std::uint64_t> most_waiting;  ///< requests in the queue of a model; empty: any
  std::optional<Cycle> end;                   ///< no request arrives or is begun from here on
  std::optional<std::uint64_t> images;        ///< requests for each model; empty: until the end
  /// Clocks of the units that do not have the board's, by unit, in MHz.
  std::map<unsigned, double> unit_clocks_mhz;

  /// The clock of a unit, in MHz.
  [[nodiscard]] double clock_mhz_of(unsigned unit) const;
  /// True if all units have the same clock.
  [[nodiscard]] bool has_one_clock() const;
  /// The clock that times are in, in MHz.
  [[nodiscard]] double clock_mhz() const { return has_one_clock() ? clock_mhz_of(0) : 1e6; }
};

/// A model's banks on a unit.
struct PlacedModel {
  unsigned unit = 0, model = 0;
  BankBases bases{};  ///< byte addresses in the DRAM; in the unit's own banks with fixed latency
  BankBytes bytes{};
  HostPlace place;
};

struct ServingPlan {
  std::vector<TcuSimulationConfig> units;
  std::vector<PlacedModel> placed;  ///< by unit, then by model
  std::vector<Dispatcher::Queue> queues;
};

/// Deals models out to units where nobody has said on which they run: model m of M runs on the
/// units u with u mod M = m, or, if there are fewer units than models, on unit m mod units.
[[nodiscard]] std::vector<unsigned> deal_units(unsigned model, unsigned models, unsigned units);

/// Checks everything and places all banks. Throws UserError.
[[nodiscard]] ServingPlan plan_serving(const Serving& serving);

}  // namespace tactus
