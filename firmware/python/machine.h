// Machines that run programs and models, and what a run gives.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/python/configuration.h"
#include "firmware/python/model.h"
#include "firmware/python/recorder.h"
#include "firmware/report/activity.h"
#include "firmware/report/run_document.h"

namespace tactus::python {

/// A program that hangs or meets its cycle limit; the text says what each unit waits for.
class Stuck : public UserError {
 public:
  using UserError::UserError;
};

struct RunRequest {
  Cycle max_cycles = 0;  ///< of an image; 0: no limit
  HostMode mode = HostMode::plain;
  bool events = false, accounts = false;
};

/// A unit of a machine and its states, for AccountRows.
struct RecordedUnit {
  std::string name;
  UnitStates states;
};

/// Images that ran one after the other, or one program.
class Run {
 public:
  std::string kind, subject;  ///< see RunDocument
  Configuration configuration;
  MachineRates rates;
  std::vector<ImageResult> images;
  Cycle total_cycles = 0;
  double wall_seconds = 0;
  std::optional<compiler::ModelTensors> tensors;
  std::unique_ptr<EventRows> events;
  std::unique_ptr<AccountRows> accounts;
  std::vector<RecordedUnit> units;
  std::unique_ptr<Activity> activity;  ///< of the first image; with accounts only
  HostMode mode = HostMode::plain;

  [[nodiscard]] RunDocument document() const;
  /// Cycles of an image as its driver counts them.
  [[nodiscard]] Cycle cycles(std::size_t image) const;
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
      const RunRequest& request,
      const std::function<void(Run& run, TcuRunOptions& options)>& simulate,
      const std::function<void()>& progress);

  Configuration configuration_;
  std::unique_ptr<TcuSimulation> simulation_;
  bool interrupted_ = false;
};

}  // namespace tactus::python
