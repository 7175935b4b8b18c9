#include "firmware/report/trace_writer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"

namespace tactus {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

}  // namespace

TraceWriter::TraceWriter(const std::string& path, std::string time)
    : file_(path), time_(std::move(time)) {
  put(fmt::format("{{\"otherData\":{{\"time\":\"{}\",\"tool\":\"tactus\"}},\"traceEvents\":[",
                  time_));
  put(fmt::format(
      "\n{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":\"Tactus "
      "({})\"}}}}",
      time_));
}

void TraceWriter::put(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() < buffer_bytes) return;
  try {
    if (!failure_) flush();
  } catch (const UserError& error) {
    failure_ = error.what();
  }
  buffer_.clear();
}

void TraceWriter::flush() {
  file_.write({buffer_.data(), buffer_.size()});
  bytes_ += buffer_.size();
  buffer_.clear();
}

std::string TraceWriter::text(std::string_view name, std::string_view category,
                              const std::string& arguments) {
  return fmt::format(",\"name\":{},\"cat\":\"{}\"{}{}}}", json_string(name), category,
                     arguments.empty() ? "" : ",\"args\":", arguments);
}

void TraceWriter::process(unsigned number, const std::string& name) {
  put(fmt::format(
      ",\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}", number,
      json_string(fmt::format("{} ({})", name, time_))));
}

void TraceWriter::track(unsigned id, const std::string& name, unsigned process) {
  put(
      fmt::format(",\n{{\"ph\":\"M\",\"pid\":{2},\"tid\":{0},\"name\":\"thread_name\",\"args\":"
                  "{{\"name\":{1}}}}},\n{{\"ph\":\"M\",\"pid\":{2},\"tid\":{0},\"name\":"
                  "\"thread_sort_index\",\"args\":{{\"sort_index\":{0}}}}}",
                  id, json_string(name), process));
}

void TraceWriter::close(const std::optional<std::string>& note) {
  put("\n],");
  if (note) put(fmt::format("\"tactusNote\":{},", json_string(*note)));
  put("\"displayTimeUnit\":\"ms\"}\n");
  if (failure_) throw UserError(*failure_);
  flush();
  file_.close();
}

}  // namespace tactus
