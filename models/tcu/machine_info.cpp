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

/// The unit without which a machine does not have instructions of the kind; empty: all have them.
std::string_view unit_of(tcu::InstructionKind kind) {
  switch (kind) {
    case tcu::InstructionKind::dais:
      return "dais";
    case tcu::InstructionKind::load_lut:
      return "tables";
    case tcu::InstructionKind::load_activation:
    case tcu::InstructionKind::accumulator_to_local_activated:
      return "activation";
    default:
      return "";
  }
}

std::vector<KindInfo> kinds() {
  std::vector<KindInfo> list;
  for (std::size_t k = 0; k < tcu::instruction_kinds; ++k) {
    const tcu::InstructionKindInfo& info = tcu::instruction_kind_infos[k];
    list.push_back({info.name, info.title, unit_of(static_cast<tcu::InstructionKind>(k))});
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

std::vector<FigureInfo> run_figures() {
  constexpr auto own = FigureInfo::Source::own;
  std::vector<FigureInfo> list{
      {"last_b0", "cycle", "last write response of DRAM port 0, null if there was none", own},
      {"last_b1", "cycle", "last write response of DRAM port 1, null if there was none", own},
      {"probe", "cycle", "driver mode: the probe's copy is in DRAM0; else null", own},
      {"read_beats", "count", "beats read at the pins, of ports 0 and 1"},
      {"write_beats", "count", "beats written at the pins, of ports 0 and 1"},
      {"read_bursts", "count", "read bursts at the pins, of ports 0 and 1"},
      {"write_bursts", "count", "write bursts at the pins, of ports 0 and 1"},
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
      {"ddr.stream_bytes", "bytes", "of these bytes, those of the instruction stream"}};
  const std::vector<FigureInfo> of_dais{
      {"dais.block", "text",
       "name of a DAIS block; figures named dais or wait_dais are those of machines with blocks"},
      {"dais.instructions", "count", "Dais instructions for the block that retired"},
      {"dais.samples", "count", "samples that entered the block"},
  };
  const std::vector<FigureInfo> of_host_link{
      {"host_link.model", "text", "package of the request, of a run behind a host link"},
      {"host_link.parameters", "text",
       "cached: they were there; loaded: ahead of the request; with_request: part of it; none"},
      {"host_link.latency_ps", "ps",
       "from when the host took up the request until its interrupt; the sum of what follows"},
      {"host_link.time_ps.host", "ps", "the link's fixed cost: the host prepares the request"},
      {"host_link.time_ps.parameters", "ps", "its parameters are loaded ahead of its transfers"},
      {"host_link.time_ps.wait_link", "ps", "it waits for transfers of requests before"},
      {"host_link.time_ps.to_device", "ps", "inputs, parameters and instructions to the device"},
      {"host_link.time_ps.wait_device", "ps",
       "all is there, but programs or outputs of requests before are not done"},
      {"host_link.time_ps.program", "ps", "the program's cycles at the clock"},
      {"host_link.time_ps.to_host", "ps", "outputs and the interrupt to the host"},
      {"host_link.estimated_cycles", "cycles", "of the program as its package says; null: nothing"},
      {"host_link.bytes.*", "", "bytes of the request, by class"},
      {"host_link.series.requests", "count", "requests of the run; in the first only"},
      {"host_link.series.total_ps", "ps", "from the first request's begin to the last one's end"},
      {"host_link.series.requests_per_second", "1/s", "requests / total_ps"},
      {"host_link.series.cold_latency_ps", "ps",
       "mean latency of requests whose parameters were loaded; null without"},
      {"host_link.series.warm_latency_ps", "ps", "mean latency of the others; null without"},
      {"host_link.series.parameter_loads", "count", "requests that loaded parameters first"},
      {"host_link.series.parameter_hits", "count", "requests that found them on the device"},
      {"host_link.series.evictions", "count", "parameters given up for those of another token"},
      {"host_link.series.program_ps", "ps", "programs on the device, parameters' included"},
      {"host_link.series.to_device.*", "",
       "the wire to the device: transactions, bytes, wire_bytes (with packets), busy_ps"},
      {"host_link.series.to_host.*", "", "the wire to the host, the same"},
      {"host_link.series.link.*", "", "the link, with all its values"},
  };
  constexpr auto counter = FigureInfo::Source::counter;
  const std::vector<FigureInfo> of_extensions{
      {"table_vectors", "vectors", "vectors of entries that entered lookup tables", counter, "",
       "tables"},
      {"lookups", "count", "Lookup operations on vectors, which alu_operations contains too",
       counter, "", "tables"},
      {"activated_vectors", "vectors", "vectors that passed the activation unit", counter, "",
       "activation"},
      {"activation_parameters", "vectors", "vectors of parameters that entered the activation unit",
       counter, "", "activation"},
  };
  for (const auto& figures :
       {ddr_figure_infos("memory0"), own_figures_of("stream_memory", of_stream),
        energy_figure_infos(), own_figures_of("dais", of_dais),
        own_figures_of("host_link", of_host_link), of_extensions}) {
    list.insert(list.end(), figures.begin(), figures.end());
  }
  return list;
}

std::vector<FigureInfo> layer_figures() {
  return {
      {"array_runs", "vectors", "vectors multiplied in these cycles"},
      {"array_loads", "vectors", "weight vectors that entered in these cycles"},
      {"alu_operations", "count", "SIMD operations issued in these cycles"},
      array_figures::busy_info("its array_runs / its cycles", "array_runs"),
      array_figures::macs_info(),
      array_figures::useful_info(),
  };
}

std::vector<FigureMeaning> meanings() {
  return {
      {"cycles",
       "last retire or write response, counted from the image's start; in driver mode, the arrival "
       "of "
       "the probe"},
      {"instructions_retired", "instructions that left the decoder, padding included"},
      {"last_retire",
       "retire of the stream's last instruction (models, padding included) or the program's (bare "
       "programs)"},
      {"accounting.lost_cycles.total",
       "cycles in which the array multiplies no vector: accounting.cycles - array_runs"},
      {"accounting.instructions.KIND.vectors",
       "what they copy, multiply, load or compute on; of Dais the input vectors"},
      {"accounting.instructions.KIND.head_cycles",
       "cycles in which one of the kind is at the decoder's head"},
      {"accounting.instructions.KIND.head_busy",
       "those in which it retires or sends a request to local memory; the others are waits"},
      {"accounting.instructions.KIND.waits.WAIT",
       "cycles at the head spent waiting, by state of the decoder; those that do not occur are "
       "left out"},
      {"accounting.roofline.POINT.macs",
       "of useful: that the network asks for, null where they are not known; of busy: array_runs "
       "times N times N"},
      {"accounting.roofline.peak_macs_per_cycle", "N times N"},
      {"accounting.roofline.bytes", "read and written at both DRAM ports"},
      {"accounting.roofline.peak_bytes_per_cycle",
       "one beat a cycle on both ports, each of which reads or writes but not both at once"},
      {"accounting.roofline.ridge",
       "intensity from which on the array and not the memory is the limit: peak_macs_per_cycle / "
       "peak_bytes_per_cycle"},
      {"accounting.layers.bytes_read", "read in these cycles, at ports 0 and 1"},
      {"accounting.layers.bytes_written", "written in these cycles, at ports 0 and 1"},
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
      "Instructions are decoded one after the other; cycles at the decoder's head are what each "
      "kind costs there.";
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
