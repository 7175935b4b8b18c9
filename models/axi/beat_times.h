// When each beat of a read burst is there, for a memory whose beats do not follow each other at one
// a cycle, and where the time of an answer went.
#pragma once

#include <cstdint>
#include <vector>

#include <tlm>

namespace tactus {

/// Where the time of a part of a burst went: the ends of its parts in ps, none before the one above
/// it. The time before `path_in` and after `bus` is that of the path, there and back.
struct AnswerTimes {
  unsigned until_beat = 0;    ///< the part's last beat, plus one
  std::uint64_t path_in = 0;  ///< it arrives at the memory controller
  std::uint64_t queue = 0;    ///< end of waiting behind other accesses
  std::uint64_t refresh = 0;  ///< end of waiting for a refresh
  std::uint64_t row = 0;      ///< end of closing and opening rows
  std::uint64_t bus = 0;      ///< end of the DRAM's own latency and its data on the bus
};

/// On the payload of a burst from the slave, filled by the target.
///
/// A read whose `at` stays empty is answered as a whole: all beats are there at BEGIN_RESP. Else
/// at[k], in ps, is the time of beat k, and never falls; the target appends the times of further
/// beats as it learns them, each before that time has come. The data of a beat is there with its
/// time. BEGIN_RESP follows when all times are known.
struct BeatTimes final : tlm::tlm_extension<BeatTimes> {
  std::vector<std::uint64_t> at;
  std::vector<AnswerTimes> answers;  ///< in order of beats; of a write only the last one's

  void clear() {
    at.clear();
    answers.clear();
  }
  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new BeatTimes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const BeatTimes&>(other);
  }
  /// It belongs to its burst, which outlives the payload's use.
  void free() override {}
};

}  // namespace tactus
