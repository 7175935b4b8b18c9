// Test of a quantised classifier. One program computes it twice: as layers on the array and as a
// DAIS block.
#include <algorithm>
#include <array>
#include <memory>

#include "firmware/selftest/tcu/target.h"
#include "isa/dais/file.h"

namespace tactus::selftest {
namespace {

constexpr std::size_t points = 8, hidden_units = 8, classes = 4;
constexpr unsigned fraction_bits = 6;  // fraction bits that a score needs

/// A layer of the classifier: bias and weights of its neurons, in eighths.
template <std::size_t units, std::size_t inputs>
struct Layer {
  std::array<int, units> bias;
  std::array<std::array<int, inputs>, units> weights;
};

constexpr Layer<hidden_units, points> layer1 = {{-2, -2, -2, -2, -2, -2, -2, -2},
                                                {{{-4, -4, -4, -4, 4, 4, 4, 4},
                                                  {4, 4, 4, 4, -4, -4, -4, -4},
                                                  {-4, -4, 4, 4, 4, 4, -4, -4},
                                                  {4, 4, -4, -4, -4, -4, 4, 4},
                                                  {-8, -8, 0, 0, 0, 0, 8, 8},
                                                  {8, 8, 0, 0, 0, 0, -8, -8},
                                                  {-8, 0, 0, 8, 8, 0, 0, -8},
                                                  {8, 0, 0, -8, -8, 0, 0, 8}}}};
constexpr Layer<classes, hidden_units> layer2 = {{1, 1, 0, 0},
                                                 {{{8, 0, -4, -4, 4, 0, 0, 0},
                                                   {0, 8, -4, -4, 0, 4, 0, 0},
                                                   {-4, -4, 8, 0, 0, 0, 4, 0},
                                                   {-4, -4, 0, 8, 0, 0, 0, 4}}}};

/// The waveforms of the classes, without noise.
constexpr std::array<std::array<int, points>, classes> shapes = {{{-1, -1, -1, -1, 1, 1, 1, 1},
                                                                  {1, 1, 1, 1, -1, -1, -1, -1},
                                                                  {-1, -1, 1, 1, 1, 1, -1, -1},
                                                                  {1, 1, -1, -1, -1, -1, 1, 1}}};

/// Outputs of a layer. Products and sums are exact in double, and in data types that are wide
/// enough.
template <std::size_t units, std::size_t inputs>
std::vector<double> outputs_of(const Layer<units, inputs>& layer, const std::vector<double>& x) {
  std::vector<double> y;
  for (std::size_t i = 0; i < units; ++i) {
    double sum = layer.bias[i] / 8.0;
    for (std::size_t j = 0; j < inputs; ++j) sum += layer.weights[i][j] / 8.0 * x[j];
    y.push_back(sum);
  }
  return y;
}

/// Appends a layer's block of weights: the bias, then for each input its weights, as vectors. Lanes
/// and inputs that the layer does not have are 0.
template <std::size_t units, std::size_t inputs>
void append(Lanes& lanes, const Layer<units, inputs>& layer, std::uint64_t n, std::int64_t one) {
  const std::size_t start = lanes.size();
  lanes.resize(start + (n + 1) * n, 0);
  for (std::size_t i = 0; i < units; ++i) {
    lanes[start + i] = layer.bias[i] * one / 8;
    for (std::size_t j = 0; j < inputs; ++j) {
      lanes[start + (j + 1) * n + i] = layer.weights[i][j] * one / 8;
    }
  }
}

struct Cycles {
  Cycle layers = 0, block = 0;
};

/// Classifies random samples in one run of the program and compares the scores. `right` counts the
/// samples whose highest score is that of their class.
Cycles classify(Target& target, std::uint64_t samples, std::uint64_t& right) {
  const std::uint64_t n = target.lanes();
  const std::int64_t one = std::int64_t{1} << info(target.type()).binary_point;
  Lanes weights, inputs(samples * n, 0), scores(samples * n, 0);
  append(weights, layer1, n, one);
  append(weights, layer2, n, one);
  for (std::uint64_t s = 0; s < samples; ++s) {
    const std::uint64_t truth = target.random().below(classes);
    std::vector<double> x;
    for (std::size_t i = 0; i < points; ++i) {
      const std::int64_t noisy = shapes[truth][i] * 6 + target.random().between(-9, 9);
      x.push_back(static_cast<double>(std::clamp<std::int64_t>(noisy, -16, 15)) / 16);
      inputs[s * n + i] = static_cast<std::int64_t>(x.back() * static_cast<double>(one));
    }
    std::vector<double> hidden = outputs_of(layer1, x);
    for (double& value : hidden) value = std::max(value, 0.0);
    const std::vector<double> y = outputs_of(layer2, hidden);
    for (std::size_t i = 0; i < classes; ++i) {
      scores[s * n + i] = static_cast<std::int64_t>(y[i] * static_cast<double>(one));
    }
    const auto highest = std::max_element(y.begin(), y.end()) - y.begin();
    if (static_cast<std::uint64_t>(highest) == truth) ++right;
  }
  target.write(1, 0, weights);
  target.write(0, 0, inputs);
  std::vector<std::uint32_t> retires;
  (void)target.run("classifier", {{"SAMPLES", samples}}, &retires);
  target.expect(0, samples, scores, "scores of the layers");
  target.expect(0, 2 * samples, scores, "scores of the DAIS block");
  // Both forms end with a DataMove to local memory, which retires with its last vector. One
  // instruction follows the block, the output; three follow the layers, since the block has two.
  const std::size_t last_of_block = retires.size() - 2, last_of_layers = retires.size() - 4;
  return {retires[last_of_layers] - retires[1], retires[last_of_block] - retires[last_of_layers]};
}

}  // namespace

void add_classifier_block(TcuSimulationConfig& config) {
  const std::string_view text = embedded_dais_program("classifier");
  const std::string name = "classifier.json";
  tcu::DaisBlockEntry block{"classifier", name, name,
                            std::make_shared<const dais::File>(
                                dais::parse_file({text.begin(), text.end()}, std::nullopt, name))};
  config.architecture.dais_blocks.clear();
  if (dais_block_problem(config.architecture, block).empty()) {
    config.architecture.dais_blocks.push_back(std::move(block));
  }
}

std::string classifier(Target& target) {
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t n = target.lanes(), weights = 2 * (n + 1);
  if (n < points) skip("array too small: {} (needs {})", n, points);
  if (info(a.data_type).binary_point < fraction_bits) {
    skip("{} has {} fraction bits (needs {})", info(a.data_type).name,
         info(a.data_type).binary_point, fraction_bits);
  }
  const std::uint64_t room = a.local_depth < weights ? 0 : (a.local_depth - weights) / 4;
  const std::uint64_t samples =
      std::min<std::uint64_t>({64, room, a.accumulator_depth, target.dram_depth(0) / 3});
  if (samples == 0 || target.dram_depth(1) < weights) {
    skip("memories too small: local memory {} (needs {}), DRAM0 {} (3), DRAM1 {} ({})",
         a.local_depth, weights + 4, target.dram_depth(0), target.dram_depth(1), weights);
  }
  std::uint64_t right = 0;
  const Cycles one = classify(target, 1, right);
  const Cycles many = classify(target, samples, right);
  return fmt::format(
      "1 sample: {} cycles as layers, {} as DAIS block; {} samples: {} and {}; scores equal, {} of "
      "{} right",
      one.layers, one.block, samples, many.layers, many.block, right, samples + 1);
}

}  // namespace tactus::selftest
