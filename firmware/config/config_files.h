// Where the files of configs/ are, so that commands can take a name in place of a path.
//
// The first of these that holds the folder "boards": the folder that the environment variable
// TACTUS_CONFIGS names (and no other, if it is set), share/tactus/configs of the installation the
// program belongs to, the source folder it was built from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Throws UserError that says where was looked.
[[nodiscard]] std::string config_folder();

/// A path if `name` has a "/" or ends in the extension; else configs/`kind`/`name`.json, or with
/// another extension. Throws UserError with the names there are, and the nearest.
[[nodiscard]] std::string config_path(std::string_view kind, const std::string& name,
                                      std::string_view extension = ".json");

/// Whether configs/`kind` has a file of this name.
[[nodiscard]] bool is_config_name(std::string_view kind, const std::string& name,
                                  std::string_view extension = ".json");

/// Names of the files of configs/`kind` with this extension, sorted, without it.
[[nodiscard]] std::vector<std::string> config_names(std::string_view kind,
                                                    std::string_view extension = ".json");

}  // namespace tactus
