// Counts kept outside the states of a design with live memories, and which state comes next; see
// models/sim/fast/README.md.
#include "models/tcu/fast/known_sequences.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

/// Bit of a successor's key: a kept count comes near its end.
constexpr Id crossing = 1U << 30;
/// Number of first bytes of a signature. No registers begin with them.
constexpr std::size_t signature_mark = 4;

void put(std::vector<std::uint8_t>& signature, std::uint64_t value) {
  for (unsigned i = 0; i < 64; i += 8) signature.push_back(static_cast<std::uint8_t>(value >> i));
}

}  // namespace

void KnownSequences::set_growth(Id interval, const KeptCounts& counts) {
  State& state = states_[interval];
  state.growth = static_cast<std::uint32_t>(growths_.size());
  for (const Registers::Count& count : counts.live) {
    const auto growth = static_cast<std::uint32_t>(count.present() - count.value);
    state.grows = state.grows || growth != 0;
    growths_.push_back(growth);
  }
}

Id KnownSequences::successor(Id interval, Id shape, bool keeps, const KeptCounts& counts) {
  if (counts.live.empty() || (keeps && !states_[interval].grows)) return shape;
  const std::uint32_t* growth = this->growth(interval);
  bool crosses = !keeps;
  for (const Registers::Count& count : counts.live) crosses |= *growth++ > count.left;
  return crosses ? crossing | ends_of_counts(interval, shape, keeps, counts) : shape;
}

/// Returns a number for the shape and for the distances of such counts from their ends. Together
/// these determine the next state.
Id KnownSequences::ends_of_counts(Id interval, Id shape, bool keeps, const KeptCounts& counts) {
  const std::uint32_t* growth = this->growth(interval);
  signature_.assign(signature_mark, 0xFF);
  put(signature_, shape);
  for (const Registers::Count& count : counts.live) {
    const std::uint64_t grown = *growth++;
    put(signature_, !keeps || grown > count.left ? count.left - grown : std::uint64_t{1} << 63);
  }
  bool is_new = false;
  return find(signature_, is_new);
}

Id KnownSequences::number(std::uint64_t kind, std::uint64_t value) {
  signature_.assign(signature_mark, 0xFF);
  put(signature_, kind << 32 | value);
  bool is_new = false;
  return find(signature_, is_new);
}

bool KnownSequences::stays(Id state, const Passage& passage) const {
  const State& interval = states_[passage.interval];
  const Link& link = links_[passage.link];
  return link.state == state && link.same && !interval.grows && !interval.accepts &&
         !interval.retires && !interval.passing.any();
}

bool KnownSequences::follow(const Passage& passage, KeptCounts& counts) {
  const Link& link = links_[passage.link];
  if (states_[passage.interval].grows) {
    const std::uint32_t* growth = this->growth(passage.interval);
    for (Registers::Count& count : counts.live) {
      count.value += *growth;
      count.left -= *growth++;
    }
  }
  if (link.same) return false;
  bool one_begins = false;
  next_counts_.clear();
  const Kept* kept = this->kept(link);
  for (std::uint32_t i = 0; i < link.kept_count; ++i) {
    const bool begins = kept[i].source == none;
    next_counts_.push_back(begins ? kept[i].count : counts.live[kept[i].source]);
    one_begins = one_begins || begins;
  }
  counts.live.swap(next_counts_);
  return one_begins;
}

}  // namespace tactus
