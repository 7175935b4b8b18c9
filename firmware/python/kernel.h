// Runs kernels on machines with a DPAS array.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/energy/table.h"
#include "firmware/python/machine.h"
#include "firmware/python/watch.h"

namespace tactus::python {

struct KernelRequest : Request {
  std::string program;  ///< path of vISA text or of a container, or text of several lines
  std::string machine;  ///< name or path of a profile
  std::string board;    ///< name or path; empty: none
  std::string kernel;   ///< name of the kernel to run; empty: the only one
  /// JSON object with keys of `tactus explain dpas` and `tactus explain board`.
  std::string values;
  /// Inputs of the kernel by name: buffers with their contents, and numbers, one for all threads or
  /// one for each.
  std::vector<std::pair<std::string, std::vector<std::uint8_t>>> buffers;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> numbers;
};

class KernelRun final : public RecordedRun {
 public:
  explicit KernelRun(DpasRunResult made) : result(std::move(made)) {}

  std::string subject, machine, board;
  DpasSimulationConfig config;
  MachineRates rates;
  DpasRunResult result;
  std::optional<energy::Meter> meter;
  /// Contents of the buffers after the run, by name.
  std::vector<std::pair<std::string, std::vector<std::uint8_t>>> buffers;

  [[nodiscard]] RunDocument document() const override;
};

/// Runs a kernel on all threads of a machine that is made for it. `progress` is as in
/// SimulatedMachine::run(). Throws UserError.
[[nodiscard]] std::unique_ptr<KernelRun> run_kernel(const KernelUse& use,
                                                    const KernelRequest& request,
                                                    const std::function<void()>& progress);

}  // namespace tactus::python
