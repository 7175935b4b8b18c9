// Tests of whole memories, of their address lines, and of accumulating DataMoves.
#include <algorithm>

#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/layout.h"

namespace tactus::selftest {
namespace {

Lanes vector_of(const Lanes& vectors, std::uint64_t index, std::uint64_t lanes) {
  const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(index * lanes);
  return {begin, begin + static_cast<std::ptrdiff_t>(lanes)};
}

void dram_lines(Target& target, const std::array<std::uint64_t, 2>& lines) {
  std::array<Lanes, 2> vectors;
  for (unsigned port = 0; port < 2; ++port) {
    vectors[port] = target.random_vectors(lines[port]);
    for (std::uint64_t i = 0; i < lines[port]; ++i) {
      target.write(port, std::uint64_t{1} << i, vector_of(vectors[port], i, target.lanes()));
    }
  }
  target.run("memory_lines_dram", {{"LINES0", lines[0]}, {"LINES1", lines[1]}});
  for (unsigned port = 0; port < 2; ++port) {
    for (std::uint64_t i = 0; i < lines[port]; ++i) {
      target.expect(port, std::uint64_t{1} << (lines[port] - 1 - i),
                    vector_of(vectors[port], i, target.lanes()), "address lines");
    }
  }
}

void chip_lines(Target& target, std::uint64_t local, std::uint64_t accumulator) {
  const Lanes vectors = target.random_vectors(local);
  target.write(1, 0, vectors);
  target.write(1, local, target.random_vectors(local));
  target.write(0, 0, target.random_vectors(local + accumulator));
  target.run("memory_lines_chip", {{"LINES", local}, {"ACCUMULATOR_LINES", accumulator}});
  target.expect(0, 0, vectors, "address lines of local memory");
  target.expect(0, local,
                {vectors.begin(),
                 vectors.begin() + static_cast<std::ptrdiff_t>(accumulator * target.lanes())},
                "address lines of the accumulators");
}

}  // namespace

std::string memory_address_lines(Target& target) {
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t local = tcu::address_bits(a.local_depth);
  const std::uint64_t accumulator =
      std::min<std::uint64_t>(tcu::address_bits(a.accumulator_depth), local);
  std::array<std::uint64_t, 2> dram{};
  for (unsigned port = 0; port < 2; ++port) {
    dram[port] = std::min<std::uint64_t>(tcu::address_bits(target.dram_depth(port)), a.local_depth);
  }
  if (accumulator == 0 || dram[0] == 0 || dram[1] == 0) skip("a memory of one vector has no lines");
  if (target.dram_depth(0) < local + accumulator || target.dram_depth(1) < 2 * local) {
    skip("DRAM of {} and {} vectors cannot hold the vectors for the {} lines of local memory",
         target.dram_depth(0), target.dram_depth(1), local);
  }
  dram_lines(target, dram);
  chip_lines(target, local, accumulator);
  return fmt::format("lines: {} DRAM0, {} DRAM1, {} local, {} accumulators", dram[0], dram[1],
                     local, accumulator);
}

std::string memory_whole(Target& target) {
  constexpr std::uint64_t normal_bytes = std::uint64_t{2} << 20;
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t most =
      std::min({target.dram_depth(0), target.dram_depth(1) / 2,
                target.full() ? a.local_depth
                              : std::max<std::uint64_t>(normal_bytes / a.vector_bytes(), 1)});
  const std::uint64_t local = std::min(a.local_depth, most);
  const std::uint64_t accumulators = std::min({a.accumulator_depth, a.local_depth, most});
  if (most == 0) skip("DRAM1 of one vector cannot hold a copy");

  const Lanes vectors = target.random_vectors(local);
  target.write(1, 0, vectors);
  target.run("memory_local", {{"SIZE", local}});
  target.expect(0, 0, vectors, "local memory to DRAM0");
  target.expect(1, local, vectors, "local memory to DRAM1");

  const Lanes sums = target.random_vectors(accumulators);
  target.write(1, 0, sums);
  target.write(1, accumulators, target.random_vectors(accumulators));
  target.run("memory_accumulators", {{"SIZE", accumulators}});
  target.expect(0, 0, sums, "accumulators");
  return fmt::format("the last {} of {} vectors of local memory, {} of {} accumulators", local,
                     a.local_depth, accumulators, a.accumulator_depth);
}

std::string accumulate(Target& target) {
  constexpr std::uint64_t operands = 4;
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t size = std::min({a.accumulator_depth, a.local_depth,
                                       target.dram_depth(0) / (operands + 1), std::uint64_t{64}});
  if (size < 2) skip("memories too small: two vectors are needed, for the order of accumulates");
  // Values have half the range, so sums of several saturate now and then, and later additions take
  // them off the limit again.
  const std::int64_t most = info(a.data_type).max() / 2;
  const Lanes inputs = target.random_vectors(operands * size, -most, most);
  target.write(0, 0, inputs);
  target.run("accumulate", {{"SIZE", size}});
  const std::size_t lanes = size * target.lanes();
  Lanes sums(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(lanes));
  std::uint64_t saturated = 0;
  for (std::size_t i = lanes; i < inputs.size(); ++i) {
    std::int64_t& sum = sums[i % lanes];
    const std::int64_t exact = sum + inputs[i];
    sum = tcu::saturating_add(a.data_type, sum, inputs[i]);
    saturated += exact != sum ? 1 : 0;
  }
  target.expect(0, operands * size, sums, "sums");
  return fmt::format("{} vectors, {} of {} additions saturate", size, saturated,
                     inputs.size() - lanes);
}

}  // namespace tactus::selftest
