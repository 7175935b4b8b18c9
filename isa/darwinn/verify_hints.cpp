// Checks the DMA hints: each hint, their order, and that they transfer every byte.
#include <algorithm>
#include <tuple>

#include "isa/darwinn/verify_parts.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

constexpr std::int32_t most_interrupt = 3;

/// Range of a buffer that a hint transfers.
struct Moved {
  std::int16_t desc;
  std::size_t layer;
  std::int32_t batch;
  std::int64_t begin, end;

  [[nodiscard]] auto key() const { return std::tuple(desc, layer, batch); }
  bool operator<(const Moved& other) const {
    return std::tuple(key(), begin) < std::tuple(other.key(), other.begin);
  }
};

/// Checks the hints of one executable in order.
class Hints {
 public:
  explicit Hints(Checked& checked) : checked_(checked), executable_(checked.executable) {}

  void verify() {
    for (std::size_t i = 0; i < executable_.hints.size(); ++i) verify_one(i);
    verify_end();
    if (executable_.fully_deterministic) verify_cover();
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(Code code, std::size_t hint, fmt::format_string<Args...> format,
                         Args&&... args) const {
    refuse(code, checked_.file, checked_.place("hint {}", hint), format,
           std::forward<Args>(args)...);
  }

  void verify_one(std::size_t i);
  void verify_descriptor(std::size_t i);
  void verify_instruction(std::size_t i);
  void verify_interrupt(std::size_t i);
  void verify_range(std::size_t i, const char* of, std::int64_t bytes) const;
  void verify_end() const;
  void verify_cover();
  void verify_side(std::int16_t desc, const std::vector<Layer>& layers);
  void verify_cover_of(std::int16_t desc, std::size_t layer, std::int32_t batch, std::int64_t bytes,
                       const std::string& text);

  Checked& checked_;
  const Executable& executable_;
  std::int32_t next_chunk_ = 0;
  bool first_is_chunk_ = false;
  bool fence_since_chunk_ = false;  ///< a fence came since the last chunk, or since the start
  std::vector<Moved> moved_;
  std::size_t at_ = 0;  ///< position in moved_ during the final pass
};

void Hints::verify_one(std::size_t i) {
  const Hint& hint = executable_.hints[i];
  if (hint.direction != infeed && hint.direction != outfeed) {
    fail(Code::hint_direction, i, "direction {}; allowed 0 INFEED, 1 OUTFEED", hint.direction);
  }
  const bool known = hint.kind != HintKind::none && hint.kind <= HintKind::fence;
  if (!known || !hint.has_value) {
    fail(Code::hint_none, i, "any_hint type {}{}; allowed 1..4, with a value",
         static_cast<int>(hint.kind), hint.has_value ? "" : " without a value");
  }
  switch (hint.kind) {
    case HintKind::descriptor:
      return verify_descriptor(i);
    case HintKind::instruction:
      return verify_instruction(i);
    case HintKind::interrupt:
      return verify_interrupt(i);
    case HintKind::fence:
      fence_since_chunk_ = true;
      return;
    case HintKind::none:
      return;
  }
}

void Hints::verify_range(std::size_t i, const char* of, std::int64_t bytes) const {
  const Hint& hint = executable_.hints[i];
  const std::int64_t end = std::int64_t{hint.offset} + hint.size;
  if (hint.offset >= 0 && hint.size > 0 && end <= bytes) return;
  fail(Code::hint_range, i, "{} bytes from {} on; {} has {} bytes", hint.size, hint.offset, of,
       bytes);
}

void Hints::verify_descriptor(std::size_t i) {
  const Hint& hint = executable_.hints[i];
  if (!hint.meta) fail(Code::field_meta, i, "the descriptor has no meta");
  const Layer* const layer = checked_.layer_of(*hint.meta, checked_.place("hint {}", i));
  const std::int16_t desc = hint.meta->desc;
  if (desc != scratch && (hint.direction == outfeed) != (desc == output)) {
    fail(Code::hint_direction, i, "{} of {}", direction_name(hint.direction), base_name(desc));
  }
  if (desc == parameter) {
    if (executable_.parameters.empty()) {
      fail(Code::parameters_missing, i, "a transfer of parameters, and there are none");
    }
    verify_range(i, "the block of parameters",
                 static_cast<std::int64_t>(executable_.parameters.size()));
  } else if (desc == scratch) {
    if (executable_.scratch_bytes == 0) {
      fail(Code::scratch, i, "a transfer of scratch memory, and scratch_size_bytes is 0");
    }
    verify_range(i, "scratch memory", executable_.scratch_bytes);
  } else {
    verify_range(i, desc == input ? "the padded input" : "the padded output",
                 layer->padded_bytes());
  }
  if (checked_.tcu && hint.direction == infeed && next_chunk_ > 0 && !fence_since_chunk_) {
    fail(Code::hint_order, i, "an infeed behind an instruction chunk without a fence between");
  }
  const auto& layers = desc == input ? executable_.inputs : executable_.outputs;
  const std::size_t index = layer == nullptr ? 0 : static_cast<std::size_t>(layer - layers.data());
  moved_.push_back({desc, index, layer == nullptr ? 0 : hint.meta->batch, hint.offset,
                    std::int64_t{hint.offset} + hint.size});
}

void Hints::verify_instruction(std::size_t i) {
  const Hint& hint = executable_.hints[i];
  if (hint.direction != infeed) fail(Code::hint_direction, i, "OUTFEED of instructions");
  if (hint.number < 0 || static_cast<std::size_t>(hint.number) >= executable_.chunks.size()) {
    fail(Code::hint_chunk, i, "chunk {}; allowed {}", hint.number,
         range_text(0, executable_.chunks.size() - 1));
  }
  if (hint.number < next_chunk_) {
    fail(Code::hint_order, i, "chunk {} behind chunk {}; allowed: ascending, each once",
         hint.number, next_chunk_ - 1);
  }
  if (executable_.fully_deterministic && hint.number != next_chunk_) {
    fail(Code::hint_order, i, "chunk {}, and chunk {} has not been sent", hint.number, next_chunk_);
  }
  if (checked_.tcu && next_chunk_ == 0 && !fence_since_chunk_) {
    fail(Code::hint_order, i, "no fence before chunk {}", hint.number);
  }
  if (i == 0) first_is_chunk_ = hint.number == 0;
  next_chunk_ = hint.number + 1;
  fence_since_chunk_ = false;
}

void Hints::verify_interrupt(std::size_t i) {
  const Hint& hint = executable_.hints[i];
  if (hint.number < 0 || hint.number > most_interrupt) {
    fail(Code::interrupt, i, "interrupt {}; allowed 0..{}", hint.number, most_interrupt);
  }
  if (hint.number == 0 && i + 1 != executable_.hints.size()) {
    fail(Code::hint_order, i, "interrupt 0 ends the request, and {} hints follow",
         executable_.hints.size() - i - 1);
  }
}

void Hints::verify_end() const {
  const std::vector<Hint>& hints = executable_.hints;
  if (!hints.empty() && !checked_.tcu && !first_is_chunk_) {
    fail(Code::hint_order, 0, "the first hint must be the transfer of chunk 0");
  }
  if (!executable_.fully_deterministic) return;
  if (hints.empty()) {
    refuse(Code::hint_order, checked_.file, checked_.place(), "there are no hints");
  }
  if (static_cast<std::size_t>(next_chunk_) != executable_.chunks.size()) {
    fail(Code::hint_order, hints.size() - 1, "chunk {} is never sent", next_chunk_);
  }
  const Hint& last = hints.back();
  if (last.kind != HintKind::interrupt) {
    fail(Code::hint_order, hints.size() - 1, "the last hint must be an interrupt; allowed 0..{}",
         most_interrupt);
  }
}

void Hints::verify_cover_of(std::int16_t desc, std::size_t layer, std::int32_t batch,
                            std::int64_t bytes, const std::string& text) {
  const auto key = std::tuple(desc, layer, batch);
  while (at_ < moved_.size() && moved_[at_].key() < key) ++at_;
  std::int64_t covered = 0;
  while (at_ < moved_.size() && moved_[at_].key() == key) {
    if (moved_[at_].begin > covered) break;
    covered = std::max(covered, moved_[at_].end);
    ++at_;
  }
  if (covered >= bytes) return;
  refuse(Code::hint_cover, checked_.file, checked_.place(), "byte {} of {} is in no transfer",
         covered, text);
}

void Hints::verify_side(std::int16_t desc, const std::vector<Layer>& layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool in = desc == input;
    const std::int64_t bytes = in ? layers[i].actual_bytes() : layers[i].padded_bytes();
    // The loop takes at most one step per hint: a batch element without a hint is refused.
    for (std::int32_t batch = 0; batch < executable_.batch_size; ++batch) {
      verify_cover_of(desc, i, batch, bytes,
                      fmt::format("{} {} (batch element {})", in ? "input" : "output",
                                  quote(*layers[i].name), batch));
    }
  }
}

void Hints::verify_cover() {
  std::sort(moved_.begin(), moved_.end());
  verify_side(output, executable_.outputs);
  verify_side(input, executable_.inputs);
  verify_cover_of(parameter, 0, 0, static_cast<std::int64_t>(executable_.parameters.size()),
                  "the parameters");
}

}  // namespace

void verify_hints(Checked& checked) {
  if (!checked.executable.has_hints) {
    refuse(Code::not_deterministic, checked.file, checked.place(), "there are no DMA hints");
  }
  Hints(checked).verify();
}

}  // namespace tactus::darwinn
