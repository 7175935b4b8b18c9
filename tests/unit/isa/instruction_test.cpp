#include "isa/tcu/instruction.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/isa/sample_architectures.h"

namespace tactus::tcu {
namespace {

std::string bytes_of(const Architecture& architecture, const Instruction& instruction) {
  return hex(encode_program(InstructionLayout(architecture), {instruction}));
}

// Values of toolchain spec section 2. The columns are pynqz1, cmoda7, ultra96v2, zcu104,
// zcu104_uram.
TEST(Instruction, WorkedExamples) {
  const std::vector<Architecture> architectures = {pynqz1(), cmoda7(), ultra96v2(), zcu104(),
                                                   zcu104_uram()};
  const std::vector<std::vector<std::string>> expected = {
      {"0000000000000000", "0000000000000000", "000000000000000000", "000000000000000000",
       "000000000000000000"},
      {"1000000120080022", "1000000101040022", "100000000140100022", "100000000140200022",
       "100000000140200022"},
      {"1000070000000030", "1000030000000030", "1000000f0000000030", "1000001f0000000030",
       "1000001f0000000030"},
      {"0000000000000031", "0000000000000031", "000000000000000031", "000000000000000031",
       "000000000000000031"},
      {"64200500001f0011", "64100500001f0011", "6480000500001f0011", "6440000500001f0011",
       "6400010500001f0011"},
      {"0000000000090040", "0000000000090040", "000000000000090040", "000000000000090040",
       "000000000000090040"},
      {"07000300007a0043", "07000300007a0043", "0700000300007a0043", "0700000300007a0043",
       "0700000300007a0043"},
      {"c80007000009002c", "c80007000009002c", "c8000007000009002c", "c8000007000009002c",
       "c8000007000009002c"},
      {"c800e80300090021", "c800e80300090021", "c80000e80300090021", "c80000e80300090021",
       "c80000e80300090021"},
      {"44230100000000f0", "44230100000000f0", "4423010000000000f0", "4423010000000000f0",
       "4423010000000000f0"},
  };
  for (std::size_t column = 0; column < architectures.size(); ++column) {
    const Architecture& a = architectures[column];
    const InstructionLayout layout(a);
    const std::uint64_t n = a.array_size;
    const std::vector<Instruction> program = {
        make_no_op(),
        make_data_move(layout, DataMoveKind::dram1_to_local, {16, 0}, {256, 2}, n + 1),
        make_load_weights(layout, {16, 0}, n),
        make_load_weights(layout, {0, 0}, 1, true),
        make_mat_mul(layout, {100, 1}, {5, 0}, 32, true),
        make_simd(layout, {SimdOp::zero, 0, 0, 1}, 0, 0, false, false),
        make_simd(layout, {SimdOp::max, 0, 1, 0}, 7, 3, true, true),
        make_data_move(layout, DataMoveKind::accumulator_to_local, {200, 0}, {7, 0}, 10),
        make_data_move(layout, DataMoveKind::local_to_dram0, {200, 0}, {1000, 0}, 10),
        make_configure(layout, ConfigRegister::dram1_offset, 0x1234),
    };
    for (std::size_t row = 0; row < program.size(); ++row) {
      EXPECT_EQ(bytes_of(a, program[row]), expected[row][column]) << "row " << row;
    }
  }
}

TEST(Instruction, NoOpOfEveryWidth) {
  for (const unsigned bits : {14U, 30U, 62U}) {
    const Architecture a = uniform(std::uint64_t{1} << bits);
    const unsigned length = InstructionLayout(a).instruction_bytes();
    EXPECT_EQ(bytes_of(a, make_no_op()), std::string(std::size_t{2} * length, '0'));
  }
}

// Values of toolchain spec section 10.2: depths of 30 bits, instructions of 13 bytes.
TEST(Instruction, StridesAndFlagsAt30Bits) {
  const Architecture a = uniform(std::uint64_t{1} << 30);
  const InstructionLayout layout(a);
  const std::vector<std::string> local = {"45230100", "45230140", "45230180", "452301c0"};
  const std::vector<std::string> acc = {"cdab8900", "cdab8940", "cdab8980", "cdab89c0"};
  for (unsigned s0 = 0; s0 < 4; ++s0) {
    for (unsigned s1 = 0; s1 < 4; ++s1) {
      const Operand near{0x12345, s0};
      const Operand far{0x89abcd, s1};
      const std::string operands = local[s0] + acc[s1] + "10325400";
      for (unsigned flags = 0; flags < 4; ++flags) {
        EXPECT_EQ(bytes_of(a, make_mat_mul(layout, near, far, 0x543211, (flags & 1) != 0,
                                           (flags & 2) != 0)),
                  operands + fmt::format("1{}", flags));
      }
      for (const unsigned kind : {0x0U, 0x1U, 0x2U, 0x3U, 0xCU, 0xDU, 0xFU}) {
        EXPECT_EQ(bytes_of(a, make_data_move(layout, static_cast<DataMoveKind>(kind), near, far,
                                             0x543211)),
                  operands + fmt::format("2{:x}", kind));
      }
    }
    EXPECT_EQ(bytes_of(a, make_load_weights(layout, {0x12345, s0}, 0x89abce)),
              local[s0] + "cdab8900" + "00000000" + "30");
  }
  EXPECT_EQ(bytes_of(a, make_load_weights(layout, {0, 0}, 0x89abce, true)),
            "00000000cdab89000000000031");
  EXPECT_EQ(bytes_of(a, make_simd(layout, {SimdOp::zero, 0, 0, 1}, 0, 0, false, false)),
            "00000000000000000900000040");
  EXPECT_EQ(bytes_of(a, make_simd(layout, {SimdOp::max, 0, 1, 0}, 0x12345, 0x89abcd, true, true)),
            "45230100cdab89007a00000043");
}

// The smallest complete program, from toolchain spec section 0.2.
TEST(Instruction, XorProgram) {
  const Architecture a = uniform(256, 1);
  const InstructionLayout layout(a);
  const auto bias = [&](std::uint64_t from) {
    return make_data_move(layout, DataMoveKind::dram1_to_local, {0, 0}, {from, 0}, 3);
  };
  const Instruction first = decode(layout, std::vector<std::uint8_t>{0, 0, 2, 0x22}.data());
  EXPECT_EQ(first, bias(0));
  const auto simd = std::vector<std::uint8_t>{0x01, 0x00, 0x7a, 0x43};
  const Instruction max = decode(layout, simd.data());
  EXPECT_EQ(max, make_simd(layout, {SimdOp::max, 0, 1, 0}, 1, 0, true, true));
  const SimdFields fields = simd_fields(layout, max);
  EXPECT_EQ(fields.op, SimdOp::max);
  EXPECT_EQ(fields.left, 0U);
  EXPECT_EQ(fields.right, 1U);
  EXPECT_EQ(fields.dest, 0U);
}

TEST(Instruction, FieldsOfOperands) {
  const InstructionLayout layout(pynqz1());
  Instruction i;
  i.operand0 = 0xA000 | 100;
  i.operand1 = 0x800000 | 0x300000 | 0x12345;  // the highest bit is padding
  EXPECT_EQ(operand0_fields(layout, i).address, 100U);
  EXPECT_EQ(operand0_fields(layout, i).stride, 5U);
  EXPECT_EQ(operand1_fields(layout, i).address, 0x12345U);
  EXPECT_EQ(operand1_fields(layout, i).stride, 3U);
}

TEST(Instruction, ConfigureUsesTheThreeOperandsAsOneWord) {
  // operand0, operand1 and operand2 have 8 bits each here, so the word has 24 bits.
  const InstructionLayout layout(uniform(256, 1));
  const Instruction i = make_configure(layout, ConfigRegister::tracepoint, 0xABCDE);
  EXPECT_EQ(i.operand0, 0xE9U);
  EXPECT_EQ(i.operand1, 0xCDU);
  EXPECT_EQ(i.operand2, 0xABU);
  EXPECT_EQ(configure_fields(layout, i).register_number, 9U);
  EXPECT_EQ(configure_fields(layout, i).value, 0xABCDEU);
  EXPECT_EQ(error_of([&] { (void)make_configure(layout, ConfigRegister::timeout, 0x100000); }),
            "configuration value 1048576 does not fit its field; allowed 0..1048575");
}

TEST(Instruction, ConfigureReadsTheLow32Bits) {
  const InstructionLayout layout(uniform(std::uint64_t{1} << 62));
  Instruction i;
  i.operand0 = 0xFFFFFFFF'12345675;
  EXPECT_EQ(configure_fields(layout, i).register_number, 5U);
  EXPECT_EQ(configure_fields(layout, i).value, 0x1234567U);
}

TEST(Instruction, BuildersRefuseWhatDoesNotFit) {
  const InstructionLayout layout(pynqz1());
  EXPECT_NO_THROW((void)make_mat_mul(layout, {8191, 7}, {1048575, 7}, 65536));
  EXPECT_EQ(error_of([&] {
              (void)make_mat_mul(layout, {8192, 0}, {0, 0}, 1);
            }),
            "local address 8192 does not fit its field; allowed 0..8191");
  EXPECT_EQ(error_of([&] {
              (void)make_mat_mul(layout, {0, 8}, {0, 0}, 1);
            }),
            "local stride code 8 does not fit its field; allowed 0..7");
  EXPECT_EQ(error_of([&] {
              (void)make_mat_mul(layout, {0, 0}, {1048576, 0}, 1);
            }),
            "accumulator address 1048576 does not fit its field; allowed 0..1048575");
  EXPECT_EQ(error_of([&] {
              (void)make_mat_mul(layout, {0, 0}, {0, 0}, 0);
            }),
            "the number of vectors, 0, does not fit its field; allowed 1..65536");
  EXPECT_EQ(error_of([&] {
              (void)make_mat_mul(layout, {0, 0}, {0, 0}, 65537);
            }),
            "the number of vectors, 65537, does not fit its field; allowed 1..65536");
  EXPECT_EQ(error_of([&] {
              (void)make_simd(layout, {SimdOp::add, 2, 0, 0}, 0, 0, true, true);
            }),
            "SIMD left source 2 does not fit its field; allowed 0..1");
  EXPECT_EQ(error_of([&] {
              (void)make_data_move(layout, DataMoveKind::dram1_to_local, {0, 0}, {0, 8}, 1);
            }),
            "DRAM1 stride code 8 does not fit its field; allowed 0..7");
}

TEST(Instruction, WidestCountIsAccepted) {
  const InstructionLayout layout(uniform(std::uint64_t{1} << 62));
  EXPECT_EQ(make_mat_mul(layout, {0, 0}, {0, 0}, ~std::uint64_t{0}).operand2,
            ~std::uint64_t{0} - 1);
}

TEST(Instruction, ProgramOfBrokenSize) {
  EXPECT_EQ(error_of([] {
              (void)decode_program(InstructionLayout(zcu104()), std::vector<std::uint8_t>(20));
            }),
            "the program has 20 bytes, 2 more than 2 whole instructions; allowed multiples of 9, "
            "the instruction size of this architecture");
  EXPECT_TRUE(decode_program(InstructionLayout(zcu104()), {}).empty());
}

TEST(Instruction, EncodeRefusesFieldsBeyondTheLayout) {
  std::uint8_t bytes[8];
  Instruction i;
  i.operand0 = 0x10000;
  EXPECT_THROW(encode(InstructionLayout(pynqz1()), i, bytes), InternalError);
  i = {};
  i.opcode = 16;
  EXPECT_THROW(encode(InstructionLayout(pynqz1()), i, bytes), InternalError);
}

RC_GTEST_PROP(InstructionProperty, EncodeInvertsDecode, ()) {
  const InstructionLayout layout(random_architecture());
  const auto bytes = random_bytes(layout.instruction_bytes());
  RC_ASSERT(encode_program(layout, decode_program(layout, bytes)) == bytes);
}

RC_GTEST_PROP(InstructionProperty, FieldsInvertBuilders, ()) {
  const InstructionLayout layout(random_architecture());
  const Instruction any = decode(layout, random_bytes(layout.instruction_bytes()).data());
  const Operand local = operand0_fields(layout, any);
  const Operand other = operand1_fields(layout, any);
  const std::uint64_t count = (any.operand2 >> 1) + 1;
  const Instruction made =
      make_data_move(layout, DataMoveKind::local_to_dram1, local, other, count);
  RC_ASSERT(operand0_fields(layout, made).address == local.address);
  RC_ASSERT(operand0_fields(layout, made).stride == local.stride);
  RC_ASSERT(operand1_fields(layout, made).address == other.address);
  RC_ASSERT(operand1_fields(layout, made).stride == other.stride);
  RC_ASSERT(made.operand2 == count - 1);
  const SimdFields fields = simd_fields(layout, any);
  const SimdFields again =
      simd_fields(layout, make_simd(layout, fields, local.address, other.address, true, true));
  RC_ASSERT(again.op == fields.op);
  RC_ASSERT(again.left == fields.left);
  RC_ASSERT(again.right == fields.right);
  RC_ASSERT(again.dest == fields.dest);
}

}  // namespace
}  // namespace tactus::tcu
