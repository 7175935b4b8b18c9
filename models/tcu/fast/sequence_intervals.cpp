// States and intervals of the design, and how those that are not known are worked out; see
// models/sim/fast/README.md.
#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

constexpr Cycle no_response = ~Cycle{0};

}  // namespace

void TcuSequences::list_counters() {
  accounts_.clear();
  places_.clear();
  counters_ = events_ = {};
  before_.clear();
  for (Account* account : system_.accounts()) {
    // What a memory accounts for depends on its answers, and no interval knows these. A live
    // memory's slave keeps its own account up to date, too.
    const auto keeps = [&](const auto& port) {
      return port->target->memory_account() == account ||
             (memories_ && port->target->account() == account);
    };
    const bool of_memory = std::any_of(system_.ports_.begin(), system_.ports_.end(), keeps) ||
                           system_.source_.memory_account() == account;
    if (!of_memory) accounts_.push_back(account);
  }
  for (Account* account : accounts_) {
    places_.push_back(static_cast<std::uint32_t>(counters_.size()));
    counters_.add(account->counts().data(), account->counts().size());
  }
  first_event_ = counters_.size();
  const auto add = [this](std::uint64_t* first, std::size_t count = 1) {
    counters_.add(first, count);
    events_.add(first, count);
  };
  add(&system_.clock_.progress);
  const auto list = [&add](auto& values) { add(values.data(), values.size()); };
  Tcu& tcu = system_.tcu_;
  Decoder::Stats& decoder = tcu.decoder_.counts();
  add(&decoder.retired);
  list(decoder.retired_by_opcode);
  list(decoder.retired_by_kind);
  list(decoder.vectors_by_kind);
  for (DualPortMemory* memory :
       {static_cast<DualPortMemory*>(&tcu.local_), &tcu.accumulators_.accumulator().memory()}) {
    list(memory->counts().reads);
    list(memory->counts().writes);
  }
  add(&tcu.accumulators_.alu().counts().issued);
  SystolicArray::Stats& array = tcu.array_.counts();
  for (std::uint64_t* counter :
       {&array.multiplications, &array.loads, &array.loads_in_turn, &array.zero_multiplications}) {
    add(counter);
  }
  if (tcu.activation_) {
    ActivationUnit::Stats& activation = tcu.activation_->counts();
    add(&activation.vectors);
    add(&activation.parameters);
  }
  if (LookupMemory* tables = tcu.accumulators_.tables()) {
    add(&tables->counts().vectors);
    add(&tables->counts().lookups);
  }
  for (auto& port : system_.ports_) {
    BoundarySplitter::Stats& stats = port->port.splitter().counts();
    for (std::uint64_t* counter : {&stats.read_bursts, &stats.write_bursts, &stats.read_beats,
                                   &stats.write_beats, &stats.write_responses}) {
      add(counter);
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
  registers_unless_idle(r, port.port, port.port.idle(), idle_ports_[p], &port.port.account());
  if (memories_) return;
  AxiTarget& target = *port.target;
  // Else it may not take data yet.
  const bool rests = memories_keep_time_ && target.idle();
  registers_unless_idle(r, target, rests, idle_targets_[p], target.account());
}

KnownSequences::Id TcuSequences::save() {
  const unsigned busy = memories_ ? busy_parts() : 0;
  std::uint16_t& timer = system_.tcu_.decoder_.timer();
  const std::uint16_t time = timer;
  if (memories_) timer = timeout_;
  saved_counts_.clear();
  {
    Registers r(bytes_, system_.clock_.now, system_.tcu_.decoder_.last_access());
    if (busy != 0) r.keep_counts(saved_counts_, 1);
    registers(r);
  }
  timer = time;
  bool is_new = false;
  const Id id = known_.find(bytes_, is_new);
  if (is_new) {
    known_[id].rests = rests();
    known_[id].busy = static_cast<std::uint8_t>(busy);
    known_[id].waiting = static_cast<std::uint8_t>(system_.tcu_.decoder_.waiting());
  }
  return id;
}

void TcuSequences::load(const Position& position) {
  Registers r(known_.registers(position.state), system_.clock_.now, 0);
  if (known_[position.state].busy != 0) r.keep_counts(live_counts_, 1);
  system_.tcu_.decoder_.last_access() = 0;
  load(r, position.next);
  if (memories_) system_.tcu_.decoder_.timer() = static_cast<std::uint16_t>(position.timer);
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
bool TcuSequences::work_out(const Position& position, Id interval) {
  ++worked_out_;
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.now = position.now;
  if (!(loaded_ == position)) load(position);
  for (Account* account : accounts_) account->restart();
  if (before_.empty()) {
    counters_.read(before_);
    events_.read(events_before_);
  }
  const ConfigRegisters registers = decoder.registers();
  const Cycle last_retire = decoder.stats().last_retire;
  std::array<Cycle, 2> responses{};
  for (unsigned p = 0; p < 2; ++p) {
    responses[p] = std::exchange(last_response(p), no_response);
  }

  if (position.next < program_.count) decoder.expect_shape(item(position.next).shape);
  next_ = position.next;
  KnownSequences::State found;
  const Accumulator& accumulator = system_.tcu_.accumulators_.accumulator();
  const std::uint64_t early = accumulator.early_reads();
  began_ = {clock.now, decoder.accepted(), decoder.stats().retired};
  system_.rested_ = false;
  clock.timing_only = true;
  const bool ends = memories_ ? run_live_interval(found) : run_interval(found);
  system_.replay_.catch_up();
  clock.timing_only = false;
  found.cycles = static_cast<std::uint32_t>(clock.now - began_.now);
  found.accepts = accepts();
  found.retires = retires();
  found.left_out |= accumulator.early_reads() != early;

  for (unsigned p = 0; p < 2; ++p) {
    Cycle& last = last_response(p);
    if (last != no_response) found.response[p] = static_cast<std::uint32_t>(last - position.now);
    last = responses[p];
  }
  decoder.reset_retires(registers.program_counter, last_retire);
  const bool fits = take_growth(clock.now - position.now) && ends;
  loaded_ = {};
  if (!fits) return false;
  if (found.accepts) ++next_;
  const Id next = save();
  loaded_ = {next, position.next + (found.accepts ? 1 : 0), clock.now, decoder.timer()};
  KnownSequences::State& state = known_[interval];
  if (state.cycles == 0) {
    state.cycles = found.cycles;
    state.response = found.response;
    state.accepts = found.accepts;
    state.retires = found.retires;
    state.left_out = found.left_out;
    state.rests = found.rests;
    state.busy = found.busy;
    state.passing = found.passing;
    state.timer = found.timer;
    known_.set_counts(interval, growth_);
    if (memories_) set_growth(interval);
  } else if (state.cycles != found.cycles || state.accepts != found.accepts ||
             state.retires != found.retires || state.counted != growth_.size() ||
             state.busy != found.busy || state.timer != found.timer ||
             !(state.passing == found.passing)) {
    internal_error("cycle {}: two intervals of {} and {} cycles begin in the same state",
                   position.now, state.cycles, found.cycles);
  }
  const Id shape = found.accepts ? item(position.next).shape : KnownSequences::none;
  if (memories_) {
    set_link(interval, shape, next);
  } else {
    known_.set_next(interval, shape, next);
  }
  return true;
}

/// What has been counted in so many cycles, which is taken back; false if a counter grew by too
/// much.
bool TcuSequences::take_growth(Cycle cycles) {
  growth_.clear();
  bool fits = true;
  const auto take = [&](std::size_t i, std::uint64_t growth) {
    counters_[i] -= growth;
    fits = fits && growth <= KnownSequences::most_growth;
    growth_.push_back({static_cast<std::uint32_t>(i & (KnownSequences::most_counters - 1)),
                       static_cast<std::uint32_t>(growth & KnownSequences::most_growth)});
  };
  if (cycles != 1) {
    count_accounts();
    counters_.for_each_growth(before_, take);
    return fits;
  }
  // The cycle belongs to the states that were entered in it, and is not counted yet.
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    growth_.push_back({places_[i] + accounts_[i]->code(), 1});
  }
  events_.for_each_growth(
      events_before_, [&](std::size_t i, std::uint64_t growth) { take(first_event_ + i, growth); });
  return fits;
}

/// Of the interval that is worked out, in its last cycle.
bool TcuSequences::accepts() const { return system_.tcu_.decoder_.accepted() != began_.accepted; }
bool TcuSequences::retires() const {
  return system_.tcu_.decoder_.stats().retired != began_.retired;
}

/// Lets the design run from where it is to the end of its interval; false if that does not come.
bool TcuSequences::run_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  periods_.begin(system_.tcu_.decoder_.last_access());
  while (!accepts() && !retires()) {
    if (clock.now - began_.now >= longest_interval) return false;
    const std::uint64_t progress = clock.progress;
    system_.unobserved_cycles(longest_interval);
    system_.rested_ = clock.progress == progress;
    const bool goes_on = !accepts() && !retires();
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
  return true;
}

}  // namespace tactus
