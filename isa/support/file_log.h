// Reports every file that is read or written through files.h and output_file.h.
#pragma once

#include <functional>
#include <string>

namespace tactus {

enum class FileUse { read, written };

/// Sets the function to call for every file from now on; null: none. It is called from the thread
/// that uses the file.
void log_files(std::function<void(FileUse use, const std::string& path)> log);

/// Reports a use of a file. Repeated uses in a row are reported once.
void tell_file(FileUse use, const std::string& path);

}  // namespace tactus
