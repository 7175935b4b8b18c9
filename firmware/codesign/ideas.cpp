#include "firmware/codesign/ideas.h"

#include <cmath>

#include <fmt/format.h>

namespace tactus::codesign {
namespace {

using Record = nlohmann::ordered_json;

double number(const Record& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
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
  if (name.empty()) return;
  out.push_back({"bound_by", fmt::format("bound by {}: busy {:.0f} % of {} cycles", name,
                                         100 * most, number(record, "cycles"))});
}

/// Finds tiles whose size is limited by a full memory.
void tile_limit(const Record& record, std::vector<Idea>& out) {
  for (const Record& kernel : part(record, "kernels")) {
    const Record& tiles = part(kernel, "tiles");
    if (number(tiles, "count") < 2) continue;
    for (const char* memory : {"ACC", "LOCAL"}) {
      const Record& use = part(tiles, memory);
      const double used = number(use, "used_bytes");
      const double limit = number(use, "limit_bytes");
      // The memory is the limit if a tile twice as large would not fit.
      if (used == 0 || limit == 0 || 2 * used <= limit) continue;
      out.push_back(
          {"tile_limit",
           fmt::format(
               "{}: {} tiles; tiles twice as large would not fit {}: {} of {} bytes are used",
               kernel.value("name", ""), number(tiles, "count"), memory, used, limit)});
    }
  }
}

/// Reports multiply-accumulates that the array does and the program does not need, if they are
/// many.
void mac_fill(const Record& record, std::vector<Idea>& out) {
  const double slots = number(record, "mac_slots");
  const double points = number(record, "mac_points");
  if (slots == 0 || points == 0 || points >= least_mac_fill * slots) return;
  std::string worst;
  double most = 0;
  for (const Record& kernel : part(record, "kernels")) {
    const double lost = number(kernel, "mac_slots") - number(kernel, "mac_points");
    if (number(kernel, "mac_points") == 0 || lost <= most) continue;
    most = lost;
    worst = kernel.value("name", "");
  }
  out.push_back({"mac_fill", fmt::format("{:.0f} % of the array's multiply-accumulates are ragged "
                                         "tiles, halos or padding: the program needs {} of {}{}",
                                         100 * (1 - points / slots), points, slots,
                                         worst.empty() ? "" : "; most are lost in " + worst)});
}

double microseconds_of(const Record& record) { return 1e3 * number(record, "latency_ms"); }

/// Text of the simulated effect of a change of the machine; empty if it was not simulated.
std::string simulated(const Record& record, const Record& change) {
  const double now = microseconds_of(record);
  const double then = number(change, "us");
  if (now == 0 || then == 0) return {};
  const double gain = 100 * (1 - then / now);
  return fmt::format("{:.1f} us instead of {:.1f}, simulated: {:.0f} % {}", then, now,
                     std::abs(gain), gain >= 0 ? "less" : "more");
}

void weight_loads(const Record& record, std::vector<Idea>& out) {
  const Record& units = part(record, "units");
  const double weights = number(units, "WLOAD");
  const double busy = weights + number(units, "ARRAY");
  if (busy == 0 || weights <= most_weight_share * busy) return;
  const std::string shadow = simulated(record, part(part(record, "extended"), "shadow_weights"));
  out.push_back(
      {"weight_loads",
       fmt::format("{:.0f} % of the array's busy cycles load weights: more vectors for each load "
                   "would save them{}",
                   100 * weights / busy, shadow.empty() ? "" : "; shadow weights take " + shadow)});
}

/// Finds ports that have most of the predicted cycles but use little of their bandwidth.
void short_transfers(const Record& record, std::vector<Idea>& out) {
  const Record& buses = part(record, "buses");
  const Record& predicted = part(record, "predicted");
  const Record& paths = part(predicted, "paths");
  const double sum = number(predicted, "cycles");
  for (const char* port : {"DMA0", "DMA1"}) {
    const Record& bus = part(buses, port);
    const double path = number(paths, port);
    const double use = number(bus, "use");
    if (sum == 0 || path <= 0.5 * sum || use >= least_bus_use || number(bus, "moves") == 0)
      continue;
    out.push_back(
        {"short_transfers",
         fmt::format(
             "{} has {:.0f} % of the predicted cycles and uses {:.0f} % of its bandwidth: "
             "{} transfers of {:.0f} bytes on average; longer ones would hide their latency",
             port, 100 * path / sum, 100 * use, number(bus, "moves"),
             number(bus, "bytes") / number(bus, "moves"))});
  }
}

void prediction(const Record& record, std::vector<Idea>& out) {
  for (const Record& kernel : part(record, "kernels")) {
    const double predicted = number(kernel, "predicted_cycles");
    const double measured = number(kernel, "cycles");
    if (predicted == 0 || measured == 0) continue;
    const double ratio = measured / predicted;
    if (ratio >= ratio_low && ratio <= ratio_high) continue;
    out.push_back(
        {"prediction",
         fmt::format("{}: measured {} cycles, predicted {}: ratio {:.2f}, outside {} to "
                     "{}",
                     kernel.value("name", ""), measured, predicted, ratio, ratio_low, ratio_high)});
  }
}

/// Finds parameters whose doubling makes the simulated point faster.
void doubling(const Record& record, std::vector<Idea>& out) {
  const double now = microseconds_of(record);
  for (const auto& entry : part(record, "doubled").items()) {
    const double then = number(entry.value(), "us");
    if (then == 0 || then > (1 - least_gain) * now) continue;
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
  const double now = number(part(record, "predicted"), "us");
  for (const auto& entry : part(record, "doubled").items()) {
    const double then = number(entry.value(), "predicted_us");
    if (then == 0 || then > (1 - least_gain) * now) continue;
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
             then, now, 100 * (1 - then / now),
             machine.empty() ? "" : "; the simulated machine takes " + machine)});
  }
  return result;
}

}  // namespace tactus::codesign
