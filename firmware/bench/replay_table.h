// A benchmark table of replays: models for the Edge TPU with their published latencies.
//
//   {"replays": [
//     {"model": "PoseNet 353x481",       printed name
//      "file": "posenet_..._edgetpu.tflite",      a file in a folder that the user names
//      "link": "usb3",                   a name in configs/links
//      "cycles": 1428960, "cycles_source": "...",      all computation as one block; both or none
//      "published_ms": 5.8, "source": "...",           published latency
//      "left_out": "..."}]}              what that latency includes and the replay does not;
//      optional
//
// Reading is strict; errors carry the JSON path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::bench {

struct ReplayRow {
  std::string model, file, link;
  std::uint64_t cycles = 0;   ///< cycles of all computation, as one block; 0: not modelled
  std::string cycles_source;  ///< empty if compute is not modelled
  double published_ms = 0;
  std::string source;
  std::string left_out;

  [[nodiscard]] std::string title() const { return model + " " + link; }
};

/// Reads the rows of a table of replays; returns nothing for a file of another kind. `name` is a
/// name in configs/bench, or a path. Throws UserError.
[[nodiscard]] std::optional<std::vector<ReplayRow>> read_replay_rows(const std::string& name);
/// Reads text that is already in memory; `where` stands for the file name.
[[nodiscard]] std::optional<std::vector<ReplayRow>> parse_replay_rows(std::string_view json_text,
                                                                      const std::string& where);

}  // namespace tactus::bench
