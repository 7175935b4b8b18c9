// The compiler's entry: from an ONNX graph and an architecture to a program with its data.
//
// All addresses and sizes count vectors of array_size scalars unless named otherwise.
// compile() gathers what it cannot translate and throws one UserError with every reason, a line
// each: node, operator, attribute, what is supported. Out of memory on the device (accumulators,
// local memory, DRAM) is a UserError too. Same graph and options, same bytes.
// Source: toolchain spec sections 1 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/targets/tcu/program_builder.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/model_file.h"

namespace tactus::nn {
struct Graph;
}

namespace tactus::compiler {

/// Once per layer, before it is lowered, and once per plan that the optimiser has tried. Steps are
/// layers, passes over them one after the other, or parts of the optimiser's effort.
struct Progress {
  std::uint64_t done = 0, all = 0;  ///< steps; a layer that only relabels produces no code
  std::string what;                 ///< "compiling layer 3 of 20: conv1"
};

enum class Via {
  layers,  ///< compile()
  stripe,  ///< compile_via_stripe()
};

/// What users choose of how a network is compiled; bench::compiler_parameters() describes it.
struct Choices {
  Strategy strategy = Strategy::local_isolated;
  /// Reproduce the reference compiler byte for byte, its silent mistakes included (spec section 7).
  bool compat = false;
  /// By the optimising compiler (targets/tcu/optimise) instead of a strategy.
  bool optimise = false;
  std::uint64_t effort = 200;  ///< of the optimiser: plans that it may try
  /// Images that a program of the optimiser computes at a time. Inputs and outputs hold one after
  /// the other; the first dimension of their shapes is so many times as large.
  std::uint32_t batch = 1;
  /// With the optimiser, constants that there is room for stay in local memory from image to image;
  /// the driver copies them there before the first.
  bool resident = false;
  Via via = Via::layers;  ///< the compiler; for bench::compile_network()
};

struct Options : Choices {
  /// No output lies where an input or another output does, so that the inputs of an image can
  /// arrive while the outputs of the one before are still there. Inputs keep their DRAM0 then.
  bool separate_outputs = false;
  /// The optimiser takes a strategy's program in place of its own where that takes fewer cycles by
  /// the cost model. Where its own does not fit the machine, a strategy's always stands in.
  bool quickest = true;
  /// What the optimiser takes the machine for; any other runs the program as well, only not as
  /// fast.
  unsigned axi_data_bits = 64;
  std::uint32_t read_latency = 20, write_latency = 5;
  std::vector<std::string> outputs;  ///< tensor names; empty: the graph's outputs
  /// By input name; "" stands for every input not named. Dimensions may be left to the model by
  /// -1; those the model fixes cannot be changed. The shape for inputs not named may have leading
  /// dimensions only. One the model leaves open and nobody gives is 1 if it is the first (batch).
  std::map<std::string, std::vector<std::int64_t>> input_shapes;
  std::function<void(const Progress&)> progress;
  bool dump_hir = false;
  bool dump_lir = false;
  bool dump_assembly = false;
  bool dump_dot = false;
};

/// A tensor of the model and how it lies in vectors. Memory holds the dimensions in `order`, the
/// last of them along the lanes and padded to whole vectors: an NCHW activation has order 0 2 3 1.
struct TensorLayout {
  std::string name;
  std::vector<std::int64_t> shape;  ///< as the model sees it
  std::vector<std::size_t> order;   ///< order[k]: the model's dimension that is k-th in memory
  std::uint64_t vectors = 0;

  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] std::uint64_t lanes() const;  ///< real scalars in each run of vectors
};

/// Values in the model's order to lanes in the order of memory, padding lanes zero, and back.
[[nodiscard]] std::vector<float> to_lanes(const TensorLayout& layout, std::uint32_t array_size,
                                          const std::vector<float>& values);
[[nodiscard]] std::vector<float> from_lanes(const TensorLayout& layout, std::uint32_t array_size,
                                            const std::vector<float>& lanes);

/// Values in the model's order to the image in DRAM (quantised, padding lanes zero), and back.
/// Throws UserError if the number of values does not fit the shape.
[[nodiscard]] std::vector<std::uint8_t> pack_tensor(const TensorLayout& layout,
                                                    const tcu::Architecture& architecture,
                                                    const std::vector<float>& values);
[[nodiscard]] std::vector<float> unpack_tensor(const TensorLayout& layout,
                                               const tcu::Architecture& architecture,
                                               const std::vector<std::uint8_t>& image);

/// Inputs of a host graph are the program's outputs, named so.
inline constexpr const char* host_input_prefix = "device:";

/// A final Softmax, which the unit does not compute: the program's output of its name holds what it
/// reads.
struct HostStep {
  std::string output;
  std::string node;
  std::string op;         ///< "Softmax"
  std::int64_t axis = 0;  ///< in the model's order, not negative
  bool flatten = false;   ///< opset < 13: over all dimensions from axis on
};

/// What a layer costs (see LayerStatistics) and which nodes it computes.
struct LayerInfo : LayerStatistics {
  std::vector<std::string> nodes;      ///< node names, in order
  std::string form;                    ///< of the optimiser: how it is computed
  std::uint64_t predicted_cycles = 0;  ///< of the optimiser; 0: by no optimiser
  std::uint64_t bound_cycles = 0;      ///< of the optimiser, see optimise::OptimisedLayer
};

struct Compiled {
  tcu::Architecture architecture;
  std::optional<tcu::BoardEntry> board;  ///< for the .tmodel; whoever compiles for one sets it
  std::vector<std::uint8_t> program;     ///< the .tprog
  std::vector<std::uint8_t> constants;   ///< the .tdata
  std::uint64_t constant_vectors = 0;
  bool load_consts_to_local = false;
  std::vector<tcu::ResidentEntry> resident;
  std::uint32_t batch = 1;               ///< images that a run computes
  bool compat = false;                   ///< as in the options
  std::vector<tcu::TensorEntry> inputs;  ///< contiguous pieces, sorted by base
  std::vector<tcu::TensorEntry> outputs;
  std::vector<TensorLayout> input_layouts;  ///< in the graph's order
  std::vector<TensorLayout> output_layouts;
  std::vector<HostStep> host_steps;
  /// What the host computes before the program, as part of the input: inputs are the model's,
  /// outputs are inputs of the program. Null: nothing.
  std::shared_ptr<const nn::Graph> host_before;
  /// What the host computes from the program's outputs, the host steps among it: inputs are named
  /// "device:" and the program's output, outputs are those of the model that the program does not
  /// compute. Null: nothing.
  std::shared_ptr<const nn::Graph> host;
  /// The model's outputs in its order: the program's, or the host graph's.
  std::vector<std::string> model_outputs;
  std::vector<LayerInfo> layers;
  std::uint64_t instructions = 0;
  std::uint64_t true_macs = 0;          ///< what the model asks for; padding pixels are not in it
  std::uint64_t macs_with_padding = 0;  ///< the same with padding pixels, as publications count
  MemoryUse memory;
  std::uint64_t predicted_cycles = 0;        ///< of the optimiser's cost model; 0: by no optimiser
  std::uint64_t plans = 0;                   ///< that the optimiser tried
  std::uint64_t displaced = 0, fetched = 0;  ///< see optimise::Optimised
  std::vector<std::string> notes;            ///< decisions a user should see, a sentence each
  std::string hir;                           ///< dumps, as asked for
  std::string lir;
  std::string assembly;
  std::string dot;
};

[[nodiscard]] Compiled compile(const nn::Graph& graph, const tcu::Architecture& architecture,
                               const Options& options = {});

/// "resnet20v2_cifar.onnx" with "boards/pynqz1.tarch": resnet20v2_cifar_onnx_pynqz1 (section 1.2).
[[nodiscard]] std::string artefact_base_name(std::string_view model_path,
                                             std::string_view architecture_path);

/// The .tmodel of the program, with the spans of its layers and its board unless it is compat: the
/// reference's files have neither.
[[nodiscard]] tcu::ModelFile model_file(const Compiled& compiled, const std::string& base_name);

/// Writes base.tmodel, base.tprog and base.tdata, unless it is compat base.tensors.json and where
/// the host has work base.before.onnx and base.host.onnx (model_tensors.h), and base.dot, .tasm,
/// .hir, .lir for the dumps that are there; creates the directory. All or nothing: the .tmodel
/// comes last, and what was written before a failure is removed. Returns the path of the .tmodel.
std::string write_artefacts(const Compiled& compiled, const std::string& directory,
                            const std::string& base_name);

}  // namespace tactus::compiler
