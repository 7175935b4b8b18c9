#include "firmware/serving/serving_plan.h"

#include <algorithm>

#include "firmware/driver/common/throughput.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

bool runs_on(const ServedModel& model, unsigned unit) {
  return std::find(model.units.begin(), model.units.end(), unit) != model.units.end();
}

/// Models on one unit have its architecture.
void check_unit(const std::vector<ServedModel>& models, unsigned unit) {
  const ServedModel* first = nullptr;
  for (const ServedModel& model : models) {
    if (!runs_on(model, unit)) continue;
    if (first == nullptr) first = &model;
    const std::string differences =
        architecture_differences(first->config.architecture, model.config.architecture);
    if (differences.empty()) continue;
    user_error(
        "unit {} cannot run model {}: it has the architecture of model {}, and ({}, {}) differ in: "
        "{}; allowed: models of one architecture on a unit (--on MODEL=UNIT,...)",
        unit, quote(model.name), quote(first->name), first->name, model.name, differences);
  }
}

void check_model(const ServedModel& model, unsigned units) {
  if (model.model.program.empty()) {
    user_error("model {}: its program has no instructions, so that there is nothing to serve",
               quote(model.name));
  }
  for (const unsigned unit : model.units) {
    if (unit < units) continue;
    user_error("model {}: there is no unit {}; allowed 0..{} (--tcus {})", quote(model.name), unit,
               units - 1, units);
  }
}

/// Places in the shared DRAM. The lowest bank of a unit is at its offset 0.
void place_in_dram(const Serving& serving, ServingPlan& plan, bool shares_unit) {
  const TcuSimulationConfig& board = serving.models.front().config;
  std::vector<BankBytes> pairs;
  std::uint64_t longest = 0;
  for (const PlacedModel& placed : plan.placed) pairs.push_back(placed.bytes);
  for (const ServedModel& model : serving.models) {
    longest = std::max<std::uint64_t>(longest, model.model.program.size());
  }
  const std::vector<BankBases> bases = place_bank_pairs(
      board, pairs, stream_bytes_of(board, longest), shares_unit ? HostPlace::offset_bytes : 1);
  if (bases.size() < pairs.size()) {
    const PlacedModel& missing = plan.placed[bases.size()];
    user_error(
        "model {} on unit {}: its banks of {} and {} bytes do not fit the DRAM of {} bytes beside "
        "those of {}; allowed: fewer models or units, or smaller dram0_depth and dram1_depth",
        quote(serving.models[missing.model].name), missing.unit, missing.bytes[0], missing.bytes[1],
        board.resolved_ddr->bytes(),
        bases.size() == 1 ? "another model or unit"
                          : fmt::format("{} others (models on units)", bases.size()));
  }
  for (unsigned u = 0; u < plan.units.size(); ++u) {
    BankBases& first = plan.units[u].board_memory->base;
    first.fill(~std::uint64_t{0});
    for (std::size_t i = 0; i < bases.size(); ++i) {
      if (plan.placed[i].unit != u) continue;
      for (const unsigned p : {0U, 1U}) first[p] = std::min(first[p], bases[i][p]);
    }
    if (first[0] == ~std::uint64_t{0}) first = board.board_memory->base;  // it has no model
    for (std::size_t i = 0; i < bases.size(); ++i) {
      PlacedModel& placed = plan.placed[i];
      if (placed.unit != u) continue;
      placed.bases = bases[i];
      for (const unsigned p : {0U, 1U}) {
        placed.place.offset[p] =
            static_cast<std::uint32_t>((bases[i][p] - first[p]) / HostPlace::offset_bytes);
      }
    }
  }
}

/// Places one behind the other, in a unit's own banks, which reach as far as 32-bit addresses do.
void place_in_own_banks(const Serving& serving, ServingPlan& plan) {
  for (unsigned u = 0; u < plan.units.size(); ++u) {
    BankBases next{};
    for (PlacedModel& placed : plan.placed) {
      if (placed.unit != u) continue;
      placed.bases = next;
      for (const unsigned p : {0U, 1U}) {
        placed.place.offset[p] = static_cast<std::uint32_t>(next[p] / HostPlace::offset_bytes);
        next[p] += (placed.bytes[p] + HostPlace::offset_bytes - 1) / HostPlace::offset_bytes *
                   HostPlace::offset_bytes;
        if (next[p] <= std::uint64_t{1} << 32U) continue;
        user_error(
            "model {} on unit {}: its banks of {} and {} bytes reach beyond the 32-bit AXI address "
            "beside those of other models; allowed: fewer models on a unit",
            quote(serving.models[placed.model].name), u, placed.bytes[0], placed.bytes[1]);
      }
    }
  }
}

}  // namespace

double Serving::clock_mhz_of(unsigned unit) const {
  const auto own = unit_clocks_mhz.find(unit);
  return own == unit_clocks_mhz.end() ? models.front().config.clock_mhz : own->second;
}

bool Serving::has_one_clock() const {
  for (unsigned u = 1; u < units; ++u) {
    if (clock_mhz_of(u) != clock_mhz_of(0)) return false;
  }
  return true;
}

std::vector<unsigned> deal_units(unsigned model, unsigned models, unsigned units) {
  if (units < models) return {model % units};
  std::vector<unsigned> mine;
  for (unsigned u = model; u < units; u += models) mine.push_back(u);
  return mine;
}

ServingPlan plan_serving(const Serving& serving) {
  ServingPlan plan;
  const std::vector<ServedModel>& models = serving.models;
  for (const ServedModel& model : models) check_model(model, serving.units);
  bool shares_unit = false;
  for (unsigned u = 0; u < serving.units; ++u) {
    check_unit(models, u);
    plan.units.push_back(models.front().config);
    unsigned here = 0;
    for (unsigned m = 0; m < models.size(); ++m) {
      if (!runs_on(models[m], u)) continue;
      if (here++ == 0) plan.units.back() = models[m].config;
      PlacedModel placed;
      placed.unit = u;
      placed.model = m;
      placed.bytes = bank_bytes(models[m].config.architecture);
      plan.placed.push_back(placed);
    }
    plan.units.back().clock_mhz = serving.clock_mhz_of(u);
    for (PlacedModel& placed : plan.placed) {
      if (placed.unit == u) placed.place.shared = here > 1;
    }
    shares_unit |= here > 1;
  }
  const TcuSimulationConfig& board = models.front().config;
  TcuUnits::check_ports(board, serving.units);
  if (plan.placed.size() > 1) {
    for (const ServedModel& model : models) TcuUnits::check_window(model.model);
  }
  if (models.size() > 1 && board.stream_model == StreamModel::board) {
    user_error(
        "several models and an instruction stream out of the DRAM: the board has a place for one "
        "program; allowed: --stream ideal");
  }
  if (board.memory_model == MemoryModel::board) {
    place_in_dram(serving, plan, shares_unit);
  } else {
    place_in_own_banks(serving, plan);
  }
  for (const ServedModel& model : models) {
    Dispatcher::Queue queue;
    queue.units = model.units;
    queue.ready = model.arrivals.kind == Arrivals::Kind::ready;
    const bool endless = model.arrivals.kind != Arrivals::Kind::times && !serving.end;
    if (endless && !serving.images && !queue.ready) {
      user_error("model {}: its requests never end; allowed: a --duration, or a number of --images",
                 quote(model.name));
    }
    queue.count = queue.ready && endless ? 1 : ~std::uint64_t{0};
    if (serving.images) queue.count = runs_of(*serving.images, model.model.file.batch);
    if (!queue.ready) {
      queue.arrivals =
          arrival_cycles(model.arrivals, serving.clock_mhz(), serving.end.value_or(~Cycle{0}),
                         queue.count, fmt::format("model {}", quote(model.name)));
    }
    plan.queues.push_back(std::move(queue));
  }
  return plan;
}

}  // namespace tactus
