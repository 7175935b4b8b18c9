// A reader of value change dumps that knows nothing of how Tactus writes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tactus {

/// One dump, read from a file and walked through in time. Throws std::runtime_error with the line
/// for anything that IEEE 1364 does not allow or that this reader does not know.
class VcdReader {
 public:
  explicit VcdReader(const std::string& path);

  /// All names, in the order of the file.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(const std::string& name) const { return codes_.count(name) != 0; }
  [[nodiscard]] unsigned width(const std::string& name) const;
  [[nodiscard]] std::uint64_t timescale_ps() const { return timescale_ps_; }
  [[nodiscard]] std::size_t changes() const { return changes_; }
  [[nodiscard]] std::size_t dumpoffs() const { return dumpoffs_; }

  /// Applies all changes of the next time that has any. False at the end of the file.
  bool next_time();
  /// The time of the values: valid after next_time().
  [[nodiscard]] std::uint64_t time() const { return time_; }
  /// The time after it, or time() at the end of the file.
  [[nodiscard]] std::uint64_t following_time() const { return at_end() ? time_ : pending_time_; }
  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }

  /// Binary digits, most significant first, as many as the signal is wide; 0, 1, x.
  [[nodiscard]] const std::string& digits(const std::string& name) const;
  [[nodiscard]] bool known(const std::string& name) const;
  /// Up to 64 bits; throws if a digit is not known.
  [[nodiscard]] std::uint64_t value(const std::string& name) const;
  [[nodiscard]] bool is_high(const std::string& name) const { return digits(name) == "1"; }
  /// Bits [low + count - 1 : low] of a known value.
  [[nodiscard]] std::uint64_t bits(const std::string& name, unsigned low, unsigned count) const;

 private:
  struct Variable {
    unsigned width;
    std::string digits;
  };
  [[noreturn]] void fail(const std::string& what) const;
  std::string word();
  std::string until_end();
  void header();
  void change(const std::string& first);
  [[nodiscard]] const Variable& variable(const std::string& name) const;

  std::string path_;
  std::string text_;
  std::size_t position_ = 0;
  std::vector<std::string> names_;
  std::map<std::string, std::string> codes_;   ///< name -> identifier code
  std::map<std::string, Variable> variables_;  ///< by code
  std::uint64_t timescale_ps_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t pending_time_ = 0;
  bool first_ = true;
  std::size_t changes_ = 0, dumpoffs_ = 0;
};

/// Walks a dump cycle by cycle: after next() the values are those at the end of cycle().
class VcdCycles {
 public:
  VcdCycles(VcdReader& reader, std::uint64_t period_ps);
  /// False after the last cycle in the dump. Cycles in which everything is unknown (between
  /// windows) are passed over.
  bool next();
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }

 private:
  VcdReader& reader_;
  std::uint64_t ticks_;
  std::uint64_t cycle_ = 0;
  bool started_ = false;
};

}  // namespace tactus
