// Machines that run programs and models, and the results of runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/images.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/energy/table.h"
#include "firmware/python/configuration.h"
#include "firmware/python/model.h"
#include "firmware/python/watch.h"
#include "firmware/report/tcu/run_recorder.h"
#include "isa/tcu/written_vectors.h"

namespace tactus::python {

/// A run of one program, or of several images.
class Run final : public RecordedRun, public TcuImages {
 public:
  std::string kind, subject;  ///< see RunDocument
  Configuration configuration;
  MachineRates rates;
  std::optional<compiler::ModelTensors> tensors;
  std::vector<nn::Values> carried;  ///< of the images given, see compiler::Started
  RunRequest request;
  std::uint64_t batch = 1;              ///< images that each element of `images` stands for
  std::vector<tcu::LayerEntry> layers;  ///< layers of the model; empty for a program
  std::optional<energy::Meter> meter;

  [[nodiscard]] RunDocument document() const override;
};

/// Uses of SystemC's kernel, which serves one at a time in a process.
enum class KernelUser : std::uint8_t {
  machine,   ///< refused while a machine runs, waits while a compiler simulates
  compiler,  ///< waits for both
};
/// The right to call SystemC. The constructor throws UserError if a machine is refused. Construct
/// and destroy it with Python's lock held; it is released while the constructor waits.
class KernelUse {
 public:
  explicit KernelUse(KernelUser user = KernelUser::machine);
  ~KernelUse();
  KernelUse(const KernelUse&) = delete;
  KernelUse& operator=(const KernelUse&) = delete;
};

/// Runs the images on request.tcus units, which are made for it. It also runs the first image on a
/// machine alone, for comparison. `progress` is as in SimulatedMachine::run().
[[nodiscard]] std::unique_ptr<Run> run_on_units(const KernelUse& use,
                                                const Configuration& configuration,
                                                const CompiledModel& model,
                                                const compiler::PackedImages& images,
                                                const Request& request,
                                                const std::function<void()>& progress);

/// A machine for Python. Every use of its simulation needs a KernelUse.
class SimulatedMachine {
 public:
  SimulatedMachine(const KernelUse& use, const Configuration& configuration);
  /// Destroys the simulation, or, if the kernel is in use, leaves this to the end of that use.
  ~SimulatedMachine();
  SimulatedMachine(const SimulatedMachine&) = delete;
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  /// Runs images, each a map of inputs by name. `progress` is called from time to time. If it
  /// throws, the run ends and the machine cannot run again.
  [[nodiscard]] std::unique_ptr<Run> run(const KernelUse& use, const CompiledModel& model,
                                         const compiler::PackedImages& images,
                                         const Request& request,
                                         const std::function<void()>& progress);
  [[nodiscard]] std::unique_ptr<Run> run_program(const KernelUse& use,
                                                 const std::vector<std::uint8_t>& program,
                                                 const Request& request,
                                                 const std::function<void()>& progress);

  /// Reads vectors [first, first + count) of a memory, named as in MachineInfo::memories.
  [[nodiscard]] std::vector<std::uint8_t> read(const KernelUse& use, const std::string& memory,
                                               std::uint64_t first, std::uint64_t count);
  /// Writes vectors to a DRAM bank.
  void write(const KernelUse& use, const std::string& memory, std::uint64_t first,
             const std::vector<std::uint8_t>& vectors);

  [[nodiscard]] const Configuration& configuration() const { return configuration_; }
  [[nodiscard]] Cycle now() const;

 private:
  void require_usable() const;
  [[nodiscard]] std::size_t memory_named(const std::string& name) const;
  void check_range(std::size_t memory, const std::string& name, std::uint64_t first,
                   std::uint64_t count) const;
  std::unique_ptr<Run> watched_run(
      const Request& request, const std::string& subject,
      const std::vector<tcu::LayerEntry>& layers,
      const std::function<void(Run& run, TcuMachines& machines, TcuRunRecorder& recorder,
                               TcuRunOptions& options)>& simulate,
      const std::function<void()>& progress);

  Configuration configuration_;
  std::unique_ptr<TcuSimulation> simulation_;
  tcu::WrittenVectors written_;  ///< vectors written by the runs so far
  bool interrupted_ = false;     ///< true: a run has ended with an exception other than Stuck
};

}  // namespace tactus::python
