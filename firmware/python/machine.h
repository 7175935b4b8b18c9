// Machines that run programs and models, and what a run gives.
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
};

/// Images that ran one after the other, or one program.
class Run final : public RecordedRun {
 public:
  std::string kind, subject;  ///< see RunDocument
  Configuration configuration;
  MachineRates rates;
  std::vector<ImageResult> images;
  std::optional<compiler::ModelTensors> tensors;
  HostMode mode = HostMode::plain;
  std::uint64_t batch = 1;              ///< images that each of `images` is
  std::vector<tcu::LayerEntry> layers;  ///< of the model; empty: a program
  std::optional<energy::Meter> meter;

  [[nodiscard]] RunDocument document() const override;
};

/// The process's right to call SystemC, whose kernel is at work for one machine at a time. Throws
/// UserError while somebody else has it. Made and destroyed with Python's lock held.
class KernelUse {
 public:
  KernelUse();
  ~KernelUse();
  KernelUse(const KernelUse&) = delete;
  KernelUse& operator=(const KernelUse&) = delete;
};

/// One machine of the process. Whatever touches its simulation needs the right to.
class SimulatedMachine {
 public:
  SimulatedMachine(const KernelUse& use, const Configuration& configuration);
  /// Without the right, as while another machine runs, the simulation ends later.
  ~SimulatedMachine();
  SimulatedMachine(const SimulatedMachine&) = delete;
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  /// `images`: one entry for each, inputs by name. `progress` is called now and then; what it
  /// throws ends the run, and the machine with it.
  [[nodiscard]] std::unique_ptr<Run> run(const KernelUse& use, const CompiledModel& model,
                                         const std::vector<TensorData>& images,
                                         const RunRequest& request,
                                         const std::function<void()>& progress);
  [[nodiscard]] std::unique_ptr<Run> run_program(const KernelUse& use,
                                                 const std::vector<std::uint8_t>& program,
                                                 const RunRequest& request,
                                                 const std::function<void()>& progress);

  /// `memory`: a name of the machine's table. Vectors [first, first + count).
  [[nodiscard]] std::vector<std::uint8_t> read(const KernelUse& use, const std::string& memory,
                                               std::uint64_t first, std::uint64_t count);
  /// Of the DRAM banks.
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
  tcu::WrittenVectors written_;  ///< by the runs so far
  bool interrupted_ = false;
};

}  // namespace tactus::python
