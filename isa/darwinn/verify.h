// Whether a package can be run: every rule that is not one of FlatBuffers.
//
// What is accepted here can be linked, transferred and laid out without further checks: every
// offset is inside its buffer, every name is known, every size is consistent. What cannot is
// refused with a code, the executable, the index and the value (refusal.h). The work is bounded by
// the size of the file, whatever its tables claim; E_LIMIT names the few limits that are Tactus's
// own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"
#include "isa/darwinn/refusal.h"

namespace tactus::darwinn {

struct VerifyOptions {
  std::string chip;                  ///< of the unit; empty: any chip that is known
  bool check_signature = false;      ///< refuses what is signed, for nobody can check it
  std::uint64_t resident_token = 0;  ///< whose parameters are on the chip already; 0: none
  bool needs_hints = false;          ///< the link needs hints that are fully deterministic
};

/// Throws PackageError for the first rule that is broken, in the order of the runtime; returns
/// what is merely worth a word. `file` stands for the file's name.
std::vector<Warning> verify(const Package& package, const std::string& file,
                            const VerifyOptions& options = {});

/// One layer on its own, as an input or an output.
void verify_layer(const Layer& layer, AnyLayer kind, const std::string& file,
                  const std::string& place);

/// Chips that are replayed, and those whose programs run on the TCU ("tcu-" and its name).
[[nodiscard]] bool is_edge_tpu(std::string_view chip);
[[nodiscard]] bool is_tcu(std::string_view chip);
/// Bytes of an Edge TPU instruction.
constexpr std::int64_t edge_tpu_instruction_bytes = 16;

}  // namespace tactus::darwinn
