// Reads and writes whole files.
//
// All functions throw UserError "path: what" for every error of the file system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Reads a whole file. Refuses missing and unreadable files, directories, and Git LFS pointers (the
/// text stub that a clone without Git LFS leaves in place of a large file). Pipes are read to their
/// end up to 1 GiB, devices up to 1 MiB.
[[nodiscard]] std::vector<std::uint8_t> read_file(const std::string& path);
[[nodiscard]] std::string read_text(const std::string& path);

/// Throws UserError if `content` is a Git LFS pointer; `where` stands for the file name.
void reject_lfs_pointer(std::string_view content, const std::string& where);

/// Throws UserError for an empty name or a name with a NUL byte.
void check_file_name(const std::string& path);

/// Replaces the file in one step, by the rules of OutputFile.
void write_file_atomically(const std::string& path, const std::vector<std::uint8_t>& bytes);
void write_file_atomically(const std::string& path, std::string_view text);

/// Replaces a file that the program keeps for itself and reads (its cache, the folder of a sweep).
/// Other outputs never replace a file that the command has read, see file_guard.h.
void rewrite_own_file(const std::string& path, std::string_view bytes);

/// Folder of a file: "a/b.c" -> "a", "b.c" -> ".".
[[nodiscard]] std::string directory_of(const std::string& path);

/// Path of a `name` written inside `file`: absolute names are kept, others start at one of its
/// folders_of(). Refuses pipes and devices, which only the command line may name.
[[nodiscard]] std::string resolve_beside(const std::string& file, const std::string& name);

}  // namespace tactus
