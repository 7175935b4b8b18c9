#include "firmware/cli/run/run_parameters.h"

#include "firmware/driver/tcu/simulation_parameters.h"

namespace tactus {
const ParameterTable<Workload>& workload_parameters() {
  using W = Workload;
  static const ParameterTable<Workload> table(
      "workload", "What is run: a model with inputs, or a bare program.",
      {text("model", &W::model, "", "compiled model to run").with_value_name("F.tmodel"),
       text("program", &W::program, "", "bare program to run, instead of a model")
           .with_value_name("F.tprog"),
       text("dram0", &W::dram0, "",
            "initial contents of DRAM0 for a program: raw bytes (.bin), or a row of numbers for "
            "each vector (.csv, .npy, .pb)")
           .with_value_name("F"),
       text("dram1", &W::dram1, "",
            "initial contents of DRAM1 for a program: raw bytes (.bin), or a row of numbers for "
            "each vector (.csv, .npy, .pb)")
           .with_value_name("F")});
  return table;
}

const ParameterTable<Sampling>& sampler_parameters() {
  using S = Sampling;
  static const ParameterTable<Sampling> table(
      "sampler", "The machine's performance sampler, which exists only with --samples.",
      {whole("sample_interval", &S::interval, {0, 65535}, "cycles",
             "initial value of the interval register; 0: off"),
       whole("sample_block", &S::block, {1, 0xFFFFFFFF}, "samples", "samples in a block"),
       whole("sample_pause", &S::pause, pause_range, "cycles",
             "the host takes no samples for this long after each block")});
  return table;
}

std::vector<ParameterSection> run_sections() {
  return {workload_parameters().section(),   request_parameters(Asker::command).section(),
          simulation_parameters().section(), sampler_parameters().section(),
          timeline_parameters().section(),   trace_parameters().section()};
}

}  // namespace tactus
