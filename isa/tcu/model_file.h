// The model file (.tmodel): names a program and its constants, and gives the places of the tensors.
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
  std::string file_name;              ///< relative to the .tmodel, see resolve_beside
  std::optional<std::uint64_t> size;  ///< relative to the .tmodel, see resolve_beside

  bool operator==(const ProgramEntry& o) const {
    return file_name == o.file_name && size == o.size;
  }
};

struct ConstantsEntry {
  std::string file_name;   ///< relative to the .tmodel
  std::uint64_t base = 0;  ///< in DRAM1
  std::uint64_t size = 0;

  bool operator==(const ConstantsEntry& o) const {
    return file_name == o.file_name && base == o.base && size == o.size;
  }
};

/// A contiguous piece of an input or output; pieces of one tensor have the same name.
struct TensorEntry {
  std::string name;
  std::uint64_t base = 0;  ///< in DRAM0
  std::uint64_t size = 0;  ///< at least 1

  bool operator==(const TensorEntry& o) const {
    return name == o.name && base == o.base && size == o.size;
  }
};

/// Constants that stay in local memory between images. The driver copies these vectors of DRAM1
/// there before the first image. An extension of Tactus's own, like `layers`.
struct ResidentEntry {
  std::uint64_t base = 0;   ///< in DRAM1
  std::uint64_t local = 0;  ///< in local memory
  std::uint64_t size = 0;   ///< at least 1

  bool operator==(const ResidentEntry& o) const {
    return base == o.base && local == o.local && size == o.size;
  }
};

/// A layer: the instructions [first, first + count) of the program.
struct LayerEntry : Region {
  /// Cycles of the layer that the optimising compiler expects, and a lower bound from its
  /// operations on the machine; 0: unknown.
  std::uint64_t predicted_cycles = 0, bound_cycles = 0;
  /// Multiply-accumulates of this layer of the network, without those of padding pixels; empty:
  /// unknown.
  std::optional<std::uint64_t> macs = std::nullopt;

  bool operator==(const LayerEntry& o) const {
    return static_cast<const Region&>(*this) == o && predicted_cycles == o.predicted_cycles &&
           bound_cycles == o.bound_cycles && macs == o.macs;
  }
};

/// Multiply-accumulates of all layers; empty if a layer's are unknown or if there are no layers.
[[nodiscard]] inline std::optional<std::uint64_t> macs_of(const std::vector<LayerEntry>& layers) {
  if (layers.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const LayerEntry& layer : layers) {
    if (!layer.macs) return std::nullopt;
    sum += *layer.macs;
  }
  return sum;
}

/// The layers as plain regions of the program.
[[nodiscard]] inline std::vector<Region> regions_of(const std::vector<LayerEntry>& layers) {
  return {layers.begin(), layers.end()};
}

/// The board that the model was compiled for. An extension of Tactus's own, like `layers`.
struct BoardEntry {
  std::string name;
  BoardValues values;

  bool operator==(const BoardEntry& o) const {
    return name == o.name && board_parameters().equal(values, o.values);
  }
};

/// Largest number of images that one run of a program may compute.
inline constexpr std::uint32_t most_batch = 1024;

struct ModelFile {
  std::string name;
  ProgramEntry prog;
  std::vector<ConstantsEntry> consts;  ///< the reference writes exactly one entry
  std::vector<TensorEntry> inputs;
  std::vector<TensorEntry> outputs;
  Architecture arch;
  std::optional<bool> load_consts_to_local;  ///< absent from old files: false
  std::vector<ResidentEntry> resident;       ///< the key is written only if there are entries
  /// In the order of the program, without overlaps; gaps are allowed. An extension of Tactus's own;
  /// the key is written only if there are entries.
  std::vector<LayerEntry> layers;
  std::optional<BoardEntry> board;
  /// Batch size: images computed by one run. Inputs and outputs hold the images of a batch
  /// consecutively. An extension of Tactus's own; the key is written only if it is above 1.
  std::uint32_t batch = 1;

  /// True if the driver must copy constants to local memory before the first image.
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

/// Reads a model file. DAIS programs that arch names are relative to it. Strict, except that
/// prog/size, load_consts_to_local, resident, layers, board, batch and the two thread keys of arch
/// may be missing, as in old files. File names must have no folder. Tensors must be inside DRAM0,
/// constants inside DRAM1. Throws UserError with all problems.
[[nodiscard]] ModelFile read_model_file(const std::string& path);
/// Whether a model must name the files of its program and constants. A model inside a package,
/// which contains them, need not.
enum class ModelFileNames { needed, may_be_empty };
/// Reads text that is already in memory; `where` stands for the file name in messages.
[[nodiscard]] ModelFile parse_model_file(std::string_view json_text, const std::string& where,
                                         ModelFileNames names = ModelFileNames::needed);

/// Text on one line without a line end, byte for byte as the reference writes it (the reference has
/// no layers, board or batch). Throws UserError for a name that is not UTF-8.
[[nodiscard]] std::string to_json(const ModelFile& model);

/// Reads a file {"layers": [...]} whose entries are those of a model file. Throws UserError.
[[nodiscard]] std::vector<LayerEntry> read_layers_file(const std::string& path);

/// Throws UserError if read_model_file() would refuse the result.
void write_model_file(const std::string& path, const ModelFile& model);

}  // namespace tactus::tcu
