#include "firmware/compiler/scaling/scaling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/compiler/scaling/rewrite.h"
#include "isa/support/error.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {

using scaling::Network;
using scaling::Tensor;

Scaling::Scaling(const nn::Graph& graph, const std::vector<std::string>& outputs,
                 tcu::DataType type)
    : graph_(graph), outputs_(outputs.begin(), outputs.end()) {
  if (outputs_.empty()) {
    for (const nn::ValueInfo& output : graph.outputs) outputs_.insert(output.name);
  }
  range_.top = tcu::to_real(type, info(type).max());
  range_.step = tcu::to_real(type, 1);
  range_.fraction_bits = static_cast<int>(info(type).binary_point);
}

void Scaling::add_image(const nn::Values& values) {
  if (!network_) {
    first_ = values;
    network_ = scaling::analyse_network(graph_, first_, outputs_, {});
  }
  scaling::add_figures(*network_, values);
}

std::map<std::string, double> Scaling::bounds() const {
  std::map<std::string, double> bounds;
  if (!network_) return bounds;
  for (const Tensor& tensor : network_->tensors) {
    double bound = 0;
    for (std::size_t i = 0; i < tensor.largest.size(); ++i) {
      bound = std::max(bound, tensor.expected(i));
    }
    bounds[tensor.name] = std::min(bound, range_.top);
  }
  return bounds;
}

ScaledNetwork Scaling::scaled(bool channels, scaling::Multiplies multiplies) const {
  if (!network_) internal_error("scales need an image");
  std::set<std::string> beyond;
  for (const Tensor& tensor : network_->tensors) {
    if (*std::max_element(tensor.largest.begin(), tensor.largest.end()) > range_.top) {
      beyond.insert(tensor.name);
    }
  }
  Network network = scaling::analyse_network(graph_, first_, outputs_, beyond);
  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    network.tensors[t].largest = network_->tensors[t].largest;
    network.tensors[t].squares = network_->tensors[t].squares;
    network.tensors[t].numbers = network_->tensors[t].numbers;
  }
  return scaling::rewrite(network, scaling::solve(network, range_, channels, multiplies), range_);
}

}  // namespace tactus::compiler
