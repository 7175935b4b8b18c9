// Finds the files of configs/, so that commands accept names instead of paths.
//
// The folder is the first of these that contains "boards":
// - the folder in the environment variable TACTUS_CONFIGS (and no other, if it is set);
// - share/tactus/configs of the installation that the program belongs to;
// - the source folder from which the program was built.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Path of the folder configs/. Throws a UserError that lists the folders tried.
[[nodiscard]] std::string config_folder();

/// Path of a file given by name or by path: `name` itself if it contains a "/" or has the
/// extension, else configs/`kind`/`name` with the extension. Throws UserError with the existing
/// names and the nearest one.
[[nodiscard]] std::string config_path(std::string_view kind, const std::string& name,
                                      std::string_view extension = ".json");

/// As config_path(), but returns `name` itself also if it has any extension or is an existing file.
[[nodiscard]] std::string file_or_config_path(std::string_view kind, const std::string& name,
                                              std::string_view extension = ".json");

/// True if configs/`kind` has a file of this name.
[[nodiscard]] bool is_config_name(std::string_view kind, const std::string& name,
                                  std::string_view extension = ".json");

/// Sorted names of the files in configs/`kind` with this extension, without the extension.
[[nodiscard]] std::vector<std::string> config_names(std::string_view kind,
                                                    std::string_view extension = ".json");

}  // namespace tactus
