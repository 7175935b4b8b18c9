// The suite detects the kinds of fault that the optimiser once had. Each fault is planted into the
// optimiser's input graph, and the comparison with the float reference must detect it.
#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

#include "tests/compiler/operators/comparison.h"
#include "tests/compiler/operators/optimised.h"

namespace tactus::compiler {
namespace {

using hir::Kind;
using optimise::Graph;
using optimise::Op;
using Vector = optimise::Vector;

/// A graph into which a fault is planted, and the constants that the fault makes.
class Planting {
 public:
  explicit Planting(Graph& planted) : graph(planted) {}

  [[nodiscard]] bool is_constant(Vector v) const { return graph.constants[v] != nullptr; }
  [[nodiscard]] float lane(Vector v, std::size_t lane) const { return graph.constants[v][lane]; }
  Vector constant(std::vector<float> lanes) {
    lanes_.push_back(std::move(lanes));
    const Vector v = graph.add_vector(graph.n);
    graph.constants[v] = lanes_.back().data();
    return v;
  }
  Vector splat(float value) { return constant(std::vector<float>(graph.n, value)); }

  Graph& graph;

 private:
  static std::deque<std::vector<float>> lanes_;  ///< never freed, since graphs point to these lanes
};
std::deque<std::vector<float>> Planting::lanes_;

/// Plants a fault into an operation. Returns false if the operation has nothing that this fault
/// could change.
using PlantInOp = std::function<bool(Planting&, Op&)>;

struct Fault {
  std::string name;
  PlantInOp plant;
};

/// The first lane of each constant operand is used for all lanes.
bool take_first_lane(Planting& p, Op& op) {
  bool changed = false;
  for (std::vector<Vector>& operand : op.inputs) {
    for (std::size_t i = 0; i < operand.size(); ++i) {
      if (!p.is_constant(operand[i])) continue;
      const float first = p.lane(operand[i], 0);
      bool differs = false;
      for (std::uint32_t k = 1; k < p.graph.lanes[op.outputs[i]]; ++k) {
        differs = differs || p.lane(operand[i], k) != first;
      }
      if (!differs) continue;
      operand[i] = p.splat(first);
      changed = true;
    }
  }
  return changed;
}

PlantInOp in_kind(Kind kind, PlantInOp plant) {
  return [=](Planting& p, Op& op) { return !op.is_product && op.kind == kind && plant(p, op); };
}

/// An operation of one kind becomes one of another kind, with some of its operands.
PlantInOp becomes(Kind from, Kind to, const std::vector<std::size_t>& operands) {
  return in_kind(from, [=](Planting&, Op& op) {
    std::vector<std::vector<Vector>> kept;
    for (const std::size_t k : operands) {
      if (k >= op.inputs.size()) return false;
      kept.push_back(op.inputs[k]);
    }
    op.kind = to;
    op.inputs = kept;
    return true;
  });
}

/// An operand, if constant, becomes 0.
PlantInOp loses(Kind kind, std::size_t operand) {
  return in_kind(kind, [=](Planting& p, Op& op) {
    bool changed = false;
    for (Vector& v : op.inputs.at(operand)) {
      if (!p.is_constant(v)) continue;
      v = p.splat(0);
      changed = true;
    }
    return changed;
  });
}

/// Removes the first of several added elements. The last operand is not one of them but the factor.
bool lose_first(Planting&, Op& op) {
  if (op.inputs.size() < 3) return false;
  op.inputs.erase(op.inputs.begin());
  return true;
}

bool lose_block(Planting&, Op& op) {
  for (optimise::Tap& tap : op.taps) {
    for (optimise::Matrix& matrix : tap.matrices) {
      if (matrix.weights == nullptr) continue;
      matrix.weights = nullptr;
      return true;
    }
  }
  return false;
}

bool lose_bias(Planting&, Op& op) {
  bool changed = false;
  for (optimise::Tap& tap : op.taps) {
    changed = changed || tap.bias != nullptr;
    tap.bias = nullptr;
  }
  return changed;
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"one slope of a leaky ReLU for all lanes", in_kind(Kind::leaky_relu, take_first_lane)},
      {"one value of a minimum for all lanes", in_kind(Kind::minimum, take_first_lane)},
      {"one value of a maximum for all lanes", in_kind(Kind::max_pool, take_first_lane)},
      {"one factor of a normalisation for all lanes", in_kind(Kind::norm, take_first_lane)},
      {"one factor of a product for all lanes", in_kind(Kind::multiply, take_first_lane)},
      {"one summand for all lanes", in_kind(Kind::add, take_first_lane)},
      {"one subtrahend for all lanes", in_kind(Kind::subtract, take_first_lane)},
      {"a clip without its upper bound", becomes(Kind::clip, Kind::max_pool, {0, 1})},
      {"a clip without its lower bound", becomes(Kind::clip, Kind::minimum, {0, 2})},
      {"a clip from 0", loses(Kind::clip, 1)},
      {"a clip to 0", loses(Kind::clip, 2)},
      {"a maximum for a minimum", becomes(Kind::minimum, Kind::max_pool, {0, 1})},
      {"a minimum for a maximum", becomes(Kind::max_pool, Kind::minimum, {0, 1})},
      {"a minimum of one operand", becomes(Kind::minimum, Kind::minimum, {0})},
      {"a maximum of one operand", becomes(Kind::max_pool, Kind::max_pool, {0})},
      {"a ReLU for a leaky one", becomes(Kind::leaky_relu, Kind::relu, {0})},
      {"a difference turned around", becomes(Kind::subtract, Kind::subtract, {1, 0})},
      {"a normalisation's parameters exchanged", becomes(Kind::norm, Kind::norm, {0, 2, 1})},
      {"an average without its first element", in_kind(Kind::average_pool, lose_first)},
      {"a block of weights taken for zeroes", lose_block},
      {"a bias lost", lose_bias},
  };
  return all;
}

struct Count {
  unsigned planted = 0, found = 0;
};

/// Plants the fault in up to `most` of the suite's cases, on machines of one data type.
Count plant(const Fault& fault, tcu::DataType type, unsigned most) {
  Count count;
  for (const Case& c : all_cases()) {
    if (count.planted == most) break;
    Setting setting = settings_for(c, 1).front();
    setting.type = type;
    setting.tables = false;
    if (setting.after == After::product) setting.after = After::nothing;
    const Sample sample = made(c, setting);
    const std::optional<Compiled> compiled =
        optimised_alone(sample.graph(), setting.architecture(), [&](Graph& graph) {
          Planting planting(graph);
          return std::any_of(graph.ops.begin(), graph.ops.end(),
                             [&](Op& op) { return fault.plant(planting, op); });
        });
    if (!compiled) continue;
    ++count.planted;
    if (!difference(sample, *compiled).empty()) ++count.found;
  }
  return count;
}

class PlantedFault : public testing::TestWithParam<std::size_t> {};

TEST_P(PlantedFault, IsFoundInEveryDataType) {
  const Fault& fault = faults()[GetParam()];
  for (const tcu::DataType type : {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                   tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
    const Count count = plant(fault, type, 24);
    std::printf("%s, %s: found in %u of %u cases\n", fault.name.c_str(),
                std::string(tcu::info(type).name).c_str(), count.found, count.planted);
    // Some cases cannot show the fault, e.g. if no value reaches a bound.
    EXPECT_GE(count.found, 2U) << fault.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Optimiser, PlantedFault, testing::Range(std::size_t{0}, faults().size()),
                         [](const auto& test) {
                           std::string name = faults()[test.param].name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char letter) { return std::isalnum(letter) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace tactus::compiler
