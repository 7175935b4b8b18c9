// Writes waveforms as a value change dump (IEEE 1364, four-state VCD).
//
// Cycle t is at time t * clock period. The clock, if traced, rises there and falls half a period
// later, but only in cycles in which another traced signal changes: a waiting machine writes
// nothing. A clock that is traced alone has all its edges. The payload of a channel that is not
// valid reads x; between windows everything reads x. Bytes are written in whole cycles, so the file
// can be read however the program ends. At the limit, and on a full disk, the file ends with the
// last cycle for which there is room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/sim/clock.h"
#include "models/sim/trace/selection.h"

namespace tactus::trace {

class VcdWriter {
 public:
  struct Header {
    std::string tool;                      ///< $version
    std::string comment;                   ///< $comment, one line
    std::uint64_t period_fs = 10'000'000;  ///< period of a cycle
    std::uint64_t limit_bytes = ~std::uint64_t{0};
  };

  /// The file is made with the first cycle. No call throws because of the file system: the first
  /// failure ends the writing and is stored in error().
  VcdWriter(std::string path, const Plan& plan, Header header);
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  /// Values of a cycle; `before`: those of the cycle before it, null if that was not written.
  /// Cycles come in order.
  void write(Cycle cycle, const std::uint64_t* now, const std::uint64_t* before);
  /// Ends the last cycle and flushes.
  void close();
  /// Call in place of close(): removes the file; one that is no regular file is only closed.
  void discard();

  /// Makes the file with its header, as write() does. A run without cycles needs this call.
  void begin() {
    if (!opened_) open();
  }

  /// "path: what", or empty.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// The file has been closed because the next cycle would have exceeded the limit.
  [[nodiscard]] bool full() const { return full_; }
  /// One after the last cycle written.
  [[nodiscard]] Cycle end() const { return next_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Time of a cycle as GTKWave counts it. GTKWave knows only units of 1 ms, 1 us, 1 ns and 1 ps: a
  /// tick of "10 ns" counts as 10 there.
  [[nodiscard]] std::uint64_t viewer_units_per_cycle() const { return viewer_units_per_cycle_; }

  /// Name of a traced signal as viewers show it: with its range if it is wider than a bit.
  [[nodiscard]] static std::string viewer_name(const Chosen& chosen);

 private:
  void open();
  void header_text();
  void add(Cycle cycle, const std::uint64_t* now, const std::uint64_t* before);
  void flush();
  std::size_t cut(std::size_t done);
  void fail(const char* what, int number);
  void time(std::uint64_t ticks);
  void append(std::string_view text);
  void clock_edge(char level);
  char* grow(std::size_t bytes);
  void value(const Group::Shown& item, const std::uint64_t* words);
  void unknown(const Group::Shown& item);
  void all(const std::uint64_t* now, const char* section);
  void changes(const std::vector<Group>& groups, const std::uint64_t* now,
               const std::uint64_t* before);

  std::string path_;
  const Plan& plan_;
  Header header_;
  std::uint64_t ticks_per_cycle_, ticks_high_, viewer_units_per_cycle_;
  std::string unit_;              ///< time unit of a tick
  std::vector<std::string> ids_;  ///< identifiers of the variables
  std::string clock_id_;          ///< empty: not traced
  int file_ = -1;
  bool opened_ = false;
  bool full_ = false;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_time_ = ~std::uint64_t{0};
  Cycle next_ = 0;  ///< one after the last cycle written
  std::string error_;
};

}  // namespace tactus::trace
