#include "isa/support/file_log.h"

#include <mutex>
#include <utility>

namespace tactus {
namespace {

std::mutex listener_mutex;
std::function<void(FileUse, const std::string&)> listener;
std::string last;

}  // namespace

void log_files(std::function<void(FileUse use, const std::string& path)> log) {
  const std::lock_guard<std::mutex> lock(listener_mutex);
  listener = std::move(log);
}

void tell_file(FileUse use, const std::string& path) {
  const std::lock_guard<std::mutex> lock(listener_mutex);
  if (!listener || last == path) return;
  last = path;
  listener(use, path);
}

}  // namespace tactus
