// The rows of a benchmark table: what runs where, and what others have published or measured.
//
//   {"rows": [
//     {"network": "resnet20v2",            a network of the zoo; or "onnx": F, or "model":
//     F.tmodel,
//                                          paths beside this file
//      "board": "zcu104",                  a name in configs/boards or a path beside this file
//      "strategy": "local-vars",           default local-isolated; not for a model
//      "compat": true,                     byte for byte the reference's program; default false
//      "optimise": true, "effort": 200,    by the optimising compiler; default false
//      "batch": 4,                         images a run, by the optimising compiler; default 1
//      "resident": true,                   constants stay in local memory, likewise
//      "architecture": {"dram1_depth": 4194304},          in place of the board's
//      "label": "with a queue",            printed behind the program; default none
//      "board_values": {"memory_model": "fixed"},         in place of the board's
//      "standard": false,                  runs only with --all; default true
//      "published": {"latency_ms": 21, "source": "...", "date": "2022-03-07"},   an estimate
//      "measured": {"frames_per_second": 133.54, "source": "...", "date": "2022-07"}}]}
//
// Reading is strict; errors carry the JSON path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/bench/evaluation.h"
#include "firmware/config/board.h"

namespace tactus::bench {

struct Row {
  std::string network;  ///< as printed: the zoo's name, or the file's
  Board board;
  Task task;
  std::string changes;  ///< "dram1_depth 4194304, ..."; empty if the architecture is the board's
  std::string label;
  bool standard = true;
  struct Published {
    double latency_ms = 0;
    std::string source, date;
  };
  struct Measured {
    double frames_per_second = 0;
    std::string source, date;
  };
  std::optional<Published> published;
  std::optional<Measured> measured;

  /// "resnet20v2", with the strategy if it is not the usual one, "via stripe" if it is, and the
  /// label.
  [[nodiscard]] std::string program() const;
  /// program() and the board.
  [[nodiscard]] std::string title() const { return program() + " " + board.name; }
};

/// `name`: in configs/bench, or a path. Throws UserError.
[[nodiscard]] std::vector<Row> read_rows(const std::string& name);
/// The same from text already in memory; `where` stands for the file name.
[[nodiscard]] std::vector<Row> parse_rows(std::string_view json_text, const std::string& where);

}  // namespace tactus::bench
