// What happens to a job's sums: maxima of windows, and the activation.
#include <algorithm>
#include <iterator>

#include "firmware/compiler/targets/tcu/optimise/job_lowering.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler::optimise {

/// Loads the group's lookup tables, unless there are none or the machine holds them.
void JobLowering::load_tables() {
  if (!job_->loads_tables) return;
  const std::size_t count = group_->tables.size() / 2;
  for (std::uint32_t t = 0; t < 2; ++t) {
    Code code;
    code.kind = CodeKind::load_table;
    code.local = residence_.local(group_->tables[t * count]);
    code.count = static_cast<std::uint32_t>(count);
    code.block = t;
    codes().push_back(code);
  }
}

/// Replaces each sum by its function.
void JobLowering::look_up() {
  load_tables();
  for (std::uint32_t at = 0; at < job_->pixels() * job_->blocks(); ++at) {
    for (const hir::SimdStep& step : hir::simd_sequence(hir::Kind::lookup, 1)) {
      add_simd(step, at, at);
    }
  }
}

/// Adds a row of constants to all accumulators of the job, with saturation: one product of zero
/// vectors for each block, or one for all blocks with equal lanes. A constant beyond the data
/// type's range takes several additions in the same direction.
void JobLowering::add_row(const std::vector<double>& row) {
  const std::size_t n = network_.graph.n;
  std::vector<double> left(row.begin() + static_cast<std::ptrdiff_t>(job_->first_block * n),
                           row.begin() + static_cast<std::ptrdiff_t>(job_->end_block * n));
  while (std::any_of(left.begin(), left.end(), [](double value) { return value != 0; })) {
    std::vector<double> pass(left);
    for (double& value : pass) value = std::clamp(value, lowest_, greatest_);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= pass[i];
    const bool alike =
        std::equal(pass.begin() + static_cast<std::ptrdiff_t>(n), pass.end(), pass.begin());
    Code code;
    code.kind = CodeKind::mat_mul_zeroes;
    code.accumulate = true;
    code.count = job_->pixels() * (alike ? job_->blocks() : 1);
    for (std::uint32_t b = 0; b < (alike ? 1 : job_->blocks()); ++b) {
      const auto first = pass.begin() + static_cast<std::ptrdiff_t>(b * n);
      load_block(blocks_.row({first, first + static_cast<std::ptrdiff_t>(n)}));
      code.other = b * job_->pixels();
      codes().push_back(code);
    }
  }
}

/// Adds the greatest value, or its negative, to all accumulators of the job.
void JobLowering::add_extreme(bool negative) {
  const std::uint32_t count = job_->pixels() * job_->blocks();
  const std::uint32_t constants = negative ? places_.negated : places_.greatest;
  Code code;
  code.accumulate = true;
  if (count >= places_.least_zeroes[job_->group]) {
    Code load;
    load.kind = CodeKind::load_local;
    load.local = constants;
    codes().push_back(load);
    code.kind = CodeKind::mat_mul_zeroes;
    code.count = count;
    codes().push_back(code);
    return;
  }
  code.kind = CodeKind::to_accumulators;
  code.local = constants;
  for (std::uint32_t done = 0; done < count; done += code.count) {
    code.other = done;
    code.count = std::min(places_.pass_vectors, count - done);
    codes().push_back(code);
  }
}

/// Clips by saturation: adding a constant pushes values beyond the bound against the end of the
/// data type's range; subtracting it again leaves them at the bound.
void JobLowering::clip() {
  const tcu::DataType type = architecture_.data_type;
  const auto push = [&](const std::vector<float>& bounds, double end) {
    if (bounds.empty()) return;
    std::vector<double> there, back;
    for (const float bound : bounds) {
      there.push_back(end - tcu::to_real(type, tcu::quantise(type, bound)));
      back.push_back(-there.back());
    }
    add_row(there);
    add_row(back);
  };
  push(group_->low, lowest_);
  push(group_->high, greatest_);
}

/// Leaky ReLU of slope a, from y = -x plus one unit, of which there are copies. min(M + y, M) +
/// max(-M + a y, -M - one unit) is -x for x above 0, else -a x. For a slope below 0 it computes M +
/// min((1 - a) x, 0), subtracts M, and adds the copy.
void JobLowering::clamp_leaky(const std::vector<AddressPair>& copies) {
  // Neighbouring blocks with equal factors share one product.
  const auto multiply = [&](auto factor_of, bool negative, bool accumulate) {
    const std::size_t n = network_.graph.n;
    std::vector<float> factors;
    for (std::size_t i = job_->first_block * n; i < job_->end_block * n; ++i) {
      factors.push_back(factor_of(group_->slope[i]));
    }
    const auto row = [&](std::uint32_t block) {
      return factors.begin() + static_cast<std::ptrdiff_t>(block * n);
    };
    for (std::uint32_t block = 0, end = 0; block < job_->blocks(); block = end) {
      end = block + 1;
      while (end < job_->blocks() && std::equal(row(block), row(block + 1), row(end))) ++end;
      std::vector<AddressPair> mine;
      std::copy_if(
          copies.begin(), copies.end(), std::back_inserter(mine), [&](const AddressPair& pair) {
            return pair.other >= block * job_->pixels() && pair.other < end * job_->pixels();
          });
      load_block(blocks_.clamp({row(block), row(block + 1)}, negative));
      add_runs(CodeKind::mat_mul, mine, accumulate);
    }
  };
  if (has_falling_slope(*group_)) {
    multiply([](float slope) { return slope - 1; }, false, false);
    add_extreme(true);
    add_runs(CodeKind::to_accumulators, copies, true);
    return;
  }
  multiply([](float) { return 1.0F; }, false, false);
  multiply([](float slope) { return slope; }, true, true);
}

void JobLowering::activate() {
  switch (group_->activation) {
    case Activation::relu:
      if (!group_->saturating_product) add_extreme(false);
      add_extreme(true);
      break;
    case Activation::clip:
      clip();
      break;
    case Activation::lookup:
      look_up();
      break;
    case Activation::leaky_relu:
    case Activation::none:
      break;
  }
}

/// Writes the maximum of each window to the first accumulators, so that the job's results are
/// adjacent.
void JobLowering::take_maxima() {
  if (group_->window == 1) return;
  const tcu::SimdOp op = sum_sign(*group_) < 0 ? tcu::SimdOp::min : tcu::SimdOp::max;
  for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
    for (std::uint32_t p = 0; p < job_->pixels(); ++p) {
      for (std::uint32_t k = 0; k < group_->window; ++k) {
        Code code;
        code.kind = CodeKind::simd;
        code.simd_reads = true;
        code.block = first_accumulator(b) + k * job_->pixels() + p;
        code.simd =
            k == 0 ? tcu::SimdFields{tcu::SimdOp::move, 0, 0, 1} : tcu::SimdFields{op, 0, 1, 1};
        if (k + 1 == group_->window) {
          code.simd_writes = true;
          code.simd.dest = 0;
          code.other = (b - job_->first_block) * job_->pixels() + p;
        }
        codes().push_back(code);
      }
    }
  }
}

/// Copies sums to local memory through the activation unit, which keeps its parameters from job to
/// job.
void JobLowering::move_out_activated() {
  const auto function =
      static_cast<std::size_t>(std::find(functions_.begin(), functions_.end(),
                                         function_of(*group_, static_cast<float>(greatest_))) -
                               functions_.begin());
  if (function != function_) {
    Code load;
    load.kind = CodeKind::load_activation;
    load.count = tcu::activation_parameters;
    load.local = places_.activations + static_cast<std::uint32_t>(function) * load.count;
    codes().push_back(load);
    function_ = function;
  }
  const std::size_t first = codes().size();
  move_out();
  for (std::size_t i = first; i < codes().size(); ++i) codes()[i].activated = true;
}

/// Copies the sums a second time, normalised: each block with parameters of its own.
void JobLowering::move_out_normalised() {
  for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
    Code load;
    load.kind = CodeKind::load_unit;
    load.block = blocks_.unit(job_->group, b);
    codes().push_back(load);
    const std::size_t first = codes().size();
    move_out(group_->normalised.results, b, b + 1);
    for (std::size_t i = first; i < codes().size(); ++i) codes()[i].activated = true;
  }
  function_ = ~std::size_t{0};
}

ActivationFunction function_of(const Group& group, float greatest) {
  switch (group.activation) {
    case Activation::leaky_relu:
      return {group.slope.front(), greatest};
    case Activation::clip:
      return {0, group.high.front()};
    default:
      return {0, greatest};
  }
}

std::vector<ActivationFunction> activation_functions(const Network& network, float greatest) {
  std::vector<ActivationFunction> functions;
  for (const Group& group : network.groups) {
    if (!group.by_unit) continue;
    const ActivationFunction function = function_of(group, greatest);
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
      functions.push_back(function);
    }
  }
  return functions;
}

}  // namespace tactus::compiler::optimise
