// The folder of the program cache. Its size has a limit; the files used least recently are removed.
//
// The modification time of a file is the time of its last use, reading or writing. Several
// processes may use one folder: a file that another process has removed is not an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::bench {

class CacheFolder {
 public:
  /// Limit on the size of all entries together in bytes, unless another one is set.
  static constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;

  struct Entry {
    std::string path;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used;
  };

  /// The folder need not exist.
  explicit CacheFolder(std::string folder) : folder_(std::move(folder)) {}

  /// Path of the entry for a hash, whether it exists or not.
  [[nodiscard]] std::string path(const std::string& hash) const;
  /// The entries, most recently used first.
  [[nodiscard]] std::vector<Entry> entries() const;
  /// Limit in bytes: the one stored in the folder, else default_limit.
  [[nodiscard]] std::uint64_t limit() const;
  /// Stores the limit in the folder, which is created if needed, and removes entries beyond the
  /// limit. Throws UserError if the folder cannot be written.
  void set_limit(std::uint64_t bytes);

  /// Records that an entry is used now.
  static void touch(const std::string& path);
  /// Removes entries so that those left do not exceed the limit. Entries are kept from the most
  /// recently used on, as far as each fits. Returns the number removed.
  std::size_t trim() const;
  /// Removes all entries. Returns the number removed.
  std::size_t clean() const;

 private:
  [[nodiscard]] std::string limit_path() const { return folder_ + "/limit"; }
  [[nodiscard]] std::size_t remove_beyond(std::uint64_t bytes) const;

  std::string folder_;
};

}  // namespace tactus::bench
