#include "models/tcu/fast/sequence_path.h"

#include <algorithm>

#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {

void SequencePath::renew() {
  Tcu& tcu = system_.tcu_;
  data_ = std::make_unique<TcuData>(
      system_.config_.tcu.architecture, system_.config_.tcu.rounding, tcu.local_, tcu.array_,
      tcu.accumulators_, tcu.activation_.get(), tcu.decoder_.registers(),
      std::array<AxiTarget*, 2>{system_.ports_[0]->target, system_.ports_[1]->target});
}

void SequencePath::begin(const Position& rest, std::uint64_t executed) {
  rest_ = rest;
  executed_ = executed;
  steps_.clear();
}

/// Hands on the figures of a border before cycle `now`. The design itself may be in another state.
void SequencePath::pass_border(Cycle now) {
  counters_.add(*setting_.known);
  system_.clock_.now = now;
  counters_.restart();
  until_border_ = system_.on_border();
  system_.paused_ = false;
}

/// Ends a path whose counts and changes have been handed on. It leads to this position.
void SequencePath::finish(const Position& position) {
  steps_.clear();
  // Instructions that wait in the decoder have done nothing so far.
  const std::uint64_t waiting = setting_[position.state].waiting;
  for (; executed_ < position.next - waiting; ++executed_) data_->execute(program_[executed_].item);
  program_.drop_before(position.next);
  taken_ += position.next - rest_.next;
  taken_cycles_ += position.now - rest_.now;
  rest_ = position;
}

void SequencePath::commit(const Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  const std::uint32_t first = decoder.registers().program_counter;
  std::uint64_t retired = 0;
  Cycle last = 0;
  observers_.tell_steps(
      steps_, rest_, executed_,
      [this](const SequenceStep& step, Cycle now) {
        counters_.use(*setting_.known, step.interval, step.times);
        const std::array<std::uint32_t, 2>& response = setting_[step.interval].response;
        for (unsigned p = 0; p < 2; ++p) {
          if (response[p] != KnownSequences::none) design_.last_response(p) = now + response[p];
        }
      },
      [&](Cycle now) {
        last = now - 1;
        decoder.tell_retire(last, static_cast<std::uint32_t>(first + retired++));
        if (--until_border_ != 0) return;
        changes_.settle_time(now);
        pass_border(now);
      });
  if (retired != 0) sequenced(decoder).note_retires(retired, last);
  finish(position);
}

void SequencePath::begin_live() {
  setting_.memories->mark(executed_);
  steps_.clear();
  newest_ = {};
  retires_.clear();
  told_ = 0;
  counted_ = 0;
  for (unsigned p = 0; p < 2; ++p) responses_[p] = old_responses_[p] = design_.last_response(p);
}

void SequencePath::end_steps() {
  for (SequenceStep& newest : newest_) {
    if (newest.times != 0) steps_.push_back(newest);
    newest = {};
  }
}

void SequencePath::note_responses(Id interval, Cycle now) {
  const std::array<std::uint32_t, 2>& response = setting_[interval].response;
  for (unsigned p = 0; p < 2; ++p) {
    if (response[p] != KnownSequences::none) responses_[p] = now + response[p];
  }
}

/// Hands on the figures at a border, at once; see sequence_path.h.
void SequencePath::pass_border_live(Cycle now) {
  counters_.add(*setting_.known);
  end_steps();
  for (; counted_ < steps_.size(); ++counted_) {
    counters_.add(*setting_.known, steps_[counted_].interval, steps_[counted_].times);
  }
  for (unsigned p = 0; p < 2; ++p) design_.last_response(p) = responses_[p];
  tell_retires();
  if (changes_.are_observed()) observers_.note_border(now);
  const std::uint64_t before = until_border_;
  pass_border(now);
  until_border_ += std::min(before, ~until_border_);
}

/// Tells the retires of the path that have not been told yet.
void SequencePath::tell_retires() {
  Decoder& decoder = system_.tcu_.decoder_;
  for (; told_ < retires_.size(); ++told_) {
    decoder.tell_retire(retires_[told_],
                        static_cast<std::uint32_t>(decoder.registers().program_counter + told_));
  }
}

void SequencePath::commit_live(const Position& position) {
  end_steps();
  for (std::size_t i = counted_; i < steps_.size(); ++i)
    counters_.use(*setting_.known, steps_[i].interval, steps_[i].times);
  for (unsigned p = 0; p < 2; ++p) design_.last_response(p) = responses_[p];
  if (changes_.are_observed()) observers_.tell_live(steps_, rest_, executed_);
  observers_.tell_memories(position.now);
  system_.clock_.now = position.now;
  tell_retires();
  if (!retires_.empty())
    sequenced(system_.tcu_.decoder_).note_retires(retires_.size(), retires_.back());
  until_border_ -= retires_.size();
  finish(position);
}

void SequencePath::drop_live(const Position& position) {
  setting_.memories->rewind(rest_.now, position.now);
  for (; counted_ > 0; --counted_) {
    counters_.add(*setting_.known, steps_[counted_ - 1].interval,
                  0 - std::uint64_t{steps_[counted_ - 1].times});
  }
  for (unsigned p = 0; p < 2; ++p) design_.last_response(p) = old_responses_[p];
  counters_.note_change();
  system_.tcu_.decoder_.note_told(told_);
  steps_.clear();
}

}  // namespace tactus
