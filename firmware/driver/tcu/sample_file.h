// Writes the file of a performance sampler, which has 64-bit little-endian words, and analyses such
// files.
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

/// Writes a run's samples to a file. add() never throws; finish() reports the first failure.
class SampleFile {
 public:
  explicit SampleFile(const std::string& path) : file_(path) {}
  void add(const Sample& sample);
  /// Completes the file. Returns the text of an error; empty: there was none. A file without
  /// samples is an error.
  [[nodiscard]] std::string finish();
  /// Text of a summary's line; `dropped` is the number of samples that the sampler has lost.
  [[nodiscard]] std::string summary(std::uint64_t dropped) const;

 private:
  OutputFile file_;
  std::uint64_t samples_ = 0, blocks_ = 0, in_block_ = 0;
  std::string error_;
};

/// Reads a file of samples. Throws UserError if it is empty, has no whole number of words, or has a
/// word whose bits 63:48 are not zero, as they are in every sample.
[[nodiscard]] std::vector<std::uint64_t> read_samples(const std::string& path);

/// Names of the channels, in the order of their bits.
inline constexpr std::array<const char*, 8> sample_channels = {
    "array", "acc", "dataflow", "dram1", "dram0", "memPortB", "memPortA", "instruction"};

/// State of a channel in a sample: bit 0 is valid, bit 1 ready.
enum ChannelState : unsigned { channel_idle, channel_waits, channel_is_ready, channel_moves };
[[nodiscard]] constexpr ChannelState channel_state(std::uint64_t word, unsigned channel) {
  return static_cast<ChannelState>(word >> (32 + 2 * channel) & 3);
}

/// The samples during which one kind of instruction was at the decoder's head.
struct SampleClass {
  std::string name;  ///< opcode, with the kind of a DataMove; "all" without a program
  std::uint64_t samples = 0;
  /// Number of samples by channel and ChannelState.
  std::array<std::array<std::uint64_t, 4>, 8> states{};
  std::map<std::uint16_t, std::uint64_t> patterns;  ///< number of samples by their bits 47:32
};

struct SampleAnalysis {
  std::uint64_t samples = 0;   ///< samples in the file
  std::uint64_t before = 0;    ///< samples before the program, left out
  std::uint64_t after = 0;     ///< samples from the first counter beyond the program on, left out
  std::uint64_t analysed = 0;  ///< all other samples
  /// Program counters of the first and last analysed sample.
  std::uint32_t first_counter = 0, last_counter = 0;
  std::vector<SampleClass> classes;  ///< most samples first
  std::string contradiction;  ///< why the samples are of another program; empty: no sign of that
};

struct SampleProgram {
  tcu::Architecture architecture;
  std::vector<std::uint8_t> bytes;
  std::uint64_t first_counter = 0;  ///< program counter of its first instruction
};

/// Analyses samples, by instruction class if `program` is not null.
/// - Samples count from the first decrease of the program counter on, since drivers set the counter
///   when they have configured the machine. If it never decreases, or with `from_start`, they count
///   from the first sample on.
/// - With a program, samples below its first counter are left out, and samples from the first one
///   beyond its end on.
/// - Requests to local memory have no queue before them. A sample that shows such a request, at a
///   program counter whose instruction makes none, is of another program.
[[nodiscard]] SampleAnalysis analyse_samples(const std::vector<std::uint64_t>& words,
                                             const SampleProgram* program, bool from_start);

}  // namespace tactus
