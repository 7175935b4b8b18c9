// Keeps a command from writing over a file that it reads, and from writing two outputs to one file.
//
// Files are told apart by what they are (device and inode), so that other spellings of a path,
// symbolic links and hard links make no difference; files that are not there yet by their path.
// Only regular files count: a device or a pipe may be read and written.
#pragma once

#include <string>

namespace tactus {

/// While one of these lives, the process is one command: everything that is read through files.h
/// is remembered as its input. Without a guard nothing is remembered and nothing refused, so that a
/// program which embeds Tactus may write a file and read it again. Not nested; calls may come from
/// several threads.
class FileGuard {
 public:
  FileGuard();
  ~FileGuard();
  FileGuard(const FileGuard&) = delete;
  FileGuard& operator=(const FileGuard&) = delete;
};

/// An input of the command. Reading a file through files.h does this; for files that are read in
/// another way, and for those that a command must leave alone without reading them. Throws
/// UserError if it has been claimed as an output.
void note_input(const std::string& path);

/// Throws UserError if the file is an input of the command. OutputFile does this.
void check_output(const std::string& path);

/// For an output that is written later, so that a wrong name costs no simulation: throws UserError
/// if the file is an input, if another output was claimed under this name, or if it cannot be
/// written. Leaves nothing behind. What is not a regular file is not opened: a pipe's reader would
/// see its end.
void claim_output(const std::string& path);

}  // namespace tactus
