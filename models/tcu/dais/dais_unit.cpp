#include "models/tcu/dais/dais_unit.h"

#include <algorithm>

#include "isa/dais/file.h"
#include "isa/support/error.h"
#include "isa/tcu/arithmetic.h"
#include "models/tcu/channel_signals.h"
#include "models/tcu/events.h"

namespace tactus {

DaisUnit::Slot::Slot(Clock& clock, const tcu::Architecture& architecture,
                     const tcu::DaisBlockEntry& entry)
    : name(entry.name),
      input_vectors(entry.input_vectors(architecture.array_size)),
      output_vectors(entry.output_vectors(architecture.array_size)),
      sample(input_vectors * architecture.array_size),
      outputs(entry.output_count()) {
  const std::string wrong = dais_block_problem(architecture, entry);
  if (!wrong.empty()) user_error("DAIS block {} ({}): {}", entry.name, entry.path, wrong);
  const dais::Pipeline& logic = entry.file->pipeline;
  const DaisLinks links{input, output};
  block = entry.file->is_pipeline
              ? std::make_unique<DaisBlock>(name.c_str(), clock, logic, links)
              : std::make_unique<DaisBlock>(name.c_str(), clock, logic.stages.front(), links);
}

DaisUnit::DaisUnit(const sc_core::sc_module_name& name, Clock& clock,
                   const tcu::Architecture& architecture, const DaisUnitLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      type_(architecture.data_type),
      lanes_(architecture.array_size),
      vector_bytes_(architecture.vector_bytes()),
      account_("dais", clock, state_table, rest) {
  std::size_t longest = 0;
  for (const tcu::DaisBlockEntry& entry : architecture.dais_blocks) {
    slots_.push_back(std::make_unique<Slot>(clock, architecture, entry));
    most_inside_ += slots_.back()->block->latency();
    longest = std::max(longest, slots_.back()->output_vectors);
  }
  order_ = std::make_unique<Queue<std::uint8_t, QueueKind::plain>>(most_inside_);
  result_.resize(longest * vector_bytes_);
}

void DaisUnit::drive() {
  links_.control.ready = control_.can_enqueue();
  for (const auto& slot : slots_) slot->block->drive();
  links_.output.valid = !order_->empty() && slots_[order_->front()]->output.valid;
  if (!links_.output.valid) return;
  if (!result_converted_) convert_result(*slots_[order_->front()]);
  links_.output.bits = result_.data() + delivered_ * vector_bytes_;
}

void DaisUnit::convert_result(const Slot& slot) {
  for (std::size_t i = 0; i < slot.output_vectors * lanes_; ++i) {
    const bool used = i < slot.outputs;
    set_lane(type_, result_.data(), i,
             used ? tcu::round_half_even(type_, slot.output.bits[i]) : std::int64_t{0});
  }
  result_converted_ = true;
}

void DaisUnit::accept() {
  for (const auto& slot : slots_) {
    slot->input.valid = false;
    slot->output.ready = false;
  }
  if (links_.output.valid) {
    Slot& oldest = *slots_[order_->front()];
    oldest.output.ready = links_.output.ready && delivered_ + 1 == oldest.output_vectors;
  }
  for (const auto& slot : slots_) slot->block->accept();
  links_.input.ready = !control_.empty();
  if (control_.empty()) return;
  Slot& slot = *slots_[control_.front().block];
  if (collected_ + 1 < slot.input_vectors) return;
  slot.input.valid = links_.input.valid;
  links_.input.ready = slot.input.ready;
}

DaisUnit::State DaisUnit::state() const {
  if (links_.input.fires()) return take;
  if (links_.output.fires()) return give;
  if (links_.output.valid) return wait_output;
  if (links_.input.valid && !control_.empty()) return wait_order;
  if (!control_.empty() || collected_ > 0) return wait_input;
  return order_->empty() ? rest : pass;
}

void DaisUnit::collect(VectorRef vector) {
  ++clock_.progress;
  ++stats_.vectors;
  Slot& slot = *slots_[control_.front().block];
  // An illegal instruction may have left more vectors of a sample than a sample of this block has.
  double* to = slot.sample.data() + std::min(collected_, slot.input_vectors - 1) * lanes_;
  for (std::size_t i = 0; i < lanes_; ++i) to[i] = to_real(type_, tcu::lane(type_, vector, i));
  slot.input.bits = slot.sample.data();
  collected_ = slot.input.valid ? 0 : collected_ + 1;
}

void DaisUnit::move() {
  account_.enter(state());
  const bool takes = links_.input.fires();
  const unsigned block = control_.front().block;
  if (takes) collect(links_.input.bits);
  const bool enters = takes && slots_[block]->input.fires();
  for (const auto& slot : slots_) slot->block->commit();

  bool leaves = false;
  if (links_.output.fires()) {
    ++clock_.progress;
    leaves = ++delivered_ == slots_[order_->front()]->output_vectors;
    if (leaves) {
      delivered_ = 0;
      result_converted_ = false;
    }
  }
  order_->commit(enters, static_cast<std::uint8_t>(block), leaves);
  if (enters) {
    ++stats_.samples[block];
    if (clock_.events != nullptr) clock_.events->event({TcuEvent::dais, 0, block});
  }
  control_.commit(links_.control.fires(), links_.control.bits, takes);
}

std::string DaisUnit::waits_for() const {
  const std::string oldest = order_->empty() ? "" : slots_[order_->front()]->name;
  if (control_.empty() && collected_ == 0) {
    return fmt::format("an accumulator write for a result of {}", oldest);
  }
  if (control_.empty()) {
    return fmt::format("the rest of a sample of which {} vectors came", collected_);
  }
  const std::string& next = slots_[control_.front().block]->name;
  if (!links_.input.valid) return fmt::format("input of {} from local memory", next);
  return fmt::format("room in {}, behind a result of {} that waits for an accumulator write", next,
                     oldest);
}

void DaisUnit::describe(const trace::Scope& scope) const {
  scope.channel("control", links_.control);
  scope
      .head(
          "head", [this] { return !control_.empty(); }, [this] { return links_.input.fires(); },
          trace::Moment::settled)
      .field(
          "block", 3, [this] { return control_.front().block; }, trace::Radix::decimal);
  scope.level("control_queue", 2, [this] { return control_.count(); });
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  std::size_t most_in = 0, most_out = 0;
  for (const auto& slot : slots_) {
    most_in = std::max(most_in, slot->input_vectors);
    most_out = std::max(most_out, slot->output_vectors);
  }
  scope.reg(
      "collected", trace::bits_for(most_in - 1), [this] { return collected_; },
      trace::Radix::decimal);
  scope.reg(
      "delivered", trace::bits_for(most_out - 1), [this] { return delivered_; },
      trace::Radix::decimal);
  scope
      .head(
          "oldest", [this] { return !order_->empty(); },
          [this] {
            return links_.output.fires() &&
                   delivered_ + 1 == slots_[order_->front()]->output_vectors;
          },
          trace::Moment::settled)
      .field(
          "block", 3, [this] { return order_->front(); }, trace::Radix::decimal);
  scope.level("order_queue", most_inside_, [this] { return order_->count(); });
  // The blocks have a part of their own, since a block may have the name of a signal of the unit.
  const trace::Scope blocks = scope.part("blocks");
  for (const auto& slot : slots_) slot->block->describe(blocks.unit(slot->name));
}

}  // namespace tactus
