// Prevents a command from overwriting a file that it reads, and from writing two outputs to one
// file.
//
// Existing files are identified by device and inode, so other spellings of a path, symbolic links
// and hard links make no difference; files that do not exist yet are identified by path. Only
// regular files count: a device or pipe may be read and written.
#pragma once

#include <string>

namespace tactus {

/// While an object of this class exists, the process counts as one command: every file read through
/// files.h is remembered as its input. Without a guard nothing is remembered or refused, so a
/// program that embeds Tactus may write a file and read it again. Guards do not nest; several
/// threads may call the functions.
class FileGuard {
 public:
  FileGuard();
  ~FileGuard();
  FileGuard(const FileGuard&) = delete;
  FileGuard& operator=(const FileGuard&) = delete;
};

/// Records an input of the command. Reading through files.h calls this; call it for files that are
/// read in another way, and for files that the command must not overwrite although it does not read
/// them. Throws UserError if the file has been claimed as an output.
void note_input(const std::string& path);

/// Throws UserError if the file is an input of the command. OutputFile calls this.
void check_output(const std::string& path);

/// Claims an output that is written later, so that a wrong name is found before the simulation.
/// Throws UserError if the file is an input, if another output has claimed it, or if it cannot be
/// written. Leaves no file behind. Only regular files are opened: the reader of a pipe would see
/// its end.
void claim_output(const std::string& path);

}  // namespace tactus
