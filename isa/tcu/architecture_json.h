// The architecture as a JSON object inside another file (.tmodel).
#pragma once

#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Reads the keys of the object, reports unknown ones, and checks the values against each other.
/// What may be missing stays as in `base`. Files of models may lack keys that were added later,
/// MissingKeys::old_allowed. DAIS programs are read from the folder of the document's file.
/// Problems go to the reader's document.
[[nodiscard]] Architecture decode_architecture(ObjectReader reader,
                                               MissingKeys missing = MissingKeys::refused,
                                               const Architecture& base = {});

}  // namespace tactus::tcu
