// Tells somebody of every file that is read or written through files.h and output_file.h.
#pragma once

#include <functional>
#include <string>

namespace tactus {

enum class FileUse { read, written };

/// From here on; null: nobody. Called from the thread that uses the file.
void log_files(std::function<void(FileUse use, const std::string& path)> log);

/// A file is used. What is used twice is told once in a row.
void tell_file(FileUse use, const std::string& path);

}  // namespace tactus
