// Options of a run beside the machine and the program, for all that start runs.
//
// One table has every option: its key, range and sentence, and which ways to start a run have it.
// Options of the command line, keys of --config, arguments of Python, keys of `measure` in sweeps
// and keys of rows of benchmark tables are made from this table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/tcu/host.h"
#include "isa/support/parameter.h"

namespace tactus {

struct RunRequest {
  HostMode mode = HostMode::plain;
  ProgramChecks checks = ProgramChecks::strict;
  bool strict = false;              ///< refuse programs that read memory which nothing has written
  std::optional<Cycle> max_cycles;  ///< limit for each image
  std::string regions_wanted;       ///< a file or a number; empty: the model's layers
  std::optional<std::uint64_t> images_wanted;  ///< empty: as many as the inputs have
  std::uint64_t tcus = 1;  ///< units behind one memory, to which images are dealt out
  std::string energy;      ///< a table's name or path; empty: none
  // Requests that arrive, of points and rows; several values are separated by semicolons. See
  // firmware/serving/serving_options.h; an empty text stands for the default.
  std::string beside;  ///< networks beside the first, as NETWORK or NAME=NETWORK
  std::string arrivals, on, duration, order, unit_clocks;
  std::optional<std::uint64_t> queue;
};

/// Sets the options of the simulation.
void apply(const RunRequest& request, RunOptions& options);

/// What starts a run.
enum class Asker : unsigned {
  command = 1,    ///< tactus run, with a model or a program
  python = 2,     ///< tactus.run and the class Machine
  points = 4,     ///< points of sweeps that run a network: the section `measure`
  rows = 8,       ///< rows of benchmark tables
  kernels = 16,   ///< runs on a machine with a DPAS array: tactus run --machine, tactus.run_kernel
  products = 32,  ///< matrix products of tactus gemm
};

struct RunOption {
  unsigned askers;  ///< set of Asker: those that have the option
  Parameter<RunRequest> parameter;
  std::string_view elsewhere;  ///< why the others do not have it; empty: they have another row
};
/// What an error says where somebody asks for an option that he does not have; empty: there is no
/// such option, or he has it.
[[nodiscard]] std::string why_not_for(Asker asker, std::string_view key);
/// Reports keys of an object that are options of others, with the reason. Call before finish().
void refuse_others(Asker asker, ObjectReader& reader);

/// All options. A key that differs between two ways to start a run has a row for each.
[[nodiscard]] const std::vector<RunOption>& request_options();
/// The options that one way to start a run has.
[[nodiscard]] const ParameterTable<RunRequest>& request_parameters(Asker asker);

}  // namespace tactus
