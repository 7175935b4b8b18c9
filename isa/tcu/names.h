// Names of operations and registers in program text, listings and reports.
//
// Source: hardware spec sections 3.2, 4.6 and 8.3.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "isa/tcu/instruction.h"

namespace tactus::tcu {

/// Indexed by SimdOp.
inline constexpr std::array<std::string_view, 17> simd_op_names = {
    "NoOp",      "Zero", "Move",     "Not",      "And", "Or",          "Increment",
    "Decrement", "Add",  "Subtract", "Multiply", "Abs", "GreaterThan", "GreaterThanEqual",
    "Min",       "Max",  "Lookup"};
inline constexpr std::size_t rtl_simd_ops = 16;  ///< operations that exist without lookup tables

/// Names that expressions in program text may use for properties of the architecture, besides the
/// names of its DAIS blocks.
inline constexpr std::array<std::string_view, 6> predefined_names = {
    "ARRAY_SIZE",  "DRAM0_DEPTH",       "DRAM1_DEPTH",
    "LOCAL_DEPTH", "ACCUMULATOR_DEPTH", "SIMD_REGISTERS"};

/// Number of sources that an operation uses: 0, 1 or 2.
[[nodiscard]] constexpr unsigned source_count(SimdOp op) {
  switch (op) {
    case SimdOp::no_op:
    case SimdOp::zero:
      return 0;
    case SimdOp::move:
    case SimdOp::not_:
    case SimdOp::increment:
    case SimdOp::decrement:
    case SimdOp::abs:
    case SimdOp::lookup:
      return 1;
    default:
      return 2;
  }
}

/// Indexed by ConfigRegister; empty for numbers without effect.
inline constexpr std::array<std::string_view, 16> config_register_names = {"Dram0Offset",
                                                                           "Dram0Cache",
                                                                           "",
                                                                           "",
                                                                           "Dram1Offset",
                                                                           "Dram1Cache",
                                                                           "",
                                                                           "",
                                                                           "Timeout",
                                                                           "Tracepoint",
                                                                           "ProgramCounter",
                                                                           "SampleInterval",
                                                                           "",
                                                                           "",
                                                                           "",
                                                                           ""};

}  // namespace tactus::tcu
