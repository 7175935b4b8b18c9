#include "firmware/compiler/targets/tcu/memory/constants.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// A loss of a tensor counts from this share of the values on: of one value, and as the RMS error
/// over the RMS of the tensor.
constexpr double told_share = 0.01;

/// One of the three kinds of loss.
struct LossKind {
  std::string_view text;
  std::uint64_t ConstantLoss::*count;
  double ConstantLoss::*squares;
  bool always;  ///< told whatever its share of the tensor
};

constexpr LossKind loss_kinds[] = {
    {"constants that saturate", &ConstantLoss::saturated, &ConstantLoss::saturated_squares, true},
    {"constants that become 0", &ConstantLoss::vanished, &ConstantLoss::vanished_squares, false},
    {"constants that lose more than 1 %", &ConstantLoss::reduced, &ConstantLoss::reduced_squares,
     false},
};

double share_of(const ConstantLoss& loss, const LossKind& kind) {
  return loss.squares == 0 ? 0 : std::sqrt(loss.*kind.squares / loss.squares);
}

}  // namespace

void ConstantLoss::add(tcu::DataType type, double value) {
  if (std::isnan(value)) internal_error("a constant is NaN");
  if (value == 0 || std::isinf(value)) return;
  ++values;
  squares += value * value;
  const tcu::DataTypeInfo& row = tcu::info(type);
  const auto steps = static_cast<double>(std::int64_t{1} << row.binary_point);
  const double scaled = std::floor(value * steps + 0.5);
  const auto least = static_cast<double>(row.min()), greatest = static_cast<double>(row.max());
  const double stored = std::clamp(scaled, least, greatest) / steps;
  const double error = std::fabs(stored - value), share = error / std::fabs(value);
  if (share <= told_share) return;
  if (stored != 0) largest = std::max(largest, share);
  const bool beyond = scaled < least || scaled > greatest;
  ++(beyond ? saturated : stored == 0 ? vanished : reduced);
  (beyond ? saturated_squares : stored == 0 ? vanished_squares : reduced_squares) += error * error;
}

void ConstantLoss::add(const ConstantLoss& other) {
  values += other.values;
  saturated += other.saturated;
  vanished += other.vanished;
  reduced += other.reduced;
  largest = std::max(largest, other.largest);
  squares += other.squares;
  saturated_squares += other.saturated_squares;
  vanished_squares += other.vanished_squares;
  reduced_squares += other.reduced_squares;
}

void ConstantLoss::divide(std::uint64_t copies) {
  for (std::uint64_t* count : {&values, &saturated, &vanished, &reduced}) *count /= copies;
  for (double* sum : {&squares, &saturated_squares, &vanished_squares, &reduced_squares}) {
    *sum /= static_cast<double>(copies);
  }
}

ConstantLoss total(const ConstantLosses& losses) {
  ConstantLoss sum;
  for (const auto& [name, loss] : losses) sum.add(loss);
  return sum;
}

std::vector<std::string> loss_notes(const ConstantLosses& losses, tcu::DataType type) {
  constexpr std::size_t most = 3;  // tensors named in a note
  std::vector<std::string> notes;
  for (const LossKind& kind : loss_kinds) {
    std::vector<std::pair<double, const ConstantLosses::value_type*>> worst;
    double largest = 0;
    for (const auto& entry : losses) {
      const double share = share_of(entry.second, kind);
      if (entry.second.*kind.count == 0 || (!kind.always && share <= told_share)) continue;
      worst.emplace_back(-share, &entry);
      largest = std::max(largest, kind.count == &ConstantLoss::vanished ? 1 : entry.second.largest);
    }
    if (worst.empty()) continue;
    std::sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second->first) < std::pair(b.first, b.second->first);
    });
    const std::size_t count = worst.size();
    std::string named;
    for (std::size_t k = 0; k < std::min(count, most); ++k) {
      const auto& [name, loss] = *worst[k].second;
      named += fmt::format("{}{} of {} of {} (error {:.2g} % of the RMS)", k == 0 ? "" : ", ",
                           loss.*kind.count, counted(loss.values, "value"), quote(name),
                           -100 * worst[k].first);
    }
    if (count > most) named += fmt::format(" and {} more tensors", count - most);
    notes.push_back(
        fmt::format("{} in {}: {}; a value loses up to {:.3g} %; a data type with {} "
                    "helps",
                    kind.text, tcu::info(type).name, named, 100 * largest,
                    kind.always ? "a larger range" : "more fraction bits"));
  }
  return notes;
}

void encode_constants(tcu::DataType type, const std::vector<float>& values,
                      std::vector<std::uint8_t>& bytes) {
  const std::size_t scalar = tcu::info(type).storage_bytes;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + values.size() * scalar);
  std::vector<std::uint8_t> lanes(values.size() * scalar);
  for (std::size_t i = 0; i < values.size(); ++i) {
    tcu::set_lane(type, lanes.data(), i, tcu::quantise(type, values[i]));
  }
  tcu::vector_kernels(type).to_bytes(lanes.data(), bytes.data() + begin, values.size());
}

}  // namespace tactus::compiler
