// Packs a compiled model of the TCU as a DarwiNN package.
//
// Configure instructions of the offsets of DRAM0 and DRAM1 precede the program; their values are
// fields. Hence the package runs with scratch memory and parameters (constants) at any blocks of 64
// KiB. In profile A, inputs and outputs are in scratch memory, like the variables; in profile B
// each has a base of its own, see relocate.h. The lanes of a vector become z, the vectors x,
// because a model file has no other shape. A tensor in several pieces is one layer with the pieces
// in order.
//
// Constants are transferred with every request (one STAND_ALONE executable) or once: an executable
// PARAMETER_CACHING transfers them, and EXECUTION_ONLY uses them. If the model keeps its constants
// in local memory, PARAMETER_CACHING also moves them from DRAM1 into it.
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
  std::string chip;     ///< follows "tcu-": the architecture's name
  std::string version;  ///< version of the packing program
  PackProfile profile = PackProfile::a;
  bool cache_parameters = false;
  /// Token of parameter caching: packages with one token stay on the device together. 0: a hash of
  /// the package's contents, different for every model.
  std::uint64_t token = 0;
  std::int64_t estimated_cycles = 0;  ///< estimate for the program; 0: unknown
};

struct PackedModel {
  std::vector<std::uint8_t> bytes;
  /// Instructions added to the program: Configure, and reads that wait for the end of earlier
  /// writes.
  std::size_t configures = 0, read_backs = 0;
};

/// Returns the bytes of a package that darwinn::verify accepts. Throws UserError for a model that
/// cannot be packed:
/// - a data type without a counterpart (FP18BP10);
/// - operands of less than 36 bits;
/// - DAIS blocks;
/// - inputs and outputs that share vectors;
/// - Configure instructions in the program;
/// - caching of a model without constants, or a user's token for constants in local memory, where
///   those of two models would overlap.
[[nodiscard]] PackedModel pack_model(const Model& model, const PackOptions& options);
[[nodiscard]] inline std::vector<std::uint8_t> pack(const Model& model,
                                                    const PackOptions& options) {
  return pack_model(model, options).bytes;
}

}  // namespace tactus
