// The account of a slave's waiting equals its definition: a cycle counts for the part of the path
// on which the access was at the beginning of the cycle.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "models/axi/memory_account.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using Kind = MemoryAccount::Kind;

class Slave {
 public:
  explicit Slave(std::uint32_t seed) : random_(seed) { clock_.period = 1 + below(10'000); }

  void run(Cycle cycles) {
    for (; clock_.now < cycles; ++clock_.now) cycle();
    account_.account().settle();
  }
  [[nodiscard]] const std::vector<std::uint64_t>& counted() { return account_.account().cycles(); }
  /// Expected counts of the cycles whose kind is known so far.
  std::array<std::uint64_t, MemoryAccount::state_table.size()> expected{};

 private:
  struct Waiting {
    Cycle cycle;
    Kind kind;
    unsigned state;  ///< valid if `known`
    bool known;
  };

  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
  }

  /// The kind of wait changes at random. A beat or a response is taken in a cycle without a wait.
  void cycle() {
    if (below(3) == 0) {
      kind_ = std::array{Kind::nothing, Kind::beat, Kind::beat, Kind::response}[below(4)];
    }
    if (below(4) == 0) kind_ = Kind::nothing;
    if (kind_ != Kind::nothing) {
      account_.wait(kind_);
      waiting_.push_back({clock_.now, kind_, 0, false});
      return;
    }
    // A handshake may end the wait, as it does in a slave.
    if (below(2) == 0) account_.wait(Kind::nothing);
    for (const Kind kind : {Kind::beat, Kind::response}) {
      if (below(2) == 0) take(kind);
    }
    account_.wait(Kind::nothing);
  }

  void take(Kind kind) {
    AnswerTimes times;
    const bool known = below(8) != 0;
    std::uint64_t at = clock_.now > 12 ? (clock_.now - below(12)) * clock_.period : 0;
    for (std::uint64_t* end :
         {&times.path_in, &times.queue, &times.refresh, &times.row, &times.bus}) {
      *end = at;
      at += std::array{std::uint64_t{0}, below(3 * clock_.period), clock_.period}[below(3)];
    }
    account_.taken(kind, known ? &times : nullptr);
    for (Waiting& w : waiting_) {
      if (w.kind != kind || w.known) continue;
      w.known = true;
      w.state = known ? part(times, w.cycle) : MemoryAccount::path;
    }
    // States are counted in the order of time.
    while (!waiting_.empty() && waiting_.front().known) {
      ++expected[waiting_.front().state];
      waiting_.erase(waiting_.begin());
    }
  }

  [[nodiscard]] unsigned part(const AnswerTimes& times, Cycle cycle) const {
    const std::uint64_t begin = cycle * clock_.period;
    const std::array ends{times.path_in, times.queue, times.refresh, times.row, times.bus};
    const std::array states{MemoryAccount::path, MemoryAccount::queue, MemoryAccount::refresh,
                            MemoryAccount::row, MemoryAccount::bus};
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i] > begin) return states[i];
    }
    return MemoryAccount::path;
  }

  std::mt19937 random_;
  Clock clock_;
  MemoryAccount account_{"memory0", clock_};
  Kind kind_ = Kind::nothing;
  std::vector<Waiting> waiting_;
};

TEST(MemoryAccount, GivesEveryCycleToThePartInWhichItBegan) {
  for (const std::uint64_t seed : test_seeds(7'000, 300)) {
    Slave slave(static_cast<std::uint32_t>(seed));
    slave.run(2'000);
    const std::vector<std::uint64_t>& counted = slave.counted();
    for (unsigned state = 0; state < MemoryAccount::rest; ++state) {
      EXPECT_EQ(counted[state], slave.expected[state])
          << "seed " << seed << ": " << MemoryAccount::state_table[state].name;
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tactus
