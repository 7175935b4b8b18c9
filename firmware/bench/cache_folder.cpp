#include "firmware/bench/cache_folder.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "isa/support/error.h"
#include "isa/support/files.h"

namespace fs = std::filesystem;

namespace tactus::bench {
namespace {

constexpr std::string_view extension = ".program";

/// True for a name of 64 hexadecimal digits and the extension. Only files with such names are ever
/// removed.
bool names_an_entry(const std::string& name) {
  constexpr std::size_t digits = 64;
  return name.size() == digits + extension.size() &&
         name.compare(digits, extension.size(), extension) == 0 &&
         name.find_first_not_of("0123456789abcdef") == digits;
}

}  // namespace

std::string CacheFolder::path(const std::string& hash) const {
  return folder_ + "/" + hash + std::string(extension);
}

std::vector<CacheFolder::Entry> CacheFolder::entries() const {
  std::vector<Entry> all;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder_, error)) {
    if (!names_an_entry(file.path().filename().string()) || !file.is_regular_file(error)) continue;
    Entry entry{file.path().string(), file.file_size(error), {}};
    if (!error) entry.used = file.last_write_time(error);
    if (!error) all.push_back(std::move(entry));
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.used > b.used; });
  return all;
}

std::uint64_t CacheFolder::limit() const {
  try {
    const std::vector<std::uint8_t> bytes = read_file(limit_path());
    const std::string text(bytes.begin(), bytes.end());
    std::uint64_t limit = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (error == std::errc() && end != text.data()) return limit;
  } catch (const UserError&) {  // NOLINT(bugprone-empty-catch)
    // No limit was set.
  }
  return default_limit;
}

void CacheFolder::set_limit(std::uint64_t bytes) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) user_error("{}: cannot be made: {}", folder_, error.message());
  rewrite_own_file(limit_path(), std::to_string(bytes) + "\n");
  trim();
}

void CacheFolder::touch(const std::string& path) {
  std::error_code error;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
}

std::size_t CacheFolder::trim() const { return remove_beyond(limit()); }

std::size_t CacheFolder::clean() const { return remove_beyond(0); }

std::size_t CacheFolder::remove_beyond(std::uint64_t bytes) const {
  std::uint64_t kept = 0;
  std::size_t removed = 0;
  for (const Entry& entry : entries()) {
    if (entry.bytes <= bytes - kept && bytes > 0) {
      kept += entry.bytes;
      continue;
    }
    std::error_code error;
    if (fs::remove(entry.path, error)) ++removed;
  }
  return removed;
}

}  // namespace tactus::bench
