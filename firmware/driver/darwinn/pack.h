// Packs a compiled model of the TCU as a DarwiNN package.
//
// Two Configure instructions precede the program and set the offsets of DRAM0 and DRAM1. Their
// values are fields of the package, which a linker fills in. Scratch memory and parameters
// (constants) can therefore be at any blocks of 64 KiB. In profile A, inputs and outputs are in
// scratch memory, like the variables; in profile B each has a base of its own, see relocate.h. A
// model file has no shapes, so a layer's z is the lanes of a vector and its x the vectors. A tensor
// in several pieces is one layer with the pieces in order.
//
// Constants are transferred with every request, by one STAND_ALONE executable, or once: a
// PARAMETER_CACHING executable transfers them, and an EXECUTION_ONLY one uses them. If the model
// keeps its constants in local memory, PARAMETER_CACHING also moves them there from DRAM1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"

namespace tactus {

enum class PackProfile {
  a,  ///< inputs and outputs in scratch memory: two Configure instructions
  b,  ///< each input and output wherever the host places it
};

struct PackOptions {
  std::string chip;     ///< name of the architecture; the package's chip is "tcu-" and this name
  std::string version;  ///< version of the packing program
  PackProfile profile = PackProfile::a;
  bool cache_parameters = false;
  /// Token of parameter caching. The parameters of packages with the same token stay on the device
  /// together. 0: a hash of program and constants, which differs from model to model.
  std::uint64_t token = 0;
  std::int64_t estimated_cycles = 0;  ///< estimate for the program; 0: unknown
};

struct PackedModel {
  std::vector<std::uint8_t> bytes;
  /// Numbers of instructions added to the program: Configure instructions, and reads that wait for
  /// the end of earlier writes.
  std::size_t configures = 0, read_backs = 0;
};

/// Packs a model; darwinn::verify accepts the package. Throws UserError for a model that cannot be
/// packed because of
/// - a data type without a counterpart (FP18BP10);
/// - instructions with operands of less than 36 bits together;
/// - DAIS blocks;
/// - inputs and outputs that share vectors;
/// - Configure instructions in its program;
/// - parameter caching without constants, or with a user's token and constants in local memory,
///   where the constants of two models would overlap.
[[nodiscard]] PackedModel pack_model(const Model& model, const PackOptions& options);
[[nodiscard]] inline std::vector<std::uint8_t> pack(const Model& model,
                                                    const PackOptions& options) {
  return pack_model(model, options).bytes;
}

}  // namespace tactus
