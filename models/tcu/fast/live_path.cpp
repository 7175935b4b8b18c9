// The intervals passed since the last rest, with live memories. They count as passed when the
// design is at rest again. Otherwise they are undone.
#include <algorithm>

#include "isa/support/error.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

/// Begins a path in the current cycle, in which the design is at rest.
void TcuSequences::begin_path() {
  memories_->mark(executed_);
  path_.clear();
  newest_ = {};
  retires_.clear();
  told_ = 0;
  counted_ = 0;
  for (unsigned p = 0; p < 2; ++p) responses_[p] = old_responses_[p] = machine_.last_response(p);
  counts_.live.clear();
  counts_of_moves_.live.clear();
  quiet_until_ = 0;
  resting_moves_ = {};
}

/// Adds passes of an interval. Many intervals pass several times in a row.
void TcuSequences::add_step(bool of_moves, Id interval, std::uint64_t times) {
  Step& newest = newest_[of_moves ? 1 : 0];
  if (newest.interval != interval) {
    if (newest.times != 0) path_.push_back(newest);
    newest = {interval, 0, of_moves};
  }
  newest.times += times;
}

void TcuSequences::end_steps() {
  for (Step& newest : newest_) {
    if (newest.times != 0) path_.push_back(newest);
    newest = {};
  }
}

/// Notes the last write responses of an interval that begins in cycle `now`.
void TcuSequences::note_path_responses(Id interval, Cycle now) {
  const std::array<std::uint32_t, 2>& response = known(interval).response;
  for (unsigned p = 0; p < 2; ++p) {
    if (response[p] != KnownSequences::none) responses_[p] = now + response[p];
  }
}

/// Notes a retire in the cycle before `now`.
void TcuSequences::retire_on_path(Cycle now) {
  retires_.push_back(now - 1);
  if (retires_.size() == until_border_) pass_border_on_path(now);
}

/// Hands on the figures at a border at once, because those of the memories are the figures of the
/// current cycle. If the path is dropped later, its instructions up to the border are evaluated
/// again with the same figures, and the border is not told again.
void TcuSequences::pass_border_on_path(Cycle now) {
  counters_.add(*known_);
  end_steps();
  for (; counted_ < path_.size(); ++counted_) {
    counters_.add(*known_, path_[counted_].interval, path_[counted_].times);
  }
  for (unsigned p = 0; p < 2; ++p) machine_.last_response(p) = responses_[p];
  tell_path();
  if (changes_.are_observed()) borders_.push_back(now);
  const std::uint64_t before = until_border_;
  pass_border(now);
  until_border_ += std::min(before, ~until_border_);
}

/// Tells the retires of the path that have not been told yet.
void TcuSequences::tell_path() {
  Decoder& decoder = system_.tcu_.decoder_;
  for (; told_ < retires_.size(); ++told_) {
    decoder.tell_retire(retires_[told_],
                        static_cast<std::uint32_t>(decoder.registers().program_counter + told_));
  }
}

/// Accepts the path as passed. It ends in this position.
void TcuSequences::commit_path(const Position& position) {
  end_steps();
  for (std::size_t i = counted_; i < path_.size(); ++i)
    counters_.use(*known_, path_[i].interval, path_[i].times);
  for (unsigned p = 0; p < 2; ++p) machine_.last_response(p) = responses_[p];
  if (changes_.are_observed()) tell_path_changes();
  tell_memories(position.now);
  system_.clock_.now = position.now;
  tell_path();
  if (!retires_.empty())
    sequenced(system_.tcu_.decoder_).note_retires(retires_.size(), retires_.back());
  until_border_ -= retires_.size();
  if (!counts_.live.empty() || !counts_of_moves_.live.empty()) {
    internal_error("cycle {}: counts are kept at a rest", position.now);
  }
  finish_path(position);
}

/// Undoes the path, which has led to this position. What has been told of it will occur again.
void TcuSequences::drop_path(const Position& position) {
  memories_->rewind(committed_.now, position.now);
  for (; counted_ > 0; --counted_) {
    counters_.add(*known_, path_[counted_ - 1].interval,
                  0 - std::uint64_t{path_[counted_ - 1].times});
  }
  for (unsigned p = 0; p < 2; ++p) machine_.last_response(p) = old_responses_[p];
  counters_.note_change();
  system_.tcu_.decoder_.note_told(told_);
  path_.clear();
}

}  // namespace tactus
