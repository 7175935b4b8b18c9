#include "models/tcu/fast/tcu_sequences.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

/// Working out an interval costs time beyond its cycles. `interval` is the number of cycles taken
/// in sequences that pay for it. If more than `most_unpaid` cycles are unpaid, no more intervals
/// are worked out, since they do not repeat often enough.
struct Price {
  Cycle interval, most_unpaid;
};
constexpr Price price{64, Cycle{1} << 19};
/// The price with live memories, where most intervals are one cycle.
constexpr Price price_live{12, Cycle{1} << 14};
/// No sequence is begun if fewer cycles are left.
constexpr Cycle fewest_cycles = 64;
/// If a transfer to a memory that does not keep time comes within fewer instructions, no sequence
/// is begun.
constexpr std::uint64_t fewest_between_moves = 12;
constexpr std::uint64_t longest_pause = 4096;

}  // namespace

TcuSequences::TcuSequences(TcuSystem& system)
    : system_(system),
      program_(system.source_, system.stream_, system.tcu_.decoder_,
               system.config_.tcu.architecture, system.config_.axi_data_bits / 8),
      bursts_(system.config_.axi_data_bits / 8,
              static_cast<unsigned>(system.config_.tcu.architecture.vector_bytes()),
              system.tcu_.decoder_.registers(),
              [this](std::uint64_t instruction) -> const ProgramItem& {
                return program_[instruction].item;
              }),
      machine_(system, program_),
      counters_(machine_),
      periods_(periodic_design()),
      changes_(system.clock_, system.sampler_.get()) {}

TcuSequences::~TcuSequences() = default;

bool TcuSequences::possible(const tcu::Architecture& architecture) {
  return architecture.dais_blocks.empty();
}

/// True if the program has ended and nothing is under way.
bool TcuSequences::is_over() {
  return machine_.next() == program_.count() && system_.source_.exhausted() && machine_.rests();
}

void TcuSequences::take(Horizon& horizon) {
  if (wait_ > 0) {
    --wait_;
    return;
  }
  if (horizon.cycle < system_.clock_.now + fewest_cycles) return;
  // The fast checks come first: after most retires the design is not at rest.
  Position position;
  if (!sequenced(system_.tcu_.decoder_).rests()) return;
  const std::optional<std::uint64_t> next = program_.find();
  if (!next) return;
  position.next = *next;
  position.now = system_.clock_.now;
  if (!machine_.rests()) return;
  renew();
  if (!begin(position)) return;
  changes_.begin();
  const std::uint64_t first = committed_.next;
  until_border_ = horizon.retires;
  // The last cycle is left to the design, so that waits_for() sees the wires of that cycle.
  const Cycle until = horizon.cycle - 1;
  if (memories_) {
    walk_live(position, until);
  } else {
    walk(position, until);
  }
  leave();
  horizon.retires = until_border_;
  if (system_.paused_) internal_error("a border lies in a sequence and was not met");
  if (committed_.next != first) {
    pause_ = 0;
    return;
  }
  pause_ = std::min(longest_pause, 2 * pause_ + 1);
  wait_ = pause_;
}

/// True if a sequence would end soon because of a DRAM that does not keep time.
bool TcuSequences::asks_memories_soon(std::uint64_t next) {
  if (memories_keep_time_ || memories_) return false;
  const std::uint64_t end = std::min(program_.count(), next + fewest_between_moves);
  for (std::uint64_t i = executed_; i < end && program_.know(i + 1); ++i) {
    if (program_[i].item.moves_dram()) return true;
  }
  return false;
}

/// Selects the accounts whose changes are recorded, and decides whether the design is taken in two
/// parts. What observers see of a cycle depends on both, so a design that is observed is taken as
/// one.
void TcuSequences::list_observers() {
  changes_.list(counters_.accounts());
  divided_ =
      memories_ && !changes_.are_observed() && !sequenced(system_.tcu_.decoder_).has_blocks();
  if (divided_) changes_.record(counters_.array());
  Tcu& tcu = system_.tcu_;
  data_ = std::make_unique<TcuData>(
      system_.config_.tcu.architecture, system_.config_.tcu.rounding, tcu.local_, tcu.array_,
      tcu.accumulators_, tcu.activation_.get(), tcu.decoder_.registers(),
      std::array<AxiTarget*, 2>{system_.ports_[0]->target, system_.ports_[1]->target});
}

/// Forgets all states if there are too many, or if they no longer apply.
void TcuSequences::renew() {
  Decoder& decoder = system_.tcu_.decoder_;
  const bool keep_time = machine_.memories_keep_time();
  const bool live = !keep_time && machine_.memories_rewind();
  if (design_ && !known_->full() && decoder.registers().timeout == timeout_ &&
      keep_time == memories_keep_time_ && live == (memories_ != nullptr) && changes_.holds()) {
    return;
  }
  forget();
  timeout_ = decoder.registers().timeout;
  memories_keep_time_ = keep_time;
  memories_.reset();
  if (live) begin_live();
  machine_.begin(live, keep_time);
  counters_.list();
  list_observers();
  KnownDesigns* const shared = live ? system_.config_.known.get() : nullptr;
  design_ =
      shared != nullptr
          ? shared->find({system_.config_.tcu.architecture, system_.config_.axi_data_bits, timeout_,
                          divided_, changes_.recorded(), changes_.kinds(), changes_.has_flags()})
          : std::make_shared<KnownDesign>();
  known_ = &design_->sequences;
  machine_.use(*design_);
  sequenced(decoder).shapes().use(&design_->shapes);
}

void TcuSequences::forget() {
  sequenced(system_.tcu_.decoder_).shapes().use(nullptr);
  design_.reset();
  known_ = nullptr;
  counters_.forget();
}

/// Saves the state of the design, which is at rest, as the first of a sequence. Returns false if
/// none can begin.
bool TcuSequences::begin(Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  program_.begin(position.next, *design_);
  executed_ = position.next - sequenced(decoder).waiting();
  if (!program_.know(position.next) || asks_memories_soon(position.next)) return false;
  counters_.count();
  counters_.note_change();
  sequenced(decoder).shapes().last_access() = 0;
  program_.show_shapes();
  machine_.next() = position.next;
  position.timer = sequenced(decoder).timer();
  save(position);
  committed_ = loaded_ = position;
  moves_rest_ = false;
  path_.clear();
  return true;
}

bool TcuSequences::learns() const {
  if (system_.clock_.engine == Engine::check) return !known_->full();
  const Price& paid = memories_ ? price_live : price;
  return !known_->full() && paid.interval * worked_out_ < taken_cycles_ + paid.most_unpaid;
}

void TcuSequences::walk(Position& position, Cycle until) {
  while (path_.size() < longest_path) {
    // An unknown interval may accept an instruction, too.
    if (position.next < program_.count()) {
      if (!program_.know(position.next + 1)) return;
    } else if (known(position.state).rests) {
      return;
    }
    const KnownSequences::State* state = &known(position.state);
    if (state->cycles == 0) {
      if (!learns() || !work_out(position, position.state)) return;
      state = &known(position.state);
    }
    if (state->left_out || position.now + state->cycles > until) return;
    const Id shape = state->accepts ? program_[position.next].shape : KnownSequences::none;
    Id next = known_->next(position.state, shape);
    if (next == KnownSequences::none || system_.is_checked(checks_)) {
      if (!learns() || !work_out(position, position.state)) return;
      state = &known(position.state);
      next = known_->next(position.state, shape);
    }
    path_.push_back({position.state, 1, false});
    position.now += state->cycles;
    if (state->accepts) ++position.next;
    position.state = next;
    if (known(next).rests) commit(position);
  }
}

/// Ends a path whose counts and changes have been handed on. It leads to this position.
void TcuSequences::finish_path(const Position& position) {
  path_.clear();
  // Instructions that wait in the decoder have done nothing so far.
  const std::uint64_t waiting = known(position.state).waiting;
  for (; executed_ < position.next - waiting; ++executed_) data_->execute(program_[executed_].item);
  program_.drop_before(position.next);
  taken_ += position.next - committed_.next;
  taken_cycles_ += position.now - committed_.now;
  committed_ = position;
}

/// Hands on the figures of a border before cycle `now`. The design itself may be in another state.
void TcuSequences::pass_border(Cycle now) {
  counters_.add(*known_);
  system_.clock_.now = now;
  counters_.restart();
  until_border_ = system_.on_border();
  system_.paused_ = false;
}

/// Loads the state of the last rest, from which the design continues.
void TcuSequences::leave() {
  Clock& clock = system_.clock_;
  counters_.add(*known_);
  clock.now = committed_.now;
  load(committed_);
  sequenced(system_.tcu_.decoder_).adopt_levels();
  changes_.end(clock.now);
  program_.show_instructions(committed_.next);
  system_.rested_ = false;
}

/// Notes the last write responses of an interval that begins in cycle `now`.
void TcuSequences::note_responses(Id interval, Cycle now) {
  const std::array<std::uint32_t, 2>& response = known(interval).response;
  for (unsigned p = 0; p < 2; ++p) {
    if (response[p] != KnownSequences::none) machine_.last_response(p) = now + response[p];
  }
}

}  // namespace tactus
