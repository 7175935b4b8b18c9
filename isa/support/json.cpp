#include "isa/support/json.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_limits.h"
#include "isa/support/json_text.h"
#include "isa/support/nearest_name.h"
#include "isa/support/text.h"

namespace tactus {

struct JsonNode {
  enum class Kind { null, boolean, integer, number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::optional<std::uint64_t> value;  ///< integers: the value, unless negative or above 2^64 - 1
  std::string text;                    ///< the string, or the number as spelt in the file
  std::vector<std::string> keys;       ///< objects only, in the file's order
  std::vector<JsonNode> items;         ///< elements of an array, or values of the keys
};

namespace {

constexpr std::size_t longest_text = std::size_t{4} << 20;
constexpr std::size_t deepest_nesting = 64;

std::string_view kind_name(JsonNode::Kind kind) {
  switch (kind) {
    case JsonNode::Kind::null:
      return "null";
    case JsonNode::Kind::boolean:
      return "a boolean";
    case JsonNode::Kind::integer:
    case JsonNode::Kind::number:
      return "a number";
    case JsonNode::Kind::string:
      return "a string";
    case JsonNode::Kind::array:
      return "an array";
    case JsonNode::Kind::object:
      return "an object";
  }
  internal_error("JSON value of kind {}", static_cast<int>(kind));
}

/// Appends one printable step to a JSON pointer (RFC 6901).
std::string below(const std::string& path, std::string_view key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return path + "/" + printable(step);
}

std::string below(const std::string& path, std::size_t index) {
  return path + "/" + std::to_string(index);
}

/// Receives the parser's events and builds the tree. Reports duplicate keys, which the tree could
/// not represent: it keeps the first value and drops later ones.
class Builder {
 public:
  Builder(std::string_view text, Problems& problems, JsonNode& root)
      : text_(text), problems_(problems), root_(root) {}

  bool null() {
    place(JsonNode::Kind::null);
    return true;
  }
  bool boolean(bool value) {
    place(JsonNode::Kind::boolean).boolean = value;
    return true;
  }
  bool number_integer(std::int64_t value) {
    JsonNode& node = place(JsonNode::Kind::integer);
    if (value >= 0) node.value = static_cast<std::uint64_t>(value);  // "-0" comes here too
    node.text = std::to_string(value);
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    JsonNode& node = place(JsonNode::Kind::integer);
    node.value = value;
    node.text = std::to_string(value);
    return true;
  }
  bool number_float(double, const std::string& spelling) {
    // The parser reports integers beyond 64 bits as reals; only the spelling tells.
    const bool integer = spelling.find_first_not_of("-0123456789") == std::string::npos;
    place(integer ? JsonNode::Kind::integer : JsonNode::Kind::number).text = spelling;
    return true;
  }
  bool string(std::string& value) {
    place(JsonNode::Kind::string).text = std::move(value);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { internal_error("binary value in JSON text"); }

  bool start_object(std::size_t) { return open(JsonNode::Kind::object); }
  bool start_array(std::size_t) { return open(JsonNode::Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    frame.key = std::move(name);
    frame.duplicate = !frame.seen.insert(frame.key).second;
    if (frame.seen.size() > most_json_keys) {
      problems_.add(current_path(),
                    fmt::format("the object has more than {} keys", most_json_keys));
      return false;
    }
    if (frame.duplicate) problems_.add(problems_.full() ? "" : current_path(), "duplicate key");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) {
    constexpr int number_overflow = 406;
    // `position` counts the bytes read, so the last byte read is the place of the error.
    const std::string where = line_and_column(text_, position == 0 ? 0 : position - 1);
    if (error.id == number_overflow) {
      problems_.add(where, "the number is too large");
      return false;
    }
    std::string_view what = error.what();
    if (const auto start = what.find("syntax error"); start != std::string_view::npos) {
      what.remove_prefix(start);
    }
    what = what.substr(0, what.find("; last read: '"));  // the parser may quote a whole long string
    problems_.add(where, printable(what, 200));
    return false;
  }

 private:
  struct Frame {
    JsonNode* node;
    std::string key;         ///< key read last, for objects
    bool duplicate = false;  ///< the value of the key goes to `dropped`
    std::unordered_set<std::string> seen;
    std::unique_ptr<JsonNode> dropped;
  };

  JsonNode& place(JsonNode::Kind kind) {
    JsonNode& node = next();
    node.kind = kind;
    return node;
  }
  JsonNode& next() {
    if (frames_.empty()) return root_;
    Frame& frame = frames_.back();
    if (frame.duplicate) {
      frame.dropped = std::make_unique<JsonNode>();
      return *frame.dropped;
    }
    if (frame.node->kind == JsonNode::Kind::object) frame.node->keys.push_back(frame.key);
    return frame.node->items.emplace_back();
  }
  bool open(JsonNode::Kind kind) {
    if (frames_.size() >= deepest_nesting) {
      problems_.add("", fmt::format("nested deeper than {} levels", deepest_nesting));
      return false;
    }
    JsonNode& node = place(kind);
    frames_.push_back({&node, {}, false, {}, {}});
    return true;
  }
  bool close() {
    frames_.pop_back();
    return true;
  }
  /// Path of the key read last.
  [[nodiscard]] std::string current_path() const {
    std::string path;
    for (const Frame& frame : frames_) {
      path = frame.node->kind == JsonNode::Kind::object ? below(path, frame.key)
                                                        : below(path, frame.node->items.size() - 1);
    }
    return path;
  }

  std::string_view text_;
  Problems& problems_;
  JsonNode& root_;
  std::vector<Frame> frames_;
};

// ---- one value; null stands for a value that is missing and already reported --------------------

bool is_kind(const JsonNode* node, JsonNode::Kind kind, std::string_view wanted,
             const std::string& path, Problems& problems) {
  if (node == nullptr) return false;
  if (node->kind == kind) return true;
  problems.add(path, fmt::format("must be {}, is {}", wanted, kind_name(node->kind)));
  return false;
}

std::uint64_t read_u64(const JsonNode* node, std::uint64_t min, std::uint64_t max,
                       const std::string& path, Problems& problems) {
  if (node != nullptr && node->kind == JsonNode::Kind::number) {
    problems.add(path, fmt::format("must be an integer, is {}", printable(node->text)));
    return min;
  }
  if (!is_kind(node, JsonNode::Kind::integer, "an integer", path, problems)) return min;
  if (!node->value || *node->value < min || *node->value > max) {
    const bool beyond = !node->value && node->text.front() != '-';  // does not fit 64 bits
    problems.add(path, fmt::format("{} is out of range; allowed {}", printable(node->text),
                                   beyond ? number_text(min) + ".." + number_text(max)
                                          : range_text(min, max)));
    return min;
  }
  return *node->value;
}

enum class LowerEnd { included, excluded };

/// `max` itself is always allowed.
double read_real(const JsonNode* node, double min, LowerEnd end_of_min, double max,
                 const std::string& path, Problems& problems) {
  const bool integer = node != nullptr && node->kind == JsonNode::Kind::integer;
  if (!integer && !is_kind(node, JsonNode::Kind::number, "a number", path, problems)) return max;
  double value = 0;
  const char* end = node->text.data() + node->text.size();
  const bool read = std::from_chars(node->text.data(), end, value).ec == std::errc();
  const bool included = end_of_min == LowerEnd::included;
  if (read && (included ? value >= min : value > min) && value <= max) return value;
  const std::string allowed = included ? fmt::format("{:g}..{:.15g}", min, max)
                                       : fmt::format("above {} and up to {}", min, max);
  problems.add(path, fmt::format("{} is out of range; allowed {}", printable(node->text), allowed));
  return max;
}

std::string read_string(const JsonNode* node, const std::string& path, Problems& problems) {
  const bool good = is_kind(node, JsonNode::Kind::string, "a string", path, problems);
  return good ? node->text : std::string();
}

JsonScalar read_scalar(const JsonNode* node, const std::string& path, Problems& problems) {
  if (node == nullptr) return std::string();
  switch (node->kind) {
    case JsonNode::Kind::boolean:
      return node->boolean;
    case JsonNode::Kind::string:
      return node->text;
    case JsonNode::Kind::number:
      return std::strtod(node->text.c_str(), nullptr);
    case JsonNode::Kind::integer: {
      std::int64_t value = 0;
      const char* end = node->text.data() + node->text.size();
      if (std::from_chars(node->text.data(), end, value).ec == std::errc()) return value;
      problems.add(path, fmt::format("{} is out of range; allowed 64 bits", printable(node->text)));
      return std::int64_t{0};
    }
    default:
      problems.add(path, fmt::format("must be a number, a string, true or false, is {}",
                                     kind_name(node->kind)));
      return std::string();
  }
}

bool is_no_scalar(const JsonNode* node) {
  return node != nullptr &&
         (node->kind == JsonNode::Kind::null || node->kind == JsonNode::Kind::array ||
          node->kind == JsonNode::Kind::object);
}

std::string json_text_of(const JsonNode& node) {
  std::string text;
  switch (node.kind) {
    case JsonNode::Kind::null:
      return "null";
    case JsonNode::Kind::boolean:
      return node.boolean ? "true" : "false";
    case JsonNode::Kind::integer:
    case JsonNode::Kind::number:
      return node.text;
    case JsonNode::Kind::string:
      return json_string(node.text);
    case JsonNode::Kind::array:
      for (const JsonNode& item : node.items) {
        text += (text.empty() ? "" : ",") + json_text_of(item);
      }
      return "[" + text + "]";
    case JsonNode::Kind::object:
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        text += (text.empty() ? "" : ",") + json_string(node.keys[i]) + ":";
        text += json_text_of(node.items[i]);
      }
      return "{" + text + "}";
  }
  internal_error("a JSON value of no kind");
}

ObjectReader read_object(const JsonNode* node, const std::string& path, Problems& problems) {
  const bool good = is_kind(node, JsonNode::Kind::object, "an object", path, problems);
  return {good ? node : nullptr, path, problems};
}

}  // namespace

// ---- ObjectReader -------------------------------------------------------------------------------

ObjectReader::ObjectReader(const JsonNode* node, std::string path, Problems& problems)
    : node_(node), path_(std::move(path)), problems_(&problems) {}

const JsonNode* ObjectReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  if (node_ == nullptr) return nullptr;
  const auto found = std::find(node_->keys.begin(), node_->keys.end(), key);
  if (found == node_->keys.end()) return nullptr;
  return &node_->items[static_cast<std::size_t>(found - node_->keys.begin())];
}

const JsonNode* ObjectReader::require(std::string_view key) {
  const JsonNode* node = find(key);
  if (node == nullptr && node_ != nullptr) problems_->add(below(path_, key), "missing key");
  return node;
}

bool ObjectReader::has(std::string_view key) { return find(key) != nullptr; }

std::uint64_t ObjectReader::get_u64(std::string_view key, std::uint64_t min, std::uint64_t max) {
  return read_u64(require(key), min, max, below(path_, key), *problems_);
}

std::uint32_t ObjectReader::get_u32(std::string_view key, std::uint32_t min, std::uint32_t max) {
  return static_cast<std::uint32_t>(get_u64(key, min, max));
}

double ObjectReader::get_real(std::string_view key, double above, double max) {
  return read_real(require(key), above, LowerEnd::excluded, max, below(path_, key), *problems_);
}

double ObjectReader::get_real_in(std::string_view key, double min, double max) {
  return read_real(require(key), min, LowerEnd::included, max, below(path_, key), *problems_);
}

bool ObjectReader::get_bool(std::string_view key) {
  const JsonNode* node = require(key);
  return is_kind(node, JsonNode::Kind::boolean, "true or false", below(path_, key), *problems_) &&
         node->boolean;
}

std::string ObjectReader::get_string(std::string_view key) {
  return read_string(require(key), below(path_, key), *problems_);
}

std::size_t ObjectReader::get_enum(std::string_view key,
                                   const std::vector<std::string_view>& names) {
  const JsonNode* node = require(key);
  if (!is_kind(node, JsonNode::Kind::string, "a string", below(path_, key), *problems_)) return 0;
  const auto found = std::find(names.begin(), names.end(), node->text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  add_problem(key, fmt::format("{} is unknown; allowed {}{}", quote(node->text), quote_list(names),
                               suggestion(node->text, names)));
  return 0;
}

ObjectReader ObjectReader::get_object(std::string_view key) {
  return read_object(require(key), below(path_, key), *problems_);
}

ArrayReader ObjectReader::get_array(std::string_view key) {
  const JsonNode* node = require(key);
  const std::string path = below(path_, key);
  const bool good = is_kind(node, JsonNode::Kind::array, "an array", path, *problems_);
  return {good ? node : nullptr, path, *problems_};
}

std::string ObjectReader::get_text(std::string_view key) {
  const JsonNode* node = require(key);
  return node == nullptr ? "null" : json_text_of(*node);
}

bool ObjectReader::is_no_scalar(std::string_view key) { return tactus::is_no_scalar(find(key)); }

JsonScalar ObjectReader::get_scalar(std::string_view key) {
  return read_scalar(require(key), below(path_, key), *problems_);
}

std::vector<std::string> ObjectReader::keys() const {
  return node_ == nullptr ? std::vector<std::string>() : node_->keys;
}

std::optional<std::uint64_t> ObjectReader::get_optional_u64(std::string_view key, std::uint64_t min,
                                                            std::uint64_t max) {
  return has(key) ? std::optional(get_u64(key, min, max)) : std::nullopt;
}

std::optional<std::uint32_t> ObjectReader::get_optional_u32(std::string_view key, std::uint32_t min,
                                                            std::uint32_t max) {
  return has(key) ? std::optional(get_u32(key, min, max)) : std::nullopt;
}

std::optional<bool> ObjectReader::get_optional_bool(std::string_view key) {
  return has(key) ? std::optional(get_bool(key)) : std::nullopt;
}

std::optional<std::string> ObjectReader::get_optional_string(std::string_view key) {
  return has(key) ? std::optional(get_string(key)) : std::nullopt;
}

std::optional<std::size_t> ObjectReader::get_optional_enum(
    std::string_view key, const std::vector<std::string_view>& names) {
  return has(key) ? std::optional(get_enum(key, names)) : std::nullopt;
}

std::optional<ObjectReader> ObjectReader::get_optional_object(std::string_view key) {
  return has(key) ? std::optional(get_object(key)) : std::nullopt;
}

std::optional<ArrayReader> ObjectReader::get_optional_array(std::string_view key) {
  return has(key) ? std::optional(get_array(key)) : std::nullopt;
}

bool ObjectReader::is_string(std::string_view key) {
  const JsonNode* node = find(key);
  return node != nullptr && node->kind == JsonNode::Kind::string;
}

void ObjectReader::add_problem(std::string_view key, std::string what) {
  problems_->add(below(path_, key), std::move(what));
}

void ObjectReader::finish() {
  if (node_ == nullptr) return;
  // An unknown key cannot be a misspelling of a key that is also present, so those are not
  // suggested.
  std::vector<std::string_view> absent;
  std::vector<std::string_view> present;
  for (const std::string& key : known_) {
    (find(key) == nullptr ? absent : present).emplace_back(key);
  }
  bool listed = false;  // the allowed keys are listed once for the object
  for (const std::string& key : node_->keys) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string hint = problems_->full() ? "" : nearest_name(key, absent);
    if (hint.empty() && !problems_->full()) hint = nearest_name(key, present);
    if (hint.empty() && !listed) {
      hint = allowed_names({known_.begin(), known_.end()});
      listed = true;
    }
    add_problem(key, "unknown key" + hint);
  }
}

// ---- ArrayReader --------------------------------------------------------------------------------

ArrayReader::ArrayReader(const JsonNode* node, std::string path, Problems& problems)
    : node_(node), path_(std::move(path)), problems_(&problems) {}

std::size_t ArrayReader::size() const { return node_ == nullptr ? 0 : node_->items.size(); }

const JsonNode& ArrayReader::at(std::size_t index) const {
  if (index >= size()) internal_error("element {} of {} at {}", index, size(), path_);
  return node_->items[index];
}

ObjectReader ArrayReader::get_object(std::size_t index) const {
  return read_object(&at(index), below(path_, index), *problems_);
}

std::uint64_t ArrayReader::get_u64(std::size_t index, std::uint64_t min, std::uint64_t max) const {
  return read_u64(&at(index), min, max, below(path_, index), *problems_);
}

std::string ArrayReader::get_string(std::size_t index) const {
  return read_string(&at(index), below(path_, index), *problems_);
}

JsonScalar ArrayReader::get_scalar(std::size_t index) const {
  return read_scalar(&at(index), below(path_, index), *problems_);
}

std::string ArrayReader::get_text(std::size_t index) const { return json_text_of(at(index)); }

bool ArrayReader::is_no_scalar(std::size_t index) const { return tactus::is_no_scalar(&at(index)); }

void ArrayReader::add_problem(std::size_t index, std::string what) const {
  problems_->add(below(path_, index), std::move(what));
}

// ---- text
// ----------------------------------------------------------------------------------------

std::string line_and_column(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    text.remove_prefix(3);
    offset -= std::min<std::size_t>(offset, 3);
  }
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++column;
    }
  }
  return fmt::format("{}:{}", line, column);
}

void check_json_text(std::string_view text, const std::string& where, std::size_t longest) {
  reject_lfs_pointer(text, where);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    user_error("{}: the file is empty", where);
  }
  if (text.size() > longest) {
    user_error("{}: {} bytes; allowed at most {}", where, text.size(), longest);
  }
  if (const auto bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    user_error("{}:{}: not valid UTF-8", where, line_and_column(text, bad));
  }
  // The parser takes a NUL for the end of the text and would ignore the rest.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    user_error("{}:{}: NUL byte", where, line_and_column(text, nul));
  }
}

// ---- JsonDocument -------------------------------------------------------------------------------

JsonDocument::JsonDocument(std::string_view text, const std::string& where)
    : problems_(where), root_(std::make_unique<JsonNode>()) {
  check_json_text(text, where, longest_text);
  Builder builder(text, problems_, *root_);
  constexpr bool to_the_end = true;
  constexpr bool ignore_comments = true;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder,
                                 nlohmann::json::input_format_t::json, to_the_end,
                                 ignore_comments)) {
    problems_.throw_if_any();
    internal_error("{}: the JSON parser stopped without a reason", where);
  }
}

JsonDocument::~JsonDocument() = default;

ObjectReader JsonDocument::root() { return read_object(root_.get(), "", problems_); }

}  // namespace tactus
