// Words of the summaries that run, compile and samples print in lines, for tactus explain. Words
// that are figures or columns under the same name are explained there.
#include "firmware/cli/column_tables.h"

namespace tactus {

PrintedTable lines_of_run() {
  return {
      "tactus run",
      {{"accuracy", "",
        "what of the machine was compared with recordings of the RTL or with boards"},
       {"last retired", "cycle", "cycle in which the last instruction retires: last_retire"},
       {"last response", "cycle", "cycle of the port's last write response: last_b0, last_b1"},
       {"NoOps of padding", "", "instructions that fill the last word of the instruction stream"},
       {"vectors multiplied", "", "vectors that enter the array, one a cycle"},
       {"weight vectors loaded", "", "rows of weights that enter the array, one a cycle"},
       {"array busy", "%", "share of the cycles in which the array multiplies a vector"},
       {"useful MAC", "%",
        "multiply-accumulates of the network by those that the array could do in the cycles"},
       {"row hits", "%", "accesses to a row of the DRAM that was open"},
       {"misses", "", "accesses to a bank of the DRAM that had no row open"},
       {"conflicts", "", "accesses to a bank of the DRAM that had another row open"},
       {"refreshes", "", "refresh commands of the DRAM"},
       {"bus busy", "%", "share of the DRAM's clocks in which its bus has data"},
       {"lost cycles", "%",
        "share of the cycles in which no vector is multiplied; then the group of reasons with the "
        "most of them, and the three largest reasons"},
       {"memory roof", "%",
        "multiply-accumulates a cycle by those that the DRAM ports allow, at the run's "
        "multiply-accumulates for a byte"},
       {"compute roof", "%", "multiply-accumulates a cycle by those of the whole array"},
       {"MAC/cycle", "", "multiply-accumulates a cycle"},
       {"bytes/cycle", "", "bytes at the DRAM ports a cycle"},
       {"host work", "",
        "what this computer does for an image besides the simulation, in no cycle"},
       {"waveform", "", "cycles and signals in the file of --vcd"}}};
}

PrintedTable lines_of_compile() {
  return {
      "tactus compile --summary",
      {{"constants lost", "", "values of constants that the data type cannot hold as they are"},
       {"stages, partitions", "",
        "stages are parts of layers with weights that fit the array's passes, partitions parts of "
        "stages whose results fit local memory and accumulators"},
       {"host, before", "", "operators that the host computes on the inputs"},
       {"host, behind", "", "operators that the host computes on the outputs"},
       {"host, in all", "", "bytes that the host packs and unpacks for an image, and its time"},
       {"estimated latency", "", "by the reference's formula, which knows no memory"},
       {"predicted latency", "", "by the optimiser's model of the machine"},
       {"simulated latency", "",
        "of one image, simulated cycle by cycle with the memory that the line names"},
       {"estimated energy", "millions",
        "by the reference's formula, in its relative units: see firmware/energy/README.md"},
       {"plans tried", "", "orders and placements that --optimise has compared"},
       {"with --optimise", "", "cycles of the program that --optimise makes, simulated"},
       {"for any number of images", "",
        "each image takes the same cycles, since neither program keeps constants in local memory"},
       {"for many images", "", "the cycles that copy constants once are left out"},
       {"as the reference counts", "", "the figure by the formula of Tensil's own compiler"}}};
}

PrintedTable columns_of_samples() {
  return {"tactus samples",
          {{"at the head", "", "kind of the instruction at the decoder's head"},
           {"instruction", "%",
            "the channel by which the head retires: handshakes / cycles in which it waits"},
           {"memPortA", "%", "requests to port A of local memory: handshakes / waits"},
           {"memPortB", "%", "requests to port B of local memory: handshakes / waits"},
           {"dataflow", "%", "requests to the router of data: handshakes / waits"},
           {"dram0", "%", "requests to DRAM port 0: handshakes / waits"},
           {"dram1", "%", "requests to DRAM port 1: handshakes / waits"},
           {"acc", "%", "requests to accumulators and ALUs: handshakes / waits"},
           {"array", "%", "requests to the systolic array: handshakes / waits"}}};
}

}  // namespace tactus
