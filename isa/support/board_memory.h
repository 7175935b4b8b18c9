// The memory side of a board: the object "memory" of its file.
//
//   {"ports": {"dram0": "hp1", "dram1": "hp2"},        path of each DRAM port
//    "paths": {"hp1": {"clock_ratio": "29/9",          or "clock_mhz": 322.222
//                      "data_bits": 128, "split_beats": 16, "outstanding": 8, "crossing": [5, 6],
//                      "interconnect_ns": [110, 110], "fixed_ns": [95, 60],
//                      "write_buffer_beats": 32, "controller_port": 4},
//              "hp2": "hp1"},                          same values as another path
//    "ddr": {"preset": "ddr4_2133_zcu104", "scheduler": "frfcfs", "page_policy": "open"},
//    "arbitration": "fixed:dram0",                     may be left out
//    "base": {"dram0": "0x40000000", "dram1": "0x48000000"},
//    "stream": {"path": "hp3", "burst_bytes": 4096, "bursts": 2, "base": "0x10000000"}}
//
// Pairs are [reads, writes]. models/axi/port_path.h describes the effect of the values. The preset
// is a name in configs/dram or a path relative to the file; the object may replace its scheduler
// and page policy. isa/support/arbitration.h describes "arbitration". Bases are byte addresses in
// the DRAM. "stream" describes how the instruction stream is read (models/axi/stream_reader.h);
// without it the stream cannot come from this memory.
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

/// Ratio of two clocks: their edges coincide after p periods of one and q periods of the other.
struct ClockRatio {
  static constexpr std::uint64_t most = 1000;
  std::uint64_t p = 1, q = 1;  ///< 1..most
  bool operator==(const ClockRatio& o) const { return p * o.q == q * o.p; }
};
/// The ratio of two frequencies, accurate to one millionth. Empty if the clocks do not coincide
/// within `most` periods.
[[nodiscard]] std::optional<ClockRatio> clock_ratio(double port_mhz, double design_mhz);
/// Parses "29/9"; empty if the text is anything else.
[[nodiscard]] std::optional<ClockRatio> parse_clock_ratio(const std::string& text);

struct MemoryPath {
  ClockRatio ratio;                 ///< ratio of the port's clock to the design's
  std::optional<double> clock_mhz;  ///< port's clock; replaces the ratio if set
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

/// The unit that reads the instruction stream from the DRAM.
struct MemoryStream {
  std::string path;             ///< the name of its path
  unsigned burst_bytes = 4096;  ///< size of a read; a power of two
  unsigned bursts = 2;          ///< reads in flight: requested but not handed on completely
  std::uint64_t base = 0;       ///< byte address of the program in the DRAM

  bool operator==(const MemoryStream& o) const {
    return path == o.path && burst_bytes == o.burst_bytes && bursts == o.bursts && base == o.base;
  }
};

struct BoardMemory {
  using NamedPath = std::pair<std::string, MemoryPath>;

  std::vector<NamedPath> paths;      ///< in the file's order, each with all values
  std::array<std::string, 2> ports;  ///< name of the path of each DRAM port
  std::string preset;
  std::string scheduler, page_policy;         ///< empty: as in the preset
  std::optional<std::uint64_t> page_timeout;  ///< DRAM clocks, with page_policy "timeout" only
  std::string arbitration;                    ///< see isa/support/arbitration.h; empty: "ports"
  std::array<std::uint64_t, 2> base{};
  /// empty: the instruction stream cannot come from this memory
  std::optional<MemoryStream> stream;

  /// The path of a DRAM port.
  [[nodiscard]] const MemoryPath& path(unsigned port) const { return path(ports[port]); }
  [[nodiscard]] const MemoryPath& path(const std::string& name) const;
  bool operator==(const BoardMemory& o) const;
};

/// The parameters of a path, and those of the object itself.
[[nodiscard]] const ParameterTable<MemoryPath>& memory_path_parameters();
[[nodiscard]] const ParameterSection& memory_section();

/// Problems, with their JSON paths, go to the reader's list.
[[nodiscard]] BoardMemory decode_board_memory(ObjectReader reader);
[[nodiscard]] nlohmann::ordered_json encode_board_memory(const BoardMemory& memory);

}  // namespace tactus
