// The architecture as a JSON object inside another file (.tmodel).
#pragma once

#include "isa/support/json.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Whether number_of_threads and thread_queue_depth may be left out, as model files written before
/// these keys existed do; they then have the values of Architecture's defaults.
enum class ThreadKeys { mandatory, optional };

/// Reads all keys of the object, reports unknown ones, and checks the values against each other.
/// DAIS programs are read from the folder of `file`, which holds the object. Problems go to the
/// reader's document.
[[nodiscard]] Architecture decode_architecture(ObjectReader reader, ThreadKeys thread_keys,
                                               const std::string& file);

}  // namespace tactus::tcu
