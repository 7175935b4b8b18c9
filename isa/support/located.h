// Errors about something that a file names, as errors of the place that names it.
#pragma once

#include <string>
#include <utility>

#include "isa/support/error.h"

namespace tactus {

/// What `make` returns. A UserError that it throws becomes one at `where`, "file:/json/path".
template <typename Make>
auto located(const std::string& where, Make&& make) {
  try {
    return std::forward<Make>(make)();
  } catch (const UserError& error) {
    throw UserError(where + ": " + error.what());
  }
}

}  // namespace tactus
