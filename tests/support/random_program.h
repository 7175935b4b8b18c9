// Random architectures and random legal programs, determined by a seed.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "isa/tcu/instruction.h"
#include "isa/tcu/layout.h"

namespace tactus {

/// Random numbers. The sequence for a seed is the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Returns a number in 0..count-1.
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  /// Returns a number in low..high, both included.
  std::uint64_t range(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }

 private:
  std::mt19937_64 engine_;
};

enum class Hazards {
  /// Data never depend on timing: the hazards of hardware spec section 8.1 cannot occur, and a DRAM
  /// offset changes only when no write is pending.
  none,
  any,  ///< any program that tcu::check() accepts
};

/// Extensions other than DAIS blocks, as bits of a mask.
enum Extension : unsigned {
  lookup_tables = 1,
  shadow_weights = 2,
  own_reads = 4,  ///< weights are read separately; only with shadow_weights
  activation_unit = 8,
  dma_queue = 16,
};

struct RandomOptions {
  Hazards hazards = Hazards::none;
  unsigned instructions = 60;
  /// True: consecutive vectors may go past the end of a memory of 2^k vectors, where the hardware
  /// continues at 0.
  bool wrap = true;
  /// Allows extensions other than DAIS blocks. Without them a seed gives a different program.
  bool extensions = true;
  /// Set of Extension: the program uses exactly these, but tables only if the memories can hold
  /// one. Empty: chosen by the seed.
  std::optional<unsigned> exactly;
};

/// A program with its machine and the initial contents of its DRAM.
struct RandomProgram {
  /// Initial bytes of a DRAM bank from an address on. There is one window for each offset that the
  /// program sets.
  struct Window {
    unsigned port;
    std::uint32_t address;
    std::vector<std::uint8_t> bytes;
  };

  std::uint64_t seed = 0;
  tcu::Architecture architecture;
  unsigned axi_data_bits = 64;  ///< a width that is legal for the architecture
  std::vector<Window> windows;
  std::vector<tcu::Instruction> instructions;

  [[nodiscard]] std::vector<std::uint8_t> bytes() const;
  /// Returns the program with only the first `count` instructions. A prefix of a program without
  /// hazards has no hazards.
  [[nodiscard]] RandomProgram prefix(std::size_t count) const;
  /// Text for a failure message: seed, architecture and program.
  [[nodiscard]] std::string describe() const;
};

/// Adds 1..3 random programs and pipelines that are legal for the architecture.
void add_random_dais_blocks(std::uint64_t seed, tcu::Architecture& architecture);

/// Adds extensions other than DAIS blocks, each with a probability of its own, or exactly the given
/// set.
void add_random_extensions(std::uint64_t seed, tcu::Architecture& architecture,
                           std::optional<unsigned> exactly = {});

/// Draws an architecture: array size 2..32, any data type, small memories, 1..4 registers. Sets
/// `axi_data_bits` to a legal width.
[[nodiscard]] tcu::Architecture random_architecture(Random& random, unsigned& axi_data_bits);

/// Draws a program with its machine. Four of ten programs use DAIS blocks, and many use other
/// extensions.
[[nodiscard]] RandomProgram random_program(std::uint64_t seed, const RandomOptions& options = {});

}  // namespace tactus
