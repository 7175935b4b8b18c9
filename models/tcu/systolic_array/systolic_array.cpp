#include "models/tcu/systolic_array/systolic_array.h"

#include <cstring>
#include <string>

#include "models/tcu/channel_signals.h"
#include "models/tcu/events.h"

namespace tactus {
namespace {

/// Inputs whose results are worked out at once.
constexpr std::size_t most_pending = 64;

}  // namespace

SystolicArray::SystolicArray(const sc_core::sc_module_name& name, Clock& clock,
                             const tcu::Architecture& architecture, tcu::MacRounding rounding,
                             const SystolicArrayLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      kernels_(tcu::vector_kernels(architecture.data_type, rounding)),
      size_(architecture.array_size),
      vector_bytes_(architecture.vector_bytes()),
      depth_(2 * Cycle{architecture.array_size} - 1),
      shadow_(architecture.shadow_weights != tcu::ShadowWeights::off),
      weights_(2 * (size_ + 1) * vector_bytes_),
      second_(links.weight_loads != nullptr ? (size_ + 1) * vector_bytes_ : 0),
      // D results in the pipeline and D in the queue behind it, which stops new ones.
      results_(2 * depth_, vector_bytes_),
      available_(2 * depth_),
      inputs_(most_pending * vector_bytes_),
      account_("array", clock, state_table, rest) {}

void SystolicArray::drive() {
  links_.control.ready = control_.can_enqueue();
  links_.output.valid = offers();
  show_result();
}

void SystolicArray::show_result() {
  if (offers() && pending_.size() == results_.count()) multiply_pending();
  links_.output.bits = results_.front();
}

void SystolicArray::accept() {
  const ArrayControl& control = control_.front();
  const bool takes_vector = !control_.empty() && !control.zeroes;
  links_.input.ready = takes_vector && !control.load && links_.output.ready && has_weights();
  links_.weights.ready = takes_vector && control.load && can_load();
}

void SystolicArray::decide() {
  edge_.enters = links_.control.fires();
  edge_.taken = !control_.empty() && head_ready();
  edge_.leaves = links_.output.fires();
  // Once it is drained, every result is offered.
  edge_.rests = drained() && !edge_.leaves && !edge_.enters && !edge_.taken;
  edge_.state = state();
}

void SystolicArray::move() {
  account_.enter(edge_.state);
  if (!edge_.rests) move_vectors();
  if (links_.weight_loads != nullptr) move_weights();
}

void SystolicArray::move_vectors() {
  if (edge_.leaves) {
    results_.pop();
    available_front_ = available_front_ + 1 == available_.size() ? 0 : available_front_ + 1;
    ++clock_.progress;
  }
  if (countdown_ > 0) {
    --countdown_;
    ++clock_.progress;
  }
  if (edge_.taken) {
    const ArrayControl& control = control_.front();
    if (control.load) {
      load(control.zeroes ? nullptr : links_.weights.bits);
    } else {
      take_over_weights();
      take_input(control.zeroes ? nullptr : links_.input.bits);
    }
  }
  if (edge_.enters || edge_.taken) {
    control_.commit(edge_.enters, links_.control.bits, edge_.taken);
  }
}

SystolicArray::State SystolicArray::state() const {
  if (control_.empty()) return rest;
  const ArrayControl& control = control_.front();
  if (edge_.taken) return control.load ? load_weights : compute;
  if (control.load) return can_load() ? wait_weights : wait_drain;
  if (!has_weights()) return wait_weights;
  if (links_.output.ready) return wait_input;
  return links_.results_of_dais ? wait_dais : wait_output;
}

void SystolicArray::take_input(VectorRef input) {
  if (!clock_.timing_only) {
    if (pending_.size() == most_pending) multiply_pending();
    std::uint8_t* kept = inputs_.data() + pending_.size() * vector_bytes_;
    if (input != nullptr) copy_block(kept, input, vector_bytes_);
    pending_.push_back(input == nullptr ? nullptr : kept);
  }
  results_.push();
  available_[available_back_] = clock_.now + depth_;
  available_back_ = available_back_ + 1 == available_.size() ? 0 : available_back_ + 1;
  ++clock_.progress;
  countdown_ = depth_;
  ++stats_.multiplications;
  if (input == nullptr) ++stats_.zero_multiplications;
  if (clock_.events != nullptr) clock_.events->event({TcuEvent::run});
}

/// Nobody sees a result before it leaves, and many at once are cheaper than one by one.
void SystolicArray::multiply_pending() {
  multiply(pending_.data(), pending_.size());
  pending_.clear();
}

/// The inputs of the last results.
void SystolicArray::multiply(const VectorRef* inputs, std::size_t inputs_count) {
  if (clock_.timing_only) return;
  const std::uint8_t* weights = weights_.data() + window_ * vector_bytes_;
  const std::size_t first = results_.count() - inputs_count;
  for (std::size_t done = 0; done < inputs_count;) {
    const std::size_t count = results_.contiguous(first + done, inputs_count - done);
    kernels_.mac_chains(weights, inputs + done, results_.at(first + done), size_, count);
    done += count;
  }
}

void SystolicArray::take_over_weights() {
  if (links_.weight_loads == nullptr) return;
  const std::uint64_t loads = control_.front().loads;
  if (!links_.weight_loads->is_new(loads)) return;
  if (!pending_.empty()) multiply_pending();
  links_.weight_loads->take(loads);
  if (!clock_.timing_only) copy_second_weights();
}

void SystolicArray::copy_second_weights() {
  second_is_new_ = false;
  window_ = 0;
  // The newest vector is first in the order of the MAC chain.
  for (std::size_t i = 0; i <= size_; ++i) {
    const std::uint8_t* vector = second_.data() + (size_ - i) * vector_bytes_;
    copy_block(weights_.data() + i * vector_bytes_, vector, vector_bytes_);
    copy_block(weights_.data() + (i + size_ + 1) * vector_bytes_, vector, vector_bytes_);
  }
}

/// Weights with reads of their own.
void SystolicArray::move_weights() {
  links_.weight_loads->move(clock_.now, [this](const WeightLoad& load, std::uint64_t i) {
    note_load();
    if (clock_.timing_only) return;
    const std::uint64_t address = (load.base - i * load.step) & load.mask;
    shift_second_weights(load.zeroes ? nullptr : links_.local->vector_or_zero(address));
  });
}

void SystolicArray::shift_second_weights(VectorRef weights) {
  second_is_new_ = true;
  std::memmove(second_.data(), second_.data() + vector_bytes_, size_ * vector_bytes_);
  std::uint8_t* newest = second_.data() + size_ * vector_bytes_;
  if (weights == nullptr) {
    std::memset(newest, 0, vector_bytes_);
  } else {
    copy_block(newest, weights, vector_bytes_);
  }
}

void SystolicArray::note_load() {
  ++clock_.progress;
  ++stats_.loads;
  if (clock_.events != nullptr) clock_.events->event({TcuEvent::load});
}

void SystolicArray::load(VectorRef weights) {
  if (!pending_.empty()) multiply_pending();
  ++stats_.loads_in_turn;
  note_load();
  if (!clock_.timing_only) take_weights(weights);
}

void SystolicArray::take_weights(VectorRef weights) {
  if (links_.weight_loads != nullptr) return shift_second_weights(weights);
  window_ = window_ == 0 ? size_ : window_ - 1;
  for (std::uint8_t* slot : {weights_.data() + window_ * vector_bytes_,
                             weights_.data() + (window_ + size_ + 1) * vector_bytes_}) {
    if (weights == nullptr) {
      std::memset(slot, 0, vector_bytes_);
    } else {
      copy_block(slot, weights, vector_bytes_);
    }
  }
}

std::string SystolicArray::waits_for() const {
  if (control_.empty()) return "nothing to do";
  const ArrayControl& control = control_.front();
  if (control.load) return can_load() ? "weights from local memory" : "the array to drain";
  if (!has_weights()) return "weights that are on their way";
  return links_.output.ready ? "input from local memory" : "an accumulator write for its result";
}

/// Describes weights with reads of their own: the queued loads, and the vector that enters.
void SystolicArray::describe_own_weights(const trace::Scope& scope) const {
  const WeightLoads& loads = *links_.weight_loads;
  const auto enters = [this, &loads] { return loads.entered().cycle == clock_.now; };
  scope.level("queue", WeightLoads::capacity, [&loads] { return loads.count(); });
  scope.wire("enters", 1, enters);
  scope.wire("zeroes", 1, [&loads, enters] { return enters() && loads.entered().zeroes; });
  scope.wire("address", trace::bits_for(links_.local->depth() - 1),
             [&loads, enters] { return enters() ? loads.entered().address : 0; });
}

void SystolicArray::describe(const trace::Scope& scope) const {
  scope.channel("control", links_.control);
  {
    trace::Payload head = scope.head(
        "head", [this] { return !control_.empty(); }, [this] { return head_ready(); },
        trace::Moment::settled);
    head.field("load", 1, [this] { return control_.front().load; });
    head.field("zeroes", 1, [this] { return control_.front().zeroes; });
  }
  scope.level("control_queue", 2, [this] { return control_.count(); });
  scope.channel("weights", links_.weights);
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  scope.reg(
      "countdown", trace::bits_for(depth_), [this] { return countdown_; }, trace::Radix::decimal);
  scope.wire(
      "drained", 1, [this] { return drained(); }, trace::Moment::settled);
  scope.level("results", 2 * depth_, [this] { return results_.count(); });

  if (links_.weight_loads != nullptr) describe_own_weights(scope.part("own_weights"));

  const std::size_t n = size_;
  const trace::Widths& widths = scope.widths();
  scope.family(
      "interior", n * (n + 1), widths.lane_bits,
      [n](std::uint64_t i) {
        const std::string row = std::to_string(i % n);
        return i < n ? "bias" + row : "w" + row + "_" + std::to_string(i / n - 1);
      },
      [this, n, &widths](std::uint64_t i, std::uint64_t* words) {
        const std::uint8_t* column = weights_.data() + (window_ + i / n) * vector_bytes_;
        *words = trace::lane_value(widths, column, i % n);
      });
}

}  // namespace tactus
