// Packing: a compiled model of the TCU as a DarwiNN package.
//
// The program travels behind Configure instructions of the offsets of DRAM0 and DRAM1, whose values
// are fields: the package runs wherever scratch memory and parameters (constants) are put, in
// blocks of 64 KiB. In profile A inputs and outputs lie in scratch memory beside the variables; in
// profile B each has a base of its own, see relocate.h. Lanes of a vector are z, its vectors x, for
// a model file names no other shape; a tensor in several pieces is one layer, piece after piece.
//
// Constants travel with every request (one STAND_ALONE executable), or once: an executable
// PARAMETER_CACHING brings them, and EXECUTION_ONLY finds them there. Where the model keeps its
// constants in local memory, the first also moves them from DRAM1 into it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"

namespace tactus {

enum class PackProfile {
  a,  ///< inputs and outputs in scratch memory: two Configure instructions
  b,  ///< inputs and outputs wherever the host puts each of them
};

struct PackOptions {
  std::string chip;     ///< behind "tcu-": the architecture's name
  std::string version;  ///< of the program that packs
  PackProfile profile = PackProfile::a;
  bool cache_parameters = false;
  /// Of parameter caching: packages of one token stay on the device together. 0: of the package's
  /// contents, which is another one for every model.
  std::uint64_t token = 0;
  std::int64_t estimated_cycles = 0;  ///< of the program, by formula; 0: unknown
};

struct PackedModel {
  std::vector<std::uint8_t> bytes;
  /// In the program: Configure instructions, and reads that let earlier writes end.
  std::size_t configures = 0, read_backs = 0;
};

/// The bytes of a package that darwinn::verify accepts. Throws UserError for what does not fit one:
/// a data type without a counterpart (FP18BP10), operands of less than 36 bits, DAIS blocks,
/// inputs and outputs that share vectors, programs with Configure instructions of their own, and
/// what cannot be cached: a model without constants, a token of one's own for constants in local
/// memory, where those of two models would meet.
[[nodiscard]] PackedModel pack_model(const Model& model, const PackOptions& options);
[[nodiscard]] inline std::vector<std::uint8_t> pack(const Model& model,
                                                    const PackOptions& options) {
  return pack_model(model, options).bytes;
}

}  // namespace tactus
