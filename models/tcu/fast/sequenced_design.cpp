#include "models/tcu/fast/sequenced_design.h"

#include <algorithm>

#include "models/tcu/fast/live_memories.h"
#include "models/tcu/fast/sequenced_decoder.h"

namespace tactus {
namespace {

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

// First byte of the saved registers of a part.
constexpr unsigned tag_of_control = 1, tag_of_moves = 2;

}  // namespace

void SequencedDesign::whole(Registers& r) {
  registers_but_moves(r, false);
  registers_of_moves(r, false);
  r.unit("time of the array");
  system_.array_time_->account().registers(r);
}

/// Saves or loads all registers except those that serve transfers.
void SequencedDesign::registers_but_moves(Registers& r, bool alone) {
  r.unit("program");
  std::uint64_t end = program_.ending(next_);
  r(end);
  Tcu& tcu = system_.tcu_;
  r.unit("decoder");
  sequenced(tcu.decoder_).registers_but_moves(r, alone);
  Tcu::for_each_unit(tcu, [&r](const Tcu::UnitName& name, auto& unit, auto...) {
    control_registers_of(r, name.title, unit);
  });
  r.unit("stream");
  system_.stream_.registers(r);
}

/// Saves or loads the registers that serve transfers: port B of local memory, host router, DRAM
/// ports, and the decoder's streams to them.
void SequencedDesign::registers_of_moves(Registers& r, bool alone) {
  Tcu& tcu = system_.tcu_;
  r.unit("decoder's DRAM moves");
  sequenced(tcu.decoder_).registers_of_moves(r, alone);
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
void SequencedDesign::registers_unless_idle(Registers& r, Unit& unit, bool idle,
                                            std::vector<std::uint8_t>& idle_bytes,
                                            Account* account) {
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

void SequencedDesign::port_registers(Registers& r, unsigned p) {
  TcuSystem::Port& port = *system_.ports_[p];
  registers_unless_idle(r, port.port, port.port.idle(), known_->idle_ports[p],
                        &port.port.account());
  if (live_) return;
  AxiTarget& target = *port.target;
  // A target of a memory that does not keep time may not accept data yet even if it is idle.
  const bool rests = keeps_time_ && target.idle();
  registers_unless_idle(r, target, rests, known_->idle_targets[p], target.account());
}

void SequencedDesign::control(Registers& r) {
  unsigned tag = tag_of_control;
  r(tag);
  registers_but_moves(r, true);
}

void SequencedDesign::moves(Registers& r) {
  unsigned tag = tag_of_moves;
  r(tag);
  registers_of_moves(r, true);
}

bool SequencedDesign::control_rests() const {
  Tcu& tcu = system_.tcu_;
  return sequenced(tcu.decoder_).rests_but_moves() && tcu.local_.idle(0) && units_rest();
}

bool SequencedDesign::moves_rest() const {
  Tcu& tcu = system_.tcu_;
  return sequenced(tcu.decoder_).moves_rest() && tcu.local_.idle(1) && busy_parts() == 0;
}

bool SequencedDesign::rests() const {
  Tcu& tcu = system_.tcu_;
  if (!sequenced(tcu.decoder_).rests()) return false;
  for (const auto& port : system_.ports_) {
    if (!port->idle()) return false;
  }
  return tcu.local_.idle() && units_rest();
}

/// True if all units that never serve a transfer are at rest.
bool SequencedDesign::units_rest() const {
  bool rest = true;
  Tcu::for_each_unit(system_.tcu_, [&rest](const Tcu::UnitName&, const auto& unit, auto...) {
    rest = rest && unit_rests(unit);
  });
  return rest;
}

bool SequencedDesign::memories_keep_time() const {
  return std::all_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return port->target->keeps_time(); });
}

bool SequencedDesign::asks_memories() const {
  return std::any_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return !port->port.idle(); });
}

bool SequencedDesign::memories_rewind() const {
  return std::all_of(system_.ports_.begin(), system_.ports_.end(),
                     [](const auto& port) { return LiveMemories::possible(*port->target); });
}

unsigned SequencedDesign::busy_parts() const {
  return (system_.ports_[0]->port.idle() ? 0U : 1U) | (system_.ports_[1]->port.idle() ? 0U : 2U) |
         (sequenced(system_.tcu_.decoder_).moves_dram() ? 4U : 0U);
}

void SequencedDesign::forget_wires() {
  system_.clock_.activity.wake(UnitActivity::all);
  for (auto& port : system_.ports_) port->target_waits = true;
}

Cycle& SequencedDesign::last_response(unsigned p) {
  return system_.ports_[p]->port.splitter().counts().last_write_response;
}

std::vector<Account*> SequencedDesign::accounts() {
  std::vector<Account*> accounts;
  for (Account* account : system_.accounts()) {
    // The account of a memory depends on its answers, which no interval knows, so it is left out.
    // The slave of a live memory keeps its own account up to date, too.
    const auto keeps = [&](const auto& port) {
      return port->target->memory_account() == account ||
             (live_ && port->target->account() == account);
    };
    const bool of_memory = std::any_of(system_.ports_.begin(), system_.ports_.end(), keeps) ||
                           system_.source_.memory_account() == account;
    if (!of_memory) accounts.push_back(account);
  }
  return accounts;
}

CounterOwner SequencedDesign::owner(const Account& account) {
  Tcu& tcu = system_.tcu_;
  if (&account == &tcu.decoder_.account()) return CounterOwner::head;
  const bool moves = &account == tcu.local_.accounts()[1] ||
                     &account == tcu.host_router_.accounts()[0] ||
                     &account == &system_.ports_[0]->port.account() ||
                     &account == &system_.ports_[1]->port.account();
  return moves ? CounterOwner::moves : CounterOwner::control;
}

}  // namespace tactus
