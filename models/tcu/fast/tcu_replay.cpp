#include "models/tcu/fast/tcu_replay.h"

#include <algorithm>
#include <cstring>

namespace tactus {

TcuReplay::TcuReplay(Tcu& tcu, Clock& clock, Engine engine) : tcu_(tcu), clock_(clock) {
  if (engine == Engine::verify) verifier_ = std::make_unique<TcuVerifier>(tcu, clock);
}

void TcuReplay::settle() {
  catch_up();
  facts_known_ = still_ = false;
  if (verifier_ != nullptr) verifier_->look();
  tcu_.drive();
  tcu_.accept();
}

void TcuReplay::commit() {
  if (still_) return rest(1);
  Tcu& tcu = tcu_;  // spares loading it again and again
  if (!recalled_) {
    tcu.decide();
    if (verifier_ != nullptr) verifier_->check();
    inputs_ = inputs();
    outputs_ = TcuEdges::outputs_of(tcu);
    turned_ = true;
    if (place_ != nullptr) {
      *place_ = {place_facts_, true, TcuEdges::of(tcu)};
      turned_ = place_->edges.turns;
    }
  }
  if (stays_behind_) {
    tcu.decoder_.extend_stretch(behind_.cycles);
    tcu.decoder_.move();
    tcu.local_router_.move();
    if (behind_.cycles == 0) enter_data_accounts();
    ++behind_.cycles;
    ++clock_.progress;
    tcu.host_router_.move();
  } else {
    tcu.move();
  }
  last_facts_ = facts_;
  still_ = recalled_ && rests_;
  looked_ = still_;
  recalled_ = stays_behind_ = false;
  place_ = nullptr;
}

TcuEdges TcuEdges::of(const Tcu& tcu) {
  const LocalRouter::Edge& router = tcu.local_router_.edge();
  TcuEdges edges{tcu.decoder_.edge(),
                 router,
                 tcu.host_router_.edge(),
                 {tcu.local_.edge(), tcu.array_.edge(), tcu.accumulators_.edge(), router.moves,
                  router.source, router.reader},
                 outputs_of(tcu),
                 false,
                 false,
                 false};
  const Data& data = edges.data;
  edges.turns = edges.decoder.turns || router.turns || data.turns();
  // Port B's vectors are the outside's.
  const DualPortMemory::PortEdge& port_b = data.local.ports[1];
  edges.may_stay_behind =
      !data.turns() && !data.rests() && port_b.state == DualPortMemory::rest && !port_b.leaves;
  edges.rests = !edges.turns && data.rests() && router.rests && !tcu.decoder_.streams_move();
  return edges;
}

std::uint8_t TcuEdges::outputs_of(const Tcu& tcu) {
  return static_cast<std::uint8_t>(TcuBorder::outputs(tcu.instruction_, tcu.dram_).packed().word);
}

inline void TcuReplay::look(Tcu& tcu) {
  // What the others do after that is not known.
  if (behind_.cycles != 0 && behind_.cycles == behind_.most) catch_up();
  tcu.decoder_.show();
  if (behind_.cycles == 0) {
    local_facts_ = tcu.local_.facts().word << TcuFacts::local_at;
    array_facts_ = tcu.array_.facts().word << TcuFacts::array_at;
    // These are the only ones that take longer than to ask whether they can have changed.
    if (!facts_known_ || !tcu.accumulators_.edge().rests) {
      accumulators_facts_ = tcu.accumulators_.facts().word << TcuFacts::accumulators_at;
    }
  }
  facts_.low = tcu.decoder_.facts().word | local_facts_;
  facts_.high = tcu.local_router_.facts().word | array_facts_ | accumulators_facts_;
  facts_known_ = looked_ = true;
}

bool TcuReplay::recall(bool new_inputs) {
  if (recalled_) return true;
  const std::uint64_t before = inputs_;
  if (new_inputs) inputs_ = inputs();
  still_ = still_ && inputs_ == before && clock_.events == nullptr;  // the timer has events
  if (still_) return true;
  Tcu& tcu = tcu_;  // spares loading it again and again
  if (!looked_) look(tcu);
  if (tcu.may_have_to_settle_ && tcu.must_settle()) {
    looked_ = false;
    return false;
  }
  const CycleFacts facts{facts_.low | inputs_, facts_.high};
  auto& place = known_.place(facts);
  if (!KnownCycles<TcuEdges>::holds(place, facts)) {
    place_ = &place;
    place_facts_ = facts;
    return false;
  }
  const TcuEdges& edges = place.edges;
  tcu.decoder_.recall(edges.decoder);
  recall_data(tcu, edges);
  tcu.host_router_.recall(edges.host_router);
  if (edges.outputs != outputs_) show_outputs(edges.outputs);
  turned_ = edges.turns;
  rests_ = edges.rests;
  recalled_ = true;
  return true;
}

/// Local memory, array and accumulators, and the router between them.
inline void TcuReplay::recall_data(Tcu& tcu, const TcuEdges& edges) {
  if (behind_.cycles != 0) {
    const bool alike = std::memcmp(&edges.data, &behind_.edges, sizeof(TcuEdges::Data)) == 0;
    if (alike && tcu.decoder_.continues_stretch(behind_.cycles)) {
      tcu.local_router_.recall(edges.local_router);
      stays_behind_ = true;
      return;
    }
    catch_up();
  }
  tcu.local_.recall(edges.data.local);
  tcu.array_.recall(edges.data.array);
  tcu.accumulators_.recall(edges.data.accumulators);
  tcu.local_router_.recall(edges.local_router);
  if (!edges.may_stay_behind || clock_.events != nullptr) return;
  const Cycle most = data_steady(longest_stretch);
  if (most < 2) return;
  behind_ = {clock_.now, 0, most, edges.data};
  stays_behind_ = true;
}

/// In how many cycles from the present one on local memory, array and accumulators do the same, if
/// they are asked for the same.
Cycle TcuReplay::data_steady(Cycle most) const {
  return tcu_.accumulators_.steady(tcu_.array_.steady(tcu_.local_.steady(most)));
}

void TcuReplay::enter_data_accounts() {
  tcu_.array_.enter_account();
  tcu_.accumulators_.enter_accounts();
  tcu_.local_.enter_accounts();
}

void TcuReplay::enter_accounts() {
  tcu_.decoder_.enter_account();
  tcu_.local_router_.enter_account();
  tcu_.host_router_.move();
  enter_data_accounts();
}

void TcuReplay::catch_up() {
  if (behind_.cycles == 0) return;
  const std::uint64_t progress = clock_.progress;
  tcu_.local_.offer_stretch(behind_.cycles);
  stretch_data(behind_.first, behind_.cycles, behind_.edges.source);
  behind_.cycles = 0;
  clock_.progress = progress;  // it was counted in the cycles themselves
}

/// From the sources of the data to its ends.
void TcuReplay::stretch_data(Cycle first, Cycle cycles, unsigned source) {
  tcu_.local_router_.stretch_reads();
  tcu_.array_.offer_stretch(first, cycles);
  tcu_.local_router_.stretch_results(source);
  tcu_.accumulators_.stretch(cycles);
  tcu_.local_router_.stretch_writes();
  tcu_.array_.stretch(cycles);
  tcu_.local_.stretch(cycles);
}

/// What the outside drives.
std::uint64_t TcuReplay::inputs() const {
  return TcuBorder::inputs(tcu_.instruction_, tcu_.dram_).packed().word << TcuFacts::inputs_at;
}

/// In the order of TcuBorder::outputs().
void TcuReplay::show_outputs(std::uint8_t all) {
  outputs_ = all;
  unsigned outputs = all;
  for (DramLinks& port : tcu_.dram_) {
    port.request.valid = (outputs & 1) != 0;
    port.in.ready = (outputs & 2) != 0;
    port.out.valid = (outputs & 4) != 0;
    outputs >>= 3;
  }
  tcu_.instruction_.ready = outputs != 0;
}

bool TcuReplay::repeats() {
  if (turned_) return false;
  if (!looked_) look(tcu_);
  catch_up();
  if (tcu_.may_have_to_settle_ && tcu_.must_settle()) return false;
  return facts_ == last_facts_;
}

bool TcuReplay::data_rests() const {
  return tcu_.local_.edge().rests && tcu_.array_.edge().rests && tcu_.accumulators_.edge().rests;
}

bool TcuReplay::rests() const {
  return data_rests() && tcu_.local_router_.edge().rests && !tcu_.decoder_.streams_move();
}

/// All accounts have been entered but that of the decoder, which looks at the end of the input,
/// too.
void TcuReplay::rest(Cycle cycles) {
  tcu_.decoder_.enter_account();
  tcu_.decoder_.stretch(cycles);
}

Cycle TcuReplay::steady(Cycle most) const {
  if (still_) return most;
  if (stays_behind_) {
    most = std::min(most, behind_.most - behind_.cycles);
  } else if (!recalled_) {
    most = data_steady(most);
  } else if (!data_rests()) {
    return 0;
  }
  if (!rests()) most = std::min(most, longest_stretch);
  return tcu_.local_router_.steady(tcu_.decoder_.steady(most));
}

void TcuReplay::offer_stretch(Cycle cycles) {
  if (still_) return;
  tcu_.decoder_.offer_stretch(stays_behind_ ? behind_.cycles : 0, cycles);
  if (stays_behind_) return;
  tcu_.local_.offer_stretch(cycles);
  tcu_.host_router_.stretch_to_dram();
}

void TcuReplay::stretch(Cycle cycles) {
  if (still_) return rest(cycles);
  enter_accounts();
  if (stays_behind_) {
    behind_.cycles += cycles;
    ++clock_.progress;
  } else {
    tcu_.host_router_.stretch_from_dram();
    stretch_data(clock_.now, cycles, tcu_.local_router_.edge().source);
  }
  tcu_.decoder_.stretch(cycles);
  tcu_.local_router_.stretch(cycles);
  last_facts_ = facts_;
  looked_ = recalled_ = stays_behind_ = false;
}

}  // namespace tactus
