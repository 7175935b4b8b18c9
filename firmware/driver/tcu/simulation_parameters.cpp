#include "firmware/driver/tcu/simulation_parameters.h"

namespace tactus {

const ParameterTable<TcuSimulationConfig>& simulation_parameters() {
  using C = TcuSimulationConfig;
  constexpr WholeRange any_u32{0, 0xFFFFFFFF};
  static const ParameterTable<TcuSimulationConfig> table(
      "simulation", "How a machine is simulated, and what is around it.",
      {choice("mac_rounding", &C::rounding, {"sum", "legacy"},
              "sum: the exact sum is rounded, as in the present RTL; legacy: the product is "
              "rounded first, as in the RTL before March 2022"),
       whole("decoder_timeout", &C::decoder_timeout, {0, 65535}, "cycles",
             "reset value of the timeout register"),
       whole("feed_gap", &C::feed_gap, pause_range, "cycles",
             "idle cycles after each word of the instruction stream"),
       whole_by<C>(
           "stall_percent", [](const C& c) { return std::uint64_t{c.stalls.percent()}; },
           [](C& c, std::uint64_t percent) {
             c.stalls = StallGenerator(c.stalls.seed(), static_cast<unsigned>(percent));
           },
           {0, 99}, "percent", "random stalls at the memory's pins"),
       whole_by<C>(
           "stall_seed", [](const C& c) { return std::uint64_t{c.stalls.seed()}; },
           [](C& c, std::uint64_t seed) {
             c.stalls = StallGenerator(static_cast<std::uint32_t>(seed), c.stalls.percent());
           },
           any_u32, "", "seed of the random stalls"),
       choice("engine", &C::engine, {"step", "fast", "check"},
              "step: evaluate every cycle; fast: leave out cycles whose outcome is known; check: "
              "as fast, but evaluate one in N of these again (=N, default 100; 1: all) and "
              "compare. All give the same result")
           .which_shapes_no_machine()
           .with_number_at("check"),
       whole("check_every", &C::check_every, {1, 1000000000}, "times",
             "with engine check: one in this many skips, known intervals and cycles with sleeping "
             "units is evaluated; 1: all")
           .which_shapes_no_machine()
           .which_is_number_of("engine", "check"),
       optional_whole(
           "shuffle_seed", &C::shuffle_seed, any_u32, "", "none",
           "evaluate units in a random order with this seed: slow, and the result is the same")
           .which_shapes_no_machine()});
  return table;
}

}  // namespace tactus
