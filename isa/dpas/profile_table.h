// The table of a profile's parameters.
#pragma once

#include "isa/dpas/profile.h"
#include "isa/support/parameter.h"

namespace tactus::dpas {

/// Parameters in the order of the files in configs/dpas.
[[nodiscard]] const ParameterTable<Profile>& profile_parameters();

/// Reads the keys of the object, reports unknown ones, and checks the values against each other.
[[nodiscard]] Profile decode_profile(ObjectReader reader,
                                     MissingKeys missing = MissingKeys::refused,
                                     const Profile& base = {});

/// Throws UserError "WHERE..." if values contradict each other, as when reading a file.
void check_profile(const Profile& profile, const std::string& where);

}  // namespace tactus::dpas
