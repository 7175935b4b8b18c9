// Reads values of parsed JSON by path, such as "/figures/cycles". A missing value, or a value of
// the wrong type, throws a UserError with the path: "results.jsonl:3:/figures/cycles: must be a
// whole number, 0 or more".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace tactus {

class JsonValues {
 public:
  /// `json` must outlive this object. `where` precedes the path in messages.
  JsonValues(const nlohmann::ordered_json& json, std::string where)
      : json_(json), where_(std::move(where)) {}

  [[nodiscard]] bool has(const std::string& path) const { return find(path) != nullptr; }
  [[nodiscard]] const nlohmann::ordered_json& at(const std::string& path) const;
  [[nodiscard]] const nlohmann::ordered_json& object(const std::string& path) const;
  [[nodiscard]] const nlohmann::ordered_json& array(const std::string& path) const;
  [[nodiscard]] std::uint64_t count(const std::string& path) const { return count(at(path), path); }
  [[nodiscard]] std::uint64_t count(const nlohmann::ordered_json& value,
                                    const std::string& path) const;
  [[nodiscard]] double number(const std::string& path) const;
  /// The number; empty if the value is null, which says that there is no such figure.
  [[nodiscard]] std::optional<double> number_or_null(const std::string& path) const;
  [[nodiscard]] const std::string& text(const std::string& path) const;

  /// Throws UserError about the value at `path`.
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const;

 private:
  [[nodiscard]] const nlohmann::ordered_json* find(const std::string& path) const;

  const nlohmann::ordered_json& json_;
  std::string where_;
};

}  // namespace tactus
