#include "firmware/selftest/tcu/selftest.h"

#include "firmware/selftest/tcu/target.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

using selftest::Target;

struct Test {
  SelftestInfo info;
  std::function<std::string(Target&)> run;
  /// Changes the configuration before the machine is built; may be null.
  void (*prepare)(TcuSimulationConfig& config) = nullptr;
};

template <typename Function>
auto with_bank(Function function, unsigned bank) {
  return [function, bank](Target& target) { return function(target, bank); };
}

void add_sampler(TcuSimulationConfig& config) {
  if (config.sample_block_size == 0) config.sample_block_size = 16;
}

const std::vector<Test>& tests() {
  using namespace selftest;
  static const std::vector<Test> all = {
      {{"memory_address_lines", "one vector at every power of two in each memory"},
       memory_address_lines},
      {{"memory_whole", "local memory and accumulators filled and read back whole"}, memory_whole},
      {{"memory_strides_dram0", "round trips DRAM0 to DRAM0, all strides, sizes around 2^k"},
       with_bank(memory_strides, 0)},
      {{"memory_strides_dram1", "round trips DRAM1 to DRAM0, all strides, sizes around 2^k"},
       with_bank(memory_strides, 1)},
      {{"memory_offsets_dram0", "round trips DRAM0 to DRAM0, all offsets, sizes around 2^k"},
       with_bank(memory_offsets, 0)},
      {{"memory_offsets_dram1", "round trips DRAM1 to DRAM0, all offsets, sizes around 2^k"},
       with_bank(memory_offsets, 1)},
      {{"accumulate", "DataMoves that add to the accumulators, with saturation"}, accumulate},
      {{"array", "3.456 x + 78.912 by a diagonal matrix and a bias"}, array_affine},
      {{"array_strides", "random matrices; steps, accumulation, zeroes"}, array_strides},
      {{"array_rounding", "multiply-accumulates that tell how they round and saturate"},
       array_rounding},
      {{"gemm", "a small tiled matrix multiply"}, gemm},
      {{"simd", "3.456 x + 78.912 by SIMD through a register"}, simd_affine},
      {{"simd_operations", "every SIMD operation on corner values and random ones"},
       simd_operations},
      {{"xor", "XOR of two inputs by a network of two layers"}, xor_network},
      {{"classifier", "a small network as layers and as a DAIS block"},
       classifier,
       add_classifier_block},
      {{"sampling", "sample interval, blocks and program counters"}, sampling, add_sampler},
      {{"timing_no_op", "one instruction a cycle"}, timing_no_op},
      {{"timing_dram_read", "cycles of a read through AXI"}, timing_dram_read},
      {{"timing_mat_mul", "10 MatMuls of 10 vectors and a store: a vector a cycle"},
       timing_mat_mul},
      {{"timing_latency", "cycles from an input of the array to its result"}, timing_latency},
      {{"timing_weights", "cycles of a change of weights"}, timing_weights},
      {{"timing_simd", "cycles of each kind of SIMD instruction"}, timing_simd},
      {{"timing_pipeline", "64 vectors multiplied, passed through SIMD and stored"},
       timing_pipeline},
  };
  return all;
}

SelftestResult run_test(const Test& test, TcuSimulationConfig config,
                        const SelftestOptions& options) {
  SelftestResult result;
  if (test.prepare != nullptr) test.prepare(config);
  // The machine is built outside of `try`: a configuration that cannot be built is an error, not a
  // failed test.
  Target target(config, options);
  try {
    result.detail = test.run(target);
    result.status = SelftestStatus::passed;
  } catch (const selftest::Skip& skipped) {
    result.detail = skipped.why;
    result.status = SelftestStatus::skipped;
  } catch (const selftest::Failure& failure) {
    result.detail = failure.why;
  } catch (const UserError& error) {
    result.detail = error.what();
  }
  result.cycles = target.cycles();
  result.instructions = target.instructions();
  return result;
}

}  // namespace

const std::vector<SelftestInfo>& selftests() {
  static const std::vector<SelftestInfo> infos = infos_of(tests());
  return infos;
}

std::vector<SelftestResult> run_selftests(const TcuSimulationConfig& base,
                                          const SelftestOptions& options) {
  std::vector<SelftestResult> results =
      run_each(tests(), options, [&](const Test& test) { return run_test(test, base, options); });
  if (results.empty()) {
    std::string names;
    for (const Test& test : tests()) {
      names += (names.empty() ? "" : ", ") + std::string(test.info.name);
    }
    user_error("no self-test is called like \"{}\"; allowed parts of {}", options.filter, names);
  }
  return results;
}

}  // namespace tactus
