// Reasons for refusing a package: a fixed code for programs and a text for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "isa/support/error.h"

namespace tactus::darwinn {

enum class Code {
  magic,
  truncated,
  verify_package,
  verify_multi,
  verify_executable,
  tfl_no_operator,
  tfl_external_options,
  flexbuffer,
  multi_package,
  version,
  multi_chip,
  empty,
  duplicate_type,
  combination,
  type,
  batch,
  chip,
  signature,
  token,
  token_pair,
  execution_only_alone,
  no_code,
  chunk_size,
  field_range,
  field_meta,
  field_units,
  link_duplicate,
  hint_none,
  hint_range,
  hint_chunk,
  hint_order,
  hint_direction,
  hint_cover,
  not_deterministic,
  interrupt,
  layer,
  layer_size,
  layout,
  slice,
  executions_tiled,
  scratch,
  dram,
  architecture,
  parameters_missing,
  io_size,
  unused_input,
  limit,
};

/// Name of a code, such as "E_MAGIC".
[[nodiscard]] std::string_view name(Code code);

/// Error for a package that cannot be run. The text is "FILE: CODE: PLACE: what; allowed ...".
class PackageError : public UserError {
 public:
  PackageError(Code code, const std::string& text) : UserError(text), code_(code) {}
  [[nodiscard]] Code code() const { return code_; }

 private:
  Code code_;
};

/// A deviation that is accepted with a warning.
struct Warning {
  Code code;
  std::string text;  ///< same form as the text of a PackageError
};

/// Throws a PackageError "FILE: CODE: PLACE: ...", where PLACE is a position in the package.
template <typename... Args>
[[noreturn]] void refuse(Code code, const std::string& file, const std::string& place,
                         fmt::format_string<Args...> format, Args&&... args) {
  throw PackageError(
      code, fmt::format("{}: {}: {}{}{}", file, name(code), place, place.empty() ? "" : ": ",
                        fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace tactus::darwinn
