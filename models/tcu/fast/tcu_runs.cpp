// How the TCU takes cycles that it knows, and many at once; see models/sim/engine.h.
#include <algorithm>
#include <cstring>

#include "models/tcu/tcu.h"

namespace tactus {
// Where the facts of the units lie.
namespace {

constexpr unsigned input_bits = 7;
constexpr unsigned local_at = Decoder::fact_bits;
constexpr unsigned inputs_at = local_at + DualPortMemory::fact_bits;
static_assert(inputs_at + input_bits <= 64);
constexpr unsigned array_at = LocalRouter::fact_bits;
constexpr unsigned accumulators_at = array_at + SystolicArray::fact_bits;
static_assert(accumulators_at + AccumulatorWithAlu::fact_bits <= 64);

}  // namespace

inline void Tcu::look() {
  // What the others do after that is not known.
  if (behind_.cycles != 0 && behind_.cycles == behind_.most) catch_up();
  decoder_.show();
  if (behind_.cycles == 0) {
    local_facts_ = local_.facts() << local_at;
    array_facts_ = array_.facts() << array_at;
    // These are the only ones that take longer than to ask whether they can have changed.
    if (!facts_known_ || !accumulators_.edge().rests) {
      accumulators_facts_ = accumulators_.facts() << accumulators_at;
    }
  }
  facts_.low = decoder_.facts() | local_facts_;
  facts_.high = local_router_.facts() | array_facts_ | accumulators_facts_;
  facts_known_ = looked_ = true;
}

bool Tcu::recall(bool new_inputs) {
  if (recalled_) return true;
  if (!looked_) look();
  if (new_inputs) inputs_ = inputs();
  // DAIS blocks bring no facts.
  if (dais_ && (!dais_->rests() || decoder_.shows_dais())) {
    looked_ = false;
    return false;
  }
  const CycleFacts facts{facts_.low | inputs_, facts_.high};
  auto& place = known_.place(facts);
  if (!KnownCycles<Edges>::holds(place, facts)) {
    place_ = &place;
    place_facts_ = facts;
    return false;
  }
  const Edges& edges = place.edges;
  decoder_.recall(edges.decoder);
  recall_data(edges);
  host_router_.recall(edges.host_router);
  if (edges.outputs != outputs_) show_outputs(edges.outputs);
  turned_ = edges.turns;
  recalled_ = true;
  return true;
}

/// Local memory, array and accumulators, and the router between them.
inline void Tcu::recall_data(const Edges& edges) {
  if (behind_.cycles != 0) {
    const bool alike = std::memcmp(&edges.data, &behind_.edges, sizeof(DataEdges)) == 0;
    if (alike && decoder_.continues_run(behind_.cycles)) {
      local_router_.recall(edges.local_router);
      stays_behind_ = true;
      return;
    }
    catch_up();
  }
  local_.recall(edges.data.local);
  array_.recall(edges.data.array);
  accumulators_.recall(edges.data.accumulators);
  local_router_.recall(edges.local_router);
  if (!edges.may_stay_behind || clock_.events != nullptr) return;
  const Cycle most = data_steady(longest_run);
  if (most < 2) return;
  behind_ = {clock_.now, 0, most, edges.data};
  stays_behind_ = true;
}

/// In how many cycles from the present one on local memory, array and accumulators do the same, if
/// they are asked for the same.
Cycle Tcu::data_steady(Cycle most) const {
  return accumulators_.steady(array_.steady(local_.steady(most)));
}

void Tcu::enter_data_accounts() {
  array_.enter_account();
  accumulators_.enter_accounts();
  account_local();
}

void Tcu::enter_accounts() {
  decoder_.enter_account();
  local_router_.enter_account();
  host_router_.move();
  enter_data_accounts();
}

void Tcu::catch_up() {
  if (behind_.cycles == 0) return;
  const std::uint64_t progress = clock_.progress;
  local_.offer_run(behind_.cycles);
  run_data(behind_.first, behind_.cycles, behind_.edges.source);
  behind_.cycles = 0;
  clock_.progress = progress;  // it was counted in the cycles themselves
}

/// From the sources of the data to its ends.
void Tcu::run_data(Cycle first, Cycle cycles, unsigned source) {
  local_router_.run_reads();
  array_.offer_run(first, cycles);
  local_router_.run_results(source);
  accumulators_.run(cycles);
  local_router_.run_writes();
  array_.run(cycles);
  local_.run(cycles);
}

Tcu::Edges Tcu::edges() const {
  const LocalRouter::Edge& router = local_router_.edge();
  Edges edges{decoder_.edge(),
              router,
              host_router_.edge(),
              {local_.edge(), array_.edge(), accumulators_.edge(), router.moves, router.source,
               router.reader},
              outputs_,
              false,
              false};
  const DataEdges& data = edges.data;
  const bool data_turns = data.local.turns || data.array.turns || data.accumulators.turns;
  const bool data_rests = data.local.rests && data.array.rests && data.accumulators.rests;
  edges.turns = edges.decoder.turns || router.turns || data_turns;
  // Port B's vectors are the outside's.
  const DualPortMemory::PortEdge& port_b = data.local.ports[1];
  edges.may_stay_behind =
      !data_turns && !data_rests && port_b.state == DualPortMemory::rest && !port_b.leaves;
  return edges;
}

/// What the outside drives.
std::uint64_t Tcu::inputs() const {
  std::uint64_t inputs = instruction_.valid ? 1 : 0;
  for (const DramLinks& port : dram_) {
    inputs = inputs << 3 | unsigned{port.request.ready} | unsigned{port.in.valid} << 1 |
             unsigned{port.out.ready} << 2;
  }
  return inputs << inputs_at;
}

std::uint8_t Tcu::outputs() const {
  unsigned outputs = instruction_.ready ? 1 : 0;
  for (const DramLinks& port : dram_) {
    outputs = outputs << 3 | unsigned{port.request.valid} | unsigned{port.in.ready} << 1 |
              unsigned{port.out.valid} << 2;
  }
  return static_cast<std::uint8_t>(outputs);
}

void Tcu::show_outputs(std::uint8_t all) {
  outputs_ = all;
  unsigned outputs = all;
  for (unsigned p = 2; p-- > 0; outputs >>= 3) {
    dram_[p].request.valid = (outputs & 1) != 0;
    dram_[p].in.ready = (outputs & 2) != 0;
    dram_[p].out.valid = (outputs & 4) != 0;
  }
  instruction_.ready = outputs != 0;
}

bool Tcu::repeats() {
  if (turned_) return false;
  if (!looked_) look();
  catch_up();
  return facts_ == last_facts_;
}

bool Tcu::data_rests() const {
  return local_.edge().rests && array_.edge().rests && accumulators_.edge().rests;
}

bool Tcu::rests() const {
  return data_rests() && local_router_.edge().rests && !decoder_.streams_move();
}

Cycle Tcu::steady(Cycle most) const {
  if (stays_behind_) {
    most = std::min(most, behind_.most - behind_.cycles);
  } else if (!recalled_) {
    most = data_steady(most);
  } else if (!data_rests()) {
    return 0;
  }
  if (!rests()) most = std::min(most, longest_run);
  return local_router_.steady(decoder_.steady(most));
}

void Tcu::offer_run(Cycle cycles) {
  decoder_.offer_run(stays_behind_ ? behind_.cycles : 0, cycles);
  if (stays_behind_) return;
  local_.offer_run(cycles);
  host_router_.run_to_dram();
}

void Tcu::run(Cycle cycles) {
  enter_accounts();
  if (stays_behind_) {
    behind_.cycles += cycles;
    ++clock_.progress;
  } else {
    host_router_.run_from_dram();
    run_data(clock_.now, cycles, local_router_.edge().source);
  }
  decoder_.run(cycles);
  local_router_.run(cycles);
  last_facts_ = facts_;
  looked_ = recalled_ = stays_behind_ = false;
}

}  // namespace tactus
