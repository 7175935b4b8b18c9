// Package files: bare packages ("DWN1") and TensorFlow Lite models that carry one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"
#include "isa/darwinn/refusal.h"
#include "isa/darwinn/tflite.h"

namespace tactus::darwinn {

/// Bytes on a page boundary (4096), so that what is page aligned in a package is so in memory.
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(ByteView bytes);
  [[nodiscard]] ByteView view() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t size_ = 0;
};

/// Every level of a package is checked as it is opened, in the runtime's order: FlatBuffer of the
/// package, version, chips, FlatBuffer of the MultiExecutable, each Executable and its batch size
/// and type, the combination of types. What the executables say is checked by verify.h. The package
/// is copied once, to a page boundary, and a nested level that is not aligned once more; all else
/// are views.
class File {
 public:
  /// Reads a file of either form. Throws UserError, PackageError for what is wrong with the
  /// package.
  explicit File(const std::string& path);
  /// The same from bytes already in memory; `where` stands for the file name.
  File(std::vector<std::uint8_t> bytes, std::string where);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Package& package() const { return package_; }
  /// Null: a bare package.
  [[nodiscard]] const TfliteModel* tflite() const { return tflite_ ? &*tflite_ : nullptr; }
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
  [[nodiscard]] std::size_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const std::string& sha256() const;
  /// Of the package in the file.
  [[nodiscard]] std::int64_t package_offset() const { return package_offset_; }
  [[nodiscard]] ByteView package_bytes() const { return package_buffer_.view(); }

 private:
  void open();
  void open_package();
  void open_multi(ByteView bytes, std::int64_t offset);
  /// Something about a version that is accepted and said.
  void warn(const std::string& place, const std::string& what);
  /// The same bytes where numbers of 64 bits may be read.
  ByteView aligned(ByteView bytes);

  std::string name_;
  std::size_t file_bytes_;
  std::vector<std::uint8_t> bytes_;  ///< of a TensorFlow Lite model, without which no views
  mutable std::string sha256_;
  std::optional<TfliteModel> tflite_;
  PageBuffer package_buffer_;
  std::vector<PageBuffer> levels_;
  std::int64_t package_offset_ = 0;
  Package package_;
  std::vector<Warning> warnings_;
};

}  // namespace tactus::darwinn
