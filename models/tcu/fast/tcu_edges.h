// What the TCU as a whole remembers of a cycle that was settled: facts and edges of its units, and
// what it shows to the outside. See models/sim/engine.h.
#pragma once

#include <array>
#include <cstdint>

#include "models/sim/fast/edge_fields.h"
#include "models/sim/fast/facts.h"
#include "models/sim/fast/known_cycles.h"
#include "models/tcu/tcu.h"

namespace tactus {

/// The wires at the TCU's border.
struct TcuBorder {
  /// What the outside drives.
  [[nodiscard]] static auto inputs(const Link<const std::uint8_t*>& instruction,
                                   const std::array<DramLinks, 2>& dram) {
    return list_facts(fact<1>("instruction.valid", bool{instruction.valid}),
                      fact<1>("dram0.request.ready", bool{dram[0].request.ready}),
                      fact<1>("dram0.in.valid", bool{dram[0].in.valid}),
                      fact<1>("dram0.out.ready", bool{dram[0].out.ready}),
                      fact<1>("dram1.request.ready", bool{dram[1].request.ready}),
                      fact<1>("dram1.in.valid", bool{dram[1].in.valid}),
                      fact<1>("dram1.out.ready", bool{dram[1].out.ready}));
  }
  /// What the TCU drives.
  [[nodiscard]] static auto outputs(const Link<const std::uint8_t*>& instruction,
                                    const std::array<DramLinks, 2>& dram) {
    return list_facts(fact<1>("dram0.request.valid", bool{dram[0].request.valid}),
                      fact<1>("dram0.in.ready", bool{dram[0].in.ready}),
                      fact<1>("dram0.out.valid", bool{dram[0].out.valid}),
                      fact<1>("dram1.request.valid", bool{dram[1].request.valid}),
                      fact<1>("dram1.in.ready", bool{dram[1].in.ready}),
                      fact<1>("dram1.out.valid", bool{dram[1].out.valid}),
                      fact<1>("instruction.ready", bool{instruction.ready}));
  }
};

/// Where the facts of each unit lie in the two words of CycleFacts. DAIS blocks bring none, nor do
/// entries for lookup tables: cycles in which they have work are always settled. The host router
/// has no register, so that its facts are those of the other units.
struct TcuFacts {
  using Inputs = decltype(TcuBorder::inputs(std::declval<const Link<const std::uint8_t*>&>(),
                                            std::declval<const std::array<DramLinks, 2>&>()));
  // Of the low word.
  static constexpr unsigned decoder_at = 0;
  static constexpr unsigned local_at =
      decoder_at + decltype(std::declval<Decoder&>().facts())::bits;
  static constexpr unsigned inputs_at =
      local_at + decltype(std::declval<const LocalMemory&>().facts())::bits;
  static_assert(inputs_at + Inputs::bits <= 64);
  // Of the high word.
  static constexpr unsigned local_router_at = 0;
  static constexpr unsigned array_at =
      local_router_at + decltype(std::declval<const LocalRouter&>().facts())::bits;
  static constexpr unsigned accumulators_at =
      array_at + decltype(std::declval<const SystolicArray&>().facts())::bits;
  static_assert(accumulators_at + AccumulatorWithAlu::Packed::bits <= 64);

  /// Calls visit(unit, list of facts, whether they lie in the low word, from which bit on).
  template <typename Visit>
  static void for_each(const Tcu& tcu, Visit&& visit) {
    visit("decoder", tcu.decoder_.fact_list(), true, decoder_at);
    visit("local", tcu.local_.fact_list(), true, local_at);
    visit("the TCU's inputs", TcuBorder::inputs(tcu.instruction_, tcu.dram_), true, inputs_at);
    visit("local_router", tcu.local_router_.fact_list(), false, local_router_at);
    visit("array", tcu.array_.fact_list(), false, array_at);
    visit("accumulators", tcu.accumulators_.fact_list(), false, accumulators_at);
  }
};

/// What the clock edges do to the units, apart from payloads.
struct TcuEdges {
  /// Of the units that vectors pass, and which way these take.
  struct Data {
    DualPortMemory::Edge local;
    SystolicArray::Edge array;
    AccumulatorWithAlu::Edge accumulators;
    std::uint8_t moves, source, reader;  ///< of LocalRouter::Edge
    static constexpr auto fields() {
      return edge_fields(edge_field("local", &Data::local), edge_field("array", &Data::array),
                         edge_field("accumulators", &Data::accumulators),
                         edge_field("local_router.moves", &Data::moves),
                         edge_field("local_router.source", &Data::source),
                         edge_field("local_router.reader", &Data::reader));
    }
    [[nodiscard]] bool turns() const { return local.turns || array.turns || accumulators.turns; }
    [[nodiscard]] bool rests() const { return local.rests && array.rests && accumulators.rests; }
  };
  Decoder::Edge decoder;
  LocalRouter::Edge local_router;
  HostRouter::Edge host_router;
  Data data;
  std::uint8_t outputs;
  bool turns;            ///< a unit does
  bool may_stay_behind;  ///< local memory, array and accumulators may, see TcuReplay
  bool rests;            ///< nothing moves but the decoder's timer, and no unit turns
  static constexpr auto fields() {
    return edge_fields(edge_field("decoder", &TcuEdges::decoder),
                       edge_field("local_router", &TcuEdges::local_router),
                       edge_field("host_router", &TcuEdges::host_router),
                       edge_field("", &TcuEdges::data), edge_field("outputs", &TcuEdges::outputs),
                       edge_field("turns", &TcuEdges::turns),
                       edge_field("may_stay_behind", &TcuEdges::may_stay_behind),
                       edge_field("rests", &TcuEdges::rests));
  }

  /// Of the cycle that has been decided.
  [[nodiscard]] static TcuEdges of(const Tcu& tcu);
  [[nodiscard]] static std::uint8_t outputs_of(const Tcu& tcu);
};
static_assert(names_all_fields<TcuEdges::Data>());

}  // namespace tactus
