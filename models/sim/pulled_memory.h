// A memory that is not driven by the kernel: a unit that waits for an answer pulls it, i.e. asks it
// to continue.
//
// A memory woken by events of the SystemC kernel costs a kernel activation each time, and prevents
// the design from running ahead of the kernel. If all its initiators can pull, this is not needed,
// since its work is visible only through its answers. It answers when it is pulled, which may be
// long after the time of the answer; so annotated delays in calls to and from it count from time 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus {

class PulledMemory {
 public:
  virtual ~PulledMemory() = default;
  /// Does everything that is due up to this time, in units of sc_time. Later requests must not be
  /// timed before it.
  void pull(std::uint64_t ps) {
    if (next_pull_ <= ps) go_on(ps);
  }
  /// Time, in units of sc_time, of its next work if no request comes; ~0: none.
  [[nodiscard]] std::uint64_t next_pull() const { return next_pull_; }
  /// Number of whole clock periods from the time `present` on in which nothing is due; ~0: nothing
  /// ever is, if no request comes.
  [[nodiscard]] std::uint64_t periods_before_pull(std::uint64_t present,
                                                  std::uint64_t period) const {
    if (next_pull_ == ~std::uint64_t{0}) return ~std::uint64_t{0};
    return next_pull_ <= present ? 0 : (next_pull_ - present + period - 1) / period;
  }
  /// While set, accesses take their time and move no data.
  void set_timing_only(bool on) { timing_only_ = on; }
  /// Reads or writes bytes without time. Ignores a range that the memory does not hold.
  virtual void read_now(std::uint64_t address, std::uint8_t* bytes, std::size_t count) = 0;
  virtual void write_now(std::uint64_t address, const std::uint8_t* bytes, std::size_t count) = 0;

  /// True if an initiator can return to an earlier cycle. Such a memory implements the functions
  /// below. A memory that several designs share goes on instead, and its initiators repeat what it
  /// has answered (models/axi/pin_record.h).
  [[nodiscard]] virtual bool rewinds() const { return false; }
  /// Saves the current state, in which every access must be answered. Replaces an earlier mark.
  virtual void mark() {}
  /// Returns to the state of the last mark(). Accesses since then are gone and never answered; the
  /// bytes in the memory stay as they are. The initiators of these accesses are rewound, too,
  /// before anything else is called.
  virtual void rewind() {}

 protected:
  [[nodiscard]] bool timing_only() const { return timing_only_; }
  /// Sets next_pull(). It is read so often that the memory keeps it up to date.
  void set_next_pull(std::uint64_t ps) { next_pull_ = ps; }
  virtual void go_on(std::uint64_t ps) = 0;

 private:
  std::uint64_t next_pull_ = ~std::uint64_t{0};
  bool timing_only_ = false;
};

}  // namespace tactus
