// A simulated TCU as the device behind a host link. It places packages in its memory and runs their
// programs.
//
// DRAM0 holds instruction buffers and arenas of scratch memory (variables, inputs, outputs). A
// package has several arenas if its requests overlap. DRAM1 holds parameters. Arenas and parameters
// start at multiples of 64 KiB, instructions at multiples of 4 KiB; each bank has a buddy
// allocator. Inputs and outputs with bases of their own are allocated like arenas, for each arena.
//
// A program is linked for its arena before every run. Inputs and outputs are whole vectors; lanes
// that a layer does not use are 0. No signs are flipped, because the TCU uses two's complement.
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

/// Returns the model in a package for the TCU, with the program of the main executable, not linked.
/// Its layers count the Configure instructions before the program. Precondition: verify() has
/// accepted the package. Throws UserError for a program that could not run, such as one with an
/// instruction that the architecture does not have.
[[nodiscard]] Model packaged_model(const darwinn::File& file);
/// Returns the program of the PARAMETER_CACHING executable, not linked. Empty: the package has
/// none.
[[nodiscard]] std::vector<std::uint8_t> packaged_preload(const darwinn::File& file);

class PackageDevice {
 public:
  /// Loads packages and allocates `arenas` arenas for each. Precondition: all packages have the
  /// machine's architecture. Throws UserError if they do not fit its memory.
  PackageDevice(TcuSimulation& simulation, const std::vector<const darwinn::Package*>& packages,
                unsigned arenas);

  /// Clears the cache of parameters: their memory becomes free.
  void evict();
  /// Runs the PARAMETER_CACHING executable of a package.
  [[nodiscard]] TcuRunResult cache_parameters(std::size_t package, const TcuRunOptions& options);
  /// Runs the main executable in one of the package's arenas: writes the inputs, runs the program
  /// and, if the run has finished, reads the outputs. `inputs` has one image of each input layer,
  /// in whole vectors.
  [[nodiscard]] ImageResult run(std::size_t package, std::size_t arena, const TensorData& inputs,
                                const TcuRunOptions& options);

  /// Device addresses that the main executable has in an arena.
  [[nodiscard]] darwinn::Addresses addresses(std::size_t package, std::size_t arena) const;

 private:
  struct Loaded {
    const darwinn::Package* package;
    tcu::ModelFile model;
    std::vector<darwinn::Addresses> arenas;  ///< addresses in each arena, without parameters
    std::set<std::string_view> based_inputs, based_outputs;
    std::optional<std::uint64_t> parameters;  ///< address of the main executable's parameters
    std::optional<std::uint64_t> cached;  ///< address of the cached parameters; empty: not cached
  };

  [[nodiscard]] std::vector<std::uint8_t> linked(const darwinn::Executable& executable,
                                                 const darwinn::Addresses& addresses) const;
  /// Allocates an arena, and buffers for layers with bases of their own.
  [[nodiscard]] darwinn::Addresses new_arena(const Loaded& loaded);
  /// Writes input `index` to its buffer at `address`.
  void write_input(const Loaded& loaded, std::size_t index, std::uint64_t address,
                   std::vector<std::uint8_t> vectors);
  [[nodiscard]] std::vector<std::uint8_t> read_output(const Loaded& loaded, std::size_t index,
                                                      std::uint64_t address);
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t vectors) const;

  TcuSimulation& simulation_;
  darwinn::BuddyAllocator dram0_, dram1_;
  std::vector<Loaded> loaded_;
  std::vector<std::uint8_t> program_;  ///< program of the current run
};

}  // namespace tactus
