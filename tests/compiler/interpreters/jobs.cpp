#include "tests/compiler/interpreters/jobs.h"

#include <utility>

#include "firmware/compiler/targets/tcu/optimise/lowering.h"
#include "firmware/compiler/targets/tcu/optimise/sums.h"
#include "isa/tcu/activation.h"

namespace tactus::compiler::optimise {
namespace {

using hir::Lanes;

class JobInterpreter {
 public:
  JobInterpreter(const Network& network, Blocks& blocks, const tcu::Architecture& architecture,
                 std::vector<Lanes>& values)
      : network_(network),
        blocks_(blocks),
        arithmetic_(architecture),
        n_(architecture.array_size),
        greatest_(static_cast<double>(tcu::info(architecture.data_type).max())),
        values_(values) {
    values_.resize(network.graph.constants.size());
    for (std::size_t v = 0; v < values_.size(); ++v) {
      const float* constant = network.graph.constants[v];
      if (constant == nullptr) continue;
      values_[v].clear();
      for (std::uint32_t lane = 0; lane < n_; ++lane) {
        values_[v].push_back(arithmetic_.from_real(constant[lane]));
      }
    }
  }

  void run(const Job& job) {
    job_ = &job;
    group_ = &network_.groups[job.group];
    group_->kind == GroupKind::sum ? sum() : simd();
  }

 private:
  void sum();
  void simd();
  void add_step(const SumStep& step);
  void take_maxima();
  void activate(Lanes& sum, std::uint32_t block) const;
  [[nodiscard]] Lanes leaky(const Lanes& y, std::uint32_t block) const;
  [[nodiscard]] Lanes chain(std::uint32_t block, const Lanes* input) const;
  [[nodiscard]] Lanes product(const Column& column, const Part& part, const Lanes& input) const;
  [[nodiscard]] std::vector<const Lanes*> values_of(const std::vector<Vector>& vectors) const;
  [[nodiscard]] Lanes unit(const Lanes& sum, const std::vector<std::int32_t>& parameters) const;
  [[nodiscard]] std::vector<std::int32_t> parameters() const;
  [[nodiscard]] Lanes plus(const Lanes& a, double b) const {
    Lanes out(a);
    for (double& lane : out) lane = arithmetic_.add(lane, b);
    return out;
  }
  [[nodiscard]] Lanes plus(const Lanes& a, const Lanes& b) const {
    Lanes out(a);
    for (std::uint32_t i = 0; i < n_; ++i) out[i] = arithmetic_.add(a[i], b[i]);
    return out;
  }

  const Network& network_;
  Blocks& blocks_;
  hir::Arithmetic arithmetic_;
  std::uint32_t n_;
  double greatest_;
  std::vector<Lanes>& values_;
  const Job* job_ = nullptr;
  const Group* group_ = nullptr;
  std::vector<Lanes> sums_;  ///< accumulators of the current job, block by block
};

/// Multiplies a vector by a block's weights, as the array does; null input: zeroes.
Lanes JobInterpreter::chain(std::uint32_t number, const Lanes* input) const {
  const Block& block = blocks_[number];
  Lanes out(n_, 0);
  std::size_t next = 0;
  if (block.biased) {
    for (std::uint32_t lane = 0; lane < n_; ++lane) out[lane] = block.values[next++];
  }
  for (std::uint32_t row = 0; row < block.rows && input != nullptr; ++row) {
    for (std::uint32_t lane = 0; lane < n_; ++lane) {
      out[lane] = arithmetic_.mac((*input)[row], block.values[next++], out[lane]);
    }
  }
  return out;
}

/// Multiplies a vector by computed weights, as the array does.
Lanes JobInterpreter::product(const Column& column, const Part& part, const Lanes& input) const {
  Lanes out(n_, 0);
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    for (std::uint32_t lane = 0; lane < n_ && column.rows[row] != no_vector; ++lane) {
      out[lane] = arithmetic_.mac(input[row], values_[column.rows[row]][lane], out[lane]);
    }
  }
  return out;
}

std::vector<const Lanes*> JobInterpreter::values_of(const std::vector<Vector>& vectors) const {
  std::vector<const Lanes*> values;
  for (const Vector v : vectors) values.push_back(&values_[v]);
  return values;
}

void JobInterpreter::add_step(const SumStep& step) {
  const std::uint32_t area = area_of(*group_, *job_);
  const auto add = [&](std::uint32_t place, Lanes value) {
    Lanes& sum = sums_[(step.block - job_->first_block) * area + place];
    sum = step.accumulate ? plus(sum, value) : std::move(value);
  };
  if (step.kind == SumStep::Kind::bias) {
    const Lanes bias = chain(blocks_.bias(job_->group, step.block), nullptr);
    for (std::uint32_t place = 0; place < area; ++place) add(place, bias);
    return;
  }
  const Part& part = group_->parts[step.part];
  const Range range = entries_of(*group_, part, *job_);
  const bool moves = step.kind == SumStep::Kind::move;
  const std::uint32_t weights =
      moves || part.is_computed()
          ? 0
          : blocks_.column(job_->group, step.part, step.column, step.with_bias);
  for (std::size_t i = range.first; i < range.end; ++i) {
    const Lanes& input = values_[part.inputs[i]];
    add(place_of(*group_, *job_, part.pixels[i]),
        moves                ? input
        : part.is_computed() ? product(part.columns[step.column], part, input)
                             : chain(weights, &input));
  }
}

void JobInterpreter::take_maxima() {
  if (group_->window == 1) return;
  const hir::Kind kind = stored_operation(hir::Kind::max_pool, sum_sign(*group_));
  const std::uint32_t pixels = job_->pixels();
  std::vector<Lanes> results;
  for (std::uint32_t first = 0; first < sums_.size(); first += area_of(*group_, *job_)) {
    for (std::uint32_t p = 0; p < pixels; ++p) {
      std::vector<const Lanes*> window;
      for (std::uint32_t k = 0; k < group_->window; ++k) {
        window.push_back(&sums_[first + k * pixels + p]);
      }
      results.push_back(hir::evaluate(arithmetic_, kind, window));
    }
  }
  sums_ = std::move(results);
}

/// Leaky ReLU. y is -x plus one unit, see JobLowering::clamp_leaky().
Lanes JobInterpreter::leaky(const Lanes& y, std::uint32_t block) const {
  const bool falls = has_falling_slope(*group_);
  Lanes out(n_);
  for (std::uint32_t lane = 0; lane < n_; ++lane) {
    const float slope = group_->slope[std::size_t{block} * n_ + lane];
    const double first = arithmetic_.from_real(falls ? slope - 1 : 1.0F);
    const double upper = arithmetic_.mac(y[lane], first, greatest_);
    const double second = arithmetic_.from_real(slope);
    out[lane] = falls ? arithmetic_.add(arithmetic_.add(upper, -greatest_), y[lane])
                      : arithmetic_.add(upper, arithmetic_.mac(y[lane], second, -greatest_));
  }
  return out;
}

void JobInterpreter::activate(Lanes& sum, std::uint32_t block) const {
  const auto bound = [&](const std::vector<float>& row, tcu::SimdOp op) {
    for (std::uint32_t lane = 0; lane < n_ && !row.empty(); ++lane) {
      const double limit = arithmetic_.from_real(row[std::size_t{block} * n_ + lane]);
      sum[lane] = arithmetic_.alu(op, sum[lane], limit);
    }
  };
  switch (group_->activation) {
    case Activation::relu:
      // A saturating product holds the greatest value and more, and loses that here.
      if (!group_->saturating_product) sum = plus(sum, greatest_);
      sum = plus(sum, -greatest_);
      break;
    case Activation::clip:
      bound(group_->low, tcu::SimdOp::max);
      bound(group_->high, tcu::SimdOp::min);
      break;
    case Activation::leaky_relu:
      sum = leaky(sum, block);
      break;
    case Activation::lookup:
      sum = hir::look_up(arithmetic_, {&sum}, values_of(group_->tables));
      break;
    case Activation::none:
      break;
  }
}

/// Computes the activation unit's function. `parameters`: scale, offset, slope and limit of each
/// lane.
Lanes JobInterpreter::unit(const Lanes& sum, const std::vector<std::int32_t>& parameters) const {
  Lanes out(n_);
  for (std::uint32_t lane = 0; lane < n_; ++lane) {
    const auto of = [&](std::uint32_t k) { return std::int64_t{parameters[k * n_ + lane]}; };
    out[lane] = static_cast<double>(tcu::activate(arithmetic_.architecture().data_type,
                                                  {of(0), of(1), of(2), of(3)},
                                                  static_cast<std::int64_t>(sum[lane])));
  }
  return out;
}

/// Parameters of the activation unit for the group's own activation.
std::vector<std::int32_t> JobInterpreter::parameters() const {
  const tcu::DataType type = arithmetic_.architecture().data_type;
  const ActivationFunction function =
      function_of(*group_, static_cast<float>(tcu::to_real(type, tcu::info(type).max())));
  std::vector<std::int32_t> all;
  for (const float value : {1.0F, 0.0F, function.slope, function.limit}) {
    all.insert(all.end(), n_, static_cast<std::int32_t>(tcu::quantise(type, value)));
  }
  return all;
}

void JobInterpreter::sum() {
  if (job_->slice == 0) {
    sums_.assign(std::size_t{area_of(*group_, *job_)} * job_->blocks(), Lanes(n_, 0));
  }
  for (const SumStep& step : sum_steps(network_, blocks_, *job_)) add_step(step);
  if (!job_->is_last_slice()) return;
  take_maxima();
  const std::vector<std::int32_t> own =
      group_->by_unit ? parameters() : std::vector<std::int32_t>{};
  for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
    for (std::uint32_t p = job_->first_pixel; p < job_->end_pixel; ++p) {
      const std::size_t at = std::size_t{p} * group_->blocks + b;
      Lanes& sum = sums_[(b - job_->first_block) * job_->pixels() + p - job_->first_pixel];
      if (group_->by_unit) {
        sum = unit(sum, own);
      } else {
        activate(sum, b);
      }
      values_[group_->results[at]] = sum;
      if (group_->normalised.results.empty()) continue;
      values_[group_->normalised.results[at]] =
          unit(sum, blocks_[blocks_.unit(job_->group, b)].values);
    }
  }
}

void JobInterpreter::simd() {
  for (std::uint32_t p = job_->first_pixel; p < job_->end_pixel; ++p) {
    for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
      const std::size_t at = std::size_t{p} * group_->blocks + b;
      const Vector result = group_->results[at];
      const std::vector<const Lanes*> operands = values_of(group_->windows[at]);
      if (group_->operation == hir::Kind::lookup) {
        values_[result] = hir::look_up(arithmetic_, operands, values_of(group_->tables));
        continue;
      }
      values_[result] = hir::evaluate(
          arithmetic_, stored_operation(group_->operation, network_.signs[result]), operands);
    }
  }
}

}  // namespace

void interpret(const Network& network, Blocks& blocks, const Schedule& schedule,
               const tcu::Architecture& architecture, std::vector<hir::Lanes>& values) {
  JobInterpreter interpreter(network, blocks, architecture, values);
  for (const Job& job : schedule.jobs) interpreter.run(job);
}

}  // namespace tactus::compiler::optimise
