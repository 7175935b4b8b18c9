// A file in the Chrome trace event format, which Perfetto and chrome://tracing open: tracks with
// slices, and gauges.
//
// Times are what the writer's owner calls a microsecond: whole numbers or fractions. Slices of one
// track should nest and not overlap. A failure to write stops the file and not its owner: close()
// reports it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "isa/support/output_file.h"

namespace tactus {

class TraceWriter {
 public:
  /// `time` tells what a microsecond is, such as "1 us is 1 cycle". Throws UserError if the file
  /// cannot be written.
  TraceWriter(const std::string& path, const std::string& time);

  /// Viewers show tracks in the order of their numbers.
  void track(unsigned id, const std::string& name);
  /// `arguments` is a JSON object, or empty.
  template <typename Time>
  void slice(unsigned track, std::string_view name, std::string_view category, Time from,
             Time duration, const std::string& arguments = {}) {
    put(
        fmt::format(",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{},"
                    "\"cat\":\"{}\"{}{}}}",
                    track, from, duration, quoted(name), category,
                    arguments.empty() ? "" : ",\"args\":", arguments));
  }
  /// Values of one chart: `values` is a JSON object of numbers by name.
  template <typename Time>
  void gauges(std::string_view title, Time at, const std::string& values) {
    put(fmt::format(",\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{},\"name\":\"{}\",\"args\":{}}}", at,
                    title, values));
  }
  /// Completes the file. Throws UserError for the first write that failed.
  void close(const std::optional<std::string>& note = std::nullopt);

  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  /// A string as JSON.
  [[nodiscard]] static std::string quoted(std::string_view text);

 private:
  void put(std::string_view text);

  OutputFile file_;
  std::string buffer_;
  std::optional<std::string> failure_;
};

}  // namespace tactus
