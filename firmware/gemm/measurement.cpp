#include "firmware/gemm/measurement.h"

#include "firmware/report/run_figures.h"
#include "models/sim/array_figures.h"

namespace tactus::gemm {
namespace {

double divided(double numerator, double denominator) {
  return denominator == 0 ? 0 : numerator / denominator;
}

}  // namespace

double Measurement::macs_per_cycle() const {
  if (run.end != RunEnd::finished) return 0;
  return divided(static_cast<double>(problem.macs()), static_cast<double>(run.cycles));
}

double Measurement::array_busy() const {
  if (run.end != RunEnd::finished) return 0;
  return array_figures::busy(busy_cycles(run.accounting.totals), run.cycles).value_or(0);
}

double Measurement::useful_mac() const {
  return divided(macs_per_cycle(), static_cast<double>(peak_macs));
}

double Measurement::share_of_bound() const {
  if (run.end != RunEnd::finished) return 0;
  return divided(static_cast<double>(bound.cycles), static_cast<double>(run.cycles));
}

std::uint64_t Measurement::bytes_moved() const {
  return levels.empty() ? 0 : levels.front().bytes_read + levels.front().bytes_written;
}

std::uint64_t Runner::on_chip_bits() const {
  std::uint64_t bits = 0;
  for (const OnChipMemory& memory : on_chip()) bits += memory.bits;
  return bits;
}

}  // namespace tactus::gemm
