#include "isa/tcu/layout.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/unit/isa/sample_architectures.h"

namespace tactus::tcu {
namespace {

TEST(Layout, AddressBits) {
  EXPECT_EQ(address_bits(1), 0U);
  EXPECT_EQ(address_bits(2), 1U);
  EXPECT_EQ(address_bits(3), 2U);
  EXPECT_EQ(address_bits(4), 2U);
  EXPECT_EQ(address_bits(5), 3U);
  EXPECT_EQ(address_bits(16384), 14U);
  EXPECT_EQ(address_bits(20480), 15U);
  EXPECT_EQ(address_bits(49152), 16U);
  EXPECT_EQ(address_bits(std::uint64_t{1} << 62), 62U);
}

struct Expected {
  Architecture architecture;
  unsigned operand0_address, operand0, operand1_address, operand1, operand2_payload, operand2;
  unsigned bytes;
};

// Values of toolchain spec section 2.
TEST(Layout, ShippedArchitectures) {
  const std::vector<Expected> table = {
      {pynqz1(), 13, 16, 20, 24, 13, 16, 8},      {cmoda7(), 12, 16, 15, 24, 12, 16, 8},
      {ultra96v2(), 15, 24, 21, 24, 15, 16, 9},   {zcu104(), 14, 24, 21, 24, 14, 16, 9},
      {zcu104_uram(), 16, 24, 21, 24, 16, 16, 9},
  };
  for (const Expected& expected : table) {
    const InstructionLayout layout(expected.architecture);
    SCOPED_TRACE(expected.architecture.local_depth);
    EXPECT_EQ(layout.operand0_address, expected.operand0_address);
    EXPECT_EQ(layout.operand0, expected.operand0);
    EXPECT_EQ(layout.operand1_address, expected.operand1_address);
    EXPECT_EQ(layout.operand1, expected.operand1);
    EXPECT_EQ(layout.operand2_payload, expected.operand2_payload);
    EXPECT_EQ(layout.operand2, expected.operand2);
    EXPECT_EQ(layout.header, 8U);
    EXPECT_EQ(layout.instruction_bytes(), expected.bytes);
  }
}

TEST(Layout, PynqZ1Fields) {
  const InstructionLayout layout(pynqz1());
  EXPECT_EQ(layout.local_address, 13U);
  EXPECT_EQ(layout.accumulator_address, 11U);
  EXPECT_EQ(layout.dram0_address, 20U);
  EXPECT_EQ(layout.dram1_address, 20U);
  EXPECT_EQ(layout.stride0, 3U);
  EXPECT_EQ(layout.stride1, 3U);
  EXPECT_EQ(layout.simd_selector, 1U);
  EXPECT_EQ(layout.simd, 7U);
}

TEST(Layout, EncodingTestLayouts) {
  EXPECT_EQ(InstructionLayout(uniform(std::uint64_t{1} << 14)).instruction_bytes(), 7U);
  EXPECT_EQ(InstructionLayout(uniform(std::uint64_t{1} << 30)).instruction_bytes(), 13U);
  EXPECT_EQ(InstructionLayout(uniform(std::uint64_t{1} << 62)).instruction_bytes(), 25U);
  EXPECT_EQ(InstructionLayout(uniform(256, 1)).instruction_bytes(), 4U);
}

TEST(Layout, SmallestHasNoAddressOperands) {
  const InstructionLayout layout(uniform(1, 1));
  EXPECT_EQ(layout.operand0, 0U);
  EXPECT_EQ(layout.operand1, 0U);
  EXPECT_EQ(layout.operand2, 8U);
  EXPECT_EQ(layout.instruction_bytes(), 2U);
}

TEST(Layout, RegistersWidenTheSimdField) {
  Architecture a = uniform(2, 1);
  a.simd_registers_depth = 3;
  EXPECT_EQ(InstructionLayout(a).simd_selector, 2U);
  EXPECT_EQ(InstructionLayout(a).operand2, 16U);
  a.simd_registers_depth = 256;
  EXPECT_EQ(InstructionLayout(a).simd_selector, 9U);
  EXPECT_EQ(InstructionLayout(a).operand2, 32U);
}

TEST(Layout, TwoThreadsKeepTheHeader) {
  Architecture a = pynqz1();
  a.number_of_threads = 2;
  EXPECT_EQ(InstructionLayout(a).header, 8U);
}

TEST(Layout, OperandOf64BitsFitsAnd65DoesNot) {
  EXPECT_NO_THROW(InstructionLayout(uniform(std::uint64_t{1} << 62, 4)));
  try {
    (void)InstructionLayout(uniform(std::uint64_t{1} << 62, 5));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "operand 0 of an instruction needs 65 bits for this architecture; allowed at most "
                 "64: reduce the memory depths, the stride depths or simd_registers_depth");
  }
}

}  // namespace
}  // namespace tactus::tcu
