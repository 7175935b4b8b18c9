// States and intervals of the design, and how those that are not known are worked out; see
// models/sim/fast/README.md.
#include <utility>

#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

constexpr Cycle no_response = ~Cycle{0};

// These save or load the registers of a unit that belong to the control: all of them, except those
// that serve transfers.

template <typename Unit>
void control_registers_of(Registers& r, const char* title, Unit& unit) {
  r.unit(title);
  unit.registers(r);
}
void control_registers_of(Registers& r, const char* /*title*/, LocalMemory& local) {
  r.unit("local memory, port A");
  local.registers(r, 0);
}
/// The decoder comes first, and itself separates the two parts.
void control_registers_of(Registers& /*r*/, const char* /*title*/, Decoder& /*decoder*/) {}
void control_registers_of(Registers& /*r*/, const char* /*title*/, HostRouter& /*router*/) {}
/// See TcuSequences::possible().
void control_registers_of(Registers& /*r*/, const char* /*title*/, DaisUnit& /*dais*/) {}

}  // namespace

/// Saves or loads the registers of the whole design.
void TcuSequences::registers(Registers& r) {
  registers_but_moves(r, false);
  registers_of_moves(r, false);
  r.unit("time of the array");
  system_.array_time_->account().registers(r);
}

/// Saves or loads all registers except those that serve transfers.
void TcuSequences::registers_but_moves(Registers& r, bool alone) {
  r.unit("program");
  std::uint64_t end = ending(next_);
  r(end);
  Tcu& tcu = system_.tcu_;
  r.unit("decoder");
  tcu.decoder_.registers_but_moves(r, alone);
  Tcu::for_each_unit(tcu, [&r](const Tcu::UnitName& name, auto& unit, auto...) {
    control_registers_of(r, name.title, unit);
  });
  r.unit("stream");
  system_.stream_.registers(r);
}

/// Saves or loads the registers that serve transfers: port B of local memory, host router, DRAM
/// ports, and the decoder's streams to them.
void TcuSequences::registers_of_moves(Registers& r, bool alone) {
  Tcu& tcu = system_.tcu_;
  r.unit("decoder's DRAM moves");
  tcu.decoder_.registers_of_moves(r, alone);
  r.unit("local memory, port B");
  tcu.local_.registers(r, 1);
  r.unit("host router");
  tcu.host_router_.registers(r);
  for (unsigned p = 0; p < 2; ++p) {
    r.unit(p == 0 ? "dram0" : "dram1");
    port_registers(r, p);
  }
}

/// Saves or loads a unit's registers. Those of an idle unit are always the same, except for the
/// account.
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
  registers_unless_idle(r, port.port, port.port.idle(), design_->idle_ports[p],
                        &port.port.account());
  if (memories_) return;
  AxiTarget& target = *port.target;
  // A target of a memory that does not keep time may not accept data yet even if it is idle.
  const bool rests = memories_keep_time_ && target.idle();
  registers_unless_idle(r, target, rests, design_->idle_targets[p], target.account());
}

/// Saves the state of the design, or of the part of it that `part` saves.
KnownSequences::Id TcuSequences::save(KeptCounts& counts, bool keeps, bool& is_new,
                                      void (TcuSequences::*part)(Registers&)) {
  std::uint16_t& timer = system_.tcu_.decoder_.timer();
  const std::uint16_t time = timer;
  if (memories_) timer = timeout_;
  counts.saved.clear();
  {
    Registers r(bytes_, system_.clock_.now, system_.tcu_.decoder_.last_access());
    if (keeps) r.keep_counts(counts.saved, 1);
    (this->*part)(r);
  }
  timer = time;
  return known_->find(bytes_, is_new);
}

/// Saves the current state of the design.
void TcuSequences::save(Position& position) {
  if (divided_) {
    position.state = save_control();
    position.moves = save_moves();
    return;
  }
  const unsigned busy = memories_ ? busy_parts() : 0;
  bool is_new = false;
  position.state = save(counts_, busy != 0, is_new, &TcuSequences::registers);
  if (!is_new) return;
  KnownSequences::State& state = known(position.state);
  state.rests = rests();
  state.busy = static_cast<std::uint8_t>(busy);
  state.waiting = static_cast<std::uint8_t>(system_.tcu_.decoder_.waiting());
}

/// Loads a state. If the design has two parts, one may be left out.
void TcuSequences::load(const Position& position) {
  if (!divided_) {
    Registers r(known_->registers(position.state), system_.clock_.now, 0);
    if (known(position.state).busy != 0) r.keep_counts(counts_.live, 1);
    system_.tcu_.decoder_.last_access() = 0;
    registers(r);
    load_program(position.next);
  } else {
    if (position.state != KnownSequences::none) load_control(position);
    if (position.moves != KnownSequences::none) load_moves(position.moves);
  }
  if (memories_) system_.tcu_.decoder_.timer() = static_cast<std::uint16_t>(position.timer);
}

/// Loads the part of a state that follows from the program: `next` is the instruction that is
/// accepted next.
void TcuSequences::load_program(std::uint64_t next) {
  const std::uint64_t at = next * shapes_.instruction_bytes();
  system_.stream_.load(bytes(at, system_.stream_.stored()), at);
  system_.source_.seek((at + system_.stream_.stored()) / (system_.config_.axi_data_bits / 8));
  system_.withdraw_word();
  forget_wires();
}

/// Makes all units evaluate their wires again, since these follow from the loaded registers.
void TcuSequences::forget_wires() {
  system_.clock_.activity.wake(UnitActivity::all);
  for (auto& port : system_.ports_) port->target_waits = true;
}

TcuPeriods::Design TcuSequences::periodic_design() {
  return {system_.clock_,
          [this](Registers& r) { registers(r); },
          [this](Registers& r) {
            registers(r);
            load_program(next_);
            system_.rested_ = false;
          },
          [this] {
            return std::uint64_t{system_.ports_[0]->port.beat_phase()} << 32 |
                   system_.ports_[1]->port.beat_phase();
          },
          [this](Cycle from, Cycle cycles) {
            const Cycle now = system_.clock_.now;
            changes_.repeat(from, now, cycles / (now - from));
            for (auto& port : system_.ports_) {
              Cycle& last = port->port.splitter().counts().last_write_response;
              if (last != no_response && last >= from) last += cycles;
            }
          },
          accounts_,
          counters_};
}

/// Begins to work out the interval of this position. What the design counts is taken back later.
void TcuSequences::begin_interval(const Position& position) {
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
  began_ = {clock.now,
            decoder.accepted(),
            decoder.stats().retired,
            decoder.registers().program_counter,
            decoder.stats().last_retire,
            {},
            decoder.timer(),
            system_.tcu_.accumulators_.accumulator().early_reads()};
  for (unsigned p = 0; p < 2; ++p) {
    began_.responses[p] = std::exchange(last_response(p), no_response);
  }
  if (position.next < program_.count) decoder.expect_shape(item(position.next).shape);
  next_ = position.next;
  loaded_ = {};
  system_.rested_ = false;
  decoder.adopt_levels();
  changes_.begin_interval(clock.now);
  clock.timing_only = true;
}

/// Ends an interval that is worked out. What it has counted is still to be taken back.
void TcuSequences::end_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.timing_only = false;
  changes_.end_interval(found_changes_);
  found.cycles = static_cast<std::uint32_t>(clock.now - began_.now);
  found.accepts = accepts();
  found.retires = retires();
  found.left_out |= system_.tcu_.accumulators_.accumulator().early_reads() != began_.early_reads;
  for (unsigned p = 0; p < 2; ++p) {
    Cycle& last = last_response(p);
    if (last != no_response) {
      found.response[p] = static_cast<std::uint32_t>(last - began_.now);
      found.responds = true;
    }
    last = began_.responses[p];
  }
  decoder.reset_retires(began_.program_counter, began_.last_retire);
  if (found.accepts) ++next_;
}

/// Lets the design run from the state to the end of its interval, and remembers what that counts
/// instead of counting it. Returns false if the interval does not end, or if its counts cannot be
/// remembered.
bool TcuSequences::work_out(const Position& position, Id interval) {
  begin_interval(position);
  KnownSequences::State found;
  const bool ends = memories_ ? run_live_interval(found) : run_interval(found);
  end_interval(found);
  if (!take_growth() || !ends) return false;
  Position after{KnownSequences::none, next_, system_.clock_.now, system_.tcu_.decoder_.timer(),
                 KnownSequences::none};
  save(after);
  loaded_ = after;
  note_interval(interval, found, growth_, memories_ ? &counts_ : nullptr);
  const Id shape = found.accepts ? item(position.next).shape : KnownSequences::none;
  if (memories_) {
    set_link(interval, shape, after.state, found.busy != 0, counts_);
  } else {
    const Id known = known_->next(interval, shape);
    if (known != KnownSequences::none) check_next(known, after.state, &TcuSequences::registers);
    known_->set_next(interval, shape, after.state);
  }
  return true;
}

/// Remembers an interval that has been worked out, or compares it if it is known. `growth` is that
/// of its counters. `counts` are those that its state keeps; null: none.
void TcuSequences::note_interval(Id interval, const KnownSequences::State& found,
                                 const std::vector<KnownSequences::Count>& growth,
                                 const KeptCounts* counts) {
  KnownSequences::State& state = known(interval);
  if (state.cycles == 0) {
    state.cycles = found.cycles;
    state.response = found.response;
    state.responds = found.responds;
    state.accepts = found.accepts;
    state.retires = found.retires;
    state.left_out = found.left_out;
    state.busy = found.busy;
    state.array_works = found.array_works;
    state.passing = found.passing;
    state.timer = found.timer;
    known_->set_counts(interval, growth);
    known_->set_changes(interval, found_changes_);
    if (counts != nullptr) known_->set_growth(interval, *counts);
  } else {
    check_interval(state, found);
    check_growth(interval, growth);
    check_changes(interval, found_changes_);
  }
}

/// True if the interval that is worked out has accepted an instruction; retires(): has retired one.
bool TcuSequences::accepts() const { return system_.tcu_.decoder_.accepted() != began_.accepted; }
bool TcuSequences::retires() const {
  return system_.tcu_.decoder_.stats().retired != began_.retired;
}

/// Lets the design run to the end of its interval. Returns false if the interval does not end.
bool TcuSequences::run_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  periods_.begin(system_.tcu_.decoder_.last_access());
  while (!accepts() && !retires()) {
    if (clock.now - began_.now >= longest_interval) return false;
    const std::uint64_t progress = clock.progress;
    system_.pass(longest_interval);
    system_.rested_ = clock.progress == progress;
    const bool goes_on = !accepts() && !retires();
    if (!asks_memories()) {  // pass() has taken all other long waits at once
      if (next_ < program_.count) continue;
      if (is_over()) break;
      continue;
    }
    if (!memories_keep_time_) {
      found.left_out = true;  // before the memory sees the request
      break;
    }
    if (periods_.due() && goes_on) periods_.look();
  }
  return true;
}

}  // namespace tactus
