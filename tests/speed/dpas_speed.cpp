// Speed of the DPAS arithmetic in DPAS instructions of RC = 8. Rows named "reference" measure the
// triple loop that defines the result.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isa/dpas/dpas_kernels.h"

namespace tactus::dpas {
namespace {

/// Integers have any value. Floats have magnitudes of about 1, so that sums are neither denormal
/// nor infinite, since processors are slow with such numbers.
void fill(std::vector<std::uint8_t>& bytes, const PrecisionInfo& format, std::mt19937& random) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(random());
    const unsigned width = format.bits / 8U;
    const bool is_float = format.kind != PrecisionClass::integer && format.bits >= 8;
    if (is_float && i % width == width - 1) {
      bytes[i] = static_cast<std::uint8_t>((bytes[i] & 0x83U) | 0x3CU);
    }
  }
}

void one_dpas(benchmark::State& state, Precision w, Precision a, Type type, unsigned size,
              KernelSet set) {
  DpasConfig config;
  config.w = w;
  config.a = a;
  config.dst_type = config.src0_type = type;
  config.execution_size = static_cast<std::uint8_t>(size);
  const DpasShape shape = shape_of(config);
  std::mt19937 random(1);
  std::vector<std::uint8_t> src1(shape.src1_bytes), src2(shape.src2_bytes);
  std::vector<std::uint8_t> src0(shape.src0_bytes), dst(shape.dst_bytes);
  fill(src1, info(w), random);
  fill(src2, info(a), random);
  const DpasFunction function = select_dpas(config, set);
  for (auto _ : state) {
    function(config, dst.data(), src0.data(), src1.data(), src2.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void add_rows() {
  struct Row {
    Precision w, a;
    Type type;
  };
  const Row rows[] = {
      {Precision::s8, Precision::s8, Type::d},     {Precision::u8, Precision::u8, Type::d},
      {Precision::s8, Precision::u8, Type::d},     {Precision::s4, Precision::u4, Type::d},
      {Precision::s2, Precision::s8, Type::d},     {Precision::bf, Precision::bf, Type::f},
      {Precision::hf, Precision::hf, Type::f},     {Precision::hf, Precision::hf, Type::hf},
      {Precision::tf32, Precision::tf32, Type::f}, {Precision::hf8, Precision::hf8, Type::f},
      {Precision::e2m1, Precision::e2m1, Type::f}};
  const char* const names[] = {"reference", "portable", "avx2", "avx512"};
  for (const Row& row : rows) {
    for (const unsigned size : {16U, 8U}) {
      for (unsigned i = 0; i < 4; ++i) {
        const auto set = static_cast<KernelSet>(i);
        if (!supported(set)) continue;
        const std::string name = "dpas." + std::string(info(row.w).name) + "." +
                                 std::string(info(row.a).name) + ".8.8/" +
                                 std::string(info(row.type).name) + "/simd" + std::to_string(size) +
                                 "/" + names[i];
        benchmark::RegisterBenchmark(name.c_str(), one_dpas, row.w, row.a, row.type, size, set);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::dpas

int main(int argc, char** argv) {
  tactus::dpas::add_rows();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
