// Sequences with memories that do not keep time, such as a board's; see models/sim/fast/README.md.
#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

/// Of the keys of successors: a kept count comes near to its end.
constexpr Id crossing = 1U << 30;
/// No registers begin with these bytes.
constexpr std::size_t signature_mark = 4;

}  // namespace

/// Whether the memories can go on while the design is taken in sequences.
bool TcuSequences::memories_rewind() const {
  return std::all_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return LiveMemories::possible(*port->target); });
}

void TcuSequences::begin_live() {
  std::array<LiveMemories::Port, 2> ports;
  for (unsigned p = 0; p < 2; ++p) ports[p] = {&system_.ports_[p]->pins, system_.ports_[p]->target};
  const unsigned beat_bytes = system_.config_.axi_data_bits / 8;
  memories_ = std::make_unique<LiveMemories>(
      system_.clock_, ports, beat_bytes,
      static_cast<unsigned>(system_.config_.tcu.architecture.vector_bytes()),
      system_.tcu_.decoder_.registers(),
      [this](std::uint64_t instruction) -> const ProgramItem& { return item(instruction).item; });
  for (unsigned p = 0; p < 2; ++p) {
    held_[p] = std::make_unique<HeldTarget>(system_.ports_[p]->pins, beat_bytes);
  }
}

/// Who is not idle, as bits: the ports, and above them moves that the decoder still has to ask for.
unsigned TcuSequences::busy_parts() const {
  return (system_.ports_[0]->port.idle() ? 0U : 1U) | (system_.ports_[1]->port.idle() ? 0U : 2U) |
         (system_.tcu_.decoder_.moves_dram() ? 4U : 0U);
}

/// Goes on as long as every interval is known, or can be worked out. What lies behind the last rest
/// did not happen; the memories are returned to it.
void TcuSequences::walk_live(Position& position, Cycle until) {
  const LiveMemories::TimingOnly timing_only(*memories_);
  memories_->withdraw();
  begin_path();
  unsigned driven = memories_->drive(known_[position.state].busy, position.now);
  while (path_.size() < longest_path && step_live(position, driven, until)) {
    if (!known_[position.state].rests || !memories_->idle()) continue;
    commit(position);
    begin_path();
  }
  if (!path_.empty()) memories_->rewind(committed_.now);
  system_.tcu_.decoder_.note_told(told_on_path_);
  path_.clear();
}

/// The design rests.
void TcuSequences::begin_path() {
  memories_->mark(executed_);
  retired_on_path_ = told_on_path_ = 0;
  live_counts_.clear();
}

/// At a border the figures of the memories are those of the present cycle, and so they are told
/// now. If the path is not taken after all, its instructions up to the border are worked out once
/// more, with the same figures, and it is not told again.
void TcuSequences::pass_border_on_path(Cycle now) {
  const std::array<Cycle, 2> responses{last_response(0), last_response(1)};
  add_counts();
  count_path(true);
  tell_path();
  const std::uint64_t before = until_border_;
  pass_border(now);
  until_border_ = before > ~until_border_ ? ~std::uint64_t{0} : before + until_border_;
  count_path(false);
  for (unsigned p = 0; p < 2; ++p) last_response(p) = responses[p];
}

/// Tells the retires of the path that have not been told yet.
void TcuSequences::tell_path() {
  Decoder& decoder = system_.tcu_.decoder_;
  Cycle now = committed_.now;
  std::uint64_t retired = 0;
  for (const Step& step : path_) {
    const KnownSequences::State& interval = known_[step.interval];
    now += interval.cycles * Cycle{step.times};
    if (!interval.retires || ++retired <= told_on_path_) continue;
    decoder.tell_retire(
        now - 1, static_cast<std::uint32_t>(decoder.registers().program_counter + retired - 1));
  }
  told_on_path_ = retired;
}

/// Adds to the counters what the path has counted, or takes it back.
void TcuSequences::count_path(bool add) {
  Cycle now = committed_.now;
  for (const Step& step : path_) {
    add_counts(step.interval, add ? step.times : 0 - std::uint64_t{step.times});
    note_responses(step.interval, now);
    now += known_[step.interval].cycles * Cycle{step.times};
  }
}

/// Takes the interval that comes; false if it is not for a sequence. `driven`: what the memories
/// drive in the cycle of the position. They may be ahead of a position that is not taken.
bool TcuSequences::step_live(Position& position, unsigned& driven, Cycle until) {
  if (position.next < program_.count) {
    if (!know_items(position.next + 1)) return false;
  } else if (known_[position.state].rests && memories_->idle()) {
    return false;
  }
  const Id interval = interval_of(position.state, driven);
  if (known_[interval].cycles == 0 && !work_out_live(position, interval, driven)) return false;
  const Id shape = known_[interval].accepts ? item(position.next).shape : KnownSequences::none;
  Id next = known_.next(interval, successor(interval, shape));
  if (next == KnownSequences::none) {
    if (!work_out_live(position, interval, driven)) return false;
    next = known_.next(interval, successor(interval, shape));
  }
  const KnownSequences::State& found = known_[interval];
  if (found.left_out) return false;
  const KnownSequences::Link& link = known_.link(next);
  Cycle cycles = found.cycles;
  if (found.rests && link.state == position.state && link.same) {
    // Nothing moves until the memories drive something else.
    cycles = memories_->waits(known_[position.state].busy, driven, position.now, longest_interval);
    if (cycles == longest_interval) return false;
  }
  if (position.now + cycles > until) return false;
  const bool ordered = memories_->pass(found.passing, position.now, cycles);
  path_.push_back({interval, static_cast<std::uint32_t>(cycles / found.cycles)});
  position.now += cycles;
  if (!ordered) return false;
  if (found.accepts) ++position.next;
  position.timer = found.timer != KnownSequences::none
                       ? found.timer
                       : std::min<Cycle>(position.timer + cycles, timeout_);
  position.state = link.state;
  if (found.grows || !link.same) follow(interval, link);
  if (found.retires && ++retired_on_path_ == until_border_) pass_border_on_path(position.now);
  driven = memories_->drive(known_[position.state].busy, position.now);
  return true;
}

/// That of a state while the memories drive this.
Id TcuSequences::interval_of(Id state, unsigned driven) {
  Id interval = known_.next(state, driven);
  if (interval != KnownSequences::none) return interval;
  interval = known_.make();
  known_.set_next(state, driven, interval);
  return interval;
}

bool TcuSequences::work_out_live(const Position& position, Id interval, unsigned driven) {
  if (!learns()) return false;
  std::array<AxiTarget*, 2> targets{};
  for (unsigned p = 0; p < 2; ++p) {
    held_[p]->hold(driven >> (p * LiveMemories::drive_bits));
    targets[p] = std::exchange(system_.ports_[p]->target, held_[p].get());
  }
  // Meanwhile the wires at its pins were the memories'.
  const unsigned busy = known_[position.state].busy;
  if ((busy & 1) != 0) system_.clock_.agenda.turned |= TcuSystem::dram0_unit;
  if ((busy & 2) != 0) system_.clock_.agenda.turned |= TcuSystem::dram1_unit;
  const bool done = work_out(position, interval);
  for (unsigned p = 0; p < 2; ++p) system_.ports_[p]->target = targets[p];
  memories_->withdraw();
  return done;
}

/// While a port is busy an interval is one cycle, so that it depends on what the memories drive in
/// that cycle only.
bool TcuSequences::run_live_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  const std::uint16_t& timer = system_.tcu_.decoder_.timer();
  const std::uint64_t timer_before = timer;
  const std::uint64_t progress = clock.progress;
  const bool busy = busy_parts() != 0;
  for (bool ends = false; !ends;) {
    if (clock.now - began_.now >= longest_interval) return false;
    const std::uint64_t before = clock.progress;
    system_.unobserved_cycles(busy ? 1 : longest_interval);
    system_.rested_ = clock.progress == before;
    ends = busy || accepts() || retires() || (busy_parts() & port_parts) != 0;
    if (ends || next_ != program_.count) continue;
    system_.replay_.catch_up();
    ends = is_over();
  }
  found.busy = static_cast<std::uint8_t>(busy_parts());
  found.rests = busy && clock.progress == progress;
  for (unsigned p = 0; busy && p < 2; ++p) {
    const AxiLinks& pins = system_.ports_[p]->pins;
    found.passing.handshakes[p] = static_cast<std::uint8_t>(LiveMemories::handshakes(pins));
    if (pins.ar.fires()) found.passing.length[p] = pins.ar.bits.length;
    if (pins.aw.fires()) found.passing.length[p] = pins.aw.bits.length;
  }
  if (timer != std::min<Cycle>(timeout_, timer_before + (clock.now - began_.now))) {
    found.timer = timer;
  }
  return true;
}

/// By how much the kept counts grow in an interval that has been worked out, from the present state
/// on.
void TcuSequences::set_growth(Id interval) {
  growth_of_counts_.clear();
  for (const Registers::Count& count : live_counts_) {
    growth_of_counts_.push_back(static_cast<std::uint32_t>(count.present() - count.value));
  }
  known_.set_growth(interval, growth_of_counts_);
}

/// The design is in the state after that interval, which was saved last.
void TcuSequences::set_link(Id interval, Id shape, Id next) {
  const std::uint32_t* growth = known_.growth(interval);
  kept_.clear();
  bool same = live_counts_.size() == saved_counts_.size();
  for (const Registers::Count& to : saved_counts_) {
    const auto from =
        std::find_if(live_counts_.begin(), live_counts_.end(),
                     [&to](const Registers::Count& count) { return count.at == to.at; });
    KnownSequences::Kept& kept = kept_.emplace_back();
    kept.count = to;
    if (from == live_counts_.end()) {
      same = false;
      continue;
    }
    kept.source = static_cast<std::uint32_t>(from - live_counts_.begin());
    same = same && kept.source + 1 == kept_.size();
    const std::uint64_t grown = growth[kept.source];
    if (grown > from->left || from->left - grown != to.left) {
      internal_error("cycle {}: the end of a count has moved before it was reached",
                     system_.clock_.now);
    }
  }
  known_.set_next(interval, successor(interval, shape), known_.add_link(next, kept_, same));
}

/// What decides which state comes after an interval: the shape of the instruction that is accepted,
/// and those of the kept counts that come near to their ends, since they are kept no longer.
Id TcuSequences::successor(Id interval, Id shape) {
  const KnownSequences::State& found = known_[interval];
  if (live_counts_.empty() || (found.busy != 0 && !found.grows)) return shape;
  const std::uint32_t* growth = known_.growth(interval);
  bool crosses = found.busy == 0;
  for (const Registers::Count& count : live_counts_) crosses |= *growth++ > count.left;
  return crosses ? crossing | ends_of_counts(interval, shape) : shape;
}

/// A number for the shape and for how near to their ends such counts come; with it the next state
/// is known.
Id TcuSequences::ends_of_counts(Id interval, Id shape) {
  const bool all = known_[interval].busy == 0;  // none is kept
  const std::uint32_t* growth = known_.growth(interval);
  signature_.assign(signature_mark, 0xFF);
  const auto put = [this](std::uint64_t value) {
    for (unsigned i = 0; i < 64; i += 8)
      signature_.push_back(static_cast<std::uint8_t>(value >> i));
  };
  put(shape);
  for (const Registers::Count& count : live_counts_) {
    const std::uint64_t grown = *growth++;
    put(all || grown > count.left ? count.left - grown : std::uint64_t{1} << 63);
  }
  bool is_new = false;
  return known_.find(signature_, is_new);
}

/// The kept counts of the state that comes.
void TcuSequences::follow(Id interval, const KnownSequences::Link& link) {
  if (known_[interval].grows) {
    const std::uint32_t* growth = known_.growth(interval);
    for (Registers::Count& count : live_counts_) {
      count.value += *growth;
      count.left -= *growth++;
    }
  }
  if (link.same) return;
  next_counts_.clear();
  const KnownSequences::Kept* kept = known_.kept(link);
  for (std::uint32_t i = 0; i < link.kept_count; ++i) {
    next_counts_.push_back(kept[i].source == KnownSequences::none ? kept[i].count
                                                                  : live_counts_[kept[i].source]);
  }
  live_counts_.swap(next_counts_);
}

}  // namespace tactus
