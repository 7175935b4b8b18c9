// The plain executor: one sample at a time, one operation after the other. The fast executor is
// tested against it. Source: dais.md section 2.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "isa/dais/ranges.h"
#include "isa/dais/steps.h"

namespace tactus::dais {

struct ExecutorOptions {
  MuxCompare mux = MuxCompare::documented;
  /// Refuse a value that does not fit the type of its operation, which only operations that cut
  /// nothing can produce: hardware would keep the low bits and go on.
  bool check_types = false;
};

/// Constructors throw UserError for a program that breaks a rule of check_program(). Not for use by
/// two threads at once.
class Executor {
 public:
  explicit Executor(const Program& program, const ExecutorOptions& options = {});
  explicit Executor(std::shared_ptr<const Steps> steps, bool check_types = false);

  [[nodiscard]] std::size_t input_count() const { return steps_->inputs; }
  [[nodiscard]] std::size_t output_count() const { return steps_->outputs.size(); }

  /// `samples` rows of input_count() reals to as many of output_count(). Throws UserError
  /// "operation 3: sample 17: what" for a lookup outside its table (or a type that does not fit,
  /// see above); earlier rows are written then. Samples are counted from `first`.
  void run(const double* inputs, double* outputs, std::size_t samples, std::size_t first = 0);

  /// The values of all operations for the sample last run.
  [[nodiscard]] const std::vector<Mantissa>& values() const { return values_; }
  /// The mantissa behind an output, before negation; 0 for the constant zero.
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

/// The stages of a pipeline one after the other. Reals go from stage to stage, as in da4ml: a value
/// of more than 53 bits is rounded there.
class PipelineExecutor {
 public:
  explicit PipelineExecutor(const Pipeline& pipeline, const ExecutorOptions& options = {});

  void run(const double* inputs, double* outputs, std::size_t samples);

 private:
  std::vector<Executor> stages_;
};

}  // namespace tactus::dais
