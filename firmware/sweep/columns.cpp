#include "firmware/sweep/columns.h"

#include <algorithm>
#include <utility>

#include "firmware/bench/evaluation.h"
#include "firmware/gemm/comparison.h"

namespace tactus::sweep {
namespace {

/// Figures that every point has, besides those of its kind.
const std::vector<Figure>& point_columns() {
  static const std::vector<Figure> columns{
      {"memory_bits", "bits", "bits of all memories on the chip"},
      {"multipliers", "count",
       "multipliers of the machine; a TCU has N x N in the array and N in the ALUs"},
      {"area_proxy", "count", "memory_bits + multipliers: one number for the area"},
      {"accounted_cycles", "cycles",
       "for a matrix product: cycles until the machine is idle again; lost_by_reason divides the "
       "lost ones"}};
  return columns;
}

/// Figures of a point that runs a Stripe program.
const std::vector<Figure>& codesign_columns() {
  static const std::vector<Figure> columns{
      {"cycles_outside_kernels", "cycles", "cycles of the run outside its kernels"},
      {"mac_points", "count", "multiply-accumulates that the program's kernels ask for"},
      {"mac_slots", "count", "multiply-accumulates that the array does in all its busy cycles"},
      {"kernels.*", "", "each kernel: start, cycles, predicted cycles, tiles"},
      {"kernels", "list", "each kernel: start, cycles, predicted cycles, tiles"},
      {"units.*", "", "share of the run in which each unit is busy"},
      {"buses.*", "", "share of the run in which each bus is busy"},
      {"predicted.*", "", "what the cost model predicts for the run"},
      {"doubled.*", "", "time of the point with one parameter doubled, simulated and predicted"},
      {"extended.*", "", "time of the point with an extension added, simulated and predicted"},
      {"ideas", "list", "suggestions that would improve the point, with their evidence"},
      {"hypothetical", "list", "predictions for hardware that was not simulated"}};
  return columns;
}

}  // namespace

std::vector<Figure> result_columns() {
  std::vector<Figure> columns{
      {"point", "count", "number of the point"},
      {"hash", "text", "hash of the point's configuration"},
      {"status", "text",
       "ok, failed, or killed (something outside ended it, and it will run again)"},
      {"tool", "text", "version of Tactus"},
      {"configuration.*", "", "the point's parameters; tactus explain KEY explains each"},
      {"error", "text", "why a point failed"},
      {"host.*", "", "time that the host took"}};
  // Several kinds of points have figures of the same name and meaning, which are added once.
  const auto add = [&columns](const std::vector<Figure>& figures) {
    for (Figure figure : figures) {
      figure.name = "figures." + figure.name;
      const bool known = std::any_of(columns.begin(), columns.end(), [&](const Figure& other) {
        return other.name == figure.name;
      });
      if (!known) columns.push_back(std::move(figure));
    }
  };
  add(bench::figure_columns());
  add(point_columns());
  add(gemm::figure_columns());
  add(codesign_columns());
  return columns;
}

}  // namespace tactus::sweep
