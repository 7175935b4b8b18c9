// Times at which the beats of a read burst are available, for memories that do not deliver one beat
// a cycle, and the parts of an answer's time, for accounts.
#pragma once

#include <cstdint>
#include <vector>

#include <tlm>

#include "models/sim/postponed_moves.h"

namespace tactus {

/// The parts of the time of an answer, given by the ends of the parts in units of sc_time, in
/// increasing order. Before `path_in` the access is on the path to the memory, after `bus` on the
/// path back.
struct AnswerTimes {
  unsigned until_beat = 0;    ///< the times hold for beats before this one
  std::uint64_t path_in = 0;  ///< arrival at the memory controller
  std::uint64_t queue = 0;    ///< end of waiting behind other accesses
  std::uint64_t refresh = 0;  ///< end of waiting for a refresh
  std::uint64_t row = 0;      ///< end of closing and opening rows
  std::uint64_t bus = 0;      ///< end of the DRAM's own latency and its data on the bus
};

/// Extension of the payload of a burst. The target fills it in.
///
/// If `at` stays empty, all beats of a read are available at BEGIN_RESP. Else at[k], in units of
/// sc_time and not decreasing, is the time of beat k; the target appends the time of each further
/// beat before that time has come. The data of a beat is valid as soon as its time is. BEGIN_RESP
/// follows when all times are known.
struct BeatTimes final : tlm::tlm_extension<BeatTimes> {
  std::vector<std::uint64_t> at;
  std::vector<AnswerTimes> answers;  ///< in order of beats; a write has only that of its last beat
  PartOfBurst burst;                 ///< the burst, if its data may be left out

  void clear() {
    at.clear();
    answers.clear();
  }
  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new BeatTimes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const BeatTimes&>(other);
  }
  /// Does nothing: the extension is a member of the burst that carries it.
  void free() override {}
};

}  // namespace tactus
