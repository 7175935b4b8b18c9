// A benchmark table of another kind: published latencies of Edge TPU models beside their replays.
//
//   {"replays": [
//     {"model": "PoseNet 353x481",       as printed
//      "file": "posenet_..._edgetpu.tflite",      looked for in a folder that the user names
//      "link": "usb3",                   of configs/links
//      "cycles": 1428960, "cycles_source": "...",      compute as a lump; both or neither
//      "published_ms": 5.8, "source": "...",
//      "left_out": "..."}]}              what the figure has and the replay lacks; may be missing
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
  std::uint64_t cycles = 0;   ///< 0: compute is not modelled
  std::string cycles_source;  ///< empty with it
  double published_ms = 0;
  std::string source;
  std::string left_out;

  [[nodiscard]] std::string title() const { return model + " " + link; }
};

/// The rows of a file of this kind, or nothing for one of another kind. `name`: in configs/bench,
/// or a path. Throws UserError.
[[nodiscard]] std::optional<std::vector<ReplayRow>> read_replay_rows(const std::string& name);
[[nodiscard]] std::optional<std::vector<ReplayRow>> parse_replay_rows(std::string_view json_text,
                                                                      const std::string& where);

}  // namespace tactus::bench
