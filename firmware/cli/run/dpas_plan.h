// The request of `tactus run --machine pvc`: options read and checked, files loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/run/run_outputs.h"
#include "firmware/driver/dpas/simulation.h"
#include "firmware/energy/table.h"
#include "isa/support/unwritten_reads.h"

namespace tactus {

/// --bind: an input of the kernel points to a buffer.
struct DpasBinding {
  std::string name;
  std::string path;        ///< file with its contents; empty: `size` zeros
  std::uint64_t size = 0;  ///< bytes
  std::string save;        ///< path to write it to at the end; empty: none
  std::vector<std::uint8_t> bytes;
};

/// --set: an input of the kernel is a number, one for all threads or one each.
struct DpasValue {
  std::string name;
  std::vector<std::int64_t> values;
};

struct DpasPlan : RunOutputs {
  std::string machine;  ///< name or path as given
  std::string program_path;
  std::string kernel_name;  ///< empty: the only one
  DpasSimulationConfig config;
  dpas::Program program;
  const dpas::Kernel* kernel = nullptr;
  UnwrittenReads unwritten;  ///< unwritten registers that the kernel reads
  std::vector<DpasBinding> bindings;
  std::vector<DpasValue> values;
  std::optional<Cycle> max_cycles;
  std::string board;                   ///< name; empty: none
  std::optional<energy::Meter> meter;  ///< table of --energy
};

[[nodiscard]] std::vector<Args::Option> dpas_run_options();
/// Those of the options that shape the machine.
[[nodiscard]] std::vector<Args::Option> dpas_machine_options();
/// Returns the machine that the options describe, for --trace-list.
[[nodiscard]] DpasSimulationConfig plan_dpas_machine(const Args& args, const std::string& machine);
/// Throws UserError if an option belongs to the other kind of memory: ideal, or behind AXI.
void refuse_unused_memory(const Args& args, bool ideal);
/// Reads every file the run needs. Throws UserError before anything has been simulated or written.
[[nodiscard]] DpasPlan plan_dpas_run(const Args& args, const std::string& machine);

}  // namespace tactus
