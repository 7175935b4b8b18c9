// JSON text as a tree for the DAIS forms, which are nested arrays of numbers.
//
// isa/support/json.h reads objects with named keys from files of some kilobytes: its nodes keep
// keys, children and the text of each number in containers of their own. A DAIS program is up to 64
// MiB of numbers. Here they are nodes of 32 bytes in one array, without their text: on 4 MB of
// operations 34 MB in place of 105 MB, in half the time. Numbers keep what the forms need: integers
// of 64 bits, signed or not, and reals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/support/problems.h"

namespace tactus::dais {

class JsonTree;

/// One value of a tree, which must outlive it, as must the values above it.
class JsonValue {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

  [[nodiscard]] Kind kind() const;
  /// Elements of an array, values of an object, else 0.
  [[nodiscard]] std::size_t size() const;
  /// JSON pointer, made printable: "/5/17/4".
  [[nodiscard]] std::string path() const;

  /// Calls visit(JsonValue) for each element of an array in turn.
  template <typename Visit>
  void for_each(Visit visit) const;
  /// The elements of an array.
  [[nodiscard]] std::vector<JsonValue> elements() const;
  /// The value of a key; false if this is no object or has no such key.
  bool find(std::string_view key, JsonValue& value) const;

  /// Each reports what is not of the type or range, and answers 0 then. `name` is what the message
  /// calls the value.
  [[nodiscard]] std::int32_t get_i32(std::string_view name, Problems& problems) const;
  /// Also integers up to 2^64 - 1, taken modulo 2^64.
  [[nodiscard]] std::int64_t get_word(std::string_view name, Problems& problems) const;
  [[nodiscard]] double get_real(std::string_view name, Problems& problems) const;
  /// Also the integers 0 and 1.
  [[nodiscard]] bool get_bool(std::string_view name, Problems& problems) const;
  [[nodiscard]] std::string get_string(std::string_view name, Problems& problems) const;
  /// False, with a problem, unless this is an array of min..max elements.
  [[nodiscard]] bool expect_array(std::string_view name, std::size_t min, std::size_t max,
                                  Problems& problems) const;

 private:
  friend class JsonTree;
  JsonValue(const JsonTree* tree, std::uint32_t node, const JsonValue* parent, std::size_t position)
      : tree_(tree), node_(node), parent_(parent), position_(position) {}
  [[nodiscard]] JsonValue first_child() const;
  [[nodiscard]] JsonValue next_sibling() const;
  void wrong_type(std::string_view name, std::string_view needed, Problems& problems) const;

  const JsonTree* tree_;
  std::uint32_t node_;
  const JsonValue* parent_;
  std::size_t position_;
};

class JsonTree {
 public:
  /// Throws UserError "where:line:column: what" for broken syntax, duplicate keys, more than 16
  /// nested levels, or more than 64 MiB of text.
  JsonTree(std::string_view text, const std::string& where);

  [[nodiscard]] JsonValue root() const { return {this, 0, nullptr, 0}; }

 private:
  friend class JsonValue;
  friend class JsonTreeBuilder;
  struct Node {
    JsonValue::Kind kind = JsonValue::Kind::null;
    bool fits_i64 = true;      ///< of an integer
    std::uint32_t next = 0;    ///< the sibling after it; 0: none
    std::uint32_t first = 0;   ///< the first child; 0: none
    std::uint32_t count = 0;   ///< children
    std::int64_t integer = 0;  ///< modulo 2^64; of a string: its index in strings_
    double real = 0;
  };
  std::vector<Node> nodes_;
  std::vector<std::string> strings_;
  std::unordered_map<std::uint32_t, std::string> keys_;  ///< of the values inside objects
};

template <typename Visit>
void JsonValue::for_each(Visit visit) const {
  if (kind() != Kind::array || size() == 0) return;
  JsonValue child = first_child();
  for (std::size_t i = 0; i < size(); ++i) {
    visit(static_cast<const JsonValue&>(child));
    if (i + 1 < size()) child = child.next_sibling();
  }
}

}  // namespace tactus::dais
