// Format of messages between a pool and its workers.
//
// To start a job, the pool sends a list of texts: the job's arguments and then its input. The frame
// has the number of texts, then for each text its length and its bytes. All numbers are
// std::uint64_t in the machine's byte order. When a job has ended, the worker sends the status of
// its process as given by waitpid(), an int.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tactus {

/// Descriptor to which a worker writes the status of its jobs.
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
