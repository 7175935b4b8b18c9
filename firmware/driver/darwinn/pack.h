// Packing: a compiled model of the TCU as a DarwiNN package.
//
// The program travels behind two Configure instructions, of the offsets of DRAM0 and DRAM1, whose
// values are fields: the package runs wherever scratch memory (variables, inputs, outputs) and
// parameters (constants) are put, in blocks of 64 KiB. Constants travel with every request. Lanes
// of a vector are z, its vectors x, for a model file names no other shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"

namespace tactus {

struct PackOptions {
  std::string chip;     ///< behind "tcu-": the architecture's name
  std::string version;  ///< of the program that packs
};

/// The bytes of a package that darwinn::verify accepts. Throws UserError for what does not fit one:
/// a data type without a counterpart (FP18BP10), operands of less than 36 bits, DAIS blocks,
/// constants that are loaded into local memory ahead, tensors in several pieces, and programs with
/// Configure instructions of their own.
[[nodiscard]] std::vector<std::uint8_t> pack(const Model& model, const PackOptions& options);

}  // namespace tactus
