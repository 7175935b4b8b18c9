// What has passed since the last rest, with memories that do not keep time: it has happened once
// the design comes to a rest again, and else it is taken back.
#include <algorithm>

#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

/// The design rests.
void TcuSequences::begin_path() {
  memories_->mark(executed_);
  path_.clear();
  newest_ = {};
  retires_.clear();
  told_ = 0;
  counted_ = 0;
  for (unsigned p = 0; p < 2; ++p) responses_[p] = old_responses_[p] = last_response(p);
  counts_.live.clear();
  counts_of_moves_.live.clear();
  quiet_until_ = 0;
  resting_moves_ = {};
}

/// The interval has passed once more; many of them do so several times one after the other.
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
  const std::array<std::uint32_t, 2>& response = known_[interval].response;
  for (unsigned p = 0; p < 2; ++p) {
    if (response[p] != KnownSequences::none) responses_[p] = now + response[p];
  }
}

/// In the cycle before `now`.
void TcuSequences::retire_on_path(Cycle now) {
  retires_.push_back(now - 1);
  if (retires_.size() == until_border_) pass_border_on_path(now);
}

/// At a border the figures of the memories are those of the present cycle, and so they are told
/// now. If the path is not taken after all, its instructions up to the border are worked out once
/// more, with the same figures, and it is not told again.
void TcuSequences::pass_border_on_path(Cycle now) {
  add_counts();
  end_steps();
  for (; counted_ < path_.size(); ++counted_) {
    add_counts(path_[counted_].interval, path_[counted_].times);
  }
  for (unsigned p = 0; p < 2; ++p) last_response(p) = responses_[p];
  tell_path();
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

/// The path has happened. It ends in this position.
void TcuSequences::commit_path(const Position& position) {
  end_steps();
  for (std::size_t i = counted_; i < path_.size(); ++i) use(path_[i]);
  for (unsigned p = 0; p < 2; ++p) last_response(p) = responses_[p];
  tell_path_changes();
  tell_path();
  if (!retires_.empty()) system_.tcu_.decoder_.note_retires(retires_.size(), retires_.back());
  until_border_ -= retires_.size();
  if (!counts_.live.empty() || !counts_of_moves_.live.empty()) {
    internal_error("cycle {}: counts are kept at a rest", position.now);
  }
  finish_path(position);
}

/// It has not, and what was told of it comes again.
void TcuSequences::drop_path() {
  memories_->rewind(committed_.now);
  for (; counted_ > 0; --counted_) {
    add_counts(path_[counted_ - 1].interval, 0 - std::uint64_t{path_[counted_ - 1].times});
  }
  for (unsigned p = 0; p < 2; ++p) last_response(p) = old_responses_[p];
  before_.clear();
  system_.tcu_.decoder_.note_told(told_);
  path_.clear();
}

}  // namespace tactus
