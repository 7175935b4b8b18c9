#include "models/tcu/fast/tcu_sequences.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

/// Intervals after which a sequence that has come to no rest is given up.
constexpr std::size_t longest_path = 1U << 18;
/// What has to be done beside the cycles of an interval to work it out is paid for by so many
/// cycles taken. Once so much is unpaid no more are worked out: they do not come again often
/// enough.
constexpr Cycle cost_of_interval = 64, most_unpaid = Cycle{1} << 19;
/// Cycles after which an interval that does not end is given up.
constexpr Cycle longest_interval = 1U << 20;
/// Cycles and instructions for which a sequence is not begun.
constexpr Cycle fewest_cycles = 64;
constexpr std::uint64_t fewest_instructions = 4;
/// Instructions between moves from or to a DRAM that are fewer are not taken as a sequence.
constexpr std::uint64_t fewest_between_moves = 12;
constexpr std::uint64_t longest_pause = 4096;
constexpr Cycle no_response = ~Cycle{0};

}  // namespace

TcuSequences::TcuSequences(TcuSystem& system)
    : system_(system),
      shapes_(system.config_.tcu.architecture),
      orders_(system.config_.tcu.architecture),
      periods_(periodic_design()) {}

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
  return tcu.local_router_.rests() && tcu.local_.idle() && tcu.array_.idle() &&
         tcu.accumulators_.rests() && (!tcu.activation_ || tcu.activation_->idle());
}

/// The program has ended, and nothing is under way any more.
bool TcuSequences::is_over() const {
  return next_ == program_.count && system_.source_.exhausted() && rests();
}

/// See place_of().
tcu::Instruction TcuSequences::entered(std::uint64_t place) {
  if (place < entered_before_.size()) return entered_before_[place];
  const std::uint64_t size = shapes_.instruction_bytes();
  return shapes_.decode(bytes((place - entered_before_.size()) * size, size));
}

/// Of the program, in one piece until the next call.
const std::uint8_t* TcuSequences::bytes(std::uint64_t at, std::uint64_t count) {
  if (at + count <= program_.whole) return program_.bytes + at;
  torn_.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = at + i;
    torn_[i] = from < program_.whole ? program_.bytes[from] : program_.rest[from - program_.whole];
  }
  return torn_.data();
}

/// Where the design is in its program; false if that is not known, or the program is over soon.
bool TcuSequences::find_program(Position& position) {
  const std::optional<InstructionSource::Program> program = system_.source_.program();
  if (!program) return false;
  const std::uint64_t word = system_.config_.axi_data_bits / 8;
  const std::uint64_t size = shapes_.instruction_bytes();
  const std::uint64_t taken = program->taken * word, stored = system_.stream_.stored();
  if (taken < stored || (taken - stored) % size != 0) return false;
  const std::uint64_t all = program->words * word;
  program_ = {program->bytes, program->whole, program->rest,
              all / size,     all % size,     (system_.stream_.capacity() + 2 * word) / size + 2};
  position.next = (taken - stored) / size;
  position.now = system_.clock_.now;
  return position.next >= system_.tcu_.decoder_.waiting() &&
         position.next + fewest_instructions <= program_.count;
}

void TcuSequences::list_counters() {
  for (Account* account : system_.accounts()) {
    // Those of memories are brought forward by their answers, of which there are none in a sequence
    // unless a memory keeps time, and keeps no account.
    const auto keeps = [account](const auto& port) {
      return port->target->memory_account() == account;
    };
    const bool of_memory = std::any_of(system_.ports_.begin(), system_.ports_.end(), keeps) ||
                           system_.source_.memory_account() == account;
    if (!of_memory) accounts_.push_back(account);
  }
  counters_.add(&system_.clock_.progress);
  const auto list = [this](auto& values) { counters_.add(values.data(), values.size()); };
  for (Account* account : accounts_) list(account->counts());
  Tcu& tcu = system_.tcu_;
  Decoder::Stats& decoder = tcu.decoder_.counts();
  counters_.add(&decoder.retired);
  list(decoder.retired_by_opcode);
  list(decoder.retired_by_kind);
  list(decoder.vectors_by_kind);
  for (DualPortMemory* memory :
       {static_cast<DualPortMemory*>(&tcu.local_), &tcu.accumulators_.accumulator().memory()}) {
    list(memory->counts().reads);
    list(memory->counts().writes);
  }
  counters_.add(&tcu.accumulators_.alu().counts().issued);
  SystolicArray::Stats& array = tcu.array_.counts();
  for (std::uint64_t* counter :
       {&array.multiplications, &array.loads, &array.loads_in_turn, &array.zero_multiplications}) {
    counters_.add(counter);
  }
  if (tcu.activation_) {
    ActivationUnit::Stats& activation = tcu.activation_->counts();
    counters_.add(&activation.vectors);
    counters_.add(&activation.parameters);
  }
  if (LookupMemory* tables = tcu.accumulators_.tables()) {
    counters_.add(&tables->counts().vectors);
    counters_.add(&tables->counts().lookups);
  }
  for (auto& port : system_.ports_) {
    BoundarySplitter::Stats& stats = port->port.splitter().counts();
    for (std::uint64_t* counter : {&stats.read_bursts, &stats.write_bursts, &stats.read_beats,
                                   &stats.write_beats, &stats.write_responses}) {
      counters_.add(counter);
    }
  }
  if (counters_.size() > KnownSequences::most_counters) {
    internal_error("{} counters are more than sequences remember", counters_.size());
  }
  data_ = std::make_unique<TcuData>(
      system_.config_.tcu.architecture, system_.config_.tcu.rounding, tcu.local_, tcu.array_,
      tcu.accumulators_, tcu.activation_.get(), tcu.decoder_.registers(),
      std::array<AxiTarget*, 2>{system_.ports_[0]->target, system_.ports_[1]->target});
}

void TcuSequences::take(Horizon& horizon) {
  if (wait_ > 0) {
    --wait_;
    return;
  }
  if (horizon.cycle < system_.clock_.now + fewest_cycles) return;
  // First what is quick to ask: most of what retires is followed by something.
  Position position;
  if (!system_.tcu_.decoder_.rests() || !may_begin() || !find_program(position)) return;
  system_.replay_.catch_up();
  if (!rests() || !begin(position)) return;
  const std::uint64_t first = committed_.next;
  until_border_ = horizon.retires;
  walk(position, horizon.cycle);
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

/// A request to a DRAM is on its way.
bool TcuSequences::asks_memories() const {
  return std::any_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return !port->port.idle(); });
}

/// Whether a sequence from here on would be over at once for a DRAM that does not keep time.
bool TcuSequences::asks_memories_soon(std::uint64_t next) {
  if (memories_keep_time_) return false;
  const std::uint64_t end = std::min(program_.count, next + fewest_between_moves);
  for (std::uint64_t i = executed_; i < end && know_items(i + 1); ++i) {
    if (item(i).item.moves_dram()) return true;
  }
  return false;
}

/// Nobody looks at single cycles.
bool TcuSequences::may_begin() {
  if (counters_.empty()) list_counters();
  return std::none_of(accounts_.begin(), accounts_.end(),
                      [](const Account* account) { return account->observed(); });
}

/// The design is at rest: its state, as one of those that are known.
bool TcuSequences::begin(Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  const bool keep_time = memories_keep_time();
  if (known_.full() || decoder.registers().timeout != timeout_ ||
      keep_time != memories_keep_time_) {
    known_.clear();
    shapes_.clear();
    decoder.forget_shapes();
    timeout_ = decoder.registers().timeout;
    memories_keep_time_ = keep_time;
  }
  entered_before_ = decoder.last_entered();  // if they are not of the program
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
  position.state = save();
  committed_ = loaded_ = position;
  path_.clear();
  return true;
}

/// Items up to this instruction, exclusive; false if one of them is not for a sequence.
bool TcuSequences::know_more_items(std::uint64_t upto) {
  for (std::uint64_t place = first_place_ + items_.size(); place < place_of(upto); ++place) {
    Known& known = items_.emplace_back();
    ProgramItem& item = known.item;
    const tcu::Instruction instruction = entered(place);
    shapes_.read(instruction, item);
    if (item.kind == ProgramItem::Kind::other) {
      items_.pop_back();
      return false;
    }
    const bool meets = item.accesses && last_access_ == item.first;
    if (item.accesses) last_access_ = item.last;
    const LocalOrder order = orders_.next(item);
    const std::uint64_t end = place < place_of(0) ? 0 : ending(place - place_of(0) + 1);
    std::uint32_t* shape = shapes_.place(shapes_.key(item, meets, order, end));
    if (*shape == ~std::uint32_t{0}) {
      *shape = system_.tcu_.decoder_.add_shape(instruction, meets, order);
    }
    known.shape = *shape;
  }
  return true;
}

bool TcuSequences::learns() const {
  return !known_.full() && cost_of_interval * worked_out_ < taken_cycles_ + most_unpaid;
}

void TcuSequences::walk(Position& position, Cycle until) {
  while (path_.size() < longest_path) {
    // An interval that is not known may accept an instruction, too.
    if (position.next < program_.count) {
      if (!know_items(position.next + 1)) return;
    } else if (known_[position.state].rests) {
      return;
    }
    const KnownSequences::State* state = &known_[position.state];
    if (state->cycles == 0) {
      if (!learns() || !work_out(position)) return;
      state = &known_[position.state];
    }
    if (state->left_out || position.now + state->cycles > until) return;
    const Id shape = state->accepts ? item(position.next).shape : KnownSequences::none;
    Id next = known_.next(position.state, shape);
    if (next == KnownSequences::none) {
      if (!learns() || !work_out(position)) return;
      state = &known_[position.state];
      next = known_.next(position.state, shape);
    }
    path_.push_back(position.state);
    position.now += state->cycles;
    if (state->accepts) ++position.next;
    position.state = next;
    if (known_[next].rests) commit(position);
  }
}

/// The path up to here has happened.
void TcuSequences::commit(const Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  Cycle now = committed_.now;
  std::uint64_t retired = 0;
  Cycle last = 0;
  std::uint32_t counter = decoder.registers().program_counter;
  for (const Id id : path_) {
    KnownSequences::State& state = known_[id];
    if (state.uses++ == 0) used_.push_back(id);
    for (unsigned p = 0; p < 2; ++p) {
      if (state.response[p] == KnownSequences::none) continue;
      system_.ports_[p]->port.splitter().counts().last_write_response = now + state.response[p];
    }
    now += state.cycles;
    if (!state.retires) continue;
    ++retired;
    last = now - 1;
    if (decoder.on_retire) decoder.on_retire(last, counter);
    ++counter;
    if (--until_border_ == 0) pass_border(now);
  }
  path_.clear();
  if (retired != 0) decoder.note_retires(retired, last);
  // Instructions that wait in the decoder have done nothing.
  const std::uint64_t waiting = known_[position.state].waiting;
  for (; executed_ < position.next - waiting; ++executed_) data_->execute(item(executed_).item);
  items_.erase(items_.begin(),
               items_.begin() + static_cast<std::ptrdiff_t>(position.next - first_place_));
  first_place_ = position.next;
  taken_ += position.next - committed_.next;
  taken_cycles_ += position.now - committed_.now;
  committed_ = position;
}

/// The figures are those of a border before cycle `now`, while the design may be elsewhere.
void TcuSequences::pass_border(Cycle now) {
  add_counts();
  system_.clock_.now = now;
  for (Account* account : accounts_) account->restart();
  until_border_ = system_.on_border();
  system_.paused_ = false;
}

/// The design goes on from the last rest.
void TcuSequences::leave() {
  Clock& clock = system_.clock_;
  add_counts();
  clock.now = committed_.now;
  load(committed_);
  system_.tcu_.decoder_.adopt_instructions(
      {entered(committed_.next), entered(committed_.next + 1)});
  system_.rested_ = false;
}

void TcuSequences::add_counts() {
  for (const Id id : used_) {
    KnownSequences::State& state = known_[id];
    const KnownSequences::Count* counts = known_.counts(id);
    for (std::uint32_t i = 0; i < state.counted; ++i) {
      counters_[counts[i].counter] += counts[i].growth * state.uses;
    }
    state.uses = 0;
  }
  used_.clear();
  before_.clear();
}

void TcuSequences::registers(Registers& r) {
  std::uint64_t end = ending(next_);
  r(end);
  Tcu& tcu = system_.tcu_;
  tcu.decoder_.registers(r);
  tcu.local_.registers(r);
  tcu.local_router_.registers(r);
  tcu.host_router_.registers(r);
  tcu.array_.registers(r);
  tcu.accumulators_.registers(r);
  if (tcu.activation_) tcu.activation_->registers(r);
  system_.stream_.registers(r);
  for (unsigned p = 0; p < 2; ++p) port_registers(r, p);
  system_.array_time_->account().registers(r);
}

/// The registers of a unit that is idle are always the same but for the account.
template <typename Unit>
void TcuSequences::registers_unless_idle(Registers& r, Unit& unit, bool idle,
                                         std::vector<std::uint8_t>& idle_bytes, Account* account) {
  r(idle);
  if (!idle) return unit.registers(r);
  if (r.loads()) {
    Registers of_idle(idle_bytes.data(), system_.clock_.now, 0);
    unit.registers(of_idle);
  } else if (idle_bytes.empty()) {
    Registers of_idle(idle_bytes, system_.clock_.now, 0);
    unit.registers(of_idle);
  }
  if (account != nullptr) account->registers(r);
}

void TcuSequences::port_registers(Registers& r, unsigned p) {
  TcuSystem::Port& port = *system_.ports_[p];
  AxiTarget& target = *port.target;
  registers_unless_idle(r, port.port, port.port.idle(), idle_ports_[p], &port.port.account());
  // Else it may not take data yet.
  const bool rests = memories_keep_time_ && target.idle();
  registers_unless_idle(r, target, rests, idle_targets_[p], target.account());
}

KnownSequences::Id TcuSequences::save() {
  {
    Registers r(bytes_, system_.clock_.now, system_.tcu_.decoder_.last_access());
    registers(r);
  }
  bool is_new = false;
  const Id id = known_.find(bytes_, is_new);
  if (is_new) {
    known_[id].rests = rests();
    known_[id].waiting = static_cast<std::uint8_t>(system_.tcu_.decoder_.waiting());
  }
  return id;
}

void TcuSequences::load(const Position& position) {
  Registers r(known_.registers(position.state), system_.clock_.now, 0);
  system_.tcu_.decoder_.last_access() = 0;
  load(r, position.next);
}

/// `next`: instruction that is accepted next.
void TcuSequences::load(Registers& r, std::uint64_t next) {
  registers(r);
  const std::uint64_t at = next * shapes_.instruction_bytes();
  system_.stream_.load(bytes(at, system_.stream_.stored()), at);
  system_.source_.seek((at + system_.stream_.stored()) / (system_.config_.axi_data_bits / 8));
  system_.withdraw_word();
  Agenda& agenda = system_.clock_.agenda;
  agenda.turned = ~0U;
  agenda.stirred = agenda.moving = 0;
  system_.replay_.forget();
}

TcuPeriods::Design TcuSequences::periodic_design() {
  return {system_.clock_,
          [this](Registers& r) {
            system_.replay_.catch_up();
            registers(r);
          },
          [this](Registers& r) {
            load(r, next_);
            system_.rested_ = false;
          },
          [this] {
            return std::uint64_t{system_.ports_[0]->port.beat_phase()} << 32 |
                   system_.ports_[1]->port.beat_phase();
          },
          [this](Cycle from, Cycle cycles) {
            for (auto& port : system_.ports_) {
              Cycle& last = port->port.splitter().counts().last_write_response;
              if (last != no_response && last >= from) last += cycles;
            }
          },
          accounts_,
          counters_};
}

void TcuSequences::count_accounts() {
  for (Account* account : accounts_) account->settle();
}

/// Lets the design run from the state to the end of its interval. What that counts is remembered,
/// and is not counted yet. False if the interval does not end, or counts what cannot be remembered.
bool TcuSequences::work_out(const Position& position) {
  ++worked_out_;
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.now = position.now;
  if (!(loaded_ == position)) load(position);
  for (Account* account : accounts_) account->restart();
  if (before_.empty()) counters_.read(before_);
  const ConfigRegisters registers = decoder.registers();
  const Cycle last_retire = decoder.stats().last_retire;
  std::array<Cycle, 2> responses{};
  for (unsigned p = 0; p < 2; ++p) {
    Cycle& last = system_.ports_[p]->port.splitter().counts().last_write_response;
    responses[p] = std::exchange(last, no_response);
  }

  if (position.next < program_.count) decoder.expect_shape(item(position.next).shape);
  next_ = position.next;
  KnownSequences::State found;
  clock.timing_only = true;
  const bool ends = run_interval(found);
  clock.timing_only = false;
  count_accounts();

  for (unsigned p = 0; p < 2; ++p) {
    Cycle& last = system_.ports_[p]->port.splitter().counts().last_write_response;
    if (last != no_response) found.response[p] = static_cast<std::uint32_t>(last - position.now);
    last = responses[p];
  }
  decoder.reset_retires(registers.program_counter, last_retire);
  growth_.clear();
  bool fits = ends;
  counters_.for_each_growth(before_, [&](std::size_t i, std::uint64_t growth) {
    counters_[i] -= growth;
    if (growth > KnownSequences::most_growth) fits = false;
    growth_.push_back({static_cast<std::uint32_t>(i & (KnownSequences::most_counters - 1)),
                       static_cast<std::uint32_t>(growth & KnownSequences::most_growth)});
  });
  loaded_ = {};
  if (!fits) return false;
  if (found.accepts) ++next_;
  const Id next = save();
  loaded_ = {next, position.next + (found.accepts ? 1 : 0), clock.now};
  KnownSequences::State& state = known_[position.state];
  if (state.cycles == 0) {
    state.cycles = found.cycles;
    state.response = found.response;
    state.accepts = found.accepts;
    state.retires = found.retires;
    state.left_out = found.left_out;
    known_.set_counts(position.state, growth_);
  } else if (state.cycles != found.cycles || state.accepts != found.accepts ||
             state.retires != found.retires || state.counted != growth_.size()) {
    internal_error("cycle {}: two intervals of {} and {} cycles begin in the same state",
                   position.now, state.cycles, found.cycles);
  }
  known_.set_next(position.state, found.accepts ? item(position.next).shape : KnownSequences::none,
                  next);
  return true;
}

bool TcuSequences::run_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  const Decoder& decoder = system_.tcu_.decoder_;
  const Accumulator& accumulator = system_.tcu_.accumulators_.accumulator();
  const Cycle first = clock.now;
  const std::uint64_t accepted = decoder.accepted();
  const std::uint64_t retired = decoder.stats().retired;
  const std::uint64_t early = accumulator.early_reads();
  system_.rested_ = false;
  periods_.begin(system_.tcu_.decoder_.last_access());
  while (decoder.accepted() == accepted && decoder.stats().retired == retired) {
    if (clock.now - first >= longest_interval) return false;
    const std::uint64_t progress = clock.progress;
    system_.unobserved_cycles(longest_interval);
    system_.rested_ = clock.progress == progress;
    const bool goes_on = decoder.accepted() == accepted && decoder.stats().retired == retired;
    if (!asks_memories()) {  // what else is long is taken at once
      if (next_ < program_.count) continue;
      system_.replay_.catch_up();
      if (is_over()) break;
      continue;
    }
    if (!memories_keep_time_) {
      found.left_out = true;  // before the memory hears of it
      break;
    }
    if (periods_.due() && goes_on) periods_.look();
  }
  system_.replay_.catch_up();
  found.cycles = static_cast<std::uint32_t>(clock.now - first);
  found.accepts = decoder.accepted() != accepted;
  found.retires = decoder.stats().retired != retired;
  found.left_out |= accumulator.early_reads() != early;
  return true;
}

}  // namespace tactus
