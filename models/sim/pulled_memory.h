// A memory that does nothing by itself: who waits for one of its answers asks it to go on.
//
// A memory that wakes by events of the SystemC kernel costs an activation of the kernel each time,
// and keeps the design from running ahead of it. Where all that call it can ask, none of that is
// needed: nothing it does is seen before an answer is. It answers when it is asked, which may be
// long after the time of the answer, so in calls to and from it annotated delays count from time 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus {

class PulledMemory {
 public:
  virtual ~PulledMemory() = default;
  /// Does all that it would have done up to this time, in ps. Requests that are made later must not
  /// be timed before it.
  void pull(std::uint64_t ps) {
    if (next_pull_ <= ps) go_on(ps);
  }
  /// The time in ps at which it has something to do next, if no request comes; ~0: none.
  [[nodiscard]] std::uint64_t next_pull() const { return next_pull_; }
  /// While set, accesses take their time and move no data.
  void set_timing_only(bool on) { timing_only_ = on; }
  /// Reads or writes bytes; no time passes. A range that it does not hold is left alone.
  virtual void read_now(std::uint64_t address, std::uint8_t* bytes, std::size_t count) = 0;
  virtual void write_now(std::uint64_t address, const std::uint8_t* bytes, std::size_t count) = 0;

  /// Whether the present state can be remembered and returned to. Then it brings what follows.
  [[nodiscard]] virtual bool rewinds() const { return false; }
  /// Remembers the present state, in which every access has been answered; what was remembered
  /// before is gone.
  virtual void mark() {}
  /// Returns to the state of the last mark(): accesses that came since are gone and never answered.
  /// The bytes in the memory stay as they are. Who asked for the accesses is rewound too, before
  /// anything else is called.
  virtual void rewind() {}

 protected:
  [[nodiscard]] bool timing_only() const { return timing_only_; }
  /// It is asked so often that it keeps this up to date.
  void set_next_pull(std::uint64_t ps) { next_pull_ = ps; }
  virtual void go_on(std::uint64_t ps) = 0;

 private:
  std::uint64_t next_pull_ = ~std::uint64_t{0};
  bool timing_only_ = false;
};

}  // namespace tactus
