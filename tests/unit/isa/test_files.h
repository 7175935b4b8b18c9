// Helpers for tests of file formats: error texts, a scratch folder, the source tree.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/error_of.h"

namespace tactus {

inline std::filesystem::path source_root() { return TACTUS_SOURCE_DIR; }

/// Folder of compiled programs and recordings outside the source tree: TACTUS_SHARED, by default
/// "shared" beside the source tree. It may not exist.
inline std::filesystem::path shared_root() {
  const char* folder = std::getenv("TACTUS_SHARED");
  return folder != nullptr ? std::filesystem::path(folder) : source_root().parent_path() / "shared";
}

/// A test with an empty folder of its own.
class ScratchFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

}  // namespace tactus
