// Speed of the vector kernels in lane operations: MACs of mac_chains, lanes of the other kernels.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isa/tcu/arithmetic_kernels.h"

namespace tactus::tcu {
namespace {

std::vector<char> small_values(DataType type, std::size_t lanes) {
  std::mt19937 engine(1);
  std::vector<char> result(lanes * info(type).storage_bytes);
  for (std::size_t i = 0; i < lanes; ++i) {
    set_lane(type, result.data(), i, static_cast<std::int64_t>(engine() % 128) - 64);
  }
  return result;
}

void mac_chain(benchmark::State& state, DataType type, MacRounding rounding, KernelSet set) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  const std::vector<char> weights = small_values(type, (n + 1) * n), x = small_values(type, n);
  std::vector<char> out = small_values(type, n);
  for (auto _ : state) {
    kernels.mac_chain(weights.data(), x.data(), out.data(), n);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(0));
}

/// The arguments are the numbers of lanes and vectors.
void mac_chains(benchmark::State& state, DataType type, MacRounding rounding, KernelSet set) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto count = static_cast<std::size_t>(state.range(1));
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  const std::vector<char> weights = small_values(type, (n + 1) * n);
  const std::vector<char> x = small_values(type, count * n);
  std::vector<char> out = small_values(type, count * n);
  std::vector<const std::uint8_t*> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    inputs.push_back(reinterpret_cast<const std::uint8_t*>(x.data()) + i * x.size() / count);
  }
  for (auto _ : state) {
    kernels.mac_chains(weights.data(), inputs.data(), out.data(), n, count);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(0) * state.range(1));
}

void accumulate(benchmark::State& state, DataType type) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const VectorKernels& kernels = vector_kernels(type);
  const std::vector<char> added = small_values(type, n);
  std::vector<char> sum = added;
  for (auto _ : state) {
    kernels.add(added.data(), sum.data(), sum.data(), n);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void alu_operation(benchmark::State& state, DataType type, SimdOp op) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const VectorKernels& kernels = vector_kernels(type);
  const std::vector<char> left = small_values(type, n), right = left;
  std::vector<char> out = left;
  for (auto _ : state) {
    kernels.alu(op, left.data(), right.data(), out.data(), n);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void register_all() {
  const auto sizes = [](benchmark::internal::Benchmark* b) { b->Arg(8)->Arg(16)->Arg(32); };
  const char* const set_names[] = {"reference", "portable", "sse2", "avx2", "avx512"};
  for (const DataType type :
       {DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10, DataType::fp32bp16}) {
    const std::string suffix = "/" + std::string(info(type).name);
    for (const MacRounding rounding : {MacRounding::sum, MacRounding::legacy}) {
      for (const KernelSet set :
           {KernelSet::portable, KernelSet::sse2, KernelSet::avx2, KernelSet::avx512}) {
        if (!supported(set)) continue;
        const std::string variant = suffix + (rounding == MacRounding::sum ? "/sum/" : "/legacy/") +
                                    set_names[static_cast<std::size_t>(set)];
        sizes(benchmark::RegisterBenchmark(("mac_chain" + variant).c_str(), mac_chain, type,
                                           rounding, set));
        benchmark::RegisterBenchmark(("mac_chains" + variant).c_str(), mac_chains, type, rounding,
                                     set)
            ->ArgsProduct({{8, 16, 32}, {1, 2, 4, 8, 32}});
      }
    }
    sizes(benchmark::RegisterBenchmark(("add" + suffix).c_str(), accumulate, type));
    sizes(benchmark::RegisterBenchmark(("alu_max" + suffix).c_str(), alu_operation, type,
                                       SimdOp::max));
    sizes(benchmark::RegisterBenchmark(("alu_multiply" + suffix).c_str(), alu_operation, type,
                                       SimdOp::multiply));
  }
}

}  // namespace
}  // namespace tactus::tcu

int main(int argc, char** argv) {
  tactus::tcu::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
