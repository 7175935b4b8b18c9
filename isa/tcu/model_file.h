// The model file (.tmodel): names a program and its constants, and says where tensors lie.
//
// All bases and sizes count vectors. Source: toolchain spec section 1.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/board_values.h"
#include "isa/support/region.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

struct ProgramEntry {
  std::string file_name;              ///< beside the .tmodel, see resolve_beside
  std::optional<std::uint64_t> size;  ///< bytes; absent in old files

  bool operator==(const ProgramEntry& o) const {
    return file_name == o.file_name && size == o.size;
  }
};

struct ConstantsEntry {
  std::string file_name;   ///< beside the .tmodel
  std::uint64_t base = 0;  ///< in DRAM1
  std::uint64_t size = 0;

  bool operator==(const ConstantsEntry& o) const {
    return file_name == o.file_name && base == o.base && size == o.size;
  }
};

/// One contiguous piece of an input or output; a tensor may have several of one name.
struct TensorEntry {
  std::string name;
  std::uint64_t base = 0;  ///< in DRAM0
  std::uint64_t size = 0;  ///< 1 or more

  bool operator==(const TensorEntry& o) const {
    return name == o.name && base == o.base && size == o.size;
  }
};

/// Constants that stay in local memory from image to image: vectors of DRAM1 that the driver copies
/// there before the first. Tactus's own extension, as `layers`.
struct ResidentEntry {
  std::uint64_t base = 0;   ///< in DRAM1
  std::uint64_t local = 0;  ///< in local memory
  std::uint64_t size = 0;   ///< 1 or more

  bool operator==(const ResidentEntry& o) const {
    return base == o.base && local == o.local && size == o.size;
  }
};

/// The instructions [first, first + count) of the program that make one layer.
struct LayerEntry : Region {
  /// Cycles that the optimising compiler expects of it, and the fewest that its operations take on
  /// the machine; 0: not known.
  std::uint64_t predicted_cycles = 0, bound_cycles = 0;
  /// Multiply-accumulates that the network asks for in this layer, those with padding pixels left
  /// out; none: not known.
  std::optional<std::uint64_t> macs = std::nullopt;

  bool operator==(const LayerEntry& o) const {
    return static_cast<const Region&>(*this) == o && predicted_cycles == o.predicted_cycles &&
           bound_cycles == o.bound_cycles && macs == o.macs;
  }
};

/// The multiply-accumulates of all layers; none if one layer's are not known, or without layers.
[[nodiscard]] inline std::optional<std::uint64_t> macs_of(const std::vector<LayerEntry>& layers) {
  if (layers.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const LayerEntry& layer : layers) {
    if (!layer.macs) return std::nullopt;
    sum += *layer.macs;
  }
  return sum;
}

/// The parts of the program alone.
[[nodiscard]] inline std::vector<Region> regions_of(const std::vector<LayerEntry>& layers) {
  return {layers.begin(), layers.end()};
}

/// The board that a model was compiled for. Tactus's own extension, as `layers`.
struct BoardEntry {
  std::string name;
  BoardValues values;

  bool operator==(const BoardEntry& o) const {
    return name == o.name && board_parameters().equal(values, o.values);
  }
};

/// Images that one run of a program may compute at most.
inline constexpr std::uint32_t most_batch = 1024;

struct ModelFile {
  std::string name;
  ProgramEntry prog;
  std::vector<ConstantsEntry> consts;  ///< the reference writes exactly one
  std::vector<TensorEntry> inputs;
  std::vector<TensorEntry> outputs;
  Architecture arch;
  std::optional<bool> load_consts_to_local;  ///< absent in old files: false
  std::vector<ResidentEntry> resident;       ///< the key is written only if there are any
  /// In the order of the program, without overlaps; gaps are allowed. Tactus's own extension: the
  /// key is written only if there are any.
  std::vector<LayerEntry> layers;
  std::optional<BoardEntry> board;
  /// Images that one run computes, which inputs and outputs hold one behind the other. Tactus's own
  /// extension: the key is written only if there are several.
  std::uint32_t batch = 1;

  /// The driver has constants to copy to local memory before the first image.
  [[nodiscard]] bool preloads() const {
    return load_consts_to_local.value_or(false) || !resident.empty();
  }
  bool operator==(const ModelFile& o) const {
    return name == o.name && prog == o.prog && consts == o.consts && inputs == o.inputs &&
           outputs == o.outputs && arch == o.arch &&
           load_consts_to_local == o.load_consts_to_local && resident == o.resident &&
           layers == o.layers && board == o.board && batch == o.batch;
  }
};

/// DAIS programs that arch names lie beside the model file.
/// Strict, except that prog/size, load_consts_to_local, resident, layers, board, batch and the two
/// thread keys of arch may be missing, as in old files. File names must be bare, tensors lie inside
/// DRAM0, constants inside DRAM1. Throws UserError with all problems.
[[nodiscard]] ModelFile read_model_file(const std::string& path);
/// Whether a model must name the files of its program and constants: one that travels in a package
/// with them need not.
enum class ModelFileNames { needed, may_be_empty };
/// The same from text already in memory; `where` stands for the file name in messages.
[[nodiscard]] ModelFile parse_model_file(std::string_view json_text, const std::string& where,
                                         ModelFileNames names = ModelFileNames::needed);

/// One line without a line end, byte for byte as the reference writes it (which knows no
/// layers, board or batch). Throws UserError for a name that is not UTF-8.
[[nodiscard]] std::string to_json(const ModelFile& model);

/// A file {"layers": [...]} with the entries of a model file's key. Throws UserError.
[[nodiscard]] std::vector<LayerEntry> read_layers_file(const std::string& path);

/// Throws UserError for what read_model_file would not read back.
void write_model_file(const std::string& path, const ModelFile& model);

}  // namespace tactus::tcu
