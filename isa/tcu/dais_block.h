// DAIS blocks: combinational fixed-point programs in the data path, behind opcode 0x6.
//
// An extension of Tactus's own, absent from the RTL. A block works on samples. ceil(n_in / N)
// vectors of local memory hold its n_in inputs: input i is lane i % N of vector i / N. Its n_out
// outputs become ceil(n_out / N) vectors for the accumulators, in the same order. Lanes beyond the
// last input are ignored, lanes beyond the last output are 0. A lane's mantissa m stands for the
// real m * 2^-point of the data type; the program converts it to its input type by floor, then
// wrap. Outputs are rounded half to even and saturated to the data type.
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

/// Number of blocks that the instruction's field can select.
inline constexpr std::size_t most_dais_blocks = 8;

/// One element of an architecture's "dais_blocks".
struct DaisBlockEntry {
  std::string name;     ///< letters, digits and _, no digit first; used in program text
  std::string program;  ///< file name as the architecture file gives it
  std::string path;     ///< resolved path of the program
  std::shared_ptr<const dais::File> file;

  [[nodiscard]] std::size_t input_count() const;
  [[nodiscard]] std::size_t output_count() const;
  /// Vectors per sample.
  [[nodiscard]] std::uint64_t input_vectors(std::uint32_t array_size) const;
  [[nodiscard]] std::uint64_t output_vectors(std::uint32_t array_size) const;
  /// Cycles from a sample's last vector to its first result: 1, or 1 plus the number of stages for
  /// a pipeline.
  [[nodiscard]] std::size_t latency() const;

  /// True for the same name and logic, wherever the program was read from.
  bool operator==(const DaisBlockEntry& other) const;
};

/// Reads and checks a program or pipeline in any form that agrees with exactly one dialect. `path`
/// is used unchanged. Throws UserError.
[[nodiscard]] DaisBlockEntry read_dais_block(const std::string& name, const std::string& path);

/// Why the architecture cannot have the block: no inputs or outputs, or a sample that exceeds a
/// memory. Empty if it can.
[[nodiscard]] std::string dais_block_problem(const Architecture& architecture,
                                             const DaisBlockEntry& block);

/// One line for each way in which a block's results may change on the way to the accumulators:
/// outputs that may exceed the data type's range, outputs with more fraction bits. Ranges are those
/// that the program states for its last operations.
[[nodiscard]] std::vector<std::string> dais_block_warnings(const Architecture& architecture);

}  // namespace tactus::tcu
