// Returns the text of the error that a function throws.
#pragma once

#include <string>

#include "isa/support/error.h"

namespace tactus {

/// Returns the text of the UserError that `act` throws, or "no error".
template <typename Act>
[[nodiscard]] std::string error_of(const Act& act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tactus
