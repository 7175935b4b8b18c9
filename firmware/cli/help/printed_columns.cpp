// Columns of the tables that commands print on the screen, for tactus explain. Columns that another
// file or table has under the same title and with the same meaning are explained there.
#include "firmware/cli/column_tables.h"

namespace tactus {
namespace {

Figure mhz_column() { return {"MHz", "", "clock frequency of the machine"}; }
Figure mmac_column() {
  return {"MMAC", "", "millions of multiply-accumulates that the network asks for"};
}
Figure frames_column() { return {"frames/s", "", "images a second"}; }

PrintedTable columns_of_networks() {
  return {"tactus networks",
          {{"input", "", "name and shape of each input"},
           {"parameters", "", "numbers in weights and biases"},
           mmac_column(),
           {"topology", "", "what the network is, and where it was published"}}};
}

PrintedTable columns_of_machines() {
  return {"tactus boards, architectures, drams, machines",
          {{"DRAM", "", "name of a DRAM, for --ddr"},
           {"machine", "", "name, for --machine"},
           {"array", "", "rows x columns of the systolic array, and its data type"},
           mhz_column(),
           {"AXI bits", "", "width of the DRAM ports and of the instruction stream"},
           {"latency", "cycles", "of reads and writes with the memory of fixed latency"},
           {"local", "vectors", "depth of local memory"},
           {"accumulators", "vectors", "depth of the accumulators"},
           {"DRAM0", "vectors", "depth of the bank"},
           {"DRAM1", "vectors", "depth of the bank"},
           {"file", "", "where it is described"},
           {"bits", "", "width of the DRAM's bus"},
           {"MT/s", "", "millions of transfers a second: two a clock"},
           {"MiB", "", "size of the DRAM"},
           {"GB/s peak", "", "bus width times transfers a second"},
           {"CL-RCD-RP", "clocks",
            "from a read to its data, from activating a row to a read, and from closing one row to "
            "activating another"},
           {"registers of a thread", "", "number and size of a DPAS machine's registers"},
           {"title", "", "what it is"}}};
}

PrintedTable columns_of_bench() {
  return {
      "tactus bench",
      {mhz_column(),
       {"latency ms", "", "time of one image, without the host"},
       frames_column(),
       {"estimate ms", "", "the reference's formula; see firmware/bench/README.md"},
       {"published ms", "", "as published: an estimate, not a measurement"},
       {"measured frames/s", "",
        "as measured on the board; in brackets how much more or less the simulation has, with the "
        "host's time in each run counted"},
       {"off by cycles", "",
        "simulated cycles plus those of host us, minus the measured time at the board's clock: "
        "positive where the simulation is slower"},
       {"host us", "", "time of the board's host in each run, from the board's file"},
       {"host s", "", "time that this computer took"},
       {"predicted", "cycles", "the optimising compiler's cost model"},
       {"bound", "cycles", "what the matrices that the optimiser chose cannot go below"},
       {"times fewer", "", "cycles an image of many, against the row without --optimise"},
       {"constants, once", "cycles", "before the first image: copies of constants"},
       {"requests that arrive", "", "the row whose requests the lines below are about"},
       {"median ms", "", "latency from arrival to end"},
       {"99 % ms", "", "latency that 99 % of the requests do not exceed"},
       {"max ms", "", "longest latency"},
       {"memory", "", "fixed, or the board's DRAM"},
       {"images", "", "images of a run"},
       {"seconds", "", "least time of a simulation on this computer"},
       {"Mcycles/s", "", "simulated cycles a second of this computer, in millions"},
       {"replay ms", "", "simulated time of a package behind its link"},
       {"parameters ms", "", "time that the parameters take over the link"},
       {"left out of the replay", "", "what the published figure has and the replay has not"}}};
}

PrintedTable columns_of_layers() {
  return {
      "tactus compile --layers",
      {{"stages", "", "parts of the layer, each with one set of weights in local memory"},
       {"partitions", "", "parts of stages whose results fit local memory and accumulators"},
       {"local", "vectors", "of local memory at the layer's fullest"},
       {"acc", "vectors", "of the accumulators at the layer's fullest"},
       {"matmul vectors", "", "vectors that the array multiplies"},
       {"of zeroes", "", "vectors among them that are zero: padding, and sums without a product"},
       mmac_column(),
       {"est. cycles", "", "by the reference's formula"},
       {"predicted cycles", "", "by the optimising compiler's cost model"},
       {"jobs", "", "parts of the layer that the optimiser orders"},
       {"MAC / N^2", "cycles", "its multiply-accumulates on a full array"},
       {"form", "", "how the optimiser computes the layer"}}};
}

PrintedTable columns_of_accuracy() {
  return {"tactus compile --check",
          {{"tensor", "", "output of a layer, or of the model"},
           {"scalars", "", "numbers that were compared"},
           {"largest value", "", "of the model in real numbers"},
           {"largest error", "", "largest difference from it"},
           {"RMS error", "", "root of the mean squared difference"},
           {"R2", "",
            "RMS error that the data type makes unavoidable: each constant and each tensor rounded "
            "once"},
           {"R1", "", "R2 with exact constants"},
           {"allowed", "", "largest RMS error of an output that passes"},
           {"layer", "", "RMS error of the layer on the machine's own inputs"},
           {"law", "", "what the law of rounding expects for it"},
           {"saturated", "", "simulated numbers at an end of the data type's range"},
           {"inside", "", "numbers that saturated inside the layer"}}};
}

PrintedTable columns_of_topologies() {
  return {"tactus topologies",
          {{"topology", "", "name of the file"},
           {"MMAC with padding", "", "millions of multiply-accumulates, with those of padding"},
           {"MMAC without padding", "", "those that the layers ask for"},
           {"time", "", "cycles at the board's clock"},
           frames_column(),
           {"DRAM MB", "", "read and written at the DRAM ports"}}};
}

PrintedTable columns_of_requests() {
  return {
      "tactus run with requests that arrive",
      {{"units", "", "numbers of the units that run the model"},
       {"requests", "", "how they arrive; ready: whenever a unit can begin one"},
       {"shortest ms", "", "shortest latency of a request, from its arrival to its end"},
       {"median", "ms", "latency of half of the requests"},
       {"95 %", "ms", "latency that 95 % of the requests do not exceed"},
       {"99 %", "ms", "latency that 99 % of the requests do not exceed"},
       {"max", "ms", "longest latency"},
       {"queued ms", "", "mean time from arrival until a unit takes the request"},
       {"bytes %", "", "part of the bytes of all models at the DRAM ports"},
       mhz_column(),
       {"busy %", "", "part of the time in which an image runs"},
       {"beginning %", "",
        "part in which the unit begins with another model: it writes the offsets of its banks and "
        "copies its constants"},
       {"waits for others %", "",
        "part of the ports' cycles in which the memory serves other accesses"},
       {"accesses wait at the memory, us", "",
        "time that all accesses of a model together wait, by the model whose accesses are served"},
       {"mean latency of", "", "a model, and its mean latency beside each other one"},
       {"alone ms", "", "mean latency when only its own requests arrive"}}};
}

PrintedTable columns_of_others() {
  return {"tactus estimate, cache, gemm, sweep, darwinn",
          {{"vectors", "", "vectors that the instructions process"},
           {"energy units", "", "of the reference's estimate"},
           {"used", "", "when the program was last used"},
           {"size", "", "bytes on the disk"},
           {"product", "", "name of the matrix product"},
           {"M x N x K", "", "rows, columns and inner dimension"},
           {"MAC/cycle", "", "multiply-accumulates a cycle"},
           {"useful MAC", "", "multiply-accumulates of the product by those of a full array"},
           {"of bound", "", "cycles by the lower bound of the machine"},
           {"memory bytes", "", "read and written"},
           {"folder", "", "results of one job"},
           {"killed", "", "points that a signal or a limit ended"},
           {"last result", "", "how long ago"},
           {"host time a point", "", "mean time that this computer took for a point"},
           {"request", "", "number of the request"},
           {"transfer", "", "what passed the link"},
           {"start ms", "", "when it began"},
           {"end ms", "", "when it ended"}}};
}

}  // namespace

std::vector<PrintedTable> printed_tables() {
  return {columns_of_networks(), columns_of_machines(), columns_of_bench(),
          columns_of_layers(),   columns_of_accuracy(), columns_of_topologies(),
          columns_of_requests(), columns_of_others(),   lines_of_run(),
          lines_of_compile(),    columns_of_samples()};
}

}  // namespace tactus
