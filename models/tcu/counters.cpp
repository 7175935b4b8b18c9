#include "models/tcu/counters.h"

#include "models/tcu/system.h"

namespace tactus {
namespace {

using System = TcuSystem;

BoundarySplitter::Stats& bursts(System& s, unsigned port) {
  return s.port(port).splitter().counts();
}
DualPortMemory::Stats& local(System& s) { return s.tcu().local().counts(); }
DualPortMemory::Stats& accumulators(System& s) {
  return s.tcu().accumulators().accumulator().memory().counts();
}
Decoder::Stats& decoder(System& s) { return s.tcu().decoder().counts(); }
SystolicArray::Stats& array(System& s) { return s.tcu().array().counts(); }

/// A counter of a unit that not every design has.
template <typename Unit, typename Stats>
std::uint64_t* of(Unit* unit, std::uint64_t Stats::*counter) {
  return unit == nullptr ? nullptr : &(unit->counts().*counter);
}

std::vector<TcuCounter> build() {
  constexpr CounterOwner control = CounterOwner::control, moves = CounterOwner::moves,
                         head = CounterOwner::head, nobody = CounterOwner::nobody;
  return {
      {"read_beats",
       2,
       {moves, moves},
       [](System& s, unsigned p) { return &bursts(s, p).read_beats; }},
      {"write_beats",
       2,
       {moves, moves},
       [](System& s, unsigned p) { return &bursts(s, p).write_beats; }},
      {"read_bursts",
       2,
       {moves, moves},
       [](System& s, unsigned p) { return &bursts(s, p).read_bursts; }},
      {"write_bursts",
       2,
       {moves, moves},
       [](System& s, unsigned p) { return &bursts(s, p).write_bursts; }},
      {"", 2, {moves, moves}, [](System& s, unsigned p) { return &bursts(s, p).write_responses; }},
      {"array_runs", 1, {control}, [](System& s, unsigned) { return &array(s).multiplications; }},
      {"array_loads", 1, {control}, [](System& s, unsigned) { return &array(s).loads; }},
      {"array_loads_in_turn",
       1,
       {control},
       [](System& s, unsigned) { return &array(s).loads_in_turn; }},
      {"", 1, {control}, [](System& s, unsigned) { return &array(s).zero_multiplications; }},
      {"alu_operations",
       1,
       {control},
       [](System& s, unsigned) { return &s.tcu().accumulators().alu().counts().issued; }},
      {"local_reads",
       2,
       {control, moves},
       [](System& s, unsigned p) { return &local(s).reads[p]; }},
      {"local_writes",
       2,
       {control, moves},
       [](System& s, unsigned p) { return &local(s).writes[p]; }},
      {"accumulator_reads",
       1,
       {control},
       [](System& s, unsigned) { return &accumulators(s).reads[0]; }},
      {"accumulator_writes",
       1,
       {control},
       [](System& s, unsigned) { return &accumulators(s).writes[0]; }},
      {"", 1, {control}, [](System& s, unsigned) { return &accumulators(s).reads[1]; }},
      {"", 1, {control}, [](System& s, unsigned) { return &accumulators(s).writes[1]; }},
      {"dais_vectors",
       1,
       {nobody},
       [](System& s, unsigned) { return of(s.tcu().dais(), &DaisUnit::Stats::vectors); }},
      {"table_vectors",
       1,
       {control},
       [](System& s, unsigned) {
         return of(s.tcu().accumulators().tables(), &LookupMemory::Stats::vectors);
       }},
      {"lookups",
       1,
       {control},
       [](System& s, unsigned) {
         return of(s.tcu().accumulators().tables(), &LookupMemory::Stats::lookups);
       }},
      {"activated_vectors",
       1,
       {control},
       [](System& s, unsigned) {
         return of(s.tcu().activation(), &ActivationUnit::Stats::vectors);
       }},
      {"activation_parameters",
       1,
       {control},
       [](System& s, unsigned) {
         return of(s.tcu().activation(), &ActivationUnit::Stats::parameters);
       }},
      {"", 1, {head}, [](System& s, unsigned) { return &decoder(s).retired; }},
      {"",
       1,
       {head},
       [](System& s, unsigned) { return decoder(s).retired_by_opcode.data(); },
       std::tuple_size_v<decltype(Decoder::Stats::retired_by_opcode)>},
      {"",
       1,
       {head},
       [](System& s, unsigned) { return decoder(s).retired_by_kind.data(); },
       std::tuple_size_v<decltype(Decoder::Stats::retired_by_kind)>},
      {"",
       1,
       {head},
       [](System& s, unsigned) { return decoder(s).vectors_by_kind.data(); },
       std::tuple_size_v<decltype(Decoder::Stats::vectors_by_kind)>},
  };
}

}  // namespace

const std::vector<TcuCounter>& tcu_counters() {
  static const std::vector<TcuCounter> counters = build();
  return counters;
}

}  // namespace tactus
