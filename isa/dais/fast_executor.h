// The fast executor: samples in blocks, each operation a vector loop over the block. Bit for bit
// the results of the plain executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/dais/executor.h"
#include "isa/dais/fast_kernels.h"
#include "isa/dais/program.h"

namespace tactus::dais {

/// Which compilation of the block kernel runs. All compute the same.
enum class HostIsa : std::uint8_t { best, portable, avx2, avx512 };

/// Whether it was compiled in and this processor can run it.
[[nodiscard]] bool supported(HostIsa host);

struct FastOptions {
  MuxCompare mux = MuxCompare::documented;
  /// Bits of a lane: 16, 32 or 64; 0 takes the narrowest that provably holds every value. A width
  /// that does not is raised.
  unsigned lane_bits = 0;
  /// Samples a block, a multiple of 64; 0 chooses by the size of the working set.
  std::size_t block = 0;
  HostIsa host = HostIsa::best;  ///< must be supported
};

/// The constructor throws UserError for a program that breaks a rule of check_program(). run() may
/// be called by several threads at once.
///
/// Operations whose values nobody reads are left out, except lookups, which may fail. A value lives
/// in a slot until its last reader, and the next value reuses it.
class FastExecutor {
 public:
  explicit FastExecutor(const Program& program, const FastOptions& options = {});

  [[nodiscard]] std::size_t input_count() const { return steps_->inputs; }
  [[nodiscard]] std::size_t output_count() const { return steps_->outputs.size(); }
  [[nodiscard]] unsigned lane_bits() const { return lane_bits_; }
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// As Executor::run(), with the same error for a lookup outside its table; the outputs are
  /// unspecified then.
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

/// The stages of a pipeline one after the other, a batch at a time.
class FastPipelineExecutor {
 public:
  explicit FastPipelineExecutor(const Pipeline& pipeline, const FastOptions& options = {});

  [[nodiscard]] const std::vector<FastExecutor>& stages() const { return stages_; }
  void run(const double* inputs, double* outputs, std::size_t samples, std::size_t first = 0) const;

 private:
  std::vector<FastExecutor> stages_;
};

}  // namespace tactus::dais
