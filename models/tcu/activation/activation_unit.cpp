#include "models/tcu/activation/activation_unit.h"

#include "isa/tcu/arithmetic.h"
#include "models/tcu/channel_signals.h"

namespace tactus {

ActivationUnit::ActivationUnit(const sc_core::sc_module_name& name, Clock& clock,
                               const tcu::Architecture& architecture, ActivationLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      type_(architecture.data_type),
      lanes_(architecture.array_size),
      parameters_(lanes_, tcu::neutral_activation(type_)),
      results_(capacity + 1, architecture.vector_bytes()),
      account_("activation", clock, state_table, rest) {}

void ActivationUnit::drive() {
  links_.parameters.ready = true;
  links_.input.ready = results_.count() < capacity;
  links_.output.valid = offers();
  if (links_.output.valid) links_.output.bits = results_.front();
}

ActivationUnit::State ActivationUnit::state() const {
  if (links_.input.fires()) return take;
  if (links_.parameters.fires()) return load;
  if (links_.output.fires()) return give;
  if (links_.output.valid) return wait_output;
  return idle() ? rest : pass;
}

void ActivationUnit::move() {
  account_.enter(state());
  if (links_.output.fires()) {
    ++clock_.progress;
    results_.pop();
    available_.erase(available_.begin());
  }
  if (!available_.empty()) ++clock_.progress;
  if (links_.input.fires()) {
    ++clock_.progress;
    ++stats_.vectors;
    std::uint8_t* result = results_.push();
    available_.push_back(clock_.now + latency);
    if (!clock_.timing_only) activate_now(links_.input.bits, result);
  }
  if (!links_.parameters.fires()) return;
  ++clock_.progress;
  ++stats_.parameters;
  if (!clock_.timing_only) take_parameters(links_.parameters.bits);
}

void ActivationUnit::activate_now(VectorRef input, std::uint8_t* result) const {
  for (std::size_t i = 0; i < lanes_; ++i) {
    const std::int64_t x = tcu::lane(type_, input, i);
    set_lane(type_, result, i, activate(type_, parameters_[i], x));
  }
}

void ActivationUnit::take_parameters(VectorRef vector) {
  static constexpr std::array<std::int64_t tcu::ActivationParameters::*, tcu::activation_parameters>
      order{&tcu::ActivationParameters::scale, &tcu::ActivationParameters::offset,
            &tcu::ActivationParameters::slope, &tcu::ActivationParameters::limit};
  for (std::size_t i = 0; i < lanes_; ++i) {
    parameters_[i].*order[next_parameter_] = tcu::lane(type_, vector, i);
  }
  next_parameter_ = (next_parameter_ + 1) % order.size();
}

void ActivationUnit::describe(const trace::Scope& scope) const {
  scope.channel("parameters", links_.parameters);
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  scope.level("results", capacity, [this] { return results_.count(); });
}

}  // namespace tactus
