// The environment of a self-test: a machine whose DRAM is written and read as mantissas, and which
// runs programs by name.
//
// Mantissas are converted to bytes here lane by lane, without the functions that the models use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/selftest/tcu/programs.h"
#include "firmware/selftest/tcu/selftest.h"
#include "isa/support/error.h"

namespace tactus::selftest {

/// Exception that ends a test as failed.
struct Failure {
  std::string why;
};
/// Exception that ends a test as skipped, since the architecture or configuration does not allow
/// it.
struct Skip {
  std::string why;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Failure{fmt::format(format, std::forward<Args>(args)...)};
}
template <typename... Args>
[[noreturn]] void skip(fmt::format_string<Args...> format, Args&&... args) {
  throw Skip{fmt::format(format, std::forward<Args>(args)...)};
}

/// Mantissas of the lanes of consecutive vectors.
using Lanes = std::vector<std::int64_t>;

/// Random numbers that are the same on every host. The distributions of the C++ standard library
/// are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Returns a number in 0..limit-1.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

 private:
  std::mt19937_64 engine_;
};

/// Converts mantissas to little-endian bytes: the low width_bits of each lane, and zeroes above.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(tcu::DataType type, const Lanes& lanes);
[[nodiscard]] Lanes from_bytes(tcu::DataType type, const std::vector<std::uint8_t>& bytes);

class Target {
 public:
  Target(const TcuSimulationConfig& config, const SelftestOptions& options)
      : simulation_(config), options_(options), random_(options.seed) {}

  [[nodiscard]] TcuSimulation& simulation() { return simulation_; }
  [[nodiscard]] const TcuSimulation& simulation() const { return simulation_; }
  [[nodiscard]] const SelftestOptions& options() const { return options_; }
  [[nodiscard]] bool full() const { return options_.effort == SelftestEffort::full; }
  [[nodiscard]] tcu::MacRounding rounding() const {
    return options_.expected_rounding.value_or(simulation_.config().rounding);
  }
  [[nodiscard]] const tcu::Architecture& architecture() const {
    return simulation_.config().architecture;
  }
  [[nodiscard]] tcu::DataType type() const { return architecture().data_type; }
  [[nodiscard]] std::uint64_t lanes() const { return architecture().array_size; }
  /// Number of vectors of a DRAM that the port's 32 address bits can reach.
  [[nodiscard]] std::uint64_t dram_depth(unsigned port) const;
  [[nodiscard]] std::uint64_t beats_per_vector() const;

  Random& random() { return random_; }
  /// Vectors of random mantissas, from the data type's whole range or from low..high.
  [[nodiscard]] Lanes random_vectors(std::uint64_t count);
  [[nodiscard]] Lanes random_vectors(std::uint64_t count, std::int64_t low, std::int64_t high);

  void write(unsigned port, std::uint64_t address, const Lanes& vectors);
  [[nodiscard]] Lanes read(unsigned port, std::uint64_t address, std::uint64_t count);
  /// Fails the test unless DRAM holds exactly these vectors. `what` begins the message.
  void expect(unsigned port, std::uint64_t address, const Lanes& vectors, std::string_view what);

  /// Assembles a program and runs it to its end; fails the test if it does not finish. Appends to
  /// `retire_log`, if given, the cycle in which each instruction retires.
  TcuRunResult run(std::string_view program, const ProgramValues& values,
                   std::vector<std::uint32_t>* retire_log = nullptr);

  /// Adds the cycles and instructions of another target that the same test uses.
  void count(const Target& other) {
    cycles_ += other.cycles_;
    instructions_ += other.instructions_;
  }
  void count(const TcuRunResult& result) {
    cycles_ += result.cycles;
    instructions_ += std::min(result.retired, result.instructions);
  }
  [[nodiscard]] Cycle cycles() const { return cycles_; }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }

 private:
  [[nodiscard]] std::string difference(const Lanes& expected, const Lanes& actual) const;

  TcuSimulation simulation_;
  const SelftestOptions& options_;
  Random random_;
  Cycle cycles_ = 0;
  std::uint64_t instructions_ = 0;
};

/// Gives the architecture the classifier as its only DAIS block, if it can have it.
void add_classifier_block(TcuSimulationConfig& config);

// The tests. Each returns a line about what it covered.

[[nodiscard]] std::string memory_strides(Target& target, unsigned bank);
[[nodiscard]] std::string memory_offsets(Target& target, unsigned bank);
[[nodiscard]] std::string memory_address_lines(Target& target);
[[nodiscard]] std::string memory_whole(Target& target);
[[nodiscard]] std::string accumulate(Target& target);
[[nodiscard]] std::string array_affine(Target& target);
[[nodiscard]] std::string array_strides(Target& target);
[[nodiscard]] std::string array_rounding(Target& target);
[[nodiscard]] std::string gemm(Target& target);
[[nodiscard]] std::string simd_affine(Target& target);
[[nodiscard]] std::string simd_operations(Target& target);
[[nodiscard]] std::string xor_network(Target& target);
[[nodiscard]] std::string classifier(Target& target);
[[nodiscard]] std::string sampling(Target& target);
[[nodiscard]] std::string timing_no_op(Target& target);
[[nodiscard]] std::string timing_dram_read(Target& target);
[[nodiscard]] std::string timing_mat_mul(Target& target);
[[nodiscard]] std::string timing_latency(Target& target);
[[nodiscard]] std::string timing_weights(Target& target);
[[nodiscard]] std::string timing_simd(Target& target);
[[nodiscard]] std::string timing_pipeline(Target& target);

}  // namespace tactus::selftest
