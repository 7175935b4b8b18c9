// Writes files in the Chrome trace event format, which Perfetto and chrome://tracing open. A file
// has tracks with slices, and gauges.
//
// Times are microseconds, whole numbers or fractions; the caller defines what a microsecond stands
// for. Slices of a track should nest and not overlap partly. A process is a group of tracks;
// process 1 exists from the beginning. After a write error nothing more is written; close() reports
// the error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "isa/support/json_text.h"
#include "isa/support/output_file.h"

namespace tactus {

class TraceWriter {
 public:
  /// `time` tells readers what a microsecond stands for, such as "1 us is 1 cycle". Throws
  /// UserError if the file cannot be written.
  TraceWriter(const std::string& path, std::string time);

  /// Names a process. Viewers show its name, which also says what a microsecond stands for.
  void process(unsigned number, const std::string& name);
  /// Names a track. Viewers sort tracks by number.
  void track(unsigned id, const std::string& name, unsigned process = 1);
  /// Makes the text of a slice for slice(). A file has millions of slices and many are alike, so
  /// the caller keeps the text. `arguments` is a JSON object, or empty.
  [[nodiscard]] static std::string text(std::string_view name, std::string_view category,
                                        const std::string& arguments = {});
  template <typename Time>
  void slice(unsigned track, const std::string& text, Time from, Time duration,
             unsigned process = 1) {
    fmt::format_to(fmt::appender(buffer_),
                   FMT_COMPILE(",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}{}"),
                   process, track, from, duration, text);
    put({});
  }
  /// Writes the values of one chart of gauges. `values` is a JSON object of numbers by name.
  template <typename Time>
  void gauges(std::string_view title, Time at, const std::string& values, unsigned process = 1) {
    put(fmt::format(",\n{{\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":\"{}\",\"args\":{}}}", process,
                    at, title, values));
  }
  /// Completes the file. Throws UserError for the first write error.
  void close(const std::optional<std::string>& note = std::nullopt);

  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void put(std::string_view text);
  void flush();

  OutputFile file_;
  std::string time_;
  fmt::memory_buffer buffer_;
  std::uint64_t bytes_ = 0;
  std::optional<std::string> failure_;
};

}  // namespace tactus
