#include "models/dais/dais_block.h"

#include <algorithm>
#include <utility>

#include "isa/dais/check.h"
#include "isa/support/error.h"

namespace tactus {
namespace trace {

/// A row of reals has no width in bits, so it has no signals; the unit around the block shows the
/// numbers as vectors.
static void describe_payload(Payload& /*p*/, const RealsRef& /*row*/) {}

}  // namespace trace
namespace {

std::vector<dais::Executor> executors(const dais::Pipeline& pipeline,
                                      const dais::ExecutorOptions& options) {
  dais::check_pipeline(pipeline, "DAIS pipeline");
  std::vector<dais::Executor> stages;
  stages.reserve(pipeline.stages.size());
  for (const dais::Program& stage : pipeline.stages) stages.emplace_back(stage, options);
  return stages;
}

}  // namespace

DaisBlock::DaisBlock(const sc_core::sc_module_name& name, Clock& clock,
                     const dais::Program& program, const DaisLinks& links,
                     const dais::ExecutorOptions& options)
    : DaisBlock(name, clock, links, false, {dais::Executor(program, options)}) {}

DaisBlock::DaisBlock(const sc_core::sc_module_name& name, Clock& clock,
                     const dais::Pipeline& pipeline, const DaisLinks& links,
                     const dais::ExecutorOptions& options)
    : DaisBlock(name, clock, links, true, executors(pipeline, options)) {}

DaisBlock::DaisBlock(const sc_core::sc_module_name& name, Clock& clock, const DaisLinks& links,
                     bool has_input_rank, std::vector<dais::Executor> stages)
    : sc_module(name),
      clock_(clock),
      links_(links),
      has_input_rank_(has_input_rank),
      stages_(std::move(stages)) {
  if (has_input_rank_) ranks_.emplace_back().values.resize(stages_.front().input_count());
  for (const dais::Executor& stage : stages_) {
    ranks_.emplace_back().values.resize(stage.output_count());
  }
  next_output_.resize(stages_.back().output_count());
}

bool DaisBlock::idle() const {
  return std::none_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.full; });
}

void DaisBlock::describe(const trace::Scope& scope) const {
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  scope.level("samples", latency(), [this] {
    return std::count_if(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.full; });
  });
}

void DaisBlock::drive() {
  links_.output.valid = ranks_.back().full;
  links_.output.bits = ranks_.back().values.data();
}

bool DaisBlock::can_load(std::size_t index) const {
  // A full rank advances if a rank behind it has room or the last sample leaves.
  for (std::size_t i = index; i < ranks_.size(); ++i) {
    if (!ranks_[i].full) return true;
  }
  return links_.output.ready;
}

void DaisBlock::accept() { links_.input.ready = can_load(0); }

void DaisBlock::load(std::size_t index, const double* inputs, std::uint64_t sample) {
  ++clock_.progress;
  Rank& rank = ranks_[index];
  rank.full = true;
  rank.sample = sample;
  if (has_input_rank_ && index == 0) {
    std::copy(inputs, inputs + rank.values.size(), rank.values.begin());
    return;
  }
  const std::size_t stage = index - (has_input_rank_ ? 1 : 0);
  // The consumer may still read the last rank during its own commit().
  const bool last = index + 1 == ranks_.size();
  try {
    stages_[stage].run(inputs, (last ? next_output_ : rank.values).data(), 1, sample);
  } catch (const UserError& error) {
    user_error("{}: stage {}: {}", name(), stage, error.what());
  }
  if (last) rank.values.swap(next_output_);
}

void DaisBlock::commit() {
  // Goes from the output backwards, so that a rank is read before it is loaded again.
  const bool input_fires = links_.input.fires();
  if (links_.output.fires()) {
    ranks_.back().full = false;
    ++stats_.delivered;
    ++clock_.progress;
  } else if (links_.output.valid) {
    ++stats_.stalled;
  }
  for (std::size_t i = ranks_.size(); i-- > 1;) {
    Rank& before = ranks_[i - 1];
    if (ranks_[i].full || !before.full) continue;
    load(i, before.values.data(), before.sample);
    before.full = false;
  }
  if (input_fires) load(0, links_.input.bits, stats_.accepted++);
}

}  // namespace tactus
