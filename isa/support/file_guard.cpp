#include "isa/support/file_guard.h"

#include <sys/stat.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/output_file.h"

namespace tactus {
namespace {

struct Identity {
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  std::string path;  ///< absolute, without links, "." and ".."

  friend bool operator==(const Identity& a, const Identity& b) {
    if (a.path == b.path) return true;
    return a.exists && b.exists && a.device == b.device && a.inode == b.inode;
  }
};

/// Identity of a regular file; empty for devices and pipes, which may be read and written at once.
std::optional<Identity> identify(const std::string& path) {
  Identity identity;
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    identity.exists = true;
    identity.device = status.st_dev;
    identity.inode = status.st_ino;
  }
  // weakly_canonical() leaves a path relative if no part of it exists.
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(follow_links(path), error), error);
  identity.path = error ? path : real.string();
  return identity;
}

struct Command {
  std::vector<Identity> inputs, outputs;
};
std::mutex mutex;
std::optional<Command> command;

bool contains(const std::vector<Identity>& files, const Identity& file) {
  for (const Identity& one : files) {
    if (one == file) return true;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& path) {
  user_error("{}: would be written over a file that this command reads or writes too", path);
}

}  // namespace

FileGuard::FileGuard() {
  const std::lock_guard<std::mutex> lock(mutex);
  command.emplace();
}

FileGuard::~FileGuard() {
  const std::lock_guard<std::mutex> lock(mutex);
  command.reset();
}

void note_input(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!command) return;
  const std::optional<Identity> file = identify(path);
  if (!file || contains(command->inputs, *file)) return;
  if (contains(command->outputs, *file)) refuse(path);
  command->inputs.push_back(*file);
}

void check_output(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!command) return;
  const std::optional<Identity> file = identify(path);
  if (file && contains(command->inputs, *file)) refuse(path);
}

void claim_output(const std::string& path) {
  check_file_name(path);
  const std::optional<Identity> file = identify(path);
  if (!file) {
    if (std::filesystem::is_directory(path)) {
      user_error("{}: is a directory; a file name is needed", path);
    }
    return;
  }
  { const OutputFile probe(path); }
  const std::lock_guard<std::mutex> lock(mutex);
  if (!command) return;
  if (contains(command->outputs, *file)) refuse(path);
  command->outputs.push_back(*file);
}

}  // namespace tactus
