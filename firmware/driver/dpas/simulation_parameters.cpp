#include "firmware/driver/dpas/simulation_parameters.h"

#include <utility>

#include "isa/dpas/profile_table.h"

namespace tactus {
namespace {

using M = dpas::MachineParameters;

/// The parameter tf32_all_bits, the inverse of tf32_truncate: an option can only switch something
/// on.
Parameter<dpas::Numerics> tf32_all_bits() {
  using N = dpas::Numerics;
  Parameter<N> p = boolean("tf32_all_bits", &N::tf32_truncate,
                           "use all 32 bits of tf32 elements, as emulators do; else the lower 13 "
                           "are ignored");
  p.get = [](const N& numerics) -> ParameterValue { return !numerics.tf32_truncate; };
  p.set = [](N& numerics, const ParameterValue& value) {
    numerics.tf32_truncate = !std::get<bool>(value);
  };
  return p;
}

const ParameterTable<dpas::Numerics>& numerics() {
  using N = dpas::Numerics;
  static const ParameterTable<N> table(
      "dpas_numerics", "How a DPAS rounds; what silicon does is not public.",
      {choice("float_mode", &N::float_mode, {"seq", "dot", "exact"},
              "how float products are summed: rounded one by one, once a stage, or once at the "
              "end; what silicon does is not public"),
       boolean("ftz_in", &N::ftz_in, "denormal float elements count as zero"),
       boolean("ftz_out", &N::ftz_out, "denormal float results become zero"), tf32_all_bits()});
  return table;
}

}  // namespace

const ParameterTable<M>& dpas_machine_parameters() {
  static const ParameterTable<M> table = [] {
    std::vector<Parameter<M>> parameters{
        whole("threads", &M::threads, {1, dpas::most_threads}, "threads",
              "hardware threads that run the kernel"),
        choice("latency", &M::latency, {"model", "igc"},
               "of a DPAS: Tactus's model for every repeat count, or the table of Intel's compiler "
               "as it is")};
    for (Parameter<M>& parameter :
         numerics().within<M>([](auto& machine) -> auto& { return machine.numerics; })) {
      parameters.push_back(std::move(parameter));
    }
    for (Parameter<M>& parameter : std::vector<Parameter<M>>{
             choice(
                 "sync", &M::sync, {"scoreboard", "tokens"},
                 "how instructions wait for results: by marks on registers, or also by the tokens "
                 "that DPAS and messages hold"),
             choice(
                 "macros", &M::macros, {"auto", "off"},
                 "DPAS that keep the array together and share operands: as the program's {Atomic} "
                 "says, wherever conditions allow if it says nothing; or none"),
             choice("memory_port", &M::memory, {"axi", "ideal"},
                    "bursts on the AXI port of the board, or a memory of fixed latency and width"),
             whole("messages", &M::messages, {1, dpas::most_messages}, "messages",
                   "loads and stores in the load/store unit, waiting or in flight"),
             whole("bursts", &M::bursts, {1, dpas::AxiPort::most_bursts}, "bursts",
                   "in flight each way on the AXI port"),
             optional_whole("ideal_latency", &M::ideal_latency, {1, latency_range.max}, "cycles",
                            "the profile's l1_latency",
                            "of ideal memory, from the issue of a load to its use"),
             whole("ideal_bytes", &M::ideal_bytes, {4, 4096, true}, "bytes",
                   "that ideal memory transfers in a cycle"),
             choice("engine", &M::engine, {"step", "fast", "check"},
                    "step: evaluate every cycle; fast: leave out those in which nothing happens; "
                    "check: evaluate them, and stop where something does; the result is the same")
                 .which_shapes_no_machine()}) {
      parameters.push_back(std::move(parameter));
    }
    return ParameterTable<M>(
        "dpas_machine",
        "A DPAS machine beside its profile: threads, timing, arithmetic and its memory side.",
        std::move(parameters));
  }();
  return table;
}

const ParameterTable<M>& dpas_profile_overrides() {
  static const ParameterTable<M> table(
      "dpas_profile", "What the profile of a DPAS machine says, to be replaced one by one.", [] {
        std::vector<Parameter<M>> parameters;
        for (const Parameter<dpas::Profile>& p : dpas::profile_parameters()) {
          // Lists are set only in a profile's file.
          if (p.read_json || p.key == "threads") continue;
          Parameter<M> outer;
          static_cast<ParameterInfo&>(outer) = p;
          outer.get = [get = p.get](const M& machine) { return get(machine.profile); };
          outer.set = [set = p.set](M& machine, const ParameterValue& value) {
            set(machine.profile, value);
          };
          parameters.push_back(std::move(outer));
        }
        return parameters;
      }());
  return table;
}

}  // namespace tactus
