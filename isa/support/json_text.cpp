#include "isa/support/json_text.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/json_limits.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Callback of the parser that counts the keys of all open objects.
class KeyLimit {
 public:
  bool operator()(int, Json::parse_event_t event, const Json&) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) keys_.push_back(0);
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && ++keys_.back() > most_json_keys) {
      user_error("an object has more than {} keys", most_json_keys);
    }
    return true;
  }

 private:
  std::vector<std::size_t> keys_;
};

}  // namespace

Json json_of_text(std::string_view text) { return Json::parse(text, KeyLimit()); }

Json json_or_discarded(std::string_view text, JsonComments comments) {
  constexpr bool throwing = false;
  return Json::parse(text, KeyLimit(), throwing, comments == JsonComments::ignored);
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
