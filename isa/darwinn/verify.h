// Checks whether a package can be run: all rules beyond those of FlatBuffers.
//
// A package that is accepted can be linked, transferred and laid out without further checks: every
// offset is inside its buffer, every name is known, all sizes are consistent. Any other is refused
// with a code, the executable, the index and the value (refusal.h). The work is bounded by the size
// of the file, whatever its tables claim. E_LIMIT names the few limits that are Tactus's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"
#include "isa/darwinn/refusal.h"

namespace tactus::darwinn {

struct VerifyOptions {
  std::string chip;              ///< chip of the unit; empty: any known chip
  bool check_signature = false;  ///< refuses signed packages, since Tactus cannot check signatures
  /// token of the parameters that are on the chip already; 0: none
  std::uint64_t resident_token = 0;
  bool needs_hints = false;  ///< the link needs fully deterministic hints
};

/// Checks in the order of the runtime and throws PackageError for the first broken rule. Returns
/// warnings. `file` stands for the file name.
std::vector<Warning> verify(const Package& package, const std::string& file,
                            const VerifyOptions& options = {});

/// Checks one layer as an input or an output.
void verify_layer(const Layer& layer, AnyLayer kind, const std::string& file,
                  const std::string& place);

/// Chips: is_edge_tpu() is true for chips that are replayed; the other function for chips
/// "tcu-NAME", whose programs run on the TCU.
[[nodiscard]] bool is_edge_tpu(std::string_view chip);
[[nodiscard]] bool is_tcu(std::string_view chip);
/// Bytes of an Edge TPU instruction.
constexpr std::int64_t edge_tpu_instruction_bytes = 16;

}  // namespace tactus::darwinn
