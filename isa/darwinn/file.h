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

/// A buffer aligned to 4096 bytes, so that offsets that are page aligned in the file are page
/// aligned in memory.
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

/// A package file. The constructor checks every level in the order of the runtime: the package's
/// FlatBuffer, version, chips, the FlatBuffer of the MultiExecutable, each executable with its
/// batch size and type, and the combination of types. The content of the executables is checked by
/// verify.h. The package is copied once, to a page boundary; a nested level that is not aligned is
/// copied once more; everything else is a view.
class File {
 public:
  /// Reads a bare package or a TensorFlow Lite model. Throws UserError, or PackageError if
  /// something is wrong with the package.
  explicit File(const std::string& path);
  /// Reads bytes that are already in memory; `where` stands for the file name.
  File(std::vector<std::uint8_t> bytes, std::string where);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Package& package() const { return package_; }
  /// Null for a bare package.
  [[nodiscard]] const TfliteModel* tflite() const { return tflite_ ? &*tflite_ : nullptr; }
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
  [[nodiscard]] std::size_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const std::string& sha256() const;
  /// Position and bytes of the package within the file.
  [[nodiscard]] std::int64_t package_offset() const { return package_offset_; }
  [[nodiscard]] ByteView package_bytes() const { return package_buffer_.view(); }

 private:
  void open();
  void open_package();
  void open_multi(ByteView bytes, std::int64_t offset);
  /// Records a warning about a version that is accepted.
  void warn(const std::string& place, const std::string& what);
  /// The same bytes, aligned for reading 64-bit numbers; copied if necessary.
  ByteView aligned(ByteView bytes);

  std::string name_;
  std::size_t file_bytes_;
  /// the whole TensorFlow Lite model, which its views point into
  std::vector<std::uint8_t> bytes_;
  mutable std::string sha256_;
  std::optional<TfliteModel> tflite_;
  PageBuffer package_buffer_;
  std::vector<PageBuffer> levels_;
  std::int64_t package_offset_ = 0;
  Package package_;
  std::vector<Warning> warnings_;
};

}  // namespace tactus::darwinn
