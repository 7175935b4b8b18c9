// The files of the program cache: how much they take, and which go when that is too much.
//
// A file counts as used when it was written or read last; that is its time of modification. Several
// processes may work in one folder: a file that another one has removed meanwhile is no error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::bench {

class CacheFolder {
 public:
  /// Bytes that files may take together unless something else was set.
  static constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;

  struct Entry {
    std::string path;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used;
  };

  /// A folder that need not exist.
  explicit CacheFolder(std::string folder) : folder_(std::move(folder)) {}

  /// Where the entry of this hash lies, or would.
  [[nodiscard]] std::string path(const std::string& hash) const;
  /// The files that are entries by their names, the one used last first.
  [[nodiscard]] std::vector<Entry> entries() const;
  [[nodiscard]] std::uint64_t limit() const;
  /// Kept in the folder, which is made; throws UserError if it cannot be written. Removes what is
  /// beyond the limit now.
  void set_limit(std::uint64_t bytes);

  /// An entry was read.
  static void touch(const std::string& path);
  /// Removes the entries used longest ago until the others keep to the limit. Returns how many
  /// went.
  std::size_t trim() const;
  /// Removes all entries. Returns how many there were.
  std::size_t clean() const;

 private:
  [[nodiscard]] std::string limit_path() const { return folder_ + "/limit"; }
  [[nodiscard]] std::size_t remove_beyond(std::uint64_t bytes) const;

  std::string folder_;
};

}  // namespace tactus::bench
