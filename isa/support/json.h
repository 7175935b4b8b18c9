// Strict reader of JSON files: skips, converts or overwrites nothing silently.
//
// Unknown, missing and duplicate keys, unknown names, wrong types and numbers out of range are
// gathered over the whole file and thrown as one UserError, one line each:
//   pynqz1.tarch:/array_size: 1 is out of range; allowed 2..256
//   pynqz1.tarch:/aray_size: unknown key; did you mean "array_size"?
// Broken syntax is reported only once, at its first place: "pynqz1.tarch:3:7: syntax error ...".
// Comments (// and /* */) and a UTF-8 byte order mark are accepted. Limits: 4 MiB of text, 64
// nested levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/support/problems.h"

namespace tactus {

struct JsonNode;
class ArrayReader;

/// A value under a key that the user chooses: true or false, a number, a string.
using JsonScalar = std::variant<bool, std::int64_t, double, std::string>;

/// Reader of one object; the document must outlive it. Every getter names a key that the object may
/// have. If a value cannot be read, the getter reports it and returns the smallest allowed value,
/// so that reading continues to the next problem. Call finish() after the last getter: it reports
/// keys that no getter named. The reader of a missing or mistyped object returns the same values
/// and reports nothing more.
class ObjectReader {
 public:
  ObjectReader(const JsonNode* node, std::string path, Problems& problems);

  /// True if the key is present; in both cases the key counts as known.
  [[nodiscard]] bool has(std::string_view key);

  [[nodiscard]] std::uint64_t get_u64(
      std::string_view key, std::uint64_t min = 0,
      std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
  [[nodiscard]] std::uint32_t get_u32(
      std::string_view key, std::uint32_t min = 0,
      std::uint32_t max = std::numeric_limits<std::uint32_t>::max());
  /// A number above `above` and up to `max`, which is returned if the value cannot be read;
  /// integers are accepted.
  [[nodiscard]] double get_real(std::string_view key, double above, double max);
  /// A number from `min` to `max`, both allowed.
  [[nodiscard]] double get_real_in(std::string_view key, double min, double max);
  [[nodiscard]] bool get_bool(std::string_view key);
  [[nodiscard]] std::string get_string(std::string_view key);
  /// Index into `names`.
  [[nodiscard]] std::size_t get_enum(std::string_view key,
                                     const std::vector<std::string_view>& names);
  [[nodiscard]] ObjectReader get_object(std::string_view key);
  [[nodiscard]] ArrayReader get_array(std::string_view key);
  /// A scalar; integers are signed, 64 bits.
  [[nodiscard]] JsonScalar get_scalar(std::string_view key);
  /// The JSON text of a value of any kind, without comments and blanks.
  [[nodiscard]] std::string get_text(std::string_view key);
  /// True if the value is a list, an object or null. Reports nothing.
  [[nodiscard]] bool is_no_scalar(std::string_view key);
  /// Keys of the object in the file's order; for objects whose keys the user chooses.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// Getters of optional keys.
  [[nodiscard]] std::optional<std::uint64_t> get_optional_u64(
      std::string_view key, std::uint64_t min = 0,
      std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
  [[nodiscard]] std::optional<std::uint32_t> get_optional_u32(
      std::string_view key, std::uint32_t min = 0,
      std::uint32_t max = std::numeric_limits<std::uint32_t>::max());
  [[nodiscard]] std::optional<bool> get_optional_bool(std::string_view key);
  [[nodiscard]] std::optional<std::string> get_optional_string(std::string_view key);
  [[nodiscard]] std::optional<std::size_t> get_optional_enum(
      std::string_view key, const std::vector<std::string_view>& names);
  [[nodiscard]] std::optional<ObjectReader> get_optional_object(std::string_view key);
  [[nodiscard]] std::optional<ArrayReader> get_optional_array(std::string_view key);

  /// True if the key's value is a string. Reports nothing; for keys that may hold values of several
  /// types.
  [[nodiscard]] bool is_string(std::string_view key);

  /// Reports a problem with the value of `key`.
  void add_problem(std::string_view key, std::string what);
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Problems& problems() { return *problems_; }

 private:
  const JsonNode* find(std::string_view key);
  const JsonNode* require(std::string_view key);

  const JsonNode* node_;  ///< null: missing or mistyped, already reported
  std::string path_;
  Problems* problems_;
  std::vector<std::string> known_;
};

/// Reader of one array; problems with elements are reported as ".../0", ".../1".
class ArrayReader {
 public:
  ArrayReader(const JsonNode* node, std::string path, Problems& problems);

  [[nodiscard]] std::size_t size() const;  ///< 0 if the array is missing
  [[nodiscard]] ObjectReader get_object(std::size_t index) const;
  [[nodiscard]] std::uint64_t get_u64(
      std::size_t index, std::uint64_t min = 0,
      std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] std::string get_string(std::size_t index) const;
  [[nodiscard]] JsonScalar get_scalar(std::size_t index) const;
  /// As those of ObjectReader.
  [[nodiscard]] std::string get_text(std::size_t index) const;
  [[nodiscard]] bool is_no_scalar(std::size_t index) const;
  /// Reports what is wrong with an element.
  void add_problem(std::size_t index, std::string what) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] const JsonNode& at(std::size_t index) const;

  const JsonNode* node_;
  std::string path_;
  Problems* problems_;
};

/// "line:column" of a byte offset, both from 1. Columns count characters; a byte order mark counts
/// as none.
[[nodiscard]] std::string line_and_column(std::string_view text, std::size_t offset);

/// Throws UserError for text that no JSON reader accepts: empty, more than `longest` bytes, not
/// UTF-8, containing a NUL, or a Git LFS pointer.
void check_json_text(std::string_view text, const std::string& where, std::size_t longest);

/// A parsed file and its problems so far. Typical use:
///   JsonDocument document(read_text(path), path);
///   ObjectReader root = document.root();
///   ... root.get_u32("depth", 1, 64) ...; root.finish();
///   document.problems().throw_if_any();
class JsonDocument {
 public:
  /// Throws UserError for broken syntax; `where` stands for the file name in messages.
  JsonDocument(std::string_view text, const std::string& where);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  /// Reports a problem if the document is not an object.
  [[nodiscard]] ObjectReader root();
  [[nodiscard]] Problems& problems() { return problems_; }

 private:
  Problems problems_;
  std::unique_ptr<JsonNode> root_;
};

}  // namespace tactus
