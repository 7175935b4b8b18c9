// SIMD operations, configuration registers and names that program text may use.
//
// Source: hardware spec sections 3.2, 4.6 and 8.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "isa/tcu/instruction_kind.h"

namespace tactus::tcu {

/// An operation of the SIMD ALUs. Assembler, disassembler, checks, layouts and pages read this
/// table; arithmetic.cpp says what each operation computes.
struct SimdOpInfo {
  std::string_view name;
  std::uint8_t sources;  ///< number of sources that the operation uses: 0, 1 or 2
  std::string_view result;
  Extension needs = Extension::none;
};

/// Indexed by SimdOp. In results, left and right are the source fields.
inline constexpr SimdOpInfo simd_op_infos[] = {
    {"NoOp", 0, "nothing: the ALU is not used; takes neither read nor write"},
    {"Zero", 0, "0"},
    {"Move", 1, "left"},
    {"Not", 1, "1 where left is 0, else 0"},
    {"And", 2, "1 where both are not 0, else 0"},
    {"Or", 2, "1 where either is not 0, else 0"},
    {"Increment", 1, "left + 1, saturated"},
    {"Decrement", 1, "left - 1, saturated"},
    {"Add", 2, "left + right, saturated"},
    {"Subtract", 2, "left - right, saturated"},
    {"Multiply", 2, "left times right, rounded half to even and saturated"},
    {"Abs", 1, "left without its sign; the lowest number stays as it is"},
    {"GreaterThan", 2, "1 where left > right, else 0"},
    {"GreaterThanEqual", 2, "1 where left >= right, else 0"},
    {"Min", 2, "the smaller one"},
    {"Max", 2, "the larger one"},
    {"Lookup", 1,
     "left minus its key, and the tables' entries in the registers behind the destination; only "
     "with lookup tables",
     Extension::lookup_tables},
};
inline constexpr std::size_t simd_ops = std::size(simd_op_infos);

/// Precondition: `op` is below simd_ops.
[[nodiscard]] constexpr const SimdOpInfo& info(SimdOp op) {
  return simd_op_infos[static_cast<std::size_t>(op)];
}

/// Number of sources of an operation; undefined operations have both.
[[nodiscard]] constexpr unsigned source_count(SimdOp op) {
  return static_cast<std::size_t>(op) < simd_ops ? info(op).sources : 2;
}

/// One more than the number of the last operation that the machine has.
template <typename Machine>
[[nodiscard]] constexpr std::size_t simd_ops_of(const Machine& machine) {
  std::size_t count = simd_ops;
  while (!has(machine, simd_op_infos[count - 1].needs)) --count;
  return count;
}

/// Names that expressions in program text may use for properties of the architecture, besides the
/// names of its DAIS blocks.
inline constexpr std::array<std::string_view, 6> predefined_names = {
    "ARRAY_SIZE",  "DRAM0_DEPTH",       "DRAM1_DEPTH",
    "LOCAL_DEPTH", "ACCUMULATOR_DEPTH", "SIMD_REGISTERS"};

/// A configuration register; without a name it has no effect.
struct ConfigRegisterInfo {
  std::string_view name;
  std::string_view value;  ///< meaning of the register's value
  unsigned bits = 0;       ///< bits of a Configure's value that the hardware uses
};
/// Indexed by ConfigRegister.
inline constexpr std::array<ConfigRegisterInfo, 16> config_registers = {{
    {"Dram0Offset", "address of DRAM0 in units of 64 KiB; 0 at reset", 16},
    {"Dram0Cache", "AxCACHE of DRAM0, 4 bits; 0 at reset", 4},
    {},
    {},
    {"Dram1Offset", "address of DRAM1 in units of 64 KiB; 0 at reset", 16},
    {"Dram1Cache", "AxCACHE of DRAM1, 4 bits; 0 at reset", 4},
    {},
    {},
    {"Timeout",
     "cycles without a retired instruction until the output timeout is high, 16 bits; 100 at "
     "reset",
     16},
    {"Tracepoint", "program counter at which the output tracepoint is high", 28},
    {"ProgramCounter", "the program counter", 28},
    {"SampleInterval", "cycles between samples, 16 bits; 0: none, as at reset", 16},
}};

}  // namespace tactus::tcu
