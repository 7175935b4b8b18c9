// Tests that copy DRAM -> local -> accumulators -> local -> DRAM0 with many sizes, strides and
// offsets.
#include <algorithm>

#include "firmware/selftest/tcu/target.h"

namespace tactus::selftest {
namespace {

/// Start addresses of a case are 0..3, on the way in and on the way out.
constexpr std::uint64_t shifts = 4;

struct RoundTrip {
  unsigned bank;  ///< number of the DRAM that holds the data
  std::uint64_t size;
  unsigned code0, code1;   ///< stride codes: of local memory; of DRAM and accumulators
  std::uint64_t from, to;  ///< start address on the way in; offset of the start on the way out
};

/// Number of vectors from the first to the last that a strided access of `size` vectors reaches.
std::uint64_t span(std::uint64_t size, unsigned code) {
  if (size == 1) return 1;
  return code < 40 ? ((size - 1) << code) + 1 : ~std::uint64_t{0} >> 1;
}

/// Start of the results in DRAM0, behind the source if that is in DRAM0 too.
std::uint64_t result_base(const RoundTrip& trip) {
  return trip.bank == 0 ? trip.from + span(trip.size, trip.code1) : 0;
}

/// Local address on the way out. It is in the upper half of local memory if there is room, so that
/// data left there on the way in cannot be taken for results.
std::uint64_t local_back(const Target& target, const RoundTrip& trip) {
  const std::uint64_t half = target.architecture().local_depth / 2;
  const std::uint64_t needed = span(trip.size, trip.code0) + std::max(trip.from, trip.to);
  return trip.to + (needed <= half ? half : 0);
}

bool fits(const Target& target, const RoundTrip& trip) {
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t span0 = span(trip.size, trip.code0);
  const std::uint64_t span1 = span(trip.size, trip.code1);
  return std::max(trip.from, trip.to) + span0 <= a.local_depth &&
         trip.from + span1 <= a.accumulator_depth &&
         trip.from + span1 <= target.dram_depth(trip.bank) &&
         result_base(trip) + trip.to + span1 <= target.dram_depth(0);
}

void run_trip(Target& target, const RoundTrip& trip) {
  const std::uint64_t lanes = target.lanes();
  const std::uint64_t span1 = span(trip.size, trip.code1);
  const Lanes source = target.random_vectors(span1);
  // The test also checks that the vectors between the results, and one on each side, do not change.
  const std::uint64_t result = result_base(trip) + trip.to;
  const std::uint64_t before = std::min<std::uint64_t>(trip.to, 1);
  const std::uint64_t after = result + span1 < target.dram_depth(0) ? 1 : 0;
  Lanes expected = target.random_vectors(before + span1 + after);
  target.write(trip.bank, trip.from, source);
  target.write(0, result - before, expected);
  target.run("memory_round_trip", {{"BANK", trip.bank},
                                   {"SIZE", trip.size},
                                   {"STEP0", std::uint64_t{1} << trip.code0},
                                   {"STEP1", std::uint64_t{1} << trip.code1},
                                   {"FROM", trip.from},
                                   {"BACK", local_back(target, trip)},
                                   {"TARGET", result}});
  for (std::uint64_t i = 0; i < trip.size; ++i) {
    const std::uint64_t at = span(i + 1, trip.code1) - 1;
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(at * lanes), lanes,
                expected.begin() + static_cast<std::ptrdiff_t>((before + at) * lanes));
  }
  target.expect(0, result - before, expected,
                fmt::format("{} vectors, stride codes {} and {}, from {} to {}", trip.size,
                            trip.code0, trip.code1, trip.from, trip.to));
}

/// Sizes to test: 1..9, then 15..17, 31..33 and so on, the last around a power of two up to `most`.
std::vector<std::uint64_t> sizes(std::uint64_t most) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t size = 1; size <= 9; ++size) list.push_back(size);
  for (std::uint64_t centre = 16; centre <= most; centre *= 2) {
    for (const std::uint64_t size : {centre - 1, centre, centre + 1}) list.push_back(size);
  }
  return list;
}

/// Number of cases with `size` vectors to run, of `total`. Full effort runs all. Normal effort
/// copies about the same number of lanes for every size, but runs at least 4 cases.
std::uint64_t cases_to_run(const Target& target, std::uint64_t size, std::uint64_t total) {
  constexpr std::uint64_t lanes_a_size = 32768;
  if (target.full()) return total;
  return std::min(total, std::max<std::uint64_t>(lanes_a_size / (size * target.lanes()), 4));
}

/// Divides the cases 0..total-1 into `wanted` equal parts and visits a random case of each.
template <typename Visit>
void visit_spread(Random& random, std::uint64_t total, std::uint64_t wanted, Visit visit) {
  for (std::uint64_t k = 0; k < wanted; ++k) {
    const std::uint64_t begin = total * k / wanted;
    visit(begin + random.below(total * (k + 1) / wanted - begin));
  }
}

std::string covered(std::uint64_t ran, std::uint64_t total) {
  if (total == 0) skip("no size fits the memories with offsets up to 3 on the way in and out");
  return ran == total ? fmt::format("all {} cases", total)
                      : fmt::format("{} of {} cases, full effort runs all", ran, total);
}

}  // namespace

std::string memory_strides(Target& target, unsigned bank) {
  // Codes 0..62 are tested, since the assembler's largest step is 2^62.
  const unsigned codes0 = std::min(target.architecture().stride0_depth, 63U);
  const unsigned codes1 = std::min(target.architecture().stride1_depth, 63U);
  std::uint64_t total = 0;
  std::uint64_t ran = 0;
  for (const std::uint64_t size : sizes(target.architecture().accumulator_depth)) {
    std::vector<RoundTrip> trips;  // one for each pair of stride codes that fits the memories
    for (unsigned code0 = 0; code0 < codes0; ++code0) {
      for (unsigned code1 = 0; code1 < codes1; ++code1) {
        const RoundTrip widest{bank, size, code0, code1, shifts - 1, shifts - 1};
        if (fits(target, widest)) trips.push_back(widest);
      }
    }
    const std::uint64_t cases = trips.size() * shifts * shifts;
    const std::uint64_t wanted = cases_to_run(target, size, cases);
    visit_spread(target.random(), cases, wanted, [&](std::uint64_t index) {
      RoundTrip trip = trips[index / (shifts * shifts)];
      trip.from = index / shifts % shifts;
      trip.to = index % shifts;
      run_trip(target, trip);
    });
    total += cases;
    ran += wanted;
  }
  return covered(ran, total);
}

std::string memory_offsets(Target& target, unsigned bank) {
  std::uint64_t total = 0;
  std::uint64_t ran = 0;
  for (const std::uint64_t size : sizes(target.architecture().accumulator_depth)) {
    std::uint64_t offsets = 0;
    while (fits(target, {bank, size, 0, 0, offsets + shifts - 1, offsets + shifts - 1})) ++offsets;
    const std::uint64_t cases = offsets * shifts * shifts;
    const std::uint64_t wanted = cases_to_run(target, size, cases);
    visit_spread(target.random(), cases, wanted, [&](std::uint64_t index) {
      const std::uint64_t offset = index / (shifts * shifts);
      run_trip(target,
               {bank, size, 0, 0, offset + index / shifts % shifts, offset + index % shifts});
    });
    total += cases;
    ran += wanted;
  }
  return covered(ran, total);
}

}  // namespace tactus::selftest
