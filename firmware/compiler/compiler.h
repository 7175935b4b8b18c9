// The entry of the compiler: compiles an ONNX graph for an architecture to a program with its data.
//
// All addresses and sizes count vectors of array_size scalars unless named otherwise. compile()
// throws one UserError with a line for every part of the graph that it cannot translate: node,
// operator, attribute, what is supported. If the device's memories (accumulators, local memory,
// DRAM) are too small, it throws a UserError, too. Equal graphs and options give equal bytes.
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

#include "firmware/compiler/expected_errors.h"
#include "firmware/compiler/scales.h"
#include "firmware/compiler/targets/tcu/program_builder.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/model_file.h"

namespace tactus::nn {
struct Graph;
}

namespace tactus::compiler {

/// Progress, reported before each layer is lowered and after each plan that the optimiser has
/// tried. Steps are layers, in one or several passes, or parts of the optimiser's effort.
struct Progress {
  std::uint64_t done = 0, all = 0;  ///< steps; a layer that only relabels produces no code
  std::string what;                 ///< "compiling layer 3 of 20: conv1"
};

enum class Via {
  layers,  ///< compile()
  stripe,  ///< compile_via_stripe()
};

enum class Scales {
  none,
  weights,    ///< powers of two in weights and biases only; they take no time, but means may need
              ///< more stages
  automatic,  ///< and multiplies behind sums where they save enough
};

/// What users choose of how a network is compiled; bench::compiler_parameters() describes it.
struct Choices {
  Strategy strategy = Strategy::local_isolated;
  /// Reproduces the reference compiler byte for byte, including its silent mistakes (spec section
  /// 7).
  bool compat = false;
  /// By the optimising compiler (targets/tcu/optimise) instead of a strategy.
  bool optimise = false;
  std::uint64_t effort = 200;  ///< of the optimiser: plans that it may try
  /// Images that a program of the optimiser computes at a time. Inputs and outputs hold one after
  /// the other; the first dimension of their shapes is so many times as large.
  std::uint32_t batch = 1;
  /// With the optimiser: keeps constants in local memory from image to image, as far as there is
  /// room. The driver copies them there before the first image.
  bool resident = false;
  Via via = Via::layers;         ///< the compiler; for bench::compile_network()
  Scales scales = Scales::none;  ///< of the tensors, see scales.h; for bench::compile_network()
  /// Files with images of the user's from which scales are chosen; empty: they are drawn.
  std::string calibrate;
  /// Largest absolute value that any tensor has inside the network, as the user knows it; 0:
  /// unknown. Means then take fewer stages (frontend/operators/means.h).
  double value_bound = 0;
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
  /// Shapes by input name; "" stands for all inputs that are not named, and may give leading
  /// dimensions only. A dimension of -1 is taken from the model; dimensions that the model fixes
  /// cannot be changed. If the model and the options leave the first dimension (batch) open, it is
  /// 1.
  std::map<std::string, std::vector<std::int64_t>> input_shapes;
  /// Largest absolute values of tensors by name, as the machine holds them, where they are known,
  /// for example from calibration images. Absent: unknown.
  std::map<std::string, double> bounds;
  std::function<void(const Progress&)> progress;
  bool dump_hir = false;
  bool dump_lir = false;
  bool dump_assembly = false;
  bool dump_dot = false;
};

/// A tensor of the model and its layout in vectors. Memory contains the dimensions in the order
/// `order`; the last one is along the lanes, padded to whole vectors. An NCHW activation has order
/// 0 2 3 1.
struct TensorLayout {
  std::string name;
  std::vector<std::int64_t> shape;  ///< shape in the model
  /// Order[k]: index in `shape` of the dimension that is k-th in memory.
  std::vector<std::size_t> order;
  std::uint64_t vectors = 0;

  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] std::uint64_t lanes() const;  ///< real scalars in each run of vectors
};

/// Converts values in the model's order to lanes in the order of memory, with zero in padding
/// lanes, and back.
[[nodiscard]] std::vector<float> to_lanes(const TensorLayout& layout, std::uint32_t array_size,
                                          const std::vector<float>& values);
[[nodiscard]] std::vector<float> from_lanes(const TensorLayout& layout, std::uint32_t array_size,
                                            const std::vector<float>& lanes);

/// Converts values in the model's order to quantised bytes for DRAM, with zero in padding lanes,
/// and back. Throws UserError if the number of values does not fit the shape.
[[nodiscard]] std::vector<std::uint8_t> pack_tensor(const TensorLayout& layout,
                                                    const tcu::Architecture& architecture,
                                                    const std::vector<float>& values);
[[nodiscard]] std::vector<float> unpack_tensor(const TensorLayout& layout,
                                               const tcu::Architecture& architecture,
                                               const std::vector<std::uint8_t>& image);

/// Prefix in the names of a host graph's inputs that are outputs of the program.
inline constexpr const char* host_input_prefix = "device:";

/// A final Softmax, which the unit cannot compute. The program's output of this name contains the
/// operand.
struct HostStep {
  std::string output;
  std::string node;
  std::string op;         ///< "Softmax"
  std::int64_t axis = 0;  ///< dimension in the model's order, not negative
  bool flatten = false;   ///< opset < 13: the Softmax is over all dimensions from axis on
};

/// The costs of a layer (see LayerStatistics) and the nodes that it computes.
struct LayerInfo : LayerStatistics {
  std::vector<std::string> nodes;  ///< node names, in order
  std::string form;                ///< the optimiser's way of computing the layer
  /// Predicted by the optimiser; 0: the layer is not optimised.
  std::uint64_t predicted_cycles = 0;
  /// Lower bound by the optimiser, see optimise::OptimisedLayer.
  std::uint64_t bound_cycles = 0;
};

struct Compiled {
  tcu::Architecture architecture;
  /// The board for the .tmodel; set by the caller of compile().
  std::optional<tcu::BoardEntry> board;
  std::vector<std::uint8_t> program;    ///< the .tprog
  std::vector<std::uint8_t> constants;  ///< the .tdata
  std::uint64_t constant_vectors = 0;
  /// What the data type keeps of the constants, as the program has them.
  ConstantLosses constant_losses;
  bool load_consts_to_local = false;
  std::vector<tcu::ResidentEntry> resident;
  std::uint32_t batch = 1;               ///< images that a run computes
  bool compat = false;                   ///< the option `compat`
  std::vector<tcu::TensorEntry> inputs;  ///< contiguous pieces, sorted by base
  std::vector<tcu::TensorEntry> outputs;
  std::vector<TensorLayout> input_layouts;  ///< layouts in the order of the graph's inputs
  std::vector<TensorLayout> output_layouts;
  std::vector<HostStep> host_steps;
  /// The host's work before the program: its inputs are the model's, its outputs are inputs of the
  /// program. Null: none.
  std::shared_ptr<const nn::Graph> host_before;
  /// The host's work after the program, including the host steps. The name of an input is "device:"
  /// and the program's output; its outputs are those of the model that the program does not
  /// compute. Null: none.
  std::shared_ptr<const nn::Graph> host;
  /// The model's outputs in its order; each is an output of the program or of the host graph.
  std::vector<std::string> model_outputs;
  /// ONNX's codes of the element types of those outputs that the model declares as another type
  /// than FLOAT.
  std::map<std::string, std::int32_t> output_types;
  std::vector<LayerInfo> layers;
  std::uint64_t instructions = 0;
  std::uint64_t true_macs = 0;  ///< MACs of the model, without padding pixels
  /// MACs including padding pixels, as publications count them.
  std::uint64_t macs_with_padding = 0;
  MemoryUse memory;
  /// Predicted by the optimiser's cost model; 0: not optimised.
  std::uint64_t predicted_cycles = 0;
  std::uint64_t plans = 0;                   ///< plans that the optimiser has tried
  std::uint64_t displaced = 0, fetched = 0;  ///< see optimise::Optimised
  /// The graph that was compiled in place of the model, with products folded
  /// (fold_lossy_products()) or its tensors scaled; null: the model.
  std::shared_ptr<const nn::Graph> scaled;
  TensorScales scales;                   ///< of the model's tensors in `scaled`
  std::map<std::string, double> bounds;  ///< Options::bounds with which `scaled` was compiled
  /// Errors of nodes' results that lookup tables and the like cause.
  ExpectedErrors expected_errors;
  /// Decisions that a user should know, one sentence each.
  std::vector<std::string> notes;
  std::string hir;  ///< dumps requested by the options
  std::string lir;
  std::string assembly;
  std::string dot;
};

[[nodiscard]] Compiled compile(const nn::Graph& graph, const tcu::Architecture& architecture,
                               const Options& options = {});

/// "resnet20v2_cifar.onnx" with "boards/pynqz1.tarch": resnet20v2_cifar_onnx_pynqz1 (section 1.2).
[[nodiscard]] std::string artefact_base_name(std::string_view model_path,
                                             std::string_view architecture_path);

/// Makes the .tmodel of the program. It has the ranges of the layers and the board, except with
/// compat, because the reference's files have neither.
[[nodiscard]] tcu::ModelFile model_file(const Compiled& compiled, const std::string& base_name);

/// Writes base.tmodel, base.tprog and base.tdata. Without compat it also writes base.tensors.json
/// and, for the host's work, base.before.onnx and base.host.onnx (model_tensors.h). Dumps are
/// written to base.dot, .tasm, .hir, .lir. Creates the directory. The .tmodel is written last;
/// after a failure all files written before are removed. Returns the path of the .tmodel.
std::string write_artefacts(const Compiled& compiled, const std::string& directory,
                            const std::string& base_name);

}  // namespace tactus::compiler
