#include "models/tcu/fast/tcu_sequences.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
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
/// No sequence is begun if fewer cycles or instructions are left.
constexpr Cycle fewest_cycles = 64;
constexpr std::uint64_t fewest_instructions = 4;
/// If a transfer to a memory that does not keep time comes within fewer instructions, no sequence
/// is begun.
constexpr std::uint64_t fewest_between_moves = 12;
constexpr std::uint64_t longest_pause = 4096;

// These return true if a unit that never serves a transfer is at rest.

template <typename Unit>
bool unit_rests(const Unit& unit) {
  return unit.idle();
}
bool unit_rests(const LocalRouter& router) { return router.rests(); }
bool unit_rests(const AccumulatorWithAlu& accumulators) { return accumulators.rests(); }
bool unit_rests(const Decoder& /*serves_moves*/) { return true; }
bool unit_rests(const LocalMemory& /*serves_moves*/) { return true; }
bool unit_rests(const HostRouter& /*serves_moves*/) { return true; }

}  // namespace

TcuSequences::TcuSequences(TcuSystem& system)
    : system_(system),
      shapes_(system.config_.tcu.architecture),
      orders_(system.config_.tcu.architecture),
      bursts_(system.config_.axi_data_bits / 8,
              static_cast<unsigned>(system.config_.tcu.architecture.vector_bytes()),
              system.tcu_.decoder_.registers(),
              [this](std::uint64_t instruction) -> const ProgramItem& {
                return item(instruction).item;
              }),
      periods_(periodic_design()),
      changes_(system.clock_, system.sampler_.get()) {}

TcuSequences::~TcuSequences() = default;

bool TcuSequences::possible(const tcu::Architecture& architecture) {
  return architecture.dais_blocks.empty();
}

bool TcuSequences::rests() const {
  const Tcu& tcu = system_.tcu_;
  if (!tcu.decoder_.rests()) return false;
  for (const auto& port : system_.ports_) {
    if (!port->idle()) return false;
  }
  return tcu.local_.idle() && units_rest();
}

/// True if all units that never serve a transfer are at rest.
bool TcuSequences::units_rest() const {
  bool rest = true;
  Tcu::for_each_unit(system_.tcu_, [&rest](const Tcu::UnitName&, const auto& unit, auto...) {
    rest = rest && unit_rests(unit);
  });
  return rest;
}

/// True if the program has ended and nothing is under way.
bool TcuSequences::is_over() const {
  return next_ == program_.count && system_.source_.exhausted() && rests();
}

/// Returns the instruction with this place, see place_of().
tcu::Instruction TcuSequences::entered(std::uint64_t place) {
  if (place < entered_before_.size()) return entered_before_[place];
  const std::uint64_t size = shapes_.instruction_bytes();
  return shapes_.decode(bytes((place - entered_before_.size()) * size, size));
}

/// Returns bytes of the program, contiguous and valid until the next call.
const std::uint8_t* TcuSequences::bytes(std::uint64_t at, std::uint64_t count) {
  if (at + count <= program_.whole) return program_.bytes + at;
  torn_.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = at + i;
    torn_[i] = from < program_.whole ? program_.bytes[from] : program_.rest[from - program_.whole];
  }
  return torn_.data();
}

/// Finds the position of the design in its program. Returns false if it is unknown or if the
/// program ends soon.
bool TcuSequences::find_program(Position& position) {
  const std::optional<InstructionSource::Program> program = system_.source_.program();
  if (!program) return false;
  const std::uint64_t word = system_.config_.axi_data_bits / 8;
  const std::uint64_t size = shapes_.instruction_bytes();
  const std::uint64_t taken = program->taken * word, stored = system_.stream_.stored();
  if (taken < stored || (taken - stored) % size != 0) return false;
  const std::uint64_t all = program->words * word;
  program_ = {program->bytes,
              program->whole,
              program->rest,
              all / size,
              all / size - std::min(all / size, program->by_cycle),
              all % size,
              (system_.stream_.capacity() + 2 * word) / size + 2};
  position.next = (taken - stored) / size;
  position.now = system_.clock_.now;
  return position.next >= system_.tcu_.decoder_.waiting() &&
         position.next + fewest_instructions <= program_.count;
}

void TcuSequences::take(Horizon& horizon) {
  if (wait_ > 0) {
    --wait_;
    return;
  }
  if (horizon.cycle < system_.clock_.now + fewest_cycles) return;
  // The fast checks come first: after most retires the design is not at rest.
  Position position;
  if (!system_.tcu_.decoder_.rests() || !find_program(position)) return;
  if (!rests()) return;
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

bool TcuSequences::memories_keep_time() const {
  return std::all_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return port->target->keeps_time(); });
}

/// True if a request to a DRAM is on its way.
bool TcuSequences::asks_memories() const {
  return std::any_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return !port->port.idle(); });
}

/// True if a sequence would end soon because of a DRAM that does not keep time.
bool TcuSequences::asks_memories_soon(std::uint64_t next) {
  if (memories_keep_time_ || memories_) return false;
  const std::uint64_t end = std::min(program_.count, next + fewest_between_moves);
  for (std::uint64_t i = executed_; i < end && know_items(i + 1); ++i) {
    if (item(i).item.moves_dram()) return true;
  }
  return false;
}

/// Forgets all states if there are too many, or if they no longer apply.
void TcuSequences::renew() {
  Decoder& decoder = system_.tcu_.decoder_;
  const bool keep_time = memories_keep_time();
  const bool live = !keep_time && memories_rewind();
  if (design_ && !known_->full() && decoder.registers().timeout == timeout_ &&
      keep_time == memories_keep_time_ && live == (memories_ != nullptr) && changes_.holds()) {
    return;
  }
  forget();
  timeout_ = decoder.registers().timeout;
  memories_keep_time_ = keep_time;
  memories_.reset();
  if (live) begin_live();
  list_counters();
  KnownDesigns* const shared = live ? system_.config_.known.get() : nullptr;
  design_ =
      shared != nullptr
          ? shared->find({system_.config_.tcu.architecture, system_.config_.axi_data_bits, timeout_,
                          divided_, changes_.recorded(), changes_.kinds(), changes_.has_flags()})
          : std::make_shared<KnownDesign>();
  known_ = &design_->sequences;
  decoder.use_shapes(&design_->shapes);
}

void TcuSequences::forget() {
  system_.tcu_.decoder_.use_shapes(nullptr);
  design_.reset();
  known_ = nullptr;
  uses_.clear();
}

/// Saves the state of the design, which is at rest, as the first of a sequence. Returns false if
/// none can begin.
bool TcuSequences::begin(Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  entered_before_ = decoder.last_entered();  // used if these are not instructions of the program
  first_place_ = position.next;
  executed_ = position.next - decoder.waiting();
  items_.clear();
  last_access_.reset();
  orders_.restart();
  if (!know_items(position.next) || asks_memories_soon(position.next)) return false;
  count_accounts();
  before_.clear();
  decoder.last_access() = 0;
  decoder.adopt_shapes({items_[0].shape, items_[1].shape});
  next_ = position.next;
  position.timer = decoder.timer();
  save(position);
  committed_ = loaded_ = position;
  moves_rest_ = false;
  path_.clear();
  return true;
}

/// Reads the items before instruction `upto`. Returns false if one of them cannot be taken in a
/// sequence.
bool TcuSequences::know_more_items(std::uint64_t upto) {
  if (upto > program_.in_sequences) return false;
  for (std::uint64_t place = first_place_ + items_.size(); place < place_of(upto); ++place) {
    Known& known = items_.emplace_back();
    ProgramItem& item = known.item;
    const tcu::Instruction instruction = entered(place);
    shapes_.read(instruction, item);
    if (item.kind == ProgramItem::Kind::undefined) {
      items_.pop_back();
      return false;
    }
    const bool meets = item.accesses && last_access_ == item.first;
    if (item.accesses) last_access_ = item.last;
    const LocalOrder order = orders_.next(item);
    const std::uint64_t end = place < place_of(0) ? 0 : ending(place - place_of(0) + 1);
    std::uint32_t* shape = design_->numbers.place(shapes_.key(item, meets, order, end));
    if (*shape == ~std::uint32_t{0}) {
      *shape = system_.tcu_.decoder_.add_shape(instruction, meets, order);
    }
    known.shape = *shape;
  }
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
    if (position.next < program_.count) {
      if (!know_items(position.next + 1)) return;
    } else if (known(position.state).rests) {
      return;
    }
    const KnownSequences::State* state = &known(position.state);
    if (state->cycles == 0) {
      if (!learns() || !work_out(position, position.state)) return;
      state = &known(position.state);
    }
    if (state->left_out || position.now + state->cycles > until) return;
    const Id shape = state->accepts ? item(position.next).shape : KnownSequences::none;
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

/// Accepts the path up to this position as passed.
void TcuSequences::commit(const Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  const std::uint32_t first = decoder.registers().program_counter;
  std::uint64_t retired = 0;
  Cycle last = 0;
  tell_steps(
      [this](const Step& step, Cycle now) {
        use(step);
        note_responses(step.interval, now);
      },
      [&](Cycle now) {
        last = now - 1;
        decoder.tell_retire(last, static_cast<std::uint32_t>(first + retired++));
        if (--until_border_ != 0) return;
        changes_.settle_time(now);
        pass_border(now);
      });
  if (retired != 0) decoder.note_retires(retired, last);
  finish_path(position);
}

/// Notes that the counts of a step's interval must be added up.
void TcuSequences::use(const Step& step) {
  if (step.interval >= uses_.size()) uses_.resize(known_->size());
  std::uint64_t& uses = uses_[step.interval];
  if (uses == 0) used_.push_back(step.interval);
  uses += step.times;
}

/// Ends a path whose counts and changes have been handed on. It leads to this position.
void TcuSequences::finish_path(const Position& position) {
  path_.clear();
  // Instructions that wait in the decoder have done nothing so far.
  const std::uint64_t waiting = known(position.state).waiting;
  for (; executed_ < position.next - waiting; ++executed_) data_->execute(item(executed_).item);
  items_.erase(items_.begin(),
               items_.begin() + static_cast<std::ptrdiff_t>(position.next - first_place_));
  first_place_ = position.next;
  taken_ += position.next - committed_.next;
  taken_cycles_ += position.now - committed_.now;
  committed_ = position;
}

/// Hands on the figures of a border before cycle `now`. The design itself may be in another state.
void TcuSequences::pass_border(Cycle now) {
  add_counts();
  system_.clock_.now = now;
  for (Account* account : accounts_) account->restart();
  until_border_ = system_.on_border();
  system_.paused_ = false;
}

/// Loads the state of the last rest, from which the design continues.
void TcuSequences::leave() {
  Clock& clock = system_.clock_;
  add_counts();
  clock.now = committed_.now;
  load(committed_);
  system_.tcu_.decoder_.adopt_levels();
  changes_.end(clock.now);
  system_.tcu_.decoder_.adopt_instructions(
      {entered(committed_.next), entered(committed_.next + 1)});
  system_.rested_ = false;
}

void TcuSequences::add_counts() {
  for (const Id id : used_) add_counts(id, std::exchange(uses_[id], 0));
  used_.clear();
  before_.clear();
}

/// Adds what an interval counts, `times` times.
void TcuSequences::add_counts(Id interval, std::uint64_t times) {
  const KnownSequences::Count* counts = known_->counts(interval);
  for (std::uint32_t i = 0; i < known(interval).counted; ++i) {
    counters_[counts[i].counter] += counts[i].growth * times;
  }
}

/// Returns the cycle of the last write response at a port's pins.
Cycle& TcuSequences::last_response(unsigned p) {
  return system_.ports_[p]->port.splitter().counts().last_write_response;
}

/// Notes the last write responses of an interval that begins in cycle `now`.
void TcuSequences::note_responses(Id interval, Cycle now) {
  const std::array<std::uint32_t, 2>& response = known(interval).response;
  for (unsigned p = 0; p < 2; ++p) {
    if (response[p] != KnownSequences::none) last_response(p) = now + response[p];
  }
}

}  // namespace tactus
