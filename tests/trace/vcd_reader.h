// A reader of value change dumps that is independent of Tactus's writer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tactus {

/// Reads a dump and steps through it in time. Throws std::runtime_error with the line for anything
/// that IEEE 1364 does not allow or this reader does not support.
class VcdReader {
 public:
  explicit VcdReader(const std::string& path);

  /// All signal names, in the order of the file.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(const std::string& name) const { return codes_.count(name) != 0; }
  [[nodiscard]] unsigned width(const std::string& name) const;
  [[nodiscard]] std::uint64_t timescale_ps() const { return timescale_ps_; }
  [[nodiscard]] std::size_t changes() const { return changes_; }
  [[nodiscard]] std::size_t dumpoffs() const { return dumpoffs_; }

  /// Applies all changes at the next time that has changes. Returns false at the end of the file.
  bool next_time();
  /// Time of the current values; valid after next_time().
  [[nodiscard]] std::uint64_t time() const { return time_; }
  /// Next time that has changes, or time() at the end of the file.
  [[nodiscard]] std::uint64_t following_time() const { return at_end() ? time_ : pending_time_; }
  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }

  /// Value as binary digits 0, 1, x, most significant first; as many digits as the signal is wide.
  [[nodiscard]] const std::string& digits(const std::string& name) const;
  [[nodiscard]] bool known(const std::string& name) const;
  /// Value as a number of at most 64 bits; throws if a digit is unknown.
  [[nodiscard]] std::uint64_t value(const std::string& name) const;
  [[nodiscard]] bool is_high(const std::string& name) const { return digits(name) == "1"; }
  /// Bits [low + count - 1 : low] of a known value, as a number.
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
  std::map<std::string, Variable> variables_;  ///< by identifier code
  std::uint64_t timescale_ps_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t pending_time_ = 0;
  bool first_ = true;
  std::size_t changes_ = 0, dumpoffs_ = 0;
};

/// Steps through a dump cycle by cycle: after next(), values are those at the end of cycle().
class VcdCycles {
 public:
  VcdCycles(VcdReader& reader, std::uint64_t period_ps);
  /// Advances to the next cycle; returns false after the last. Skips cycles in which all values are
  /// unknown (between windows).
  bool next();
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }

 private:
  VcdReader& reader_;
  std::uint64_t ticks_;
  std::uint64_t cycle_ = 0;
  bool started_ = false;
};

}  // namespace tactus
