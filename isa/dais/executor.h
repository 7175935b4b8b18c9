// The reference executor: computes one sample at a time, operation by operation. The fast executor
// is tested against it. Source: dais.md section 2.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "isa/dais/ranges.h"
#include "isa/dais/steps.h"

namespace tactus::dais {

struct ExecutorOptions {
  MuxCompare mux = MuxCompare::documented;
  /// Refuses a value that does not fit its operation's type. Only operations that do not cut their
  /// result can produce one; hardware would keep its low bits without notice.
  bool check_types = false;
};

/// Executes one program. The constructors throw UserError if the program breaks a rule of
/// check_program(). Not safe for use by two threads at once.
class Executor {
 public:
  explicit Executor(const Program& program, const ExecutorOptions& options = {});
  explicit Executor(std::shared_ptr<const Steps> steps, bool check_types = false);

  [[nodiscard]] std::size_t input_count() const { return steps_->inputs; }
  [[nodiscard]] std::size_t output_count() const { return steps_->outputs.size(); }

  /// Computes `samples` rows: each has input_count() reals in `inputs` and output_count() reals in
  /// `outputs`. Throws UserError "operation 3: sample 17: what" for a lookup outside its table (or
  /// for a value that does not fit its type, see above); the rows before it have been written.
  /// Samples are numbered from `first`.
  void run(const double* inputs, double* outputs, std::size_t samples, std::size_t first = 0);

  /// Values of all operations for the last sample.
  [[nodiscard]] const std::vector<Mantissa>& values() const { return values_; }
  /// Mantissa of an output before negation; 0 for the constant zero.
  [[nodiscard]] Mantissa output_mantissa(std::size_t output) const;

 private:
  [[nodiscard]] Mantissa operand0(const Step& step) const;
  [[nodiscard]] Mantissa operand1(const Step& step) const;
  [[nodiscard]] Mantissa compute(std::size_t index, const double* inputs) const;
  [[nodiscard]] Mantissa look_up(std::size_t index) const;
  void check_type(std::size_t index) const;

  std::shared_ptr<const Steps> steps_;
  bool check_types_;
  std::vector<Mantissa> values_;
  std::size_t sample_ = 0;
};

/// Executes the stages of a pipeline in order. Stages pass real numbers to each other, as in da4ml,
/// so a value of more than 53 bits is rounded between two stages.
class PipelineExecutor {
 public:
  explicit PipelineExecutor(const Pipeline& pipeline, const ExecutorOptions& options = {});

  void run(const double* inputs, double* outputs, std::size_t samples);

 private:
  std::vector<Executor> stages_;
};

}  // namespace tactus::dais
