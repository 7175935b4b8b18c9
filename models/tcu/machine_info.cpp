#include "models/tcu/machine_info.h"

#include "isa/tcu/instruction_kind.h"
#include "models/axi/axi_slave.h"
#include "models/dram/ddr_figure_infos.h"
#include "models/sim/array_figures.h"
#include "models/sim/energy_figure_infos.h"
#include "models/tcu/counters.h"
#include "models/tcu/events.h"
#include "models/tcu/system.h"
#include "models/tcu/widths.h"

namespace tactus {
namespace {

std::vector<UnitInfo> units() {
  return {
      {"stream", "instruction stream", StreamAdapter::state_table},
      {"decoder", "decoder", Decoder::state_table, true},
      {"transfers", "queue for transfers", Decoder::transfer_states},
      {"array", "systolic array", SystolicArray::state_table},
      {"dais", "DAIS blocks", DaisUnit::state_table},
      {"activation", "activation unit", ActivationUnit::state_table},
      {"accumulators", "accumulators", AccumulatorWithAlu::state_table},
      {"alus", "SIMD ALUs", AluArray::state_table},
      {"tables", "lookup tables", LookupMemory::state_table},
      {"local_a", "local memory port A", DualPortMemory::state_table},
      {"local_b", "local memory port B", DualPortMemory::state_table},
      {"local_router", "local router", LocalRouter::state_table},
      {"host_router", "host router", HostRouter::state_table},
      {"dram0", "DRAM port 0", DramPort::state_table},
      {"dram1", "DRAM port 1", DramPort::state_table},
      {"slave0", "AXI slave 0", AxiSlave::state_table},
      {"slave1", "AXI slave 1", AxiSlave::state_table},
      {"memory0", "memory of DRAM port 0", MemoryAccount::state_table},
      {"memory1", "memory of DRAM port 1", MemoryAccount::state_table},
      {"stream_memory", "memory of the instruction stream", MemoryAccount::state_table},
  };
}

/// The unit that an extension brings; without it a machine does not have its instructions.
std::string_view unit_of(tcu::Extension extension) {
  switch (extension) {
    case tcu::Extension::none:
      break;
    case tcu::Extension::dais_blocks:
      return "dais";
    case tcu::Extension::lookup_tables:
      return "tables";
    case tcu::Extension::activation_unit:
      return "activation";
  }
  return "";
}

std::vector<KindInfo> kinds() {
  std::vector<KindInfo> list;
  for (const tcu::InstructionKindInfo& info : tcu::instruction_kind_infos) {
    list.push_back({info.name, info.title, unit_of(info.needs)});
  }
  return list;
}

/// Busy states stand for events that units count on their own.
std::vector<Identity> identities() {
  return {
      {"array", "compute", {{"array_runs"}}},
      {"array", "load_weights", {{"array_loads_in_turn"}}},
      {"array_time", "compute", {{"array_runs"}}},
      {"alus", "issue", {{"alu_operations"}}},
      {"local_a", "read", {{"local_reads", 0}}},
      {"local_a", "write", {{"local_writes", 0}}},
      {"local_b", "read", {{"local_reads", 1}}},
      {"local_b", "write", {{"local_writes", 1}}},
      {"accumulators", "access", {{"accumulator_reads"}, {"accumulator_writes"}}},
      {"dais", "take", {{"dais_vectors"}}},
      {"tables", "load", {{"table_vectors"}}},
      {"tables", "lookup", {{"lookups"}}},
      {"activation", "take", {{"activated_vectors"}}},
      {"activation", "load", {{"activation_parameters"}}},
      {"dram0", "read", {{"read_beats", 0}}},
      {"dram0", "write", {{"write_beats", 0}}},
      {"dram1", "read", {{"read_beats", 1}}},
      {"dram1", "write", {{"write_beats", 1}}},
  };
}

std::vector<FigureInfo> host_link_figures() {
  return {
      {"host_link.model", "text",
       "package that the request runs; only runs behind a host link have host_link figures"},
      {"host_link.parameters", "text",
       "how the request got its parameters: cached (already on the device), loaded (sent ahead of "
       "the request), with_request (sent as part of it), none (it has none)"},
      {"host_link.latency_ps", "ps",
       "time from the host's start on the request to its interrupt: the sum of the time_ps "
       "figures"},
      {"host_link.time_ps.host", "ps",
       "time in which the host prepares the request: the link's fixed cost"},
      {"host_link.time_ps.parameters", "ps",
       "time in which parameters are loaded ahead of the request's other transfers"},
      {"host_link.time_ps.wait_link", "ps",
       "time in which the request waits for transfers of earlier requests"},
      {"host_link.time_ps.to_device", "ps",
       "time in which inputs, parameters and instructions go to the device"},
      {"host_link.time_ps.wait_device", "ps",
       "time in which everything has arrived, but programs or outputs of earlier requests are not "
       "done"},
      {"host_link.time_ps.program", "ps", "time of the program: its cycles at the clock"},
      {"host_link.time_ps.to_host", "ps", "time in which outputs and the interrupt go to the host"},
      {"host_link.estimated_cycles", "cycles",
       "cycles of the program as its package estimates them; null: the package has no estimate"},
      {"host_link.bytes.*", "", "bytes that the request transfers, by class"},
      {"host_link.series.requests", "count",
       "requests of the run; only the first request's figures have host_link.series"},
      {"host_link.series.total_ps", "ps",
       "time from the start of the first request to the end of the last"},
      {"host_link.series.requests_per_second", "1/s", "requests / total_ps"},
      {"host_link.series.cold_latency_ps", "ps",
       "mean latency of requests whose parameters were loaded; null if there are none"},
      {"host_link.series.warm_latency_ps", "ps",
       "mean latency of all other requests; null if there are none"},
      {"host_link.series.parameter_loads", "count", "requests that loaded parameters first"},
      {"host_link.series.parameter_hits", "count", "requests that found them on the device"},
      {"host_link.series.evictions", "count",
       "times that cached parameters were dropped to load those of another token"},
      {"host_link.series.program_ps", "ps",
       "time of all programs on the device, including those that load parameters"},
      {"host_link.series.to_device.*", "",
       "the wire to the device: transactions, bytes, wire_bytes (bytes with packet overhead), "
       "busy_ps"},
      {"host_link.series.to_host.*", "", "the same figures of the wire to the host"},
      {"host_link.series.link.*", "", "the link, with all its values"},
  };
}

std::vector<FigureInfo> extension_figures() {
  constexpr auto counter = FigureInfo::Source::counter;
  return {
      {"table_vectors", "vectors", "vectors of entries that entered lookup tables", counter, "",
       "tables"},
      {"lookups", "count", "Lookup operations on vectors; alu_operations counts them too", counter,
       "", "tables"},
      {"activated_vectors", "vectors", "vectors that passed the activation unit", counter, "",
       "activation"},
      {"activation_parameters", "vectors", "vectors of parameters that entered the activation unit",
       counter, "", "activation"},
  };
}

std::vector<FigureInfo> run_figures() {
  constexpr auto own = FigureInfo::Source::own;
  std::vector<FigureInfo> list{
      {"last_b0", "cycle", "last write response of DRAM port 0, null if there was none", own},
      {"last_b1", "cycle", "last write response of DRAM port 1, null if there was none", own},
      {"probe", "cycle",
       "cycle in which the driver's completion probe has arrived in DRAM0; null outside driver "
       "mode",
       own},
      {"read_beats", "count", "beats read at the pins, for DRAM port 0 and port 1"},
      {"write_beats", "count", "beats written at the pins, for DRAM port 0 and port 1"},
      {"read_bursts", "count", "read bursts at the pins, for DRAM port 0 and port 1"},
      {"write_bursts", "count", "write bursts at the pins, for DRAM port 0 and port 1"},
      {"array_runs", "vectors", "vectors multiplied, zero vectors included"},
      {"array_loads", "vectors", "weight vectors that entered the array"},
      array_figures::busy_info("array_runs / cycles: share of the cycles in which the array "
                               "multiplies a vector, padding "
                               "and zero vectors included",
                               "array_runs"),
      array_figures::macs_info(),
      array_figures::useful_info(),
      {"alu_operations", "count", "SIMD operations on vectors"},
  };
  const std::vector<FigureInfo> of_stream{
      {"ddr.stream_bytes", "bytes", "part of ddr.bytes: bytes read for the instruction stream"}};
  const std::vector<FigureInfo> of_dais{
      {"dais.block", "text",
       "name of the DAIS block; only machines with DAIS blocks have figures named dais or "
       "wait_dais"},
      {"dais.instructions", "count", "retired Dais instructions that use the block"},
      {"dais.samples", "count", "samples that entered the block"},
  };
  for (const auto& figures :
       {ddr_figure_infos("memory0"), own_figures_of("stream_memory", of_stream),
        energy_figure_infos(), own_figures_of("dais", of_dais),
        own_figures_of("host_link", host_link_figures()), extension_figures()}) {
    list.insert(list.end(), figures.begin(), figures.end());
  }
  return list;
}

std::vector<FigureInfo> layer_figures() {
  return {
      {"array_runs", "vectors", "vectors multiplied in the layer's cycles"},
      {"array_loads", "vectors", "weight vectors that entered the array in the layer's cycles"},
      {"alu_operations", "count", "SIMD operations issued in the layer's cycles"},
      array_figures::busy_info("the layer's array_runs / its cycles", "array_runs"),
      array_figures::macs_info(),
      array_figures::useful_info(),
  };
}

std::vector<FigureMeaning> meanings() {
  return {
      {"cycles",
       "cycle of the last retire or write response, counted from the image's start; in driver "
       "mode, cycle in which the probe arrives"},
      {"instructions_retired", "instructions that left the decoder, padding included"},
      {"last_retire",
       "cycle in which the last instruction retires: the stream's last (models, padding included) "
       "or the program's last (bare programs)"},
      {"accounting.lost_cycles.total",
       "cycles in which the array multiplies no vector: accounting.cycles - array_runs"},
      {"accounting.instructions.KIND.vectors",
       "vectors that these instructions copy, multiply, load or compute on; for Dais, input "
       "vectors"},
      {"accounting.instructions.KIND.head_cycles",
       "cycles in which an instruction of this kind is at the decoder's head"},
      {"accounting.instructions.KIND.head_busy",
       "head_cycles in which it retires or sends a request to local memory; in all others it "
       "waits"},
      {"accounting.instructions.KIND.waits.WAIT",
       "head_cycles in which it waits, by state of the decoder; states that do not occur are left "
       "out"},
      {"accounting.roofline.POINT.macs",
       "multiply-accumulates; useful: those that the network asks for, null if not known; busy: "
       "array_runs times N times N"},
      {"accounting.roofline.peak_macs_per_cycle", "N times N"},
      {"accounting.roofline.bytes", "bytes read and written at both DRAM ports"},
      {"accounting.roofline.peak_bytes_per_cycle",
       "one beat a cycle on each of the two ports; a port does not read and write in the same "
       "cycle"},
      {"accounting.roofline.ridge",
       "intensity above which the array is the limit, not the memory: peak_macs_per_cycle / "
       "peak_bytes_per_cycle"},
      {"accounting.layers.bytes_read",
       "bytes read in the layer's cycles, at DRAM port 0 and port 1"},
      {"accounting.layers.bytes_written",
       "bytes written in the layer's cycles, at DRAM port 0 and port 1"},
  };
}

MachineInfo build() {
  MachineInfo info;
  info.name = "tcu";
  info.sentence = "tensor compute unit: a systolic array with local memory and accumulators";
  info.units = units();
  info.time = ArrayTime::info();
  info.kinds = kinds();
  info.kinds_introduction =
      "Instructions are decoded one after the other. The table counts the cycles that each kind "
      "spends at the decoder's head.";
  for (const TcuCounter& counter : tcu_counters()) {
    if (!counter.name.empty()) info.counters.push_back({counter.name, counter.values});
  }
  info.identities = identities();
  info.work = "array_runs";
  info.traffic = {"dram", "DRAM", "the two DRAM ports", {{"dram0", "DRAM0"}, {"dram1", "DRAM1"}}};
  info.run_figures = run_figures();
  info.layer_figures = layer_figures();
  info.meanings = meanings();
  info.events = tcu_event_format({}).kinds;
  info.memories = {{"dram0"}, {"dram1"}, {"local"}, {"acc"}};
  return info;
}

}  // namespace

const MachineInfo& tcu_machine_info() {
  static const MachineInfo info = build();
  return info;
}

// ---- the machine --------------------------------------------------------------------------------

const MachineInfo& TcuSystem::info() const { return tcu_machine_info(); }

MachineRates TcuSystem::rates() const {
  const tcu::Architecture& architecture = config_.tcu.architecture;
  const std::uint64_t macs = std::uint64_t{architecture.array_size} * architecture.array_size;
  return {macs, macs, config_.axi_data_bits / 8, architecture.vector_bytes()};
}

/// Values in the order of MachineInfo::counters.
std::vector<std::uint64_t> TcuSystem::counters() const {
  auto& system = const_cast<TcuSystem&>(*this);  // the list also serves those who add to a counter
  std::vector<std::uint64_t> values;
  for_each_counter(system, [&](const TcuCounter& counter, unsigned, const std::uint64_t* at) {
    if (!counter.name.empty()) values.push_back(at == nullptr ? 0 : *at);
  });
  return values;
}

std::vector<KindCounts> TcuSystem::kind_counts() const {
  const Decoder::Stats& stats = tcu_.decoder().stats();
  std::vector<KindCounts> kinds(tcu::instruction_kinds);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    kinds[k] = {stats.retired_by_kind[k], stats.vectors_by_kind[k]};
  }
  return kinds;
}

EventFormat TcuSystem::event_format() const {
  const tcu::Architecture& architecture = config_.tcu.architecture;
  return tcu_event_format({EventStyle::axi, architecture.data_type, architecture.array_size,
                           tcu::InstructionLayout(architecture).instruction_bytes(),
                           config_.axi_data_bits / 8});
}

std::shared_ptr<const trace::Widths> TcuSystem::widths() const {
  return std::make_shared<TcuWidths>(config_.tcu.architecture, config_.axi_data_bits);
}

std::function<bool()> TcuSystem::trigger(const TraceTrigger& trigger) const {
  const Decoder& decoder = tcu_.decoder();
  switch (trigger.what) {
    case TraceTrigger::What::program_counter:
      return [&decoder, first = trigger.first, last = trigger.last] {
        const std::uint32_t counter = decoder.registers().program_counter;
        return counter >= first && counter <= last;
      };
    case TraceTrigger::What::tracepoint:
      return [&decoder] { return decoder.tracepoint(); };
    case TraceTrigger::What::timeout:
      return [&decoder] { return decoder.timeout(); };
    case TraceTrigger::What::none:
      break;
  }
  return {};
}

}  // namespace tactus
