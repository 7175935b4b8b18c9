#include "firmware/compiler/targets/tcu/optimise/lowering.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/optimise/sums.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler::optimise {
namespace {

// ---- pairs of addresses as few runs with a stride each ----

struct AddressPair {
  std::uint32_t local = 0, other = 0;
};

struct Run {
  AddressPair first;
  std::uint8_t local_stride = 0, other_stride = 0;  ///< codes
  std::uint32_t count = 1;
};

/// Encodes the step from one address to another as a power of two: the exponent if it is below
/// `codes`, else 0xFF.
std::uint8_t stride_code(std::uint32_t from, std::uint32_t to, std::uint32_t codes) {
  if (to <= from) return 0xFF;
  const std::uint32_t step = to - from;
  for (std::uint32_t code = 0; code < codes; ++code) {
    if (step == std::uint32_t{1} << code) return static_cast<std::uint8_t>(code);
  }
  return 0xFF;
}

/// Finds runs greedily, in order. `stride0` and `stride1` are the numbers of stride codes; no run
/// is longer than `longest`.
void find_runs(const std::vector<AddressPair>& pairs, std::uint32_t stride0, std::uint32_t stride1,
               std::uint64_t longest, std::vector<Run>& runs) {
  runs.clear();
  for (std::size_t i = 0; i < pairs.size();) {
    Run run;
    run.first = pairs[i++];
    if (i < pairs.size() && longest > 1) {
      const std::uint8_t a = stride_code(run.first.local, pairs[i].local, stride0);
      const std::uint8_t b = stride_code(run.first.other, pairs[i].other, stride1);
      if (a != 0xFF && b != 0xFF) {
        run.local_stride = a;
        run.other_stride = b;
        const std::uint32_t step_a = std::uint32_t{1} << a, step_b = std::uint32_t{1} << b;
        while (i < pairs.size() && run.count < longest &&
               pairs[i].local == pairs[i - 1].local + step_a &&
               pairs[i].other == pairs[i - 1].other + step_b) {
          ++run.count;
          ++i;
        }
      }
    }
    runs.push_back(run);
  }
}

class JobLowering {
 public:
  JobLowering(const Network& network, Schedule& schedule, Blocks& blocks,
              const tcu::Architecture& architecture, const Places& places)
      : network_(network),
        schedule_(schedule),
        blocks_(blocks),
        architecture_(architecture),
        places_(places),
        residence_(schedule, places.arena, places.arena_end, places.spill,
                   architecture.dram0_depth) {
    for (std::size_t t = 0; t < network.graph.outputs.size(); ++t) {
      const std::vector<Vector>& vectors = network.graph.outputs[t].vectors;
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (vectors[i] == no_vector) continue;
        outputs_[vectors[i]].push_back(static_cast<std::uint32_t>(places.outputs[t] + i));
      }
    }
    greatest_ = tcu::to_real(architecture.data_type, tcu::info(architecture.data_type).max());
    lowest_ = tcu::to_real(architecture.data_type, tcu::info(architecture.data_type).min());
    functions_ = activation_functions(network, static_cast<float>(greatest_));
  }

  std::optional<Lowered> run(std::uint32_t& too_large) {
    for (std::uint32_t number = 0; number < schedule_.jobs.size(); ++number) {
      number_ = number;
      job_ = &schedule_.jobs[number];
      group_ = &network_.groups[job_->group];
      too_large = job_->group;
      if (early_) {
        Code land;
        land.kind = CodeKind::land;
        codes().push_back(land);
      }
      if (!residence_.enter(number, codes())) return std::nullopt;
      fetch_early(number);
      const bool fits = group_->kind == GroupKind::sum ? sum() : simd();
      if (!fits) return std::nullopt;
      if (job_->is_last_slice()) write_outputs();
      residence_.settle(number);
      lowered_.job_ends.push_back(codes().size());
    }
    lowered_.local_end = std::max<std::uint64_t>(residence_.highest(), places_.arena);
    lowered_.dram0_end = std::max<std::uint64_t>(residence_.highest_dram0(), places_.spill);
    lowered_.moved = residence_.spilled();
    return std::move(lowered_);
  }

 private:
  Codes& codes() { return lowered_.codes; }
  /// Reads the next job's operands while this one computes, unless that would take the room of this
  /// job's results.
  void fetch_early(std::uint32_t number) {
    early_ = false;
    if (number + 1 == schedule_.jobs.size()) return;
    std::uint64_t results = 0;
    for (const std::uint32_t chunk : job_->writes)
      results += schedule_.chunks[chunk].vectors.size();
    const std::size_t before = codes().size();
    residence_.fetch_early(number + 1, results, codes());
    early_ = codes().size() != before;
  }
  [[nodiscard]] std::uint32_t area() const { return area_of(*group_, *job_); }
  [[nodiscard]] std::uint32_t place(std::uint32_t pixel) const {
    return place_of(*group_, *job_, pixel);
  }
  [[nodiscard]] std::uint32_t first_accumulator(std::uint32_t block) const {
    return (block - job_->first_block) * area();
  }
  /// Accumulator of a result after maxima are taken.
  [[nodiscard]] std::uint32_t result(std::uint32_t pixel, std::uint32_t block) const {
    return (block - job_->first_block) * job_->pixels() + pixel - job_->first_pixel;
  }
  /// Sorts by accumulators, so that runs are as long as possible.
  void sort_windows(std::vector<AddressPair>& pairs) const {
    if (group_->window == 1) return;
    std::sort(pairs.begin(), pairs.end(),
              [](const AddressPair& x, const AddressPair& y) { return x.other < y.other; });
  }
  bool sum();
  bool simd();
  void lower_parts();
  void move_in(const Part& part, const Range& range, bool accumulate);
  void start_with_bias(std::uint32_t block, bool accumulate);
  void load_block(std::uint32_t block);
  void load_rows(const Column& column, std::uint32_t count);
  void load_tables();
  void look_up();
  void add_simd(const hir::SimdStep& step, std::uint32_t read, std::uint32_t written);
  void take_maxima();
  void add_row(const std::vector<double>& row);
  void clip();
  void add_extreme(bool negative);
  void clamp_leaky(const std::vector<AddressPair>& copies);
  void activate();
  bool place_results();
  void move_out();
  void move_out(const std::vector<Vector>& results, std::uint32_t first_block,
                std::uint32_t end_block);
  void move_out_activated();
  void move_out_normalised();
  void write_outputs();
  void find_runs_of(CodeKind kind, const std::vector<AddressPair>& pairs);
  void add_found_runs(CodeKind kind, bool accumulate, std::uint32_t other_offset);
  void add_runs(CodeKind kind, const std::vector<AddressPair>& pairs, bool accumulate) {
    find_runs_of(kind, pairs);
    add_found_runs(kind, accumulate, 0);
  }

  const Network& network_;
  Schedule& schedule_;
  Blocks& blocks_;
  const tcu::Architecture& architecture_;
  const Places& places_;
  Residence residence_;
  /// DRAM0 addresses of each output vector.
  std::unordered_map<Vector, std::vector<std::uint32_t>> outputs_;
  Lowered lowered_;
  std::uint32_t number_ = 0;
  bool early_ = false;  ///< early reads have been emitted
  const Job* job_ = nullptr;
  const Group* group_ = nullptr;
  std::vector<AddressPair> pairs_;
  std::vector<Run> runs_;
  double lowest_ = 0, greatest_ = 0;           ///< limits of the data type
  std::vector<ActivationFunction> functions_;  ///< functions of the activation unit
  std::size_t function_ = ~std::size_t{0};     ///< function whose parameters the unit holds
};

void JobLowering::find_runs_of(CodeKind kind, const std::vector<AddressPair>& pairs) {
  const bool dram = kind == CodeKind::dram_write;
  const std::uint64_t other_depth =
      dram ? architecture_.dram0_depth : architecture_.accumulator_depth;
  find_runs(pairs, architecture_.stride0_depth, architecture_.stride1_depth,
            std::min(architecture_.local_depth, other_depth), runs_);
}

void JobLowering::add_found_runs(CodeKind kind, bool accumulate, std::uint32_t other_offset) {
  for (const Run& run : runs_) {
    Code code;
    code.kind = kind;
    code.accumulate = accumulate;
    code.local = run.first.local;
    code.other = run.first.other + other_offset;
    code.local_stride = run.local_stride;
    code.other_stride = run.other_stride;
    code.count = run.count;
    codes().push_back(code);
  }
}

void JobLowering::load_block(std::uint32_t block) {
  Code code;
  code.kind = CodeKind::load_block;
  code.block = block;
  codes().push_back(code);
}

/// Loads computed weights, from the last row to the first, and a bias of zeroes. One instruction
/// loads rows that have equal distances in local memory.
void JobLowering::load_rows(const Column& column, std::uint32_t count) {
  std::uint32_t zeroes = 0;
  const auto load_zeroes = [&] {
    Code code;
    code.kind = CodeKind::load_zeroes;
    code.count = std::exchange(zeroes, 0);
    if (code.count != 0) codes().push_back(code);
  };
  for (std::uint32_t row = count; row > 0;) {
    --row;
    if (column.rows[row] == no_vector) {
      ++zeroes;
      continue;
    }
    load_zeroes();
    Code code;
    code.kind = CodeKind::load_local;
    code.local = residence_.local(column.rows[row]);
    while (row > 0 && column.rows[row - 1] != no_vector) {
      const std::uint32_t below = residence_.local(column.rows[row - 1]);
      const std::uint8_t stride = stride_code(below, code.local, architecture_.stride0_depth);
      if (stride == 0xFF || (code.count > 1 && stride != code.local_stride)) break;
      code.local = below;
      code.local_stride = stride;
      ++code.count;
      --row;
    }
    codes().push_back(code);
  }
  ++zeroes;
  load_zeroes();
}

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

void JobLowering::add_simd(const hir::SimdStep& step, std::uint32_t read, std::uint32_t written) {
  Code code;
  code.kind = CodeKind::simd;
  code.simd = step.fields;
  code.simd_reads = step.reads;
  code.simd_writes = step.writes;
  if (step.reads) code.block = read;
  if (step.writes) code.other = written;
  codes().push_back(code);
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

void JobLowering::move_in(const Part& part, const Range& range, bool accumulate) {
  pairs_.clear();
  for (std::size_t i = range.first; i < range.end; ++i) {
    pairs_.push_back({residence_.local(part.inputs[i]),
                      first_accumulator(part.columns[0].block) + place(part.pixels[i])});
  }
  sort_windows(pairs_);
  add_runs(CodeKind::to_accumulators, pairs_, accumulate);
}

void JobLowering::start_with_bias(std::uint32_t block, bool accumulate) {
  load_block(blocks_.bias(job_->group, block));
  Code code;
  code.kind = CodeKind::mat_mul_zeroes;
  code.accumulate = accumulate;
  code.other = first_accumulator(block);
  code.count = area();
  codes().push_back(code);
}

void JobLowering::lower_parts() {
  std::size_t looked_up = ~std::size_t{0};  // part whose runs are in runs_
  for (const SumStep& step : sum_steps(network_, blocks_, *job_)) {
    if (step.kind == SumStep::Kind::bias) {
      start_with_bias(step.block, step.accumulate);
      continue;
    }
    const Part& part = group_->parts[step.part];
    if (step.kind == SumStep::Kind::move) {
      move_in(part, entries_of(*group_, part, *job_), step.accumulate);
      looked_up = ~std::size_t{0};
      continue;
    }
    // All blocks of the result are computed from the same vectors, so the runs are found once.
    if (std::exchange(looked_up, step.part) != step.part) {
      const Range range = entries_of(*group_, part, *job_);
      pairs_.clear();
      for (std::size_t i = range.first; i < range.end; ++i) {
        pairs_.push_back({residence_.local(part.inputs[i]), place(part.pixels[i])});
      }
      sort_windows(pairs_);
      find_runs_of(CodeKind::mat_mul, pairs_);
    }
    if (part.is_computed()) {
      load_rows(part.columns[step.column], part.rows);
    } else {
      load_block(blocks_.column(job_->group, step.part, step.column, step.with_bias));
    }
    add_found_runs(CodeKind::mat_mul, step.accumulate, first_accumulator(step.block));
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

bool JobLowering::place_results() {
  residence_.leave(number_);
  for (const std::uint32_t chunk : job_->writes) {
    if (!residence_.place(chunk, codes())) return false;
  }
  return true;
}

void JobLowering::move_out() { move_out(group_->results, job_->first_block, job_->end_block); }

void JobLowering::move_out(const std::vector<Vector>& results, std::uint32_t first_block,
                           std::uint32_t end_block) {
  pairs_.clear();
  for (std::uint32_t b = first_block; b < end_block; ++b) {
    for (std::uint32_t p = job_->first_pixel; p < job_->end_pixel; ++p) {
      const Vector v = results[std::size_t{p} * group_->blocks + b];
      pairs_.push_back({residence_.local(v), result(p, b)});
    }
  }
  // Sorts by chunk, so that runs are as long as possible.
  std::sort(pairs_.begin(), pairs_.end(),
            [](const AddressPair& x, const AddressPair& y) { return x.local < y.local; });
  add_runs(CodeKind::to_local, pairs_, false);
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

bool JobLowering::sum() {
  lower_parts();
  if (!job_->is_last_slice()) {
    residence_.leave(number_);
    return true;
  }
  take_maxima();
  if (group_->by_unit) {
    if (!place_results()) return false;
    move_out_activated();
    return true;
  }
  activate();
  if (!place_results()) return false;
  if (group_->activation == Activation::leaky_relu) {
    move_out();
    clamp_leaky(pairs_);
  }
  move_out();
  if (!group_->normalised.results.empty()) move_out_normalised();
  return true;
}

/// Computes a job of SIMD instructions. Its operands are copied into accumulators behind those of
/// the results.
bool JobLowering::simd() {
  const std::uint32_t results = job_->pixels() * job_->blocks();
  std::vector<Vector> operands;
  for (std::uint32_t p = job_->first_pixel; p < job_->end_pixel; ++p) {
    for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
      for (const Vector v : group_->windows[std::size_t{p} * group_->blocks + b]) {
        if (v != no_vector) operands.push_back(v);
      }
    }
  }
  std::sort(operands.begin(), operands.end(),
            [&](Vector x, Vector y) { return residence_.local(x) < residence_.local(y); });
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  std::unordered_map<Vector, std::uint32_t> place;
  std::vector<AddressPair> pairs;
  for (const Vector v : operands) {
    const auto at = static_cast<std::uint32_t>(results + place.size());
    place[v] = at;
    pairs.push_back({residence_.local(v), at});
  }
  add_runs(CodeKind::to_accumulators, pairs, false);
  load_tables();
  for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
    for (std::uint32_t p = job_->first_pixel; p < job_->end_pixel; ++p) {
      const std::size_t at = std::size_t{p} * group_->blocks + b;
      const std::vector<Vector>& window = group_->windows[at];
      const hir::Kind kind =
          stored_operation(group_->operation, network_.signs[group_->results[at]]);
      for (const hir::SimdStep& step : hir::simd_sequence(kind, window.size())) {
        add_simd(step, place.at(window[step.operand]), result(p, b));
      }
    }
  }
  if (!place_results()) return false;
  move_out();
  return true;
}

void JobLowering::write_outputs() {
  pairs_.clear();
  for_results(*group_, [&](const std::vector<Vector>& results) {
    for (std::uint32_t p = job_->first_pixel; p < job_->end_pixel; ++p) {
      for (std::uint32_t b = job_->first_block; b < job_->end_block; ++b) {
        const Vector v = results[std::size_t{p} * group_->blocks + b];
        const auto found = outputs_.find(v);
        if (found == outputs_.end()) continue;
        for (const std::uint32_t at : found->second) pairs_.push_back({residence_.local(v), at});
      }
    }
  });
  if (pairs_.empty()) return;
  std::sort(pairs_.begin(), pairs_.end(),
            [](const AddressPair& x, const AddressPair& y) { return x.local < y.local; });
  add_runs(CodeKind::dram_write, pairs_, false);
}

}  // namespace

std::optional<Lowered> lower(const Network& network, Schedule& schedule, Blocks& blocks,
                             const tcu::Architecture& architecture, const Places& places,
                             std::uint32_t& too_large) {
  return JobLowering(network, schedule, blocks, architecture, places).run(too_large);
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

std::uint64_t accumulators_of(const Network& network, const Job& job) {
  const Group& group = network.groups[job.group];
  std::uint64_t count = std::uint64_t{job.pixels()} * group.window * job.blocks();
  if (group.windows.empty()) return count;
  std::vector<Vector> operands;
  for (std::uint32_t p = job.first_pixel; p < job.end_pixel; ++p) {
    for (std::uint32_t b = job.first_block; b < job.end_block; ++b) {
      const auto& window = group.windows[std::size_t{p} * group.blocks + b];
      operands.insert(operands.end(), window.begin(), window.end());
    }
  }
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return count + operands.size();
}

}  // namespace tactus::compiler::optimise
