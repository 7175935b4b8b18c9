// Conversion between JSON values and text. nlohmann/json's parser and writer are large templates
// that every calling source would compile again; these functions are compiled once.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

/// Parses text; throws nlohmann::json::parse_error if it is not JSON.
[[nodiscard]] nlohmann::ordered_json json_of_text(std::string_view text);

enum class JsonComments { refused, ignored };  ///< treatment of // and /* */ by the parser

/// Parses text; the result is_discarded() if it is not JSON.
[[nodiscard]] nlohmann::ordered_json json_or_discarded(
    std::string_view text, JsonComments comments = JsonComments::refused);

/// Text of a value. Lines are indented by `indent` blanks per level, without a line end behind the
/// last; a negative `indent` gives one line. Bytes that are not UTF-8, as paths may contain, become
/// U+FFFD.
[[nodiscard]] std::string text_of_json(const nlohmann::ordered_json& json, int indent = -1);

/// A JSON string in ASCII, including its quotes: other characters are escaped, bytes that are not
/// UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace tactus
