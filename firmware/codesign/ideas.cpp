#include "firmware/codesign/ideas.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace tactus::codesign {
namespace {

using Record = nlohmann::ordered_json;

/// A figure; empty if it is missing or null.
std::optional<double> number(const Record& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

const Record& part(const Record& object, const char* key) {
  static const Record none = Record::object();
  const auto it = object.find(key);
  return it != object.end() && it->is_structured() ? *it : none;
}

/// Names the unit with the most busy cycles.
void bound_by(const Record& record, std::vector<Idea>& out) {
  std::string name;
  double most = 0;
  for (const auto& unit : part(record, "units").items()) {
    if (!unit.value().is_number() || unit.value().get<double>() <= most) continue;
    most = unit.value().get<double>();
    name = unit.key();
  }
  const auto cycles = number(record, "cycles");
  if (name.empty() || !cycles) return;
  out.push_back({"bound_by", fmt::format("bound by {}: busy {:.0f} % of {} cycles", name,
                                         100 * most, *cycles)});
}

/// Finds tiles whose size is limited by a full memory.
void tile_limit(const Record& record, std::vector<Idea>& out) {
  for (const Record& kernel : part(record, "kernels")) {
    const Record& tiles = part(kernel, "tiles");
    const auto count = number(tiles, "count");
    if (!count || *count < 2) continue;
    for (const char* memory : {"ACC", "LOCAL"}) {
      const Record& use = part(tiles, memory);
      const auto used = number(use, "used_bytes"), limit = number(use, "limit_bytes");
      // The memory is the limit if a tile twice as large would not fit.
      if (!used || !limit || *used == 0 || 2 * *used <= *limit) continue;
      out.push_back(
          {"tile_limit",
           fmt::format(
               "{}: {} tiles; tiles twice as large would not fit {}: {} of {} bytes are used",
               kernel.value("name", ""), *count, memory, *used, *limit)});
    }
  }
}

/// Reports multiply-accumulates that the array does and the program does not need, if they are
/// many.
void mac_fill(const Record& record, std::vector<Idea>& out) {
  const auto slots = number(record, "mac_slots"), points = number(record, "mac_points");
  if (!slots || !points || *points == 0 || *points >= least_mac_fill * *slots) return;
  std::string worst;
  double most = 0;
  for (const Record& kernel : part(record, "kernels")) {
    const auto all = number(kernel, "mac_slots"), needed = number(kernel, "mac_points");
    if (!all || !needed || *needed == 0 || *all - *needed <= most) continue;
    most = *all - *needed;
    worst = kernel.value("name", "");
  }
  out.push_back({"mac_fill", fmt::format("{:.0f} % of the array's multiply-accumulates are ragged "
                                         "tiles, halos or padding: the program needs {} of {}{}",
                                         100 * (1 - *points / *slots), *points, *slots,
                                         worst.empty() ? "" : "; most are lost in " + worst)});
}

std::optional<double> microseconds_of(const Record& record) {
  const auto ms = number(record, "latency_ms");
  return ms ? std::optional(1e3 * *ms) : std::nullopt;
}

/// Text of the simulated effect of a change of the machine; empty if it was not simulated.
std::string simulated(const Record& record, const Record& change) {
  const auto now = microseconds_of(record), then = number(change, "us");
  if (!now || !then || *now == 0) return {};
  const double gain = 100 * (1 - *then / *now);
  return fmt::format("{:.1f} us instead of {:.1f}, simulated: {:.0f} % {}", *then, *now,
                     std::abs(gain), gain >= 0 ? "less" : "more");
}

void weight_loads(const Record& record, std::vector<Idea>& out) {
  const Record& units = part(record, "units");
  const auto weights = number(units, "WLOAD"), array = number(units, "ARRAY");
  if (!weights || !array) return;
  const double busy = *weights + *array;
  if (busy == 0 || *weights <= most_weight_share * busy) return;
  const std::string shadow = simulated(record, part(part(record, "extended"), "shadow_weights"));
  out.push_back(
      {"weight_loads",
       fmt::format("{:.0f} % of the array's busy cycles load weights: more vectors for each load "
                   "would save them{}",
                   100 * *weights / busy,
                   shadow.empty() ? "" : "; shadow weights take " + shadow)});
}

/// Finds ports that have most of the predicted cycles but use little of their bandwidth.
void short_transfers(const Record& record, std::vector<Idea>& out) {
  const Record& buses = part(record, "buses");
  const Record& predicted = part(record, "predicted");
  const Record& paths = part(predicted, "paths");
  const auto sum = number(predicted, "cycles");
  for (const char* port : {"DMA0", "DMA1"}) {
    const Record& bus = part(buses, port);
    const auto path = number(paths, port), use = number(bus, "use");
    const auto moves = number(bus, "moves"), bytes = number(bus, "bytes");
    if (!sum || !path || !use || !moves || !bytes || *moves == 0) continue;
    if (*path <= 0.5 * *sum || *use >= least_bus_use) continue;
    out.push_back(
        {"short_transfers",
         fmt::format(
             "{} has {:.0f} % of the predicted cycles and uses {:.0f} % of its bandwidth: "
             "{} transfers of {:.0f} bytes on average; longer ones would hide their latency",
             port, 100 * *path / *sum, 100 * *use, *moves, *bytes / *moves)});
  }
}

void prediction(const Record& record, std::vector<Idea>& out) {
  for (const Record& kernel : part(record, "kernels")) {
    const auto predicted = number(kernel, "predicted_cycles"), measured = number(kernel, "cycles");
    if (!predicted || !measured || *predicted == 0 || *measured == 0) continue;
    const double ratio = *measured / *predicted;
    if (ratio >= ratio_low && ratio <= ratio_high) continue;
    out.push_back({"prediction",
                   fmt::format("{}: measured {} cycles, predicted {}: ratio {:.2f}, outside {} to "
                               "{}",
                               kernel.value("name", ""), *measured, *predicted, ratio, ratio_low,
                               ratio_high)});
  }
}

/// Finds parameters whose doubling makes the simulated point faster.
void doubling(const Record& record, std::vector<Idea>& out) {
  const auto now = microseconds_of(record);
  for (const auto& entry : part(record, "doubled").items()) {
    const auto then = number(entry.value(), "us");
    if (!now || !then || *then > (1 - least_gain) * *now) continue;
    out.push_back({"doubling", fmt::format("with {} doubled, the point takes {}", entry.key(),
                                           simulated(record, entry.value()))});
  }
}

}  // namespace

std::vector<Idea> ideas(const Record& record) {
  std::vector<Idea> result;
  for (const auto rule :
       {bound_by, tile_limit, mac_fill, weight_loads, short_transfers, doubling, prediction}) {
    rule(record, result);
  }
  return result;
}

std::vector<Idea> hypothetical_ideas(const Record& record) {
  std::vector<Idea> result;
  const auto now = number(part(record, "predicted"), "us");
  for (const auto& entry : part(record, "doubled").items()) {
    const auto then = number(entry.value(), "predicted_us");
    if (!now || !then || *then > (1 - least_gain) * *now) continue;
    // A change that was simulated is left out here. A doubled PIPELINE_DEPTH stays: the formula
    // then describes a machine that overlaps tiles, which the simulator does not have.
    const bool overlaps = entry.key() == "PIPELINE_DEPTH";
    const std::string machine = simulated(record, entry.value());
    if (!overlaps && !machine.empty()) continue;
    result.push_back(
        {"hypothetical",
         fmt::format(
             "{}, is predicted to take {:.1f} us instead of "
             "{:.1f}: {:.0f} % less{}",
             overlaps
                 ? "hardware that overlaps twice as many tiles, which the simulator does not have"
                 : "hardware with twice " + entry.key() + ", which could not be simulated",
             *then, *now, 100 * (1 - *then / *now),
             machine.empty() ? "" : "; the simulated machine takes " + machine)});
  }
  return result;
}

}  // namespace tactus::codesign
