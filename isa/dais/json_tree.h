// JSON text as a tree for the DAIS forms, which are nested arrays of numbers.
//
// The reader in isa/support/json.h is made for objects with named keys in files of some kilobytes:
// each node has containers for keys, children and the number's text. A DAIS program is up to 64 MiB
// of numbers. Here, nodes of 32 bytes without text lie in one array: 4 MB of operations take 34 MB
// instead of 105 MB, and half the time. Numbers are kept as the forms need them: 64-bit integers,
// signed or unsigned, and reals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/support/problems.h"

namespace tactus::dais {

class JsonTree;

/// One value of a tree. The tree and the values above it must outlive the value.
class JsonValue {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

  [[nodiscard]] Kind kind() const;
  /// Number of elements of an array or values of an object; 0 for other kinds.
  [[nodiscard]] std::size_t size() const;
  /// Printable JSON pointer to the value: "/5/17/4".
  [[nodiscard]] std::string path() const;

  /// Calls visit(JsonValue) for each element of the array in order.
  template <typename Visit>
  void for_each(Visit visit) const;
  /// Elements of the array.
  [[nodiscard]] std::vector<JsonValue> elements() const;
  /// Finds the value of a key. False if this is not an object or has no such key.
  bool find(std::string_view key, JsonValue& value) const;

  /// Getters report a value of a wrong type or range as a problem and return 0. `name` stands for
  /// the value in messages.
  [[nodiscard]] std::int32_t get_i32(std::string_view name, Problems& problems) const;
  /// Reads an integer of 64 bits; those up to 2^64 - 1 are also allowed and taken modulo 2^64.
  [[nodiscard]] std::int64_t get_word(std::string_view name, Problems& problems) const;
  [[nodiscard]] double get_real(std::string_view name, Problems& problems) const;
  /// Reads true or false; the integers 0 and 1 are also allowed.
  [[nodiscard]] bool get_bool(std::string_view name, Problems& problems) const;
  [[nodiscard]] std::string get_string(std::string_view name, Problems& problems) const;
  /// Returns false and reports a problem unless this is an array of min..max elements.
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
    bool fits_i64 = true;      ///< integers only
    std::uint32_t next = 0;    ///< next sibling; 0: none
    std::uint32_t first = 0;   ///< first child; 0: none
    std::uint32_t count = 0;   ///< number of children
    std::int64_t integer = 0;  ///< integer modulo 2^64; for a string its index in strings_
    double real = 0;
  };
  std::vector<Node> nodes_;
  std::vector<std::string> strings_;
  std::unordered_map<std::uint32_t, std::string> keys_;  ///< keys of values inside objects
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
