// What a file is, for a clear message when a command is given one of another kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/error.h"

namespace tactus {

enum class FileKind {
  unknown,
  architecture,
  model,
  program,
  constants,
  layers,
  board,
  dram,
  table,
  sweep,
  onnx,
  dais,
  package,
  assembly,
  vectors,
  samples,
  log,
  statistics,
  timeline,
  dpas_profile,
  visa_assembly,
  visa_container,
  stripe,
};

/// By what is in it and, where that says nothing, by the extension of its name.
[[nodiscard]] FileKind kind_of_file(const std::string& path, std::string_view content);

/// Throws UserError if the file is known to be of another kind than `needed`: what it is, and which
/// command takes it.
void refuse_other_kind(const std::string& path, std::string_view content, FileKind needed);

[[nodiscard]] inline std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the path leads to a pipe, whose name says nothing: `<(command)` of a shell is
/// /dev/fd/63.
[[nodiscard]] bool is_pipe(const std::string& path);
/// Rows of decimal numbers rather than raw bytes.
[[nodiscard]] bool looks_like_csv(std::string_view content);

/// What `parse` returns. Where it refuses the file because that is of another kind, the error says
/// so in one line instead of listing all that is missing.
template <typename Parse>
auto parse_as(FileKind needed, const std::string& path, std::string_view content, Parse&& parse) {
  try {
    return parse();
  } catch (const UserError&) {
    refuse_other_kind(path, content, needed);
    throw;
  }
}

}  // namespace tactus
