#include "models/dpas/machine_info.h"

#include "models/axi/axi_slave.h"
#include "models/dpas/array_time.h"
#include "models/dpas/events.h"
#include "models/dpas/system.h"
#include "models/dram/ddr_figure_infos.h"
#include "models/sim/array_figures.h"
#include "models/sim/energy_figure_infos.h"

namespace tactus {
namespace {

using namespace dpas;

std::vector<UnitInfo> units() {
  std::vector<UnitInfo> list{{"issue", "issue stage", IssueStage::state_table}};
  static constexpr std::array<std::pair<const char*, const char*>, most_threads> threads{{
      {"thread0", "thread 0"},
      {"thread1", "thread 1"},
      {"thread2", "thread 2"},
      {"thread3", "thread 3"},
      {"thread4", "thread 4"},
      {"thread5", "thread 5"},
      {"thread6", "thread 6"},
      {"thread7", "thread 7"},
  }};
  for (const auto& [name, title] : threads) {
    list.push_back({name, title, IssueStage::thread_state_table, true});
  }
  list.push_back({"array", "DPAS array", Array::state_table});
  list.push_back({"alu", "ALU", Alu::state_table});
  list.push_back({"lsu", "load/store unit", MemoryPort::state_table});
  list.push_back({"slave", "AXI slave", AxiSlave::state_table});
  list.push_back({"memory", "board's memory", MemoryAccount::state_table});
  return list;
}

std::vector<KindInfo> kinds() {
  std::vector<KindInfo> list;
  for (std::size_t k = 0; k < operation_kinds; ++k) {
    const OperationKindInfo& kind = dpas::info(static_cast<OperationKind>(k));
    list.push_back({kind.name, kind.title});
  }
  return list;
}

/// Cycles of a busy state that must equal a counter, which the unit counts separately.
std::vector<Identity> identities() {
  std::vector<Identity> list{
      {"array", "rows", {{"rows"}}},        {"array_time", "compute", {{"rows"}}},
      {"alu", "execute", {{"alu_cycles"}}}, {"lsu", "read", {{"read_alone"}}},
      {"lsu", "write", {{"write_alone"}}},  {"lsu", "read_write", {{"read_and_write"}}},
  };
  static constexpr std::array<const char*, most_threads> threads{
      "thread0", "thread1", "thread2", "thread3", "thread4", "thread5", "thread6", "thread7"};
  Identity all{"issue", "issue", {}};
  for (unsigned t = 0; t < most_threads; ++t) {
    list.push_back({threads[t], "issue", {{"issued", t}}});
    all.counters.push_back({"issued", t});
  }
  list.push_back(std::move(all));
  return list;
}

std::vector<FigureInfo> run_figures() {
  std::vector<FigureInfo> list{
      {"dpas", "count", "DPAS instructions"},
      {"rows", "cycles", "cycles in which a row entered the array: P * RC of each DPAS"},
      array_figures::busy_info("rows / cycles", "rows"),
      {"macs", "count", "multiply-accumulates: RC * N * K of each DPAS"},
      {"macros", "count", "macros: two or more DPAS in a row that keep the array for one thread"},
      {"conflict_cycles", "cycles", "cycles lost to bank conflicts of the register file"},
      {"grf_reads", "registers", "registers read from the register files"},
      {"grf_reads_saved", "registers",
       "registers not read because the array's operand buffers held them"},
      {"grf_writes", "registers", "registers written to the register files"},
      {"alu_instructions", "count", "mov, add and cmp instructions"},
      {"loads", "count", "messages that load"},
      {"stores", "count", "messages that store"},
      {"bytes_loaded", "bytes", "bytes that loads asked for; bytes outside a surface do not count"},
      {"bytes_stored", "bytes", "bytes that stores wrote"},
      {"read_beats", "count", "beats read at the memory port"},
      {"write_beats", "count", "beats written at the memory port"},
      {"read_bursts", "count", "read bursts at the memory port; with ideal memory, loads"},
      {"write_bursts", "count", "write bursts at the memory port; with ideal memory, stores"},
  };
  for (const FigureInfo& figure : ddr_figure_infos("memory")) list.push_back(figure);
  for (const FigureInfo& figure : energy_figure_infos()) list.push_back(figure);
  return list;
}

std::vector<FigureInfo> layer_figures() {
  return {
      {"dpas", "count", "DPAS issued in the layer's cycles"},
      {"rows", "cycles", "the layer's cycles in which a row entered the array"},
      array_figures::busy_info("the layer's rows / its cycles", "rows"),
  };
}

std::vector<FigureMeaning> meanings() {
  return {
      {"cycles", "cycle of the last ret; a ret waits for all results and answers of its thread"},
      {"instructions_retired", "instructions issued by all threads; labels do not count"},
      {"last_retire", "cycle in which the last instruction is issued"},
      {"unwritten_reads.count",
       "registers that an instruction reads although no instruction before it writes them on any "
       "path through the kernel; threads with the same kernel are counted once"},
      {"accounting.lost_cycles.total", "cycles in which no row enters the array"},
      {"accounting.instructions.KIND.vectors",
       "registers that these instructions write; for stores, registers that they read"},
      {"accounting.instructions.KIND.head_cycles",
       "cycles in which an instruction of this kind is at the head of a thread, summed over all "
       "threads"},
      {"accounting.instructions.KIND.head_busy", "head_cycles in which it is issued"},
      {"accounting.instructions.KIND.waits.WAIT",
       "head_cycles in which it waits, by state of the thread; states that do not occur are left "
       "out"},
      {"accounting.roofline.POINT.macs", "multiply-accumulates; busy: those of all DPAS"},
      {"accounting.roofline.peak_macs_per_cycle",
       "N * Dp * OPS, for the program's DPAS with the most products in a stage"},
      {"accounting.roofline.bytes", "bytes transferred at the memory port, in whole beats"},
      {"accounting.roofline.peak_bytes_per_cycle", "one beat a cycle"},
      {"accounting.roofline.ridge",
       "intensity above which the array is the limit, not the memory: peak_macs_per_cycle / "
       "peak_bytes_per_cycle"},
      {"accounting.layers.bytes_read", "bytes read in the layer's cycles at the memory port"},
      {"accounting.layers.bytes_written", "bytes written in the layer's cycles at the memory port"},
  };
}

MachineInfo build() {
  MachineInfo info;
  info.name = "dpas";
  info.sentence =
      "dot product accumulate systolic: a systolic array fed from the registers of hardware "
      "threads";
  info.units = units();
  info.time = ArrayTime::info();
  info.kinds = kinds();
  info.kinds_introduction =
      "Each thread issues its instructions in order. The table counts the cycles that each kind "
      "spends at the heads of the threads.";
  for (const auto& [name, values] : counter_list({})) {
    info.counters.push_back({name, static_cast<unsigned>(values.size())});
  }
  info.identities = identities();
  info.work = "macs";
  info.traffic = {"memory", "memory", "the memory port", {{"lsu", "memory"}}};
  info.run_figures = run_figures();
  info.layer_figures = layer_figures();
  info.meanings = meanings();
  info.events = event_format(64).kinds;
  info.memories = {{"memory"}, {"registers"}};
  return info;
}

}  // namespace

const MachineInfo& dpas_machine_info() {
  static const MachineInfo info = build();
  return info;
}

}  // namespace tactus
