// Finds test data from other projects, which are not part of the repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tactus {

/// Returns the folder in the environment variable TACTUS_SHARED, or ../shared beside the source
/// tree.
inline std::string shared_folder() {
  const char* folder = std::getenv("TACTUS_SHARED");
  return folder != nullptr ? folder : std::string(TACTUS_SOURCE_DIR) + "/../shared";
}

inline bool shared_file_exists(const std::string& path) {
  return std::filesystem::exists(shared_folder() + "/" + path);
}

}  // namespace tactus

/// Skips the test with a message that names the missing file.
#define TACTUS_NEEDS_SHARED(path)                            \
  if (!::tactus::shared_file_exists(path))                   \
  GTEST_SKIP() << ::tactus::shared_folder() << "/" << (path) \
               << " is not there; set TACTUS_SHARED to the folder with the golden programs"
