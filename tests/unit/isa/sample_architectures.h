// Architectures shared by the instruction tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "isa/support/error.h"
#include "isa/tcu/layout.h"

namespace tactus::tcu {

inline Architecture make_architecture(std::uint32_t array_size, std::uint64_t local,
                                      std::uint64_t accumulators, std::uint64_t dram0,
                                      std::uint64_t dram1) {
  Architecture a;
  a.array_size = array_size;
  a.local_depth = local;
  a.accumulator_depth = accumulators;
  a.dram0_depth = dram0;
  a.dram1_depth = dram1;
  return a;
}

inline Architecture pynqz1() { return make_architecture(8, 8192, 2048, 1048576, 1048576); }
inline Architecture cmoda7() { return make_architecture(4, 4096, 4096, 4096, 32768); }
inline Architecture ultra96v2() { return make_architecture(16, 20480, 4096, 2097152, 2097152); }
inline Architecture zcu104() { return make_architecture(32, 16384, 4096, 2097152, 2097152); }
inline Architecture zcu104_uram() { return make_architecture(32, 49152, 20480, 2097152, 2097152); }

/// Returns an architecture with array size 4, equal depths, and 4 strides by default. The
/// reference's encoding tests use these layouts.
inline Architecture uniform(std::uint64_t depth, std::uint32_t strides = 4) {
  Architecture a = make_architecture(4, depth, depth, depth, depth);
  a.stride0_depth = strides;
  a.stride1_depth = strides;
  return a;
}

/// Returns the bytes in file order, as two digits each.
inline std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

inline bool has_layout(const Architecture& architecture) {
  try {
    (void)InstructionLayout(architecture);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

/// Returns a legal architecture of any width, with depths at and next to powers of two.
inline Architecture random_architecture() {
  const auto depth = [] {
    const std::uint64_t power = std::uint64_t{1} << *rc::gen::inRange(0, 63);
    const std::uint64_t any = *rc::gen::inRange<std::uint64_t>(1, power + 1);
    return *rc::gen::element(power, power > 1 ? power - 1 : power, any);
  };
  Architecture a;
  do {
    a = make_architecture(*rc::gen::inRange(2, 257), depth(), depth(), depth(), depth());
    a.simd_registers_depth = *rc::gen::inRange(1, 257);
    a.stride0_depth = *rc::gen::inRange(1, 65);
    a.stride1_depth = *rc::gen::inRange(1, 65);
    a.number_of_threads = *rc::gen::inRange(1, 3);
  } while (!has_layout(a));
  return a;
}

inline std::vector<std::uint8_t> random_bytes(std::size_t count) {
  return *rc::gen::container<std::vector<std::uint8_t>>(count, rc::gen::arbitrary<std::uint8_t>());
}

}  // namespace tactus::tcu
