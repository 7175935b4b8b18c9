// Names from a user's file or command line: of tensors, layers, products, points.
//
// They may contain any bytes. Readers make them printable once; terminal, errors, JSON, CSV and
// pages can then show them unchanged.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Replaces control characters, characters that turn the direction of text, and bytes that are not
/// UTF-8 by \xNN. Other names are unchanged.
[[nodiscard]] std::string printable_name(std::string_view name);

/// A file name for each name, without folder and extension: distinct, and short enough to append an
/// extension. A name that is a valid file name is kept.
[[nodiscard]] std::map<std::string, std::string> file_names(const std::vector<std::string>& names);

/// The rule of file_names(), as text for users.
inline constexpr std::string_view file_name_rule =
    "in names of files \\ / : * ? \" < > | and blanks become _, more than 200 bytes are cut off, "
    "and "
    "names that would be equal get ~2, ~3, ...";

}  // namespace tactus
