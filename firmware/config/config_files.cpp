#include "firmware/config/config_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "isa/support/error.h"
#include "isa/support/program_path.h"
#include "isa/support/text.h"

namespace fs = std::filesystem;

namespace tactus {
namespace {

bool is_config_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "boards", ignored);
}

/// Path of this program with symbolic links resolved. If its file was replaced while it runs, the
/// path cannot be resolved and the system's name of it is returned.
fs::path program_file() {
  std::error_code error;
  fs::path file = fs::canonical(program_path(), error);
  return error ? fs::read_symlink(program_path(), error) : file;
}

}  // namespace

std::string config_folder() {
  if (const char* named = std::getenv("TACTUS_CONFIGS"); named != nullptr && *named != '\0') {
    if (is_config_folder(named)) return named;
    user_error(
        "TACTUS_CONFIGS names {}, which has no folder \"boards\"; allowed: the folder "
        "configs of a Tactus source tree or installation",
        quote(named));
  }
  const fs::path installed = program_file().parent_path().parent_path() / "share/tactus/configs";
  const fs::path source = fs::path(TACTUS_SOURCE_DIR) / "configs";
  for (const fs::path& folder : {installed, source}) {
    if (is_config_folder(folder)) return folder.string();
  }
  user_error("the folder configs was found neither in {} nor in {}; set TACTUS_CONFIGS to it",
             installed.string(), source.string());
}

std::vector<std::string> config_names(std::string_view kind, std::string_view extension) {
  const fs::path folder = fs::path(config_folder()) / kind;
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  if (error) user_error("{}: cannot be read: {}", folder.string(), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_config_name(std::string_view kind, const std::string& name, std::string_view extension) {
  const std::vector<std::string> names = config_names(kind, extension);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string config_path(std::string_view kind, const std::string& name,
                        std::string_view extension) {
  const bool path = name.find('/') != std::string::npos || fs::path(name).extension() == extension;
  if (path) return name;
  if (!is_config_name(kind, name, extension)) {
    const std::vector<std::string> names = config_names(kind, extension);
    const std::vector<std::string_view> views(names.begin(), names.end());
    user_error("{} is not in {}/{}; allowed {}, or the path of a {} file{}", quote(name),
               config_folder(), kind, quote_list(views), extension, suggestion(name, views));
  }
  return (fs::path(config_folder()) / kind / name).string() + std::string(extension);
}

std::string file_or_config_path(std::string_view kind, const std::string& name,
                                std::string_view extension) {
  std::error_code ignored;
  const fs::path path(name);
  if (path.has_extension() || fs::exists(path, ignored)) return name;
  return config_path(kind, name, extension);
}

}  // namespace tactus
