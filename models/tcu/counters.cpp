#include "models/tcu/counters.h"

#include "models/tcu/system.h"

namespace tactus {
namespace {

using System = TcuSystem;
using Bursts = BoundarySplitter::Stats;
using Array = SystolicArray::Stats;
using Vectors = DualPortMemory::Stats;
using Tables = LookupMemory::Stats;
using Activation = ActivationUnit::Stats;

// Functions for TcuCounter::at, which find a unit's counters.

template <std::uint64_t Bursts::*counter>
std::uint64_t* of_port(System& s, unsigned port) {
  return &(s.port(port).splitter().counts().*counter);
}

template <std::uint64_t Array::*counter>
std::uint64_t* of_array(System& s, unsigned) {
  return &(s.tcu().array().counts().*counter);
}

template <auto Vectors::*counters>
std::uint64_t* of_local(System& s, unsigned port) {
  return &(s.tcu().local().counts().*counters)[port];
}

template <auto Vectors::*counters, unsigned port>
std::uint64_t* of_accumulators(System& s, unsigned) {
  return &(s.tcu().accumulators().accumulator().memory().counts().*counters)[port];
}

template <std::uint64_t Tables::*counter>
std::uint64_t* of_tables(System& s, unsigned) {
  LookupMemory* const tables = s.tcu().accumulators().tables();
  return tables == nullptr ? nullptr : &(tables->counts().*counter);
}

template <std::uint64_t Activation::*counter>
std::uint64_t* of_activation(System& s, unsigned) {
  ActivationUnit* const unit = s.tcu().activation();
  return unit == nullptr ? nullptr : &(unit->counts().*counter);
}

std::uint64_t* alu_operations(System& s, unsigned) {
  return &s.tcu().accumulators().alu().counts().issued;
}

std::uint64_t* dais_vectors(System& s, unsigned) {
  DaisUnit* const dais = s.tcu().dais();
  return dais == nullptr ? nullptr : &dais->counts().vectors;
}

std::uint64_t* retired(System& s, unsigned) { return &s.tcu().decoder().counts().retired; }

/// Counts by opcode or by kind.
template <auto Decoder::Stats::*counters>
TcuCounter of_decoder() {
  return {"",
          1,
          {CounterOwner::head},
          [](System& s, unsigned) { return (s.tcu().decoder().counts().*counters).data(); },
          (Decoder::Stats{}.*counters).size()};
}

std::vector<TcuCounter> build() {
  constexpr CounterOwner control = CounterOwner::control, moves = CounterOwner::moves,
                         head = CounterOwner::head, nobody = CounterOwner::nobody;
  return {
      {"read_beats", 2, {moves, moves}, of_port<&Bursts::read_beats>},
      {"write_beats", 2, {moves, moves}, of_port<&Bursts::write_beats>},
      {"read_bursts", 2, {moves, moves}, of_port<&Bursts::read_bursts>},
      {"write_bursts", 2, {moves, moves}, of_port<&Bursts::write_bursts>},
      {"", 2, {moves, moves}, of_port<&Bursts::write_responses>},
      {"array_runs", 1, {control}, of_array<&Array::multiplications>},
      {"array_loads", 1, {control}, of_array<&Array::loads>},
      {"array_loads_in_turn", 1, {control}, of_array<&Array::loads_in_turn>},
      {"", 1, {control}, of_array<&Array::zero_multiplications>},
      {"alu_operations", 1, {control}, alu_operations},
      {"local_reads", 2, {control, moves}, of_local<&Vectors::reads>},
      {"local_writes", 2, {control, moves}, of_local<&Vectors::writes>},
      {"accumulator_reads", 1, {control}, of_accumulators<&Vectors::reads, 0>},
      {"accumulator_writes", 1, {control}, of_accumulators<&Vectors::writes, 0>},
      {"", 1, {control}, of_accumulators<&Vectors::reads, 1>},
      {"", 1, {control}, of_accumulators<&Vectors::writes, 1>},
      {"dais_vectors", 1, {nobody}, dais_vectors},
      {"table_vectors", 1, {control}, of_tables<&Tables::vectors>},
      {"lookups", 1, {control}, of_tables<&Tables::lookups>},
      {"activated_vectors", 1, {control}, of_activation<&Activation::vectors>},
      {"activation_parameters", 1, {control}, of_activation<&Activation::parameters>},
      {"", 1, {head}, retired},
      of_decoder<&Decoder::Stats::retired_by_opcode>(),
      of_decoder<&Decoder::Stats::retired_by_kind>(),
      of_decoder<&Decoder::Stats::vectors_by_kind>(),
  };
}

}  // namespace

const std::vector<TcuCounter>& tcu_counters() {
  static const std::vector<TcuCounter> counters = build();
  return counters;
}

}  // namespace tactus
