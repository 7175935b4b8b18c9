// DAIS blocks: combinational fixed-point programs in the data path, behind opcode 0x6.
//
// An extension of Tactus's own, no RTL has it. A block works on samples: ceil(n_in / N) vectors of
// local memory give its n_in inputs, input i being lane i % N of vector i / N, and its n_out
// outputs become ceil(n_out / N) vectors for the accumulators, in the same order; lanes beyond the
// last output are 0, lanes beyond the last input are ignored. A lane's mantissa m stands for the
// real m * 2^-point of the data type, which the program takes as it takes any real: floor to its
// input type, then wrap. Outputs are rounded half to even and saturated to the data type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tactus::dais {
struct File;
}

namespace tactus::tcu {

struct Architecture;

/// What the instruction's block number can tell apart.
inline constexpr std::size_t most_dais_blocks = 8;

/// One element of an architecture's "dais_blocks".
struct DaisBlockEntry {
  std::string name;     ///< letters, digits and _, no digit first; the assembler knows it
  std::string program;  ///< file name as the architecture file gives it
  std::string path;     ///< where that leads
  std::shared_ptr<const dais::File> file;

  [[nodiscard]] std::size_t input_count() const;
  [[nodiscard]] std::size_t output_count() const;
  /// Vectors of one sample.
  [[nodiscard]] std::uint64_t input_vectors(std::uint32_t array_size) const;
  [[nodiscard]] std::uint64_t output_vectors(std::uint32_t array_size) const;
  /// Cycles from a sample's last vector to its first result: 1, of a pipeline its stages and 1.
  [[nodiscard]] std::size_t latency() const;

  /// The same name and the same logic, wherever it was read from.
  bool operator==(const DaisBlockEntry& other) const;
};

/// Reads and checks a program or pipeline in any form that fits one dialect; `path` as it is.
/// Throws UserError.
[[nodiscard]] DaisBlockEntry read_dais_block(const std::string& name, const std::string& path);

/// Why the architecture cannot have the block, or nothing: no inputs or outputs, or a sample that
/// exceeds a memory.
[[nodiscard]] std::string dais_block_problem(const Architecture& architecture,
                                             const DaisBlockEntry& block);

/// One line for each way in which results of a block may change on the way to the accumulators:
/// outputs that can leave the data type's range, outputs with more fraction bits. Ranges are those
/// the program states for its last operations.
[[nodiscard]] std::vector<std::string> dais_block_warnings(const Architecture& architecture);

}  // namespace tactus::tcu
