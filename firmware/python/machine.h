// Machines that run programs and models, and the results of runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/energy/table.h"
#include "firmware/python/configuration.h"
#include "firmware/python/model.h"
#include "firmware/python/watch.h"
#include "isa/tcu/written_vectors.h"

namespace tactus::python {

struct RunRequest : WatchRequest {
  HostMode mode = HostMode::plain;
  std::uint64_t tcus = 1;  ///< units behind one memory, to which the images are dealt out
};

/// A run of one program, or of images in succession.
class Run final : public RecordedRun {
 public:
  std::string kind, subject;  ///< see RunDocument
  Configuration configuration;
  MachineRates rates;
  std::vector<ImageResult> images;
  std::optional<compiler::ModelTensors> tensors;
  HostMode mode = HostMode::plain;
  std::uint64_t batch = 1;              ///< images in each element of `images`
  std::vector<tcu::LayerEntry> layers;  ///< layers of the model; empty: a program
  std::optional<energy::Meter> meter;
  unsigned tcus = 1;                        ///< units; the first is watched
  Cycle alone = 0;                          ///< see RunDocument
  std::optional<DdrFigures> shared_memory;  ///< figures of the memory shared by several units

  [[nodiscard]] RunDocument document() const override;
};

/// The process's right to call SystemC, whose kernel serves one machine at a time. Throws UserError
/// while another thread holds it. Construct and destroy it with Python's lock held.
class KernelUse {
 public:
  KernelUse();
  ~KernelUse();
  KernelUse(const KernelUse&) = delete;
  KernelUse& operator=(const KernelUse&) = delete;
};

/// Runs the images on request.tcus units, which are made for it. `progress` as of
/// SimulatedMachine::run().
[[nodiscard]] std::unique_ptr<Run> run_on_units(const KernelUse& use,
                                                const Configuration& configuration,
                                                const CompiledModel& model,
                                                const std::vector<TensorData>& images,
                                                const RunRequest& request,
                                                const std::function<void()>& progress);

/// A machine of the process. Access to its simulation needs a KernelUse.
class SimulatedMachine {
 public:
  SimulatedMachine(const KernelUse& use, const Configuration& configuration);
  /// If another machine is running, the simulation ends later.
  ~SimulatedMachine();
  SimulatedMachine(const SimulatedMachine&) = delete;
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  /// Runs the images; each is a map of inputs by name. `progress` is called from time to time; an
  /// exception of it ends the run and the machine.
  [[nodiscard]] std::unique_ptr<Run> run(const KernelUse& use, const CompiledModel& model,
                                         const std::vector<TensorData>& images,
                                         const RunRequest& request,
                                         const std::function<void()>& progress);
  [[nodiscard]] std::unique_ptr<Run> run_program(const KernelUse& use,
                                                 const std::vector<std::uint8_t>& program,
                                                 const RunRequest& request,
                                                 const std::function<void()>& progress);

  /// Reads vectors [first, first + count) of a memory in the machine's table.
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
      const RunRequest& request, const std::string& subject,
      const std::function<void(Run& run, Watch& watch, TcuRunOptions& options)>& simulate,
      const std::function<void()>& progress);

  Configuration configuration_;
  std::unique_ptr<TcuSimulation> simulation_;
  tcu::WrittenVectors written_;  ///< vectors written by the runs so far
  bool interrupted_ = false;
};

}  // namespace tactus::python
