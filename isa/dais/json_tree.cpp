#include "isa/dais/json_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/text.h"

namespace tactus::dais {
namespace {

constexpr std::size_t longest_text = std::size_t{64} << 20;
constexpr std::size_t deepest_nesting = 16;

}  // namespace

/// Receives the parser's events.
class JsonTreeBuilder {
 public:
  JsonTreeBuilder(JsonTree& tree, std::string_view text, const std::string& where)
      : tree_(tree), text_(text), where_(where) {}

  bool null() { return place(JsonValue::Kind::null), true; }
  bool boolean(bool value) {
    place(JsonValue::Kind::boolean).integer = value ? 1 : 0;
    return true;
  }
  bool number_integer(std::int64_t value) {
    JsonTree::Node& node = place(JsonValue::Kind::integer);
    node.integer = value;
    node.real = static_cast<double>(value);
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    JsonTree::Node& node = place(JsonValue::Kind::integer);
    node.integer = static_cast<std::int64_t>(value);
    node.fits_i64 = node.integer >= 0;
    node.real = static_cast<double>(value);
    return true;
  }
  bool number_float(double value, const std::string&) {
    place(JsonValue::Kind::real).real = value;
    return true;
  }
  bool string(std::string& value) {
    place(JsonValue::Kind::string).integer = static_cast<std::int64_t>(tree_.strings_.size());
    tree_.strings_.push_back(std::move(value));
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { internal_error("binary value in JSON text"); }

  bool start_object(std::size_t) { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) { return open(JsonValue::Kind::array); }
  bool end_object() { return frames_.pop_back(), true; }
  bool end_array() { return frames_.pop_back(), true; }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    if (std::find(frame.keys.begin(), frame.keys.end(), name) != frame.keys.end()) {
      user_error("{}: duplicate key {}", where_, quote(name));
    }
    // Limit on the keys of an object. A spec has three or four; without the limit the search above
    // would be slow for malicious files.
    constexpr std::size_t most_keys = 64;
    if (frame.keys.size() == most_keys) user_error("{}: more than 64 keys in one object", where_);
    frame.keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) {
    std::string_view what = error.what();
    if (const auto start = what.find("syntax error"); start != std::string_view::npos) {
      what.remove_prefix(start);
    }
    what = what.substr(0, what.find("; last read: '"));  // the parser may quote a whole long string
    user_error("{}:{}: {}", where_, line_and_column(text_, position == 0 ? 0 : position - 1),
               printable(what, 200));
  }

 private:
  struct Frame {
    std::uint32_t node;
    std::uint32_t last_child;
    std::vector<std::string> keys;
  };

  JsonTree::Node& place(JsonValue::Kind kind) {
    const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
    tree_.nodes_.emplace_back().kind = kind;
    if (!frames_.empty()) {
      Frame& frame = frames_.back();
      JsonTree::Node& parent = tree_.nodes_[frame.node];
      (parent.count == 0 ? parent.first : tree_.nodes_[frame.last_child].next) = index;
      ++parent.count;
      frame.last_child = index;
      if (parent.kind == JsonValue::Kind::object) tree_.keys_[index] = frame.keys.back();
    }
    return tree_.nodes_.back();
  }

  bool open(JsonValue::Kind kind) {
    if (frames_.size() == deepest_nesting) {
      user_error("{}: more than {} nested levels", where_, deepest_nesting);
    }
    place(kind);
    frames_.push_back({static_cast<std::uint32_t>(tree_.nodes_.size() - 1), 0, {}});
    return true;
  }

  JsonTree& tree_;
  std::string_view text_;
  const std::string& where_;
  std::vector<Frame> frames_;
};

JsonTree::JsonTree(std::string_view text, const std::string& where) {
  check_json_text(text, where, longest_text);
  JsonTreeBuilder builder(*this, text, where);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    internal_error("{}: the JSON parser stopped without a reason", where);
  }
}

// ---- JsonValue ----------------------------------------------------------------------------------

JsonValue::Kind JsonValue::kind() const { return tree_->nodes_[node_].kind; }

std::size_t JsonValue::size() const { return tree_->nodes_[node_].count; }

JsonValue JsonValue::first_child() const { return {tree_, tree_->nodes_[node_].first, this, 0}; }

JsonValue JsonValue::next_sibling() const {
  return {tree_, tree_->nodes_[node_].next, parent_, position_ + 1};
}

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> result;
  result.reserve(size());
  for_each([&result](const JsonValue& value) { result.push_back(value); });
  return result;
}

bool JsonValue::find(std::string_view key, JsonValue& value) const {
  if (kind() != Kind::object || size() == 0) return false;
  JsonValue child = first_child();
  for (std::size_t i = 0; i < size(); ++i) {
    if (tree_->keys_.at(child.node_) == key) {
      value = child;
      return true;
    }
    if (i + 1 < size()) child = child.next_sibling();
  }
  return false;
}

std::string JsonValue::path() const {
  if (parent_ == nullptr) return "";
  const auto key = tree_->keys_.find(node_);
  return parent_->path() + "/" +
         (key == tree_->keys_.end() ? std::to_string(position_) : printable(key->second));
}

void JsonValue::wrong_type(std::string_view name, std::string_view needed,
                           Problems& problems) const {
  if (problems.full()) return problems.add("", "");  // only counts it
  constexpr std::string_view kinds[] = {"null",     "a boolean", "an integer", "a number",
                                        "a string", "an array",  "an object"};
  problems.add(path(), fmt::format("{} is {}; {} is needed", name,
                                   kinds[static_cast<std::size_t>(kind())], needed));
}

std::int32_t JsonValue::get_i32(std::string_view name, Problems& problems) const {
  const JsonTree::Node& node = tree_->nodes_[node_];
  if (kind() != Kind::integer) {
    wrong_type(name, "an integer", problems);
    return 0;
  }
  constexpr std::int64_t min = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  if (node.fits_i64 && node.integer >= min && node.integer <= max) {
    return static_cast<std::int32_t>(node.integer);
  }
  problems.add(problems.full() ? "" : path(), fmt::format("{} is no 32-bit integer", name));
  return 0;
}

std::int64_t JsonValue::get_word(std::string_view name, Problems& problems) const {
  if (kind() != Kind::integer) wrong_type(name, "an integer of 64 bits", problems);
  return kind() == Kind::integer ? tree_->nodes_[node_].integer : 0;
}

double JsonValue::get_real(std::string_view name, Problems& problems) const {
  const bool number = kind() == Kind::integer || kind() == Kind::real;
  if (!number) wrong_type(name, "a number", problems);
  return number ? tree_->nodes_[node_].real : 0;
}

bool JsonValue::get_bool(std::string_view name, Problems& problems) const {
  const JsonTree::Node& node = tree_->nodes_[node_];
  const bool good = kind() == Kind::boolean ||
                    (kind() == Kind::integer && (node.integer == 0 || node.integer == 1));
  if (!good) wrong_type(name, "a boolean", problems);
  return good && node.integer != 0;
}

std::string JsonValue::get_string(std::string_view name, Problems& problems) const {
  if (kind() != Kind::string) {
    wrong_type(name, "a string", problems);
    return {};
  }
  return tree_->strings_[static_cast<std::size_t>(tree_->nodes_[node_].integer)];
}

bool JsonValue::expect_array(std::string_view name, std::size_t min, std::size_t max,
                             Problems& problems) const {
  if (kind() != Kind::array) {
    wrong_type(name, "an array", problems);
    return false;
  }
  if (size() >= min && size() <= max) return true;
  problems.add(problems.full() ? "" : path(),
               min == max
                   ? fmt::format("{} has {} elements; {} are needed", name, size(), min)
                   : fmt::format("{} has {} elements; {}..{} are needed", name, size(), min, max));
  return false;
}

}  // namespace tactus::dais
