// The host: loads a model into a machine and runs it on images, as a driver does.
//
// There are two modes. In plain mode only the program is streamed, and the run ends when the
// machine is idle; the golden figures are measured in this mode. In driver mode configuration
// registers are written first, and two instructions that copy a probe vector within DRAM0 follow
// every program. A real host knows from the copy's arrival that the outputs are complete. The probe
// uses the last local vector and the last two DRAM0 vectors. Source: toolchain spec
// sections 6.2, 6.3.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

enum class HostMode { plain, driver };

/// Vectors of tensors as bytes in DRAM, by the tensor's name.
using TensorData = std::map<std::string, std::vector<std::uint8_t>>;

struct ImageResult {
  TcuRunResult run;
  std::optional<Cycle> probe;  ///< driver mode: cycle in which the probe's copy is in DRAM0
  TensorData outputs;          ///< empty unless the run finished
  Cycle begin = 0;             ///< cycle of the machine in which the run began
  /// Cycles of the copy of constants to local memory, once before the machine's first image; 0: the
  /// model copies none. They are in no latency.
  Cycle constants = 0;
};

/// Returns the program that copies constants from DRAM1 to local memory: the constants that the
/// model lists as resident and, if the model says so, all constants to vectors of the same numbers.
/// Throws UserError if they do not fit.
[[nodiscard]] std::vector<std::uint8_t> constants_to_local(const Model& model,
                                                           const tcu::InstructionLayout& layout);

/// Where a model has its DRAM banks.
struct HostPlace {
  /// Values of the registers Dram0Offset and Dram1Offset, in units of offset_bytes.
  std::array<std::uint32_t, 2> offset{};
  static constexpr std::uint64_t offset_bytes = std::uint64_t{1} << 16;
  /// True if other models on the machine have other banks, so that the registers must be written.
  bool shared = false;
};

class Host {
 public:
  /// The model must outlive the host. Throws UserError if the model does not fit the machine or, in
  /// driver mode, uses the probe's vectors.
  Host(TcuSimulation& simulation, const Model& model, HostMode mode, const HostPlace& place = {});

  /// Loads the model and begins with it. Returns the result of enter() if it did not finish.
  std::optional<TcuRunResult> prepare();
  /// Writes the constants to DRAM1, in no time.
  void load();
  /// Begins with the model, as after another model on the machine: runs a program that writes the
  /// configuration registers, in driver mode or if the machine is shared, and copies constants to
  /// local memory if the model says so. Returns its result if it did not finish.
  std::optional<TcuRunResult> enter();

  /// Writes the inputs, runs the program once and reads the outputs. `inputs` has one image of each
  /// input.
  ImageResult run_image(const TensorData& inputs, const TcuRunOptions& options);

 private:
  [[nodiscard]] std::vector<std::uint8_t> configuration_program() const;
  [[nodiscard]] std::vector<std::uint8_t> probe_program() const;
  void check_probe_place() const;
  void check_program_leaves_probe(const std::string& remedy) const;
  void reset_probe();
  [[nodiscard]] bool probe_arrived();
  [[nodiscard]] std::uint64_t address(std::uint64_t vector) const;
  [[nodiscard]] std::uint64_t place_of(unsigned port, std::uint64_t vector) const;

  TcuSimulation& simulation_;
  const Model& model_;
  HostMode mode_;
  HostPlace place_;
  const tcu::Architecture& architecture_;
  tcu::InstructionLayout layout_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<std::uint8_t> with_probe_;  ///< program of driver mode: the model's, then the probe's
  std::vector<std::uint8_t> probe_;       ///< contents of the probe vector
  Cycle constants_cycles_ = 0;            ///< see ImageResult::constants
};

}  // namespace tactus
