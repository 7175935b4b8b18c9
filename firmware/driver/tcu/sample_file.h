// Writes files of the performance sampler (64-bit little-endian words) and counts their contents.
//
// A word has the program counter (bits 31:0) and the valid and ready bits of eight channels of the
// decoder (bits 47:32). Source: hardware spec section 11, toolchain spec section 6.4.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/support/output_file.h"
#include "isa/tcu/architecture.h"
#include "models/tcu/sampler/sampler.h"

namespace tactus {

/// Collects a run's samples. add() never throws: the first failure is kept for finish().
class SampleFile {
 public:
  explicit SampleFile(const std::string& path) : file_(path) {}
  void add(const Sample& sample);
  /// Completes the file under its name. Returns the text of an error, empty if there is none; a
  /// file without samples is an error.
  [[nodiscard]] std::string finish();
  [[nodiscard]] std::string summary(std::uint64_t dropped) const;

 private:
  OutputFile file_;
  std::uint64_t samples_ = 0, blocks_ = 0, in_block_ = 0;
  std::string error_;
};

/// Throws UserError for a file that is empty, not whole words, or not of samples (bits 63:48 are
/// zero in every sample).
[[nodiscard]] std::vector<std::uint64_t> read_samples(const std::string& path);

/// The channels, in the order of their bits.
inline constexpr std::array<const char*, 8> sample_channels = {
    "array", "acc", "dataflow", "dram1", "dram0", "memPortB", "memPortA", "instruction"};

/// State of a channel in a sample: bit 0 is valid, bit 1 ready.
enum ChannelState : unsigned { channel_idle, channel_waits, channel_is_ready, channel_moves };
[[nodiscard]] constexpr ChannelState channel_state(std::uint64_t word, unsigned channel) {
  return static_cast<ChannelState>(word >> (32 + 2 * channel) & 3);
}

/// The samples in which one kind of instruction was at the decoder's head.
struct SampleClass {
  std::string name;  ///< opcode, for DataMove with its kind; "all" without a program
  std::uint64_t samples = 0;
  /// Number of samples by channel and ChannelState.
  std::array<std::array<std::uint64_t, 4>, 8> states{};
  std::map<std::uint16_t, std::uint64_t> patterns;  ///< number of samples by bits 47:32
};

struct SampleAnalysis {
  std::uint64_t samples = 0;   ///< samples in the file
  std::uint64_t before = 0;    ///< left out: before the program
  std::uint64_t after = 0;     ///< left out: from the first counter beyond the program on
  std::uint64_t analysed = 0;  ///< the rest
  /// Program counters of the first and last analysed sample.
  std::uint32_t first_counter = 0, last_counter = 0;
  std::vector<SampleClass> classes;  ///< most samples first
  std::string contradiction;         ///< why the samples are not of the program; empty: they may be
};

struct SampleProgram {
  tcu::Architecture architecture;
  std::vector<std::uint8_t> bytes;
  std::uint64_t first_counter = 0;  ///< program counter of its first instruction
};

/// Drivers set the program counter when they have configured the machine, so samples count from its
/// first decrease on; where it never decreases (or `from_start`), from the first sample on. With a
/// program they count from the first sample that is not below it up to the first one beyond it.
/// `program` may be null: one class. Requests to local memory have no queue before them, so a
/// sample with one at a program counter whose instruction has none is of another program.
[[nodiscard]] SampleAnalysis analyse_samples(const std::vector<std::uint64_t>& words,
                                             const SampleProgram* program, bool from_start);

}  // namespace tactus
