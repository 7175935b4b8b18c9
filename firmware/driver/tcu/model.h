// A compiled model: all files that a run needs, read and checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/tcu/model_file.h"

namespace tactus {

struct Model {
  std::string path;
  tcu::ModelFile file;
  std::vector<std::uint8_t> program;                 ///< bytes of the .tprog
  std::vector<std::vector<std::uint8_t>> constants;  ///< DRAM image of each constants entry
};

/// How strictly programs are checked before they run.
enum class ProgramChecks {
  strict,      ///< every instruction must be legal on the architecture (tcu::check)
  permissive,  ///< every instruction that can be decoded runs as the hardware would run it
};

/// Reads a .tmodel and the files it names. Throws UserError.
[[nodiscard]] Model read_model(const std::string& path, ProgramChecks checks);

/// Checks that a program consists of whole instructions and, with `strict`, that each of them is
/// legal. Throws UserError that names the first wrong instruction. `where` is the file name.
void check_program(const tcu::Architecture& architecture, const std::vector<std::uint8_t>& program,
                   const std::string& where, ProgramChecks checks);

/// Throws UserError if a region reaches beyond the program's end. The regions must be in order.
void check_regions(const std::vector<tcu::LayerEntry>& regions, std::uint64_t instructions,
                   const std::string& where);

/// Lists the keys in which two architectures differ, such as "array_size (8, 32)"; empty if they
/// agree. The keys of threads shape no hardware and are not compared.
[[nodiscard]] std::string architecture_differences(const tcu::Architecture& a,
                                                   const tcu::Architecture& b);

/// A tensor of a model: the entries with its name, in the order of their bases.
struct Tensor {
  std::string name;
  std::vector<tcu::TensorEntry> pieces;
  std::uint64_t size = 0;  ///< vectors
};

[[nodiscard]] std::vector<Tensor> tensors(const std::vector<tcu::TensorEntry>& entries);

}  // namespace tactus
