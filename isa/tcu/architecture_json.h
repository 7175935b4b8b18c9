// The architecture as a JSON object inside another file (.tmodel).
#pragma once

#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// As read_architecture() of a file whose keys may be left out; `defaults` lists those that are:
/// "dram0_depth 1048576, ...".
[[nodiscard]] Architecture read_architecture(const std::string& path, std::string& defaults);

/// "dram0_depth 1048576, ...": the keys that the object leaves to their defaults.
[[nodiscard]] std::string keys_left_out(ObjectReader reader);

/// Reads the keys of the object, reports unknown ones, and checks the values against each other.
/// What may be missing stays as in `base`. Files of models may lack keys that were added later,
/// MissingKeys::old_allowed. DAIS programs are read from the folder of the document's file.
/// Problems go to the reader's document.
[[nodiscard]] Architecture decode_architecture(ObjectReader reader,
                                               MissingKeys missing = MissingKeys::refused,
                                               const Architecture& base = {});

}  // namespace tactus::tcu
