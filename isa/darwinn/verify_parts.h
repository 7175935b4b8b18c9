// Functions that verify.cpp calls, each for one subject.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/darwinn/package.h"
#include "isa/darwinn/refusal.h"

namespace tactus::darwinn {

/// Limits the steps of checks that could take longer than reading the file, such as comparing all
/// slices of an output with each other. One budget per package.
class Budget {
 public:
  void spend(std::int64_t steps, const std::string& file, const std::string& place) {
    left_ -= steps;
    if (left_ >= 0) return;
    refuse(Code::limit, file, place,
           "its tables are too irregular to be checked; allowed: {} steps for a package", most);
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 28;
  std::int64_t left_ = most;
};

/// An executable that is being checked.
struct Checked {
  const std::string& file;
  const Executable& executable;
  bool tcu = false;
  std::vector<Warning>& warnings;
  Budget& budget;
  /// Index of each layer by its name; filled by verify_layers.
  std::unordered_map<std::string_view, std::size_t> inputs = {}, outputs = {};
  std::vector<bool> input_used = {};

  /// "EXECUTION_ONLY, chunk 0, field 3"
  template <typename... Args>
  [[nodiscard]] std::string place(fmt::format_string<Args...> format, Args&&... args) const {
    return fmt::format("{}, {}", type_name(executable.type),
                       fmt::format(format, std::forward<Args>(args)...));
  }
  [[nodiscard]] std::string place() const { return std::string(type_name(executable.type)); }
  void warn(Code code, const std::string& where, const std::string& what) {
    warnings.push_back({code, fmt::format("{}: {}: {}: {}", file, name(code), where, what)});
  }
  /// The layer that a field or hint names. Refuses (E_FIELD_META) an unknown name or batch element.
  const Layer* layer_of(const Meta& meta, const std::string& where);
};

void verify_layers(Checked& checked);
void verify_code(Checked& checked);
void verify_hints(Checked& checked);

void verify_layer(const Layer& layer, AnyLayer kind, const std::string& file,
                  const std::string& place, Budget& budget);

}  // namespace tactus::darwinn
