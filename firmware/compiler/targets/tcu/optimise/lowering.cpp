#include "firmware/compiler/targets/tcu/optimise/lowering.h"

#include <algorithm>
#include <utility>

#include "firmware/compiler/targets/tcu/lir/rollup.h"
#include "firmware/compiler/targets/tcu/optimise/job_lowering.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler::optimise {

JobLowering::JobLowering(const Network& network, Schedule& schedule, Blocks& blocks,
                         const tcu::Architecture& architecture, const Places& places)
    : network_(network),
      schedule_(schedule),
      blocks_(blocks),
      architecture_(architecture),
      places_(places),
      residence_(schedule, places.arena, places.arena_end, places.spill, architecture.dram0_depth) {
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

std::optional<Lowered> JobLowering::run(std::uint32_t& too_large) {
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

/// Reads the next job's operands while this one computes, unless that would take the room of this
/// job's results.
void JobLowering::fetch_early(std::uint32_t number) {
  early_ = false;
  if (number + 1 == schedule_.jobs.size()) return;
  std::uint64_t results = 0;
  for (const std::uint32_t chunk : job_->writes) results += schedule_.chunks[chunk].vectors.size();
  const std::size_t before = codes().size();
  residence_.fetch_early(number + 1, results, codes());
  early_ = codes().size() != before;
}

/// Sorts by accumulators, so that runs are as long as possible.
void JobLowering::sort_windows(std::vector<AddressPair>& pairs) const {
  if (group_->window == 1) return;
  std::sort(pairs.begin(), pairs.end(),
            [](const AddressPair& x, const AddressPair& y) { return x.other < y.other; });
}

void JobLowering::find_runs(CodeKind kind, const std::vector<AddressPair>& pairs) {
  const bool dram = kind == CodeKind::dram_write;
  const Tag memory = dram ? Tag::dram0 : Tag::accumulators;
  const std::uint64_t depth = dram ? architecture_.dram0_depth : architecture_.accumulator_depth;
  runs_.clear();
  lir::PairRollup rollup(
      architecture_.stride0_depth, architecture_.stride1_depth,
      std::min(architecture_.local_depth, depth),
      [&](const lir::Place& local, const lir::Place& other, std::uint64_t count) {
        Code& code = runs_.emplace_back();
        code.kind = kind;
        code.local = static_cast<std::uint32_t>(local.address.raw());
        code.other = static_cast<std::uint32_t>(other.address.raw());
        code.local_stride = static_cast<std::uint8_t>(local.stride);
        code.other_stride = static_cast<std::uint8_t>(other.stride);
        code.count = static_cast<std::uint32_t>(count);
      });
  for (const AddressPair& pair : pairs) {
    rollup.add(Address(Tag::local, 0, pair.local), Address(memory, 0, pair.other));
  }
  rollup.flush();
}

void JobLowering::add_found_runs(bool accumulate, std::uint32_t other_offset) {
  for (const Code& run : runs_) {
    Code& code = codes().emplace_back(run);
    code.accumulate = accumulate;
    code.other += other_offset;
  }
}

void JobLowering::add_runs(CodeKind kind, const std::vector<AddressPair>& pairs, bool accumulate) {
  find_runs(kind, pairs);
  add_found_runs(accumulate, 0);
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
  lir::ReverseRollup rollup(
      architecture_.stride0_depth, [this](const lir::Place& rows, std::uint64_t number) {
        Code code;
        code.kind = rows.address.is(Tag::zeroes) ? CodeKind::load_zeroes : CodeKind::load_local;
        code.local = static_cast<std::uint32_t>(rows.address.raw());
        code.local_stride = static_cast<std::uint8_t>(rows.stride);
        code.count = static_cast<std::uint32_t>(number);
        codes().push_back(code);
      });
  for (std::uint32_t row = count; row-- > 0;) {
    const Vector v = column.rows[row];
    rollup.add(v == no_vector ? Address::zeroes() : Address(Tag::local, 0, residence_.local(v)));
  }
  rollup.add(Address::zeroes());
  rollup.flush();
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
      find_runs(CodeKind::mat_mul, pairs_);
    }
    if (part.is_computed()) {
      load_rows(part.columns[step.column], part.rows);
    } else {
      load_block(blocks_.column(job_->group, step.part, step.column, step.with_bias));
    }
    add_found_runs(step.accumulate, first_accumulator(step.block));
  }
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

std::optional<Lowered> lower(const Network& network, Schedule& schedule, Blocks& blocks,
                             const tcu::Architecture& architecture, const Places& places,
                             std::uint32_t& too_large) {
  return JobLowering(network, schedule, blocks, architecture, places).run(too_large);
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
