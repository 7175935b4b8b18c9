// Runs the tactus program in a folder of its own, and gives access to its output and files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace tactus {

struct Output {
  int code = -1;    ///< exit code, or 128 plus the number of the signal that killed the program
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs "tactus `command`" in the test's folder. `command` is split by words(). If `out` is
  /// given, standard output goes to that file and not into the result.
  [[nodiscard]] Output tactus(const std::string& command,
                              const std::filesystem::path& out = {}) const;
  /// Runs any program, given by path or found on the PATH. The first argument is its name.
  [[nodiscard]] Output program(const std::vector<std::string>& arguments,
                               const std::filesystem::path& out = {}) const;
  /// Runs a line in bash, for pipes and limits; "$0" in it is the tactus program.
  [[nodiscard]] Output shell(const std::string& line) const;
  /// Expects exit code 2, nothing on standard output, and one error that contains `text`.
  void expect_error(const std::string& command, const std::string& text) const;

  /// Opens a page of the folder in headless Chromium, whose virtual time runs fast, and returns the
  /// resulting document. Expects that the page reports nothing on the console.
  [[nodiscard]] std::string browse(const std::string& page) const;
  /// Opens a page as browse() does, and writes a picture of a window of this size.
  void take_screenshot(const std::string& page, unsigned width, unsigned height,
                       const std::string& png) const;

  void write(const std::string& file, const std::string& content) const;
  void write(const std::string& file, const std::vector<std::uint8_t>& content) const;
  [[nodiscard]] std::string read(const std::string& file) const;
  [[nodiscard]] bool exists(const std::string& file) const;
  /// All files of the folder, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

  /// Writes a small model to the folder: "m.tmodel", "m.tprog", "m.tdata" and "a.tarch" for a 4x4
  /// array. The model computes output = W * input + b for four vectors, inputs "x" at 0 and outputs
  /// "y" at 16. "x.csv" holds one image. The derivation of the cycles (latency 1, 64 data bits) is
  /// in run_test.cpp.
  void write_model(const std::string& prog_size = "") const;
  static std::string architecture_text();

  std::filesystem::path folder_;

 private:
  [[nodiscard]] std::string chromium(const std::vector<std::string>& options) const;
};

}  // namespace tactus

/// Skips the test if no browser is installed.
#define TACTUS_NEEDS_CHROMIUM           \
  if (!::tactus::installed("chromium")) \
  GTEST_SKIP() << "chromium is not installed (Debian: apt-get install chromium)"
