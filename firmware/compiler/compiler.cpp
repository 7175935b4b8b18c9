#include "firmware/compiler/compiler.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "firmware/compiler/frontend/alignment.h"
#include "firmware/compiler/frontend/dot.h"
#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/lossy_constants.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/parts.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/measured.h"
#include "firmware/compiler/steps.h"
#include "firmware/compiler/targets/tcu/optimise/optimise.h"
#include "firmware/compiler/targets/tcu/scheduler/stages.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/layout.h"
#include "isa/tcu/timing.h"

namespace tactus::compiler {
namespace {

/// Finds the plan of a layer by its name, since layers without code have no statistics.
std::vector<LayerInfo> describe_layers(const std::vector<LayerPlan>& plans,
                                       std::vector<LayerStatistics> statistics) {
  std::vector<LayerInfo> layers;
  std::size_t next = 0;
  for (LayerStatistics& figures : statistics) {
    LayerInfo info;
    static_cast<LayerStatistics&>(info) = std::move(figures);
    std::size_t plan = next;
    while (plan < plans.size() && plans[plan].name != info.name) ++plan;
    if (plan < plans.size()) {
      for (const Step* step : plans[plan].steps) info.nodes.push_back(step->node->name);
      next = plan + 1;
    }
    layers.push_back(std::move(info));
  }
  return layers;
}

/// Makes the optimiser's graph from the HIR of single steps; memory is never freed.
optimise::Graph graph_of(const Model& model, const Options& options, MemoryManager& memory) {
  optimise::GraphBuilder builder(model.architecture, memory);
  memory.begin_pass(false);
  (void)allocate_inputs(model, options, memory);
  for (const std::string& name : model.inputs) {
    builder.add_input(name, memory.get(name).addresses, shape_of(model, name, name));
  }
  for (std::size_t k = 0; k < model.steps.size(); ++k) {
    const Step& step = model.steps[k];
    tell_layer(options, 0, 1, k, model.steps.size(), step.node->name);
    const LayerPlan plan = plan_of(step);
    builder.add_step(Emitter(model, plan, memory).emit(), shape_of(model, step));
  }
  for (const std::string& name : model.outputs) {
    builder.add_output(name, memory.get(name).addresses, shape_of(model, name, name).blocks);
  }
  return builder.take();
}

void fill_from_program(Compiled& result, CompiledProgram program) {
  result.program = std::move(program.program);
  result.constants = std::move(program.constants);
  result.constant_vectors = program.constants_count;
  result.constant_losses = std::move(program.constant_losses);
  result.load_consts_to_local = program.load_constants_to_local;
  result.inputs = std::move(program.inputs);
  result.outputs = std::move(program.outputs);
  result.instructions = program.instructions;
  result.memory = program.memory;
}

/// Extends inputs and outputs to several images, which must be stored one after the other.
void batch_tensors(Compiled& result, const Model& model, std::uint32_t batch) {
  result.batch = batch;
  result.macs_with_padding *= batch;
  for (std::vector<TensorLayout>* layouts : {&result.input_layouts, &result.output_layouts}) {
    for (TensorLayout& layout : *layouts) {
      if (layout.shape.size() < 2 || layout.order.front() != 0) {
        user_error(
            "tensor {}: {} images at a time need a shape whose first dimension counts images; it "
            "has {} dimension{}",
            quote(layout.name), batch, layout.shape.size(), layout.shape.size() == 1 ? "" : "s");
      }
      layout.shape.front() *= batch;
      layout.vectors *= batch;
    }
  }
  const bool only_softmax = model.host.nodes.size() <= model.host_steps.size() &&
                            std::all_of(model.host_steps.begin(), model.host_steps.end(),
                                        [](const HostStep& step) { return step.axis > 0; });
  if (!only_softmax) {
    user_error(
        "{} images at a time: of what is left to the host only Softmax can be computed for several "
        "images",
        batch);
  }
  if (result.host_before) {
    user_error("{} images at a time: the host computes {} before the program, for one image only",
               batch, fmt::format("{} nodes", result.host_before->nodes.size()));
  }
  if (!result.host) return;
  nn::Graph host = *result.host;
  for (std::vector<nn::ValueInfo>* values : {&host.inputs, &host.outputs}) {
    for (nn::ValueInfo& value : *values) {
      if (!value.dims || value.dims->empty()) continue;
      nn::Dimension& images = value.dims->front();
      if (images.size) *images.size *= batch;
    }
  }
  result.host = std::make_shared<const nn::Graph>(std::move(host));
}

/// Checks before compiling that the values which the host writes and reads exist.
void check_tensors_fit(const Model& model, const Options& options) {
  std::uint64_t vectors = 0;
  for (const auto* names : {&model.inputs, &model.outputs}) {
    for (const std::string& name : *names) vectors += shape_of(model, name, name).vectors;
  }
  vectors *= options.batch;
  if (vectors > model.architecture.dram0_depth) {
    user_error("out of DRAM0 for inputs and outputs: {} vectors needed, there are {}", vectors,
               model.architecture.dram0_depth);
  }
}

/// Refuses weights that exceed DRAM1 in any program, before the work that finds it out otherwise.
/// Programs may leave out zeros, and store each constant once.
void check_weights_fit(const Model& model) {
  std::set<std::string_view> counted;
  std::uint64_t weights = 0;
  for (const Step& step : model.steps) {
    const auto* const nest = std::get_if<LoopNest>(&step.nest);
    const Value* const value = nest == nullptr ? nullptr : model.find(nest->weights.operand);
    if (value == nullptr || value->constant == nullptr) continue;
    if (!counted.insert(nest->weights.operand).second) continue;
    const std::vector<float>& all = value->constant->floats;
    weights += all.size() - static_cast<std::size_t>(std::count(all.begin(), all.end(), 0.0F));
  }
  const std::uint64_t vectors = weights / model.architecture.array_size;
  if (vectors <= model.architecture.dram1_depth) return;
  throw OutOfConstants(
      fmt::format("out of DRAM1 for {} weights: at least {} vectors needed, there are {}", weights,
                  vectors, model.architecture.dram1_depth));
}

/// Compiles with the optimiser alone.
Compiled compile_optimised(const nn::Graph& graph, const Model& model, const Options& options) {
  const optimise::Machine machine = machine_of(model.architecture, options);
  MemoryManager memory =
      unlimited_memory(model.architecture);  // the graph refers to the constants of this memory
  optimise::Graph steps = graph_of(model, options, memory);
  if (options.batch > 1) steps = optimise::repeat(steps, options.batch);
  optimise::Optimised optimised =
      optimise::optimise(std::move(steps), model.architecture, machine, wishes_of(options));
  Compiled result;
  fill_from_program(result, std::move(optimised.program));
  fill_from_model(result, graph, model, options);
  result.resident = std::move(optimised.resident);
  if (options.batch > 1) batch_tensors(result, model, options.batch);
  note_if_empty(result);
  for (optimise::OptimisedLayer& layer : optimised.layers) {
    result.layers.push_back(info_of(std::move(layer)));
    result.true_macs += result.layers.back().true_macs;
  }
  result.predicted_cycles = optimised.predicted_cycles;
  result.plans = optimised.plans;
  result.displaced = optimised.displaced;
  result.fetched = optimised.fetched;
  if (options.dump_assembly) {
    result.assembly = tcu::disassemble_program(model.architecture, result.program);
  }
  if (options.dump_dot) result.dot = dot_graph(model, form_layers(model));
  return result;
}

/// A layer of which one result does not fit the machine, with the layer's nodes and those of the
/// model that they were written for.
class NodesTooLarge : public LayerTooLarge {
 public:
  NodesTooLarge(const LayerTooLarge& error, const LayerPlan& plan, const Model& model)
      : LayerTooLarge(error) {
    for (const Step* step : plan.steps) nodes.push_back(step->node);
    for (const Step* step : plan.steps) {
      const auto origin = model.origins.find(step->node);
      if (origin != model.origins.end()) nodes.push_back(origin->second);
    }
  }
  std::vector<const nn::Node*> nodes;
};

/// Adds a layer to the program. Throws NodesTooLarge.
void add_layer(const Model& model, const LayerPlan& plan, ProgramBuilder& builder) {
  try {
    builder.add_layer(Emitter(model, plan, builder.memory()).emit());
  } catch (const LayerTooLarge& error) {
    throw NodesTooLarge(error, plan, model);
  }
}

Compiled compile_by_strategy(const nn::Graph& graph, const Model& model, const Options& options) {
  const std::vector<LayerPlan> plans = form_layers(model);

  std::ostringstream hir, lir;
  BuilderOptions builder_options;
  builder_options.strategy = options.strategy;
  builder_options.compat = options.compat;
  builder_options.separate_outputs = options.separate_outputs;
  if (options.dump_hir) builder_options.dump_hir = &hir;
  if (options.dump_lir) builder_options.dump_lir = &lir;
  ProgramBuilder builder(model.architecture, builder_options);
  for (unsigned pass = 0; pass < builder.passes(); ++pass) {
    builder.begin_pass();
    builder.add_layer(allocate_inputs(model, options, builder.memory()));
    for (std::size_t k = 0; k < plans.size(); ++k) {
      tell_layer(options, pass, builder.passes(), k, plans.size(), plans[k].name);
      add_layer(model, plans[k], builder);
    }
    builder.add_outputs(model.outputs);
  }
  CompiledProgram program = builder.finish();

  Compiled result;
  result.layers = describe_layers(plans, std::move(program.layers));
  fill_from_program(result, std::move(program));
  fill_from_model(result, graph, model, options);
  note_if_empty(result);
  result.compat = options.compat;
  for (const LayerInfo& layer : result.layers) result.true_macs += layer.true_macs;
  result.hir = hir.str();
  result.lir = lir.str();
  if (options.dump_assembly) {
    result.assembly = tcu::disassemble_program(model.architecture, result.program);
  }
  if (options.dump_dot) result.dot = dot_graph(model, plans);
  return result;
}

/// Predicts the cycles of a strategy's program by the optimiser's cost model.
void predict(Compiled& compiled, Strategy strategy, const optimise::Machine& machine) {
  const tcu::InstructionLayout layout(compiled.architecture);
  std::vector<std::size_t> ends;
  for (const LayerInfo& layer : compiled.layers) {
    ends.push_back(layer.first_instruction + layer.instructions);
  }
  const tcu::Prediction prediction = tcu::predict(tcu::decode_program(layout, compiled.program),
                                                  compiled.architecture, machine, ends);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < compiled.layers.size(); ++i) {
    compiled.layers[i].predicted_cycles = prediction.heads[i] - before;
    compiled.layers[i].form = fmt::format("compiled by {}", to_string(strategy));
    before = prediction.heads[i];
  }
  compiled.predicted_cycles = prediction.cycles;
}

/// A program that --optimise may choose.
struct Contender {
  Compiled compiled;
  std::string by;                       ///< its strategy; empty: the optimiser
  std::optional<std::uint64_t> cycles;  ///< simulated; empty: not simulated
};

/// Adds the programs of all strategies that fit the machine, each once.
void add_strategies(const nn::Graph& graph, const Model& model, Options options,
                    std::vector<Contender>& candidates) {
  options.optimise = false;
  const optimise::Machine machine = machine_of(model.architecture, options);
  for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                  Strategy::local_consts, Strategy::local_vars_and_consts}) {
    options.strategy = strategy;
    try {
      Compiled compiled = compile_by_strategy(graph, model, options);
      const bool known =
          std::any_of(candidates.begin(), candidates.end(), [&](const Contender& other) {
            return other.compiled.program == compiled.program &&
                   other.compiled.load_consts_to_local == compiled.load_consts_to_local;
          });
      if (known) continue;
      predict(compiled, strategy, machine);
      candidates.push_back({std::move(compiled), std::string(to_string(strategy)), std::nullopt});
    } catch (const OutOfConstants&) {
      break;  // all strategies store the same constants
    } catch (const UserError&) {
      // This strategy's program does not fit the machine; another strategy's may.
    }
  }
}

/// Returns the candidate with the fewest cycles; of equal ones the first. The memory may slow one
/// program down more than another, so candidates that are near by the cost model are simulated, and
/// the optimiser's whenever a strategy wins, for the note.
Contender& quickest_of(std::vector<Contender>& candidates, const MeasuredMemory* memory) {
  // Predictions differ from cycles with a board's memory by up to 5 times in short programs, but
  // for programs of one network by much the same factor.
  constexpr std::uint64_t near = 2;
  const auto predicted = [](const Contender& a, const Contender& b) {
    return a.compiled.predicted_cycles < b.compiled.predicted_cycles;
  };
  Contender& best = *std::min_element(candidates.begin(), candidates.end(), predicted);
  std::vector<Contender*> simulated;
  for (Contender& candidate : candidates) {
    if (candidate.compiled.predicted_cycles <= near * best.compiled.predicted_cycles ||
        candidate.by.empty()) {
      simulated.push_back(&candidate);
    }
  }
  if (simulated.size() == 1 || memory == nullptr) return best;
  for (Contender* const candidate : simulated) {
    candidate->cycles = memory->cycles(candidate->compiled);
    if (!candidate->cycles) return best;
  }
  return **std::min_element(
      simulated.begin(), simulated.end(),
      [](const Contender* a, const Contender* b) { return *a->cycles < *b->cycles; });
}

/// Says that a strategy's program was chosen, and why.
std::string strategy_note(const Contender& chosen, const std::vector<Contender>& candidates,
                          const MeasuredMemory* memory, const std::string& refusal) {
  const std::string text = fmt::format("compiled without the optimiser, by {}", chosen.by);
  const Contender& optimised = candidates.front();
  if (!optimised.by.empty()) {
    return fmt::format("{}: optimised, the network does not fit: {}", text, refusal);
  }
  const bool simulated = chosen.cycles && optimised.cycles;
  return fmt::format(
      "{}: {} cycles an image {}, and {} for the best program that the optimiser found", text,
      simulated ? *chosen.cycles : chosen.compiled.predicted_cycles,
      simulated ? "simulated with " + memory->name : "by the cost model",
      simulated ? *optimised.cycles : optimised.compiled.predicted_cycles);
}

/// Returns the program with the fewest cycles: the optimiser's or a strategy's. Without `memory`
/// the cost model decides alone.
Compiled compile_for_fewest_cycles(const nn::Graph& graph, const Model& model,
                                   const Options& options, const MeasuredMemory* memory) {
  check_tensors_fit(model, options);
  // A strategy computes one image at a time and keeps nothing.
  if (options.batch != 1 || options.resident) {
    return compile_optimised(graph, model, options);
  }
  // The optimiser runs first because it finds weights that fit in no program while it builds its
  // graph, before any search.
  std::vector<Contender> candidates;
  std::string refusal;
  try {
    candidates.push_back({compile_optimised(graph, model, options), "", std::nullopt});
  } catch (const OutOfConstants&) {
    throw;
  } catch (const UserError& error) {
    refusal = error.what();
  }
  if (!candidates.empty() && !options.quickest) return std::move(candidates.front().compiled);
  add_strategies(graph, model, options, candidates);
  if (candidates.empty()) throw UserError(refusal);
  Contender& chosen = quickest_of(candidates, memory);
  if (!chosen.by.empty()) {
    chosen.compiled.notes.push_back(strategy_note(chosen, candidates, memory, refusal));
  }
  return std::move(chosen.compiled);
}

/// Divides the node that makes a layer too large, or one more often that is divided already.
/// Returns false if no node of the layer can be divided, or not further.
bool divide(const NodesTooLarge& error, Parts& parts) {
  constexpr std::int64_t most = 4096;
  const auto found = std::find_if(error.nodes.begin(), error.nodes.end(),
                                  [](const nn::Node* node) { return can_be_divided(*node); });
  if (found == error.nodes.end()) return false;
  std::int64_t& count = parts[(*found)->name];
  const auto wanted =
      static_cast<std::int64_t>(error.needed / std::max<std::uint64_t>(error.there, 1)) + 1;
  count = std::max(2 * count, wanted);
  return count <= most;
}

/// Compiles by the options' strategy. Nodes whose terms do not fit the machine at once are divided,
/// for which `model` is analysed again.
Compiled compile_in_parts(const nn::Graph& graph, Model& model, const Options& options) {
  for (;;) {
    try {
      return compile_by_strategy(graph, model, options);
    } catch (const NodesTooLarge& error) {
      Parts parts = model.parts;
      if (model.compat) throw;
      if (!divide(error, parts)) {
        user_error("{}; --optimise or --via stripe may divide it", error.what());
      }
      model = analyse(graph, model.architecture, options, model.table_curves, parts);
    }
  }
}

Compiled compile_analysed(const nn::Graph& graph, Model& model, const Options& options,
                          const MeasuredMemory* memory) {
  if (!options.optimise) {
    if (options.batch != 1 || options.resident) {
      user_error("several images at a time and resident constants need the optimising compiler");
    }
    return compile_in_parts(graph, model, options);
  }
  if (options.compat) user_error("a program cannot be both compat and optimised");
  return compile_for_fewest_cycles(graph, model, options, memory);
}

Compiled compile_with(const nn::Graph& graph, const tcu::Architecture& architecture,
                      const Options& options, const MeasuredMemory* memory) {
  Folding folding = fold_lossy_products(graph, architecture, options);
  const nn::Graph& compiled_graph = folding.graph ? *folding.graph : graph;
  Model model = analyse(compiled_graph, architecture, options);
  check_weights_fit(model);
  Compiled compiled = compile_analysed(compiled_graph, model, options, memory);
  tell_constants(compiled, std::move(folding));
  const auto analyse_for = [&](std::uint32_t array_size) -> std::shared_ptr<const Model> {
    tcu::Architecture other = architecture;
    other.array_size = array_size;
    try {
      return std::make_shared<const Model>(
          analyse(compiled_graph, other, options, model.table_curves, model.parts));
    } catch (const UserError&) {
      return nullptr;  // the network does not compile for this size
    }
  };
  for (std::string& note : rearrangement_notes(model, compiled.layers, analyse_for)) {
    compiled.notes.push_back(std::move(note));
  }
  return compiled;
}

}  // namespace

Compiled compile(const nn::Graph& graph, const tcu::Architecture& architecture,
                 const Options& options) {
  return compile_with(graph, architecture, options, nullptr);
}

Compiled compile_for(const nn::Graph& graph, const tcu::Architecture& architecture,
                     const Options& options, const MeasuredMemory& memory) {
  return compile_with(graph, architecture, options, &memory);
}

}  // namespace tactus::compiler
