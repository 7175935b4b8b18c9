// The fast executor: computes blocks of samples, each operation as a vector loop over the block.
// Its results are bit for bit those of the reference executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/dais/executor.h"
#include "isa/dais/fast_kernels.h"
#include "isa/dais/program.h"

namespace tactus::dais {

/// Compiled variants of the block kernel. All compute the same results.
enum class HostIsa : std::uint8_t { best, portable, avx2, avx512 };

/// True if the variant was compiled in and this processor can run it.
[[nodiscard]] bool supported(HostIsa host);

struct FastOptions {
  MuxCompare mux = MuxCompare::documented;
  /// Bits of a lane: 16, 32 or 64. 0 chooses the narrowest that provably holds every value; a width
  /// that is too narrow is raised.
  unsigned lane_bits = 0;
  /// Samples per block, a multiple of 64. 0 chooses by the size of the working set.
  std::size_t block = 0;
  HostIsa host = HostIsa::best;  ///< must be supported
};

/// Executes one program. The constructor throws UserError if the program breaks a rule of
/// check_program(). Several threads may call run() at once.
///
/// Operations whose values no other operation reads are left out, except lookups, since they may
/// fail. A value occupies a slot until its last reader has run; then another value reuses the slot.
class FastExecutor {
 public:
  explicit FastExecutor(const Program& program, const FastOptions& options = {});

  [[nodiscard]] std::size_t input_count() const { return steps_->inputs; }
  [[nodiscard]] std::size_t output_count() const { return steps_->outputs.size(); }
  [[nodiscard]] unsigned lane_bits() const { return lane_bits_; }
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// Like Executor::run(), with the same error for a lookup outside its table; the outputs are
  /// unspecified after an error.
  void run(const double* inputs, double* outputs, std::size_t samples, std::size_t first = 0) const;

 private:
  [[noreturn]] void report_failure(const double* inputs, std::size_t samples,
                                   std::size_t first) const;

  std::shared_ptr<const Steps> steps_;
  std::vector<FastStep> plan_;
  unsigned lane_bits_ = 64;
  std::size_t block_ = 64;
  std::size_t slots_ = 0;
  BlockKernel kernel_ = nullptr;
};

/// Executes the stages of a pipeline in order, one batch of samples at a time.
class FastPipelineExecutor {
 public:
  explicit FastPipelineExecutor(const Pipeline& pipeline, const FastOptions& options = {});

  [[nodiscard]] const std::vector<FastExecutor>& stages() const { return stages_; }
  void run(const double* inputs, double* outputs, std::size_t samples, std::size_t first = 0) const;

 private:
  std::vector<FastExecutor> stages_;
};

}  // namespace tactus::dais
