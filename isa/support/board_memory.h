// The memory side of a board, as its file says it: the object "memory".
//
//   {"ports": {"dram0": "hp1", "dram1": "hp2"},        the way of each DRAM port
//    "paths": {"hp1": {"clock_ratio": "29/9",          or "clock_mhz": 322.222
//                      "data_bits": 128, "split_beats": 16, "outstanding": 8, "crossing": [5, 6],
//                      "interconnect_ns": [110, 110], "fixed_ns": [95, 60],
//                      "write_buffer_beats": 32, "controller_port": 4},
//              "hp2": "hp1"},                          as another one
//    "ddr": {"preset": "ddr4_2133_zcu104", "scheduler": "frfcfs", "page_policy": "open"},
//    "base": {"dram0": "0x40000000", "dram1": "0x48000000"},
//    "stream": {"path": "hp3", "burst_bytes": 4096, "bursts": 2, "base": "0x10000000"}}
//
// Pairs are of reads and of writes. What the values do is said in models/axi/port_path.h; the
// preset is a name of configs/dram or a path beside the file, whose scheduler and page policy the
// object may replace. Bases are bytes in the DRAM. "stream" says how the instruction stream is read
// (models/axi/stream_reader.h); without it the stream cannot come from here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "isa/support/json.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Two clocks meet after p periods of the one and q of the other.
struct ClockRatio {
  static constexpr std::uint64_t most = 1000;
  std::uint64_t p = 1, q = 1;  ///< 1..most
  bool operator==(const ClockRatio& o) const { return p * o.q == q * o.p; }
};
/// The ratio of two frequencies, to one millionth; none: they do not meet within `most` periods.
[[nodiscard]] std::optional<ClockRatio> clock_ratio(double port_mhz, double design_mhz);
/// "29/9"; none: something else.
[[nodiscard]] std::optional<ClockRatio> parse_clock_ratio(const std::string& text);

struct MemoryPath {
  ClockRatio ratio;                 ///< of the port's clock to the design's
  std::optional<double> clock_mhz;  ///< of the port's clock; replaces the ratio where it is there
  unsigned data_bits = 64;
  unsigned split_beats = 16;
  unsigned outstanding = 8;
  std::array<double, 2> crossing{0, 0};  ///< clocks, whole numbers
  std::array<double, 2> interconnect_ns{0, 0};
  std::array<double, 2> fixed_ns{0, 0};
  unsigned write_buffer_beats = 32;
  unsigned controller_port = 0;

  bool operator==(const MemoryPath& o) const;
};

/// What reads the instruction stream out of the DRAM.
struct MemoryStream {
  std::string path;             ///< the name of its path
  unsigned burst_bytes = 4096;  ///< of a read; a power of two
  unsigned bursts = 2;          ///< asked for and not handed on in full
  std::uint64_t base = 0;       ///< of the program in the DRAM, bytes

  bool operator==(const MemoryStream& o) const {
    return path == o.path && burst_bytes == o.burst_bytes && bursts == o.bursts && base == o.base;
  }
};

struct BoardMemory {
  using NamedPath = std::pair<std::string, MemoryPath>;

  std::vector<NamedPath> paths;      ///< in the file's order, each in full
  std::array<std::string, 2> ports;  ///< the path's name, by DRAM port
  std::string preset;
  std::string scheduler, page_policy;  ///< empty: the preset's
  std::array<std::uint64_t, 2> base{};
  std::optional<MemoryStream> stream;  ///< none: the instruction stream cannot come from here

  /// Of a DRAM port.
  [[nodiscard]] const MemoryPath& path(unsigned port) const { return path(ports[port]); }
  [[nodiscard]] const MemoryPath& path(const std::string& name) const;
  bool operator==(const BoardMemory& o) const;
};

/// The keys of a path, and those of the whole object that have values of their own.
[[nodiscard]] const ParameterTable<MemoryPath>& memory_path_parameters();
[[nodiscard]] const ParameterSection& memory_section();

/// What is wrong goes to the reader's problems, with its path.
[[nodiscard]] BoardMemory decode_board_memory(ObjectReader reader);
[[nodiscard]] nlohmann::ordered_json encode_board_memory(const BoardMemory& memory);

}  // namespace tactus
