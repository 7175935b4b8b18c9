#include "isa/dais/executor.h"

#include <algorithm>
#include <utility>

#include "isa/dais/check.h"
#include "isa/support/error.h"

namespace tactus::dais {

Executor::Executor(const Program& program, const ExecutorOptions& options)
    : Executor(std::make_shared<const Steps>(decode_steps(program, options.mux)),
               options.check_types) {}

Executor::Executor(std::shared_ptr<const Steps> steps, bool check_types)
    : steps_(std::move(steps)), check_types_(check_types), values_(steps_->steps.size()) {}

void Executor::run(const double* inputs, double* outputs, std::size_t samples, std::size_t first) {
  for (std::size_t s = 0; s < samples; ++s) {
    sample_ = first + s;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = compute(i, inputs + s * input_count());
      if (check_types_) check_type(i);
    }
    double* row = outputs + s * output_count();
    for (std::size_t i = 0; i < output_count(); ++i) {
      const OutputStep& output = steps_->outputs[i];
      const Mantissa m = output_mantissa(i);
      row[i] = static_cast<double>(output.negative ? negate(m) : m) * output.scale;
    }
  }
}

Mantissa Executor::output_mantissa(std::size_t output) const {
  const std::int32_t index = steps_->outputs[output].index;
  return index < 0 ? 0 : values_[static_cast<std::size_t>(index)];
}

Mantissa Executor::operand0(const Step& step) const {
  const Mantissa m = values_[step.id0];
  return shift_left(step.negate0 ? negate(m) : m, step.left0);
}

Mantissa Executor::operand1(const Step& step) const {
  if (!step.has_id1) return step.constant;
  const Mantissa m = values_[step.id1];
  return shift_left(step.negate1 ? negate(m) : m, step.left1);
}

Mantissa Executor::compute(std::size_t index, const double* inputs) const {
  const Step& step = steps_->steps[index];
  const auto cut_to_type = [&step](Mantissa m) {
    return step.cuts ? cut(m, step.width, step.is_signed) : m;
  };
  switch (step.kind) {
    case StepKind::copy:
      return cut_to_type(floor_to_mantissa(inputs[step.id0] * step.scale));
    case StepKind::add:
      return shift_right(add(operand0(step), operand1(step)), step.right);
    case StepKind::relu: {
      const Mantissa source = operand0(step);
      return source < 0 ? 0 : cut_to_type(shift_right(source, step.right));
    }
    case StepKind::quantise:
      return cut_to_type(shift_right(operand0(step), step.right));
    case StepKind::constant:
      return step.constant;
    case StepKind::mux: {
      const Mantissa m = values_[step.condition];
      const bool first =
          step.tests_bit ? (shift_right(m, step.test_bit) & 1) != 0 : m >= step.constant;
      return cut_to_type(first ? operand0(step) : operand1(step));
    }
    case StepKind::multiply:
      return multiply(operand0(step), operand1(step));
    case StepKind::lookup:
      return look_up(index);
    case StepKind::bit_not:
      return ~operand0(step) & step.constant;
    case StepKind::bit_any:
      return operand0(step) != 0 ? 1 : 0;
    case StepKind::bit_all:
      return (operand0(step) & step.constant) == step.constant ? 1 : 0;
    case StepKind::bit_and:
      return operand0(step) & operand1(step);
    case StepKind::bit_or:
      return operand0(step) | operand1(step);
    case StepKind::bit_xor:
      return operand0(step) ^ operand1(step);
  }
  internal_error("step of kind {}", static_cast<int>(step.kind));
}

Mantissa Executor::look_up(std::size_t index) const {
  const Step& step = steps_->steps[index];
  const std::vector<std::int32_t>& entries = steps_->tables[step.condition].entries;
  const Mantissa m = values_[step.id0];
  // Indices below the table wrap to huge unsigned numbers, so one comparison checks both ends.
  const std::uint64_t entry = bits_of(m) - bits_of(step.constant);
  if (entry < entries.size()) return entries[entry];
  user_error("operation {}: sample {}: value {} is entry {} of table {}; allowed 0..{}", index,
             sample_, m, from_bits(entry), step.condition, entries.size() - 1);
}

void Executor::check_type(std::size_t index) const {
  const Step& step = steps_->steps[index];
  const Mantissa m = values_[index];
  const MantissaRange allowed = range_of_type(step.width, step.is_signed);
  if (m >= allowed.low && m <= allowed.high) return;
  user_error(
      "operation {}: sample {}: value {} does not fit its type of {} {} bits; allowed {}..{}",
      index, sample_, m, step.width, step.is_signed ? "signed" : "unsigned", allowed.low,
      allowed.high);
}

PipelineExecutor::PipelineExecutor(const Pipeline& pipeline, const ExecutorOptions& options) {
  check_pipeline(pipeline, "DAIS pipeline");
  stages_.reserve(pipeline.stages.size());
  for (const Program& stage : pipeline.stages) stages_.emplace_back(stage, options);
}

void PipelineExecutor::run(const double* inputs, double* outputs, std::size_t samples) {
  if (stages_.size() == 1) return stages_.front().run(inputs, outputs, samples);
  std::vector<double> row, next;
  for (std::size_t s = 0; s < samples; ++s) {
    row.assign(inputs, inputs + stages_.front().input_count());
    inputs += row.size();
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      next.resize(stages_[i].output_count());
      try {
        stages_[i].run(row.data(), next.data(), 1, s);
      } catch (const UserError& error) {
        user_error("stage {}: {}", i, error.what());
      }
      row.swap(next);
    }
    std::copy(row.begin(), row.end(), outputs);
    outputs += row.size();
  }
}

}  // namespace tactus::dais
