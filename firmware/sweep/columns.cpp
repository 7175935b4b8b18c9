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
      {"memory_bits", "bits", "of all memories on the chip"},
      {"multipliers", "count", "of the machine; of a TCU N x N in the array and N in the ALUs"},
      {"area_proxy", "count", "memory_bits + multipliers: one number for the area"},
      {"accounted_cycles", "cycles",
       "of a matrix product: until the machine is idle again; lost_by_reason are parts of them"}};
  return columns;
}

/// Figures of a point that runs a Stripe program.
const std::vector<Figure>& codesign_columns() {
  static const std::vector<Figure> columns{
      {"cycles_outside_kernels", "cycles", "of the run, in none of its kernels"},
      {"mac_points", "count", "multiply-accumulates that the program's kernels ask for"},
      {"mac_slots", "count", "multiply-accumulates of all cycles in which the array is busy"},
      {"kernels.*", "", "each kernel: start, cycles, predicted cycles, tiles"},
      {"kernels", "list", "each kernel: start, cycles, predicted cycles, tiles"},
      {"units.*", "", "share of the run in which each unit is busy"},
      {"buses.*", "", "share of the run in which each bus is busy"},
      {"predicted.*", "", "what the cost model says of the run"},
      {"doubled.*", "", "the same with one parameter doubled: simulated and predicted"},
      {"extended.*", "", "the same with hardware extended: simulated and predicted"},
      {"ideas", "list", "what would make the point better, with its evidence"},
      {"hypothetical", "list", "ideas about hardware that does not exist"}};
  return columns;
}

}  // namespace

std::vector<Figure> result_columns() {
  std::vector<Figure> columns{
      {"point", "count", "number of the point"},
      {"hash", "text", "of the point's configuration"},
      {"status", "text", "ok, failed, or killed: something outside ended it, it runs again"},
      {"tool", "text", "version of Tactus"},
      {"configuration.*", "", "the point's parameters; tactus explain KEY explains each"},
      {"error", "text", "why a point failed"},
      {"host.*", "", "time of the host"}};
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
