// Names that come from somebody's file or command line: of tensors, layers, products, points.
//
// They may hold anything. Readers make them printable once, so that whatever shows them later
// (terminal, errors, JSON, CSV, pages) may take them as they are.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// The name with control characters, characters that turn the direction of text, and bytes that are
/// not UTF-8 as \xNN. A name without any stays as it is.
[[nodiscard]] std::string printable_name(std::string_view name);

/// A name of a file for each name, without folder and extension: distinct, and short enough to be
/// followed by an extension. Names that can be names of files keep theirs.
[[nodiscard]] std::map<std::string, std::string> file_names(const std::vector<std::string>& names);

/// How file_names() makes them, for people.
inline constexpr std::string_view file_name_rule =
    "in names of files \\ / : * ? \" < > | and blanks become _, more than 200 bytes are cut off, "
    "and "
    "names that would be equal get ~2, ~3, ...";

}  // namespace tactus
