// JSON values from text and back. nlohmann/json's parser and writer are templates, compiled anew,
// and long, by every source that calls them; these functions are compiled once.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

/// Throws nlohmann::json::parse_error where the text is no JSON.
[[nodiscard]] nlohmann::ordered_json json_of_text(std::string_view text);

enum class JsonComments { refused, ignored };  ///< what // and /* */ are to the parser

/// A value that is_discarded() where the text is no JSON.
[[nodiscard]] nlohmann::ordered_json json_or_discarded(
    std::string_view text, JsonComments comments = JsonComments::refused);

/// Lines indented by `indent` blanks a level, without a line end behind the last; one line if it is
/// negative. U+FFFD stands for what is not UTF-8, such as paths may hold.
[[nodiscard]] std::string text_of_json(const nlohmann::ordered_json& json, int indent = -1);

/// A JSON string, quotes included, in ASCII: other characters are escaped, what is not UTF-8 is
/// U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace tactus
