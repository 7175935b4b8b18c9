// Recognises the kind of a file, for a clear message when a command is given a file of another
// kind.
#pragma once

#include <cstdint>
#include <initializer_list>
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

/// Kind by the content; if that does not tell, by the extension.
[[nodiscard]] FileKind kind_of_file(const std::string& path, std::string_view content);

/// Throws UserError if the file is known to be of another kind than those needed. The message names
/// the kind and the command that takes it.
void refuse_other_kind(const std::string& path, std::string_view content,
                       std::initializer_list<FileKind> needed);
void refuse_other_kind(const std::string& path, std::string_view content, FileKind needed);

[[nodiscard]] inline std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// True if the path leads to a pipe. Its name tells nothing: `<(command)` of a shell is /dev/fd/63.
[[nodiscard]] bool is_pipe(const std::string& path);
/// True for rows of decimal numbers, false for raw bytes.
[[nodiscard]] bool looks_like_csv(std::string_view content);

/// Returns the result of `parse`. If `parse` refuses a file that is of another kind, the error is
/// one line that says so, instead of a list of everything that is missing.
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
