// How a job travels from a pool to its worker, and how its end travels back.
//
// A job is a row of texts, its arguments and at last its input: their number, then the length of
// each with its bytes after it. All numbers are std::uint64_t of this machine. The end of a job is
// the status of its process as of waitpid(), an int.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tactus {

/// Where a worker writes the ends of its jobs.
constexpr int status_descriptor = 3;

inline void append_number(std::string& frame, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  frame.append(bytes, sizeof number);
}

[[nodiscard]] inline std::string job_frame(const std::vector<std::string>& arguments,
                                           const std::string& input) {
  std::string frame;
  append_number(frame, arguments.size() + 1);
  for (const std::string& text : arguments) {
    append_number(frame, text.size());
    frame += text;
  }
  append_number(frame, input.size());
  return frame + input;
}

}  // namespace tactus
