// mov, add, cmp, predicates, and the order of 2D blocks in registers.
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "isa/dpas/alu.h"
#include "isa/dpas/assembly.h"
#include "isa/dpas/block2d.h"
#include "isa/dpas/program.h"
#include "isa/dpas/semantics.h"
#include "tests/dpas/kernels.h"

namespace tactus::dpas {
namespace {

/// Runs the lines of a kernel with the variables S and T of the given types and returns D.
template <typename Result, typename Source>
std::vector<Result> run(const char* result_type, const char* source_type,
                        const std::vector<Source>& source, const std::string& lines,
                        std::vector<std::uint32_t>* predicates = nullptr) {
  std::string text = kernel_head;
  text += std::string(".decl D v_type=G type=") + result_type + " num_elts=16 align=GRF\n";
  text += std::string(".decl S v_type=G type=") + source_type + " num_elts=16 align=GRF\n";
  text += ".decl P1 v_type=P num_elts=16\n";
  Program program = assemble(text + lines + "ret (M1, 1)\n", "k");
  resolve(program, profile_named("pvc"));
  const Kernel& k = program.kernels[0];
  std::vector<std::uint8_t> registers(8192);
  std::memcpy(&registers[k.variables[1].address], source.data(), source.size() * sizeof(Source));
  std::vector<std::uint32_t> bits(1);
  if (predicates == nullptr) predicates = &bits;
  for (const Instruction& i : k.instructions) {
    if (i.opcode != Opcode::ret) execute_alu(i, registers.data(), predicates->data());
  }
  std::vector<Result> result(16);
  std::memcpy(result.data(), &registers[k.variables[0].address], 16 * sizeof(Result));
  return result;
}

TEST(DpasAlu, FloatsBecomeIntegersByTruncationAndSaturate) {
  const std::vector<float> values = {1.9F,     -1.9F,     0.5F,   3e9F,    -3e9F, NAN,
                                     INFINITY, -INFINITY, 127.5F, -128.9F, 128,   255.9F,
                                     256,      -0.5F,     1e-40F, 65536};
  const std::string line = "mov (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n";
  const auto d = run<std::int32_t>("d", "f", values, line);
  EXPECT_EQ(d, (std::vector<std::int32_t>{1, -1, 0, INT32_MAX, INT32_MIN, 0, INT32_MAX, INT32_MIN,
                                          127, -128, 128, 255, 256, 0, 0, 65536}));
  const auto b = run<std::int8_t>("b", "f", values, line);
  EXPECT_EQ(b, (std::vector<std::int8_t>{1, -1, 0, 127, -128, 0, 127, -128, 127, -128, 127, 127,
                                         127, 0, 0, 127}));
  const auto ub = run<std::uint8_t>("ub", "f", values, line);
  EXPECT_EQ(ub, (std::vector<std::uint8_t>{1, 0, 0, 255, 0, 0, 255, 0, 127, 0, 128, 255, 255, 0, 0,
                                           255}));
}

TEST(DpasAlu, IntegersAreRoundedOnceToFloats) {
  const std::vector<std::int64_t> values = {
      0, -1, 16777217, 16777219, INT64_MIN, 3, 4, 5, 33554434, 33554435, (INT64_C(1) << 53) + 1};
  const auto f = run<float>("f", "q", values, "mov (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(f[i], static_cast<float>(values[i]));
}

TEST(DpasAlu, NarrowFloatsAndBack) {
  const std::vector<float> values = {1.0F, 1.00390625F, 65504, 65520, 1e-7F, -0.0F, NAN, INFINITY};
  const auto hf = run<std::uint16_t>("hf", "f", values, "mov (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  const auto bf = run<std::uint16_t>("bf", "f", values, "mov (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(hf[i], float_to_hf(values[i]));
    EXPECT_EQ(bf[i], float_to_bf(values[i]));
  }
  const auto back = run<float>("f", "hf", hf, "mov (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  EXPECT_EQ(back[2], 65504.0F);
  EXPECT_TRUE(std::isinf(back[3]));
}

TEST(DpasAlu, IntegersWrapOrSaturate) {
  const std::vector<std::int32_t> values = {300, -300, 127, -128, 128, 70000};
  const auto wrapped = run<std::int8_t>("b", "d", values, "mov (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  EXPECT_EQ(wrapped[0], 44);
  EXPECT_EQ(wrapped[1], -44);
  EXPECT_EQ(wrapped[4], -128);
  const auto bytes =
      run<std::int8_t>("b", "d", values, "mov.sat (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  EXPECT_EQ(std::vector<std::int8_t>(bytes.begin(), bytes.begin() + 6),
            (std::vector<std::int8_t>{127, -128, 127, -128, 127, 127}));
  const auto words =
      run<std::uint16_t>("uw", "d", values, "mov.sat (M1, 16) D(0,0)<1> S(0,0)<1;1,0>\n");
  EXPECT_EQ(words[0], 300);
  EXPECT_EQ(words[1], 0);
  EXPECT_EQ(words[5], 65535);
}

TEST(DpasAlu, ModifiersRegionsAndConstants) {
  const std::vector<std::int32_t> values = {1, -2, 3, -4, 5, -6, 7, -8};
  const auto negated =
      run<std::int32_t>("d", "d", values, "mov (M1, 4) D(0,0)<2> (-)S(0,0)<1;1,0>\n");
  EXPECT_EQ(negated[0], -1);
  EXPECT_EQ(negated[1], 0);
  EXPECT_EQ(negated[2], 2);
  EXPECT_EQ(negated[6], 4);
  const auto rows =
      run<std::int32_t>("d", "d", values, "mov (M1, 8) D(0,0)<1> (abs)S(0,0)<4;2,1>\n");
  EXPECT_EQ(std::vector<std::int32_t>(rows.begin(), rows.begin() + 8),
            (std::vector<std::int32_t>{1, 2, 5, 6, 0, 0, 0, 0}));
  const auto sum = run<std::int32_t>("d", "d", values,
                                     "add (M1, 8) D(0,0)<1> S(0,0)<0;1,0> (-abs)S(0,1)<0;1,0>\n"
                                     "add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> -0x10:w\n");
  EXPECT_EQ(sum[0], 1 - 2 - 16);
  // A mov reads all its sources before it writes, so it can shift by one element in place.
  const auto shifted = run<std::int32_t>("d", "d", values,
                                         "mov (M1, 8) D(0,0)<1> S(0,0)<1;1,0>\n"
                                         "mov (M1, 8) D(0,1)<1> D(0,0)<1;1,0>\n");
  EXPECT_EQ(shifted[8], -8);
  EXPECT_EQ(shifted[1], 1);
}

TEST(DpasAlu, ComparisonsAndPredicates) {
  std::vector<std::uint32_t> predicates(1);
  const std::vector<float> values = {1, 2, 3, NAN, -1, 2, INFINITY, 0};
  const auto bits = [&](const std::string& comparison) {
    predicates[0] = 0;
    (void)run<float>("f", "f", values, "cmp." + comparison + " (M1, 8) P1 S(0,0)<1;1,0> 2.0:f\n",
                     &predicates);
    return predicates[0];
  };
  EXPECT_EQ(bits("eq"), 0b00100010U);
  EXPECT_EQ(bits("ne"), 0b11011101U);
  EXPECT_EQ(bits("gt"), 0b01000100U);
  EXPECT_EQ(bits("ge"), 0b01100110U);
  EXPECT_EQ(bits("lt"), 0b10010001U);
  EXPECT_EQ(bits("le"), 0b10110011U);
  const auto selected = run<float>("f", "f", values,
                                   "cmp.lt (M1, 8) P1 S(0,0)<1;1,0> 2.0:f\n"
                                   "(!P1) mov (M1, 8) D(0,0)<1> 7.0:f\n");
  EXPECT_EQ(selected[0], 0);
  EXPECT_EQ(selected[1], 7);
  const auto any = run<float>("f", "f", values,
                              "cmp.lt (M1, 8) P1 S(0,0)<1;1,0> 2.0:f\n"
                              "(P1.any) mov (M1, 8) D(0,0)<1> 7.0:f\n"
                              "(P1.all) mov (M1, 8) D(0,8)<1> 7.0:f\n");
  EXPECT_EQ(any[7], 7);
  EXPECT_EQ(any[8], 0);
  // A comparison of an unsigned and a signed number is by value.
  const auto mixed = run<std::int32_t>("d", "d", std::vector<std::int32_t>{-1, 1},
                                       "cmp.lt (M1, 2) D(0,0)<1> S(0,0)<1;1,0> 0xffffffff:ud\n");
  EXPECT_EQ(mixed[0], -1);
  EXPECT_EQ(mixed[1], -1);
}

TEST(DpasAlu, Coordinates) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.type = Type::d;
  operand.immediate = 0xFFFFFFFFU;
  EXPECT_EQ(scalar_value(operand, nullptr), -1);
  operand.type = Type::ud;
  EXPECT_EQ(scalar_value(operand, nullptr), INT64_C(0xFFFFFFFF));
}

// ---- 2D blocks ----------------------------------------------------------------------------------

/// Position of element (y, x) of a block, in elements, by the formula of the vISA documentation.
unsigned place(const Block2d& b, unsigned grf_bytes, unsigned block, unsigned y, unsigned x) {
  const unsigned per_dword = 4U / b.element_bytes, per_register = grf_bytes / b.element_bytes;
  unsigned pitch = 1;
  while (pitch < (b.transpose ? b.height : b.width)) pitch *= 2;
  const unsigned rows = b.transpose ? b.width : b.height;
  const unsigned block_pitch = (pitch * rows + per_register - 1) / per_register * per_register;
  const unsigned base = block * block_pitch;
  if (b.transform) return base + y / per_dword * per_dword * pitch + x * per_dword + y % per_dword;
  if (b.transpose) return base + x * pitch + y;
  return base + y * pitch + x;
}

TEST(DpasBlocks, EveryElementIsWhereItBelongs) {
  for (const unsigned grf : {32U, 64U}) {
    for (const Block2d& b : {Block2d{1, 1, 32, 8, false, false}, Block2d{2, 2, 12, 5, false, false},
                             Block2d{1, 2, 16, 32, false, true}, Block2d{2, 1, 16, 16, false, true},
                             Block2d{1, 1, 12, 8, false, true}, Block2d{4, 1, 8, 6, true, false},
                             Block2d{8, 1, 3, 8, true, false}}) {
      std::vector<std::uint8_t> registers(register_bytes(b, grf)), expected(registers.size());
      EXPECT_EQ(registers.size() % grf, 0U);
      for (unsigned block = 0; block < b.blocks; ++block) {
        for (unsigned y = 0; y < b.height; ++y) {
          std::vector<std::uint8_t> row(row_bytes(b));
          for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = static_cast<std::uint8_t>(1 + (block * 77 + y * 13 + i) % 255);
          }
          for (unsigned x = 0; x < b.width; ++x) {
            std::memcpy(&expected[place(b, grf, block, y, x) * b.element_bytes],
                        &row[x * b.element_bytes], b.element_bytes);
          }
          place_row(b, grf, block, y, row.data(), registers.data());
          std::vector<std::uint8_t> back(row.size());
          take_row(b, grf, block, y, registers.data(), back.data());
          EXPECT_EQ(back, row);
        }
      }
      EXPECT_EQ(registers, expected) << int{b.element_bytes} << " " << b.width << "x" << b.height;
    }
  }
}

/// place_block() equals place_row() for every row, for any width, height and form.
TEST(DpasBlocks, ABlockIsItsRows) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 4000; ++i) {
    Block2d b;
    b.element_bytes = static_cast<std::uint8_t>(1U << random() % 4);
    b.blocks = static_cast<std::uint8_t>(1 + random() % 3);
    b.width = static_cast<std::uint16_t>(1 + random() % 40);
    b.height = static_cast<std::uint16_t>(1 + random() % 33);
    b.transform = b.element_bytes < 4 && random() % 2 == 0;
    b.transpose = !b.transform && random() % 4 == 0;
    const unsigned grf = random() % 2 == 0 ? 32 : 64;
    const std::size_t bytes = row_bytes(b) * b.height;
    std::vector<std::uint8_t> memory(bytes * b.blocks);
    for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint8_t> registers(register_bytes(b, grf)), by_rows(registers.size());
    std::vector<std::uint8_t> back(memory.size());
    for (unsigned block = 0; block < b.blocks; ++block) {
      place_block(b, grf, block, memory.data() + block * bytes, registers.data());
      for (unsigned y = 0; y < b.height; ++y) {
        place_row(b, grf, block, y, memory.data() + block * bytes + y * row_bytes(b),
                  by_rows.data());
      }
      take_block(b, grf, block, registers.data(), back.data() + block * bytes);
    }
    ASSERT_EQ(registers, by_rows) << int{b.element_bytes} << " " << b.width << "x" << b.height;
    ASSERT_EQ(back, memory) << int{b.element_bytes} << " " << b.width << "x" << b.height;
  }
}

/// A row-major K x N matrix loaded with the transform can be src1, and a row-major RC x K matrix
/// loaded without it can be src2. The DPAS computes their product.
TEST(DpasBlocks, LoadsMakeTheOperandsOfADpas) {
  std::int8_t a[8][32], b[32][16];
  std::int32_t c[8][16] = {};
  for (int r = 0; r < 8; ++r) {
    for (int k = 0; k < 32; ++k) a[r][k] = static_cast<std::int8_t>(r * 31 + k * 7 - 100);
  }
  for (int k = 0; k < 32; ++k) {
    for (int n = 0; n < 16; ++n) b[k][n] = static_cast<std::int8_t>(k * 13 - n * 29 + 5);
  }
  for (int r = 0; r < 8; ++r) {
    for (int n = 0; n < 16; ++n) {
      for (int k = 0; k < 32; ++k) c[r][n] += a[r][k] * b[k][n];
    }
  }
  std::vector<std::uint8_t> src1(512), src2(256), dst(512);
  for (unsigned k = 0; k < 32; ++k) {
    place_row({1, 1, 16, 32, false, true}, 64, 0, k, reinterpret_cast<std::uint8_t*>(b[k]),
              src1.data());
  }
  for (unsigned r = 0; r < 8; ++r) {
    place_row({1, 1, 32, 8, false, false}, 64, 0, r, reinterpret_cast<std::uint8_t*>(a[r]),
              src2.data());
  }
  DpasConfig config;
  config.src0_null = true;
  dpas(config, dst.data(), nullptr, src1.data(), src2.data());
  EXPECT_EQ(std::memcmp(dst.data(), c, sizeof c), 0);
}

}  // namespace
}  // namespace tactus::dpas
