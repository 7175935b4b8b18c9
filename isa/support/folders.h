// Folders in which files that belong to a given file may be: beside the file and, if it is a
// symbolic link, beside the link's target.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "isa/support/files.h"

namespace tactus {

/// `path` and, if that is a symbolic link, its target.
[[nodiscard]] inline std::vector<std::string> paths_of(const std::string& path) {
  std::vector<std::string> paths{path};
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    if (!error) paths.push_back(real.string());
  }
  return paths;
}

/// Folders of all paths_of().
[[nodiscard]] inline std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> folders;
  for (const std::string& name : paths_of(path)) folders.push_back(directory_of(name));
  return folders;
}

/// Path of a `name` written inside a model, or in a file that belongs to it: program, constants,
/// graphs of the host, tensors in side files. Models may come from anybody, so their parts are
/// files in one of the folders_of() `file` or below it, also after following links; UserError for
/// any other name. A file that does not exist is left to its reader.
[[nodiscard]] std::string resolve_part(const std::string& file, const std::string& name);

}  // namespace tactus
