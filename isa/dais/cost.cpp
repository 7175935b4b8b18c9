#include "isa/dais/cost.h"

#include <algorithm>
#include <cmath>

#include "isa/support/error.h"

namespace tactus::dais {
namespace {

constexpr double unlimited_size = 65535;

Interval scaled(const Interval& interval, int exponent) {
  return {std::ldexp(interval.min, exponent), std::ldexp(interval.max, exponent),
          std::ldexp(interval.step, exponent)};
}

Interval negated(const Interval& interval) { return {-interval.max, -interval.min, interval.step}; }

/// Limits an exponent to what ldexp() takes; larger ones also give 0 or infinity.
int exponent(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, -4096, 4096));
}

/// Bits of a constant between its lowest and highest set one.
double constant_bits(std::int64_t constant) {
  if (constant == 0) return 0;
  const double magnitude = std::abs(static_cast<double>(constant));
  const auto bits = static_cast<std::uint64_t>(constant);
  const auto lowest = static_cast<double>(bits & (0 - bits));
  return std::ceil(std::log2(magnitude + lowest)) - std::log2(lowest);
}

class Estimator {
 public:
  Estimator(const Program& program, const CostOptions& options)
      : program_(program),
        options_(options),
        adder_size_(options.as_stated ? program.adder_size : 1),
        carry_size_(options.as_stated ? program.carry_size : -1) {}

  Cost run() {
    cost_.ops.reserve(program_.ops.size());
    for (const Op& op : program_.ops) {
      cost_.ops.push_back(estimate(op));
      cost_.lut += cost_.ops.back().cost;
    }
    bool first = true;
    for (const Output& output : program_.outputs) {
      if (output.index < 0) continue;
      const double latency = cost_.ops[static_cast<std::size_t>(output.index)].latency;
      cost_.latency_min = first ? latency : std::min(cost_.latency_min, latency);
      cost_.latency_max = first ? latency : std::max(cost_.latency_max, latency);
      first = false;
    }
    return std::move(cost_);
  }

 private:
  [[nodiscard]] const Op& operand(std::int32_t id) const {
    return program_.ops[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Interval range(const Op& op) const {
    if (options_.as_stated) return op.range;
    Interval values = interval_of(op.type);
    if (kind_of(op.opcode) == OpKind::constant) {
      values.min = values.max = static_cast<double>(op.data) * values.step;
    }
    return values;
  }
  [[nodiscard]] double start(std::int32_t id) const {
    return cost_.ops[static_cast<std::size_t>(id)].latency;
  }

  /// Cost and latency of an adder. Only bit positions at which both operands have bits count.
  [[nodiscard]] OpCost adder(const Interval& a, const Interval& b) const {
    if (adder_size_ < 0 && carry_size_ < 0) return {1, 1};
    const double ends[] = {std::abs(a.min), std::abs(b.min), std::abs(a.max + a.step),
                           std::abs(b.max + b.step)};
    const double top = *std::max_element(std::begin(ends), std::end(ends));
    const double sign = a.min < 0 || b.min < 0 ? 1 : 0;
    const double bits = sign + std::ceil(std::log2(top)) - std::log2(std::max(a.step, b.step));
    const auto parts = [bits](std::int32_t size) {
      return std::ceil(bits / (size < 0 ? unlimited_size : size));
    };
    return {parts(adder_size_), parts(carry_size_)};
  }

  /// Time at which an operation ends that could start at `begin` but must not cross a stage border.
  [[nodiscard]] double finish(double begin, double latency) const {
    const double cutoff = options_.latency_cutoff;
    if (cutoff <= 0) return begin + latency;
    if (latency > cutoff) {
      user_error("an operation takes {} units of latency; a stage of {} cannot hold it", latency,
                 cutoff);
    }
    const double border = std::ceil(begin / cutoff) * cutoff;
    return (begin + latency > border ? std::max(begin, border) : begin) + latency;
  }

  [[nodiscard]] OpCost estimate(const Op& op) const {
    const auto width = static_cast<double>(op.type.width());
    switch (*kind_of(op.opcode)) {
      case OpKind::copy:
      case OpKind::constant:
        return {0, options_.as_stated ? op.latency : 0};
      case OpKind::add:
      case OpKind::subtract:
        return estimate_sum(op);
      case OpKind::relu:
        return {negates(op.opcode) ? width : width / 2, start(op.id0)};
      case OpKind::quantise:
        return {negates(op.opcode) ? width / 2 : 0, start(op.id0)};
      case OpKind::add_constant:
        return {constant_bits(op.data), start(op.id0)};
      case OpKind::mux:
        return estimate_mux(op);
      case OpKind::multiply:
        return estimate_product(op);
      case OpKind::lookup: {
        const auto in = static_cast<double>(operand(op.id0).type.width());
        const double cost = std::exp2(std::max(in - 5, 0.0)) * std::ceil(width / 2);
        return {in < 5 ? cost * in / 5 : cost, start(op.id0) + std::max(in - 6, 1.0)};
      }
      case OpKind::bit_unary: {
        const bool inverts = op.data_low() == 0;
        const auto in = static_cast<double>(operand(op.id0).type.width());
        return {inverts ? 0 : in / 6, start(op.id0) + (inverts ? 0 : 1)};
      }
      case OpKind::bit_binary:
        return {0.2 * width, std::max(start(op.id0), start(op.id1)) + 1};
    }
    internal_error("opcode {}", op.opcode);
  }

  [[nodiscard]] OpCost estimate_sum(const Op& op) const {
    const Interval b = scaled(range(operand(op.id1)), exponent(op.data_low()));
    const OpCost sum = adder(range(operand(op.id0)), op.opcode == 1 ? negated(b) : b);
    return {sum.cost, finish(std::max(start(op.id0), start(op.id1)), sum.latency)};
  }

  [[nodiscard]] OpCost estimate_mux(const Op& op) const {
    const Interval a = range(operand(op.id0));
    const Interval b = scaled(range(operand(op.id1)), exponent(op.data_high()));
    OpCost sum = adder(a, negates(op.opcode) ? negated(b) : b);
    // A mux between a value and a constant adds no delay in the programs that da4ml traces.
    if (a.min == a.max || b.min == b.max) sum.latency = 0;
    const double begin = std::max({start(op.id0), start(op.id1), start(op.data_low())});
    return {options_.half_price_mux ? sum.cost / 2 : sum.cost, begin + sum.latency};
  }

  [[nodiscard]] OpCost estimate_product(const Op& op) const {
    const Op& a = operand(op.id0);
    const Op& b = operand(op.id1);
    const auto width_a = static_cast<double>(a.type.width());
    const auto width_b = static_cast<double>(b.type.width());
    const OpCost sum_a = adder(range(a), range(a)), sum_b = adder(range(b), range(b));
    const double latency = std::max(sum_a.latency * width_b, sum_b.latency * width_a);
    return {std::min(sum_a.cost * width_b, sum_b.cost * width_a),
            finish(std::max(start(op.id0), start(op.id1)), latency)};
  }

  const Program& program_;
  const CostOptions& options_;
  std::int32_t adder_size_, carry_size_;
  Cost cost_;
};

std::uint64_t total_width(const std::vector<Port>& ports) {
  std::uint64_t bits = 0;
  for (const Port& port : ports) bits += static_cast<std::uint64_t>(port.width());
  return bits;
}

}  // namespace

Cost estimate_cost(const Program& program, const CostOptions& options) {
  return Estimator(program, options).run();
}

std::vector<Port> input_ports(const Program& program) {
  std::vector<Port> ports(program.input_count(), Port{{}, {0, 0, 1}});
  for (const Op& op : program.ops) {
    if (kind_of(op.opcode) != OpKind::copy) continue;
    const auto input = static_cast<std::size_t>(op.id0);
    const std::int32_t shift = program.input_shifts[input];
    // The value is the input times 2^shift.
    Port& port = ports[input];
    port.type = op.type;
    port.type.integer_bits -= shift;
    port.type.fraction_bits += shift;
    port.range = scaled(op.range, exponent(-std::int64_t{shift}));
  }
  return ports;
}

std::vector<Port> output_ports(const Program& program) {
  std::vector<Port> ports;
  for (const Output& output : program.outputs) {
    Port& port = ports.emplace_back(Port{{}, {0, 0, 1}});
    if (output.index < 0) continue;
    const Op& op = program.ops[static_cast<std::size_t>(output.index)];
    port.range = scaled(op.range, exponent(output.shift));
    if (output.negative) port.range = negated(port.range);
    if (const auto type = type_of(port.range)) {
      port.type = *type;
    } else {
      // If the range is beyond double, only the stored type is known; the sign may take one more
      // bit.
      port.type = op.type;
    }
  }
  return ports;
}

std::uint64_t register_bits(const Pipeline& pipeline, bool at_inputs) {
  std::uint64_t bits = at_inputs ? total_width(input_ports(pipeline.stages.front())) : 0;
  for (const Program& stage : pipeline.stages) bits += total_width(output_ports(stage));
  return bits;
}

}  // namespace tactus::dais
