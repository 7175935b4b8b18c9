#include "isa/dais/fast_executor.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "isa/dais/check.h"
#include "isa/dais/fast_plan.h"
#include "isa/support/error.h"
#include "isa/support/kernel_choice.h"
#include "isa/support/processor.h"

namespace tactus::dais {
namespace {

constexpr std::size_t block_step = 64;
constexpr std::size_t largest_block = 256;
/// Size of a block's values: they should fit the second-level cache. Blocks that fit the
/// first-level cache are slower (measured): every operation costs a jump and the start of a loop
/// per block.
constexpr std::size_t cache_bytes = 512 * 1024;

std::size_t choose_block(std::size_t slots, unsigned lane_bits) {
  std::size_t block = largest_block;
  while (block > block_step && slots * block * lane_bits / 8 > cache_bytes) block /= 2;
  return block;
}

const BlockKernels& kernels(HostIsa host) {
  if (host == HostIsa::best) {
    constexpr std::pair<std::string_view, HostIsa> sets[] = {{"reference", HostIsa::portable},
                                                             {"portable", HostIsa::portable},
                                                             {"avx2", HostIsa::avx2},
                                                             {"avx512", HostIsa::avx512}};
    host = choose_kernels("DAIS programs", sets, supported);
  }
  if (!supported(host)) internal_error("DAIS: kernel {} cannot run", static_cast<int>(host));
  if (host == HostIsa::avx512) return *avx512_block_kernels();
  return host == HostIsa::avx2 ? *avx2_block_kernels() : *portable_block_kernels();
}

/// Memory for the lanes of one call of run(), aligned to cache lines.
class Workspace {
 public:
  explicit Workspace(std::size_t bytes) : bytes_(::operator new (bytes, std::align_val_t{64})) {}
  ~Workspace() { ::operator delete (bytes_, std::align_val_t{64}); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  [[nodiscard]] void* bytes() const { return bytes_; }

 private:
  void* bytes_;
};

}  // namespace

bool supported(HostIsa host) {
  switch (host) {
    case HostIsa::best:
    case HostIsa::portable:
      return true;
    case HostIsa::avx2:
      return avx2_block_kernels() != nullptr && processor_has_avx2();
    case HostIsa::avx512:
      return avx512_block_kernels() != nullptr && processor_has_avx512();
  }
  return false;
}

FastExecutor::FastExecutor(const Program& program, const FastOptions& options)
    : steps_(std::make_shared<const Steps>(decode_steps(program, options.mux))) {
  const std::vector<OpRange> ranges = value_ranges(*steps_);
  lane_bits_ = narrowest_lane(*steps_, ranges, options.lane_bits);
  FastPlan plan = make_plan(*steps_, ranges, lane_bits_);
  plan_ = std::move(plan.steps);
  slots_ = plan.slots;
  if (options.block % block_step != 0) {
    internal_error("a block of {} samples is no multiple of {}", options.block, block_step);
  }
  block_ = options.block != 0 ? options.block : choose_block(slots_, lane_bits_);
  const BlockKernels& set = kernels(options.host);
  kernel_ = lane_bits_ == 16 ? set.lanes16 : lane_bits_ == 32 ? set.lanes32 : set.lanes64;
}

void FastExecutor::run(const double* inputs, double* outputs, std::size_t samples,
                       std::size_t first) const {
  if (samples == 0) return;
  const std::size_t rounded = (samples + block_step - 1) / block_step * block_step;
  const std::size_t block = std::min(block_, rounded);
  const Workspace lanes(slots_ * block * lane_bits_ / 8 + 64);
  std::vector<double> scratch(block);
  FastBlock work{plan_.data(), plan_.size(),  lanes.bytes(), scratch.data(), block, 0,
                 nullptr,      input_count(), nullptr,       output_count()};
  for (std::size_t s = 0; s < samples; s += block) {
    work.samples = std::min(block, samples - s);
    work.lanes = std::min(block, (work.samples + block_step - 1) / block_step * block_step);
    work.inputs = inputs + s * input_count();
    work.outputs = outputs + s * output_count();
    if (!kernel_(work)) report_failure(work.inputs, work.samples, first + s);
  }
}

void FastExecutor::report_failure(const double* inputs, std::size_t samples,
                                  std::size_t first) const {
  std::vector<double> outputs(output_count());
  Executor plain(steps_);
  for (std::size_t s = 0; s < samples; ++s) {
    plain.run(inputs + s * input_count(), outputs.data(), 1, first + s);
  }
  internal_error("DAIS: a lookup failed in the fast executor alone");
}

FastPipelineExecutor::FastPipelineExecutor(const Pipeline& pipeline, const FastOptions& options) {
  check_pipeline(pipeline, "DAIS pipeline");
  stages_.reserve(pipeline.stages.size());
  for (const Program& stage : pipeline.stages) stages_.emplace_back(stage, options);
}

void FastPipelineExecutor::run(const double* inputs, double* outputs, std::size_t samples,
                               std::size_t first) const {
  if (stages_.size() == 1) return stages_.front().run(inputs, outputs, samples, first);
  constexpr std::size_t batch = 1024;  // samples at a time; bounds the memory between stages
  std::vector<double> row, next;
  for (std::size_t s = 0; s < samples; s += batch) {
    const std::size_t count = std::min(batch, samples - s);
    const std::size_t width = stages_.front().input_count();
    row.assign(inputs + s * width, inputs + (s + count) * width);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      next.resize(count * stages_[i].output_count());
      try {
        stages_[i].run(row.data(), next.data(), count, first + s);
      } catch (const UserError& error) {
        user_error("stage {}: {}", i, error.what());
      }
      row.swap(next);
    }
    std::copy(row.begin(), row.end(), outputs + s * stages_.back().output_count());
  }
}

}  // namespace tactus::dais
