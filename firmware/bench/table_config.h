// Rows of a benchmark table: what to run on which board, and published or measured figures.
//
//   {"rows": [
//     {"network": "resnet20v2",           a network of the zoo; instead "onnx": F or "model":
//                                         F.tmodel, with paths relative to this file
//      "board": "zcu104",                 a name in configs/boards, or a path relative to this file
//      "strategy": "local-vars",          default local-isolated; not for a model
//      "compat": true,                    compile the reference's program byte for byte; default
//                                         false
//      "optimise": true, "effort": 200,   use the optimising compiler; default false
//      "batch": 4,                        images per run, optimising compiler; default 1
//      "resident": true,                  keep constants in local memory, optimising compiler
//      "architecture": {"dram1_depth": 4194304},          replaces values of its architecture
//      "label": "with a queue",           printed after the program; default none
//      "board_values": {"memory_model": "fixed"},         replaces values of the board
//      "beside": "cnn", "arrivals": "resnet20v2=30/s;cnn=200/s", "duration": "1s",
//                                         requests that arrive: keys of firmware/bench/tenants.h
//      "standard": false,                 run only with --all; default true
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
  std::string network;  ///< printed name: the zoo's name, or the file's
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

  /// Printed name of the program: the network, the strategy if it is not the default, "via stripe"
  /// if that compiler is used, and the label.
  [[nodiscard]] std::string program() const;
  /// program() followed by the board's name.
  [[nodiscard]] std::string title() const { return program() + " " + board.name; }
};

/// Reads a table. `name` is a name in configs/bench, or a path. Throws UserError.
[[nodiscard]] std::vector<Row> read_rows(const std::string& name);
/// Reads text that is already in memory; `where` stands for the file name.
[[nodiscard]] std::vector<Row> parse_rows(std::string_view json_text, const std::string& where);

}  // namespace tactus::bench
