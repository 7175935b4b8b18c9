// The architecture as a JSON object inside another file (.tmodel).
#pragma once

#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Reads a file whose keys are optional. `defaults` receives the list of missing keys with their
/// values: "dram0_depth 1048576, ...".
[[nodiscard]] Architecture read_architecture(const std::string& path, std::string& defaults);

/// The keys that the object leaves to their defaults, as text: "dram0_depth 1048576, ...".
[[nodiscard]] std::string keys_left_out(ObjectReader reader);

/// Reads the keys of an object, reports unknown ones, and checks the values against each other.
/// Missing keys keep the values of `base`. MissingKeys::old_allowed is for model files, which may
/// lack keys that were added later. DAIS programs are read relative to the folder of the document's
/// file. Problems go to the reader's document.
[[nodiscard]] Architecture decode_architecture(ObjectReader reader,
                                               MissingKeys missing = MissingKeys::refused,
                                               const Architecture& base = {});

}  // namespace tactus::tcu
