// Rewrites errors about something that a file names as errors of the place that names it.
#pragma once

#include <string>
#include <utility>

#include "isa/support/error.h"

namespace tactus {

/// Returns the result of `make`. A UserError of `make` is rethrown with the position `where`,
/// "file:/json/path".
template <typename Make>
auto located(const std::string& where, Make&& make) {
  try {
    return std::forward<Make>(make)();
  } catch (const UserError& error) {
    throw UserError(where + ": " + error.what());
  }
}

}  // namespace tactus
