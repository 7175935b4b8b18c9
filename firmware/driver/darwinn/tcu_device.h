// A simulated TCU as the device behind a host link: where packages lie in its memory, and their
// programs run there.
//
// DRAM0 holds arenas of scratch memory (variables, inputs, outputs), several of a package where
// requests follow each other, and instruction buffers; DRAM1 holds parameters. Arenas and
// parameters start at multiples of 64 KiB, instructions of 4 KiB, and come from a buddy allocator a
// bank; so do inputs and outputs with bases of their own, beside each arena. A program is linked
// for its arena before every run. Inputs and outputs are whole vectors: lanes that a layer does not
// have are 0. There are no signs to flip, for the TCU computes in two's complement.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/linker.h"

namespace tactus {

/// The model in a package for the TCU: its text, and the program of the main executable, not
/// linked. Layers of the program are moved behind the Configure instructions that were put ahead of
/// it. The package must have been accepted by verify(). Throws UserError for what could not run,
/// such as an instruction that the architecture does not have.
[[nodiscard]] Model packaged_model(const darwinn::File& file);
/// The program that runs before it wherever the package's parameters are cached, not linked. Empty:
/// there is none.
[[nodiscard]] std::vector<std::uint8_t> packaged_preload(const darwinn::File& file);

class TcuDevice {
 public:
  /// Gives each package `arenas` places. All have the architecture of the machine. Throws UserError
  /// if they do not fit.
  TcuDevice(TcuSimulation& simulation, const std::vector<const darwinn::Package*>& packages,
            unsigned arenas);

  /// Nothing is cached any more: the places of cached parameters are free.
  void evict();
  /// Runs PARAMETER_CACHING of a package.
  [[nodiscard]] TcuRunResult cache_parameters(std::size_t package, const TcuRunOptions& options);
  /// Runs the main executable in one of the package's arenas: inputs are written, outputs read if
  /// the run has finished. `inputs` has one image of each layer, in whole vectors.
  [[nodiscard]] ImageResult run(std::size_t package, std::size_t arena, const TensorData& inputs,
                                const TcuRunOptions& options);

  /// Device addresses of the main executable.
  [[nodiscard]] darwinn::Addresses addresses(std::size_t package, std::size_t arena) const;

 private:
  struct Loaded {
    const darwinn::Package* package;
    tcu::ModelFile model;
    std::vector<darwinn::Addresses> arenas;  ///< but parameters
    std::set<std::string_view> based_inputs, based_outputs;
    std::optional<std::uint64_t> parameters;  ///< of the main executable
    std::optional<std::uint64_t> cached;      ///< of PARAMETER_CACHING
  };

  [[nodiscard]] std::vector<std::uint8_t> linked(const darwinn::Executable& executable,
                                                 const darwinn::Addresses& addresses) const;
  /// An arena, and buffers of layers with bases of their own.
  [[nodiscard]] darwinn::Addresses new_arena(const Loaded& loaded);
  /// Layer `index` of the inputs or outputs, whose buffer is at `address`.
  void write_input(const Loaded& loaded, std::size_t index, std::uint64_t address,
                   std::vector<std::uint8_t> vectors);
  [[nodiscard]] std::vector<std::uint8_t> read_output(const Loaded& loaded, std::size_t index,
                                                      std::uint64_t address);
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t vectors) const;

  TcuSimulation& simulation_;
  darwinn::BuddyAllocator dram0_, dram1_;
  std::vector<Loaded> loaded_;
  std::vector<std::uint8_t> program_;  ///< of the run under way
};

}  // namespace tactus
