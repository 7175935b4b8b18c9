#include "isa/support/json_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json json_of_text(std::string_view text) { return Json::parse(text); }

Json json_or_discarded(std::string_view text, JsonComments comments) {
  constexpr bool throwing = false;
  return Json::parse(text, nullptr, throwing, comments == JsonComments::ignored);
}

std::string text_of_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_string(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) {  // nearly always, and millions of times
    std::string quoted;
    quoted.reserve(text.size() + 2);
    quoted += '"';
    quoted += text;
    quoted += '"';
    return quoted;
  }
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace tactus
