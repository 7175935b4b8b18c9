#include "models/tcu/fast/known_sequences.h"

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

constexpr std::uint64_t unused = ~std::uint64_t{0};

std::uint64_t hash(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t sum = bytes.size();
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    sum = (sum ^ word) * 0xD6E8FEB86659FD93;
    sum ^= sum >> 32;
  }
  for (; at < bytes.size(); ++at) sum = (sum ^ bytes[at]) * 0xD6E8FEB86659FD93;
  sum ^= sum >> 29;
  return sum == unused ? 0 : sum;
}

}  // namespace

KnownSequences::Edge& KnownSequences::place(std::vector<Edge>& table, std::uint64_t key) {
  const std::size_t mask = table.size() - 1;
  std::size_t at = mix(key) & mask;
  while (table[at].key != unused && table[at].key != key) at = (at + 1) & mask;
  return table[at];
}

void KnownSequences::insert(std::vector<Edge>& table, std::size_t& count, std::uint64_t key,
                            Id state) {
  if (2 * (count + 1) > table.size()) {
    std::vector<Edge> larger(std::max<std::size_t>(1024, 2 * table.size()));
    for (const Edge& edge : table) {
      if (edge.key != unused) place(larger, edge.key) = edge;
    }
    table.swap(larger);
  }
  Edge& edge = place(table, key);
  if (edge.key == unused) ++count;
  edge = {key, state};
}

/// The first of several states with the same hash is found by it, the next by the hash after it.
KnownSequences::Id KnownSequences::find(const std::vector<std::uint8_t>& registers, bool& is_new) {
  std::uint64_t key = hash(registers);
  is_new = false;
  for (; !places_.empty(); key = key + 1 == unused ? 0 : key + 1) {
    const Edge& found = place(places_, key);
    if (found.key == unused) break;
    const State& state = states_[found.state];
    const std::size_t end =
        found.state + 1 == states_.size() ? bytes_.size() : states_[found.state + 1].bytes;
    if (end - state.bytes == registers.size() &&
        std::memcmp(bytes_.data() + state.bytes, registers.data(), registers.size()) == 0) {
      return found.state;
    }
  }
  is_new = true;
  const auto id = static_cast<Id>(states_.size());
  State& state = states_.emplace_back();
  state.bytes = static_cast<std::uint32_t>(bytes_.size());
  bytes_.insert(bytes_.end(), registers.begin(), registers.end());
  insert(places_, placed_, key, id);
  return id;
}

KnownSequences::Id KnownSequences::make() {
  const auto id = static_cast<Id>(states_.size());
  states_.emplace_back().bytes = static_cast<std::uint32_t>(bytes_.size());
  return id;
}

KnownSequences::Id KnownSequences::interval_of(Id state, unsigned driven) {
  Id interval = next(state, driven);
  if (interval != none) return interval;
  interval = make();
  set_next(state, driven, interval);
  return interval;
}

KnownSequences::Id KnownSequences::look_up(Id state, Id shape) {
  if (edges_.empty()) return none;
  const Edge& found = place(edges_, std::uint64_t{state} << 32 | shape);
  if (found.key == unused) return none;
  states_[state].next_shape = shape;
  return states_[state].next = found.state;
}

void KnownSequences::set_next(Id state, Id shape, Id next) {
  insert(edges_, edged_, std::uint64_t{state} << 32 | shape, next);
}

void KnownSequences::set_counts(Id state, const std::vector<Count>& counts) {
  states_[state].counts = static_cast<std::uint32_t>(counts_.size());
  states_[state].counted = static_cast<std::uint32_t>(counts.size());
  counts_.insert(counts_.end(), counts.begin(), counts.end());
}

KnownSequences::Id KnownSequences::add_link(Id state, const std::vector<Kept>& kept, bool same) {
  Link& link = links_.emplace_back();
  link.state = state;
  link.same = same;
  if (!same) {
    link.kept = static_cast<std::uint32_t>(kept_.size());
    link.kept_count = static_cast<std::uint32_t>(kept.size());
    kept_.insert(kept_.end(), kept.begin(), kept.end());
  }
  return static_cast<Id>(links_.size() - 1);
}

void KnownSequences::set_changes(Id interval, const std::vector<Change>& changes) {
  State& state = states_[interval];
  state.changes = static_cast<std::uint32_t>(changes_.size());
  state.change_count = static_cast<std::uint32_t>(changes.size());
  changes_.insert(changes_.end(), changes.begin(), changes.end());
}

void KnownSequences::set_turns(Id interval, const std::vector<std::uint32_t>& turns) {
  State& state = states_[interval];
  state.turns = static_cast<std::uint32_t>(turns_.size());
  state.turn_count = static_cast<std::uint32_t>(turns.size());
  turns_.insert(turns_.end(), turns.begin(), turns.end());
}

}  // namespace tactus
