#include "firmware/compiler/compiler.h"

#include <optional>
#include <sstream>
#include <utility>

#include "firmware/compiler/frontend/alignment.h"
#include "firmware/compiler/frontend/dot.h"
#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/lossy_constants.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/segments.h"
#include "firmware/compiler/steps.h"
#include "firmware/compiler/targets/tcu/optimise/optimise.h"
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

const Step* beyond_optimiser(const Model& model) {
  for (const Step& step : model.steps) {
    if (!step.beyond_optimiser.empty()) return &step;
  }
  return nullptr;
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
      builder.add_layer(Emitter(model, plans[k], builder.memory()).emit());
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

/// Compiles with the optimiser; layers that it does not support are compiled by a strategy.
Compiled compile_what_can_be_optimised(const nn::Graph& graph, const Model& model,
                                       const Options& options) {
  const Step* beyond = beyond_optimiser(model);
  if (beyond == nullptr) return compile_optimised(graph, model, options);
  if (options.batch != 1 || options.resident) {
    user_error(
        "several images at a time and resident constants need the optimising compiler for all "
        "layers, and it does not know the {} of node {}",
        beyond->beyond_optimiser, quote(beyond->node->name));
  }
  return compile_in_segments(graph, model, options);
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

/// Returns the strategy whose program takes the fewest cycles; empty if no program fits.
struct Unoptimised {
  std::optional<Compiled> best;
  Strategy strategy = Strategy::local_isolated;
};

Unoptimised compile_by_strategies(const nn::Graph& graph, const Model& model, Options options) {
  Unoptimised result;
  options.optimise = false;
  const optimise::Machine machine = machine_of(model.architecture, options);
  for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                  Strategy::local_consts, Strategy::local_vars_and_consts}) {
    options.strategy = strategy;
    try {
      Compiled compiled = compile_by_strategy(graph, model, options);
      predict(compiled, strategy, machine);
      if (result.best && result.best->predicted_cycles <= compiled.predicted_cycles) continue;
      result.best = std::move(compiled);
      result.strategy = strategy;
    } catch (const OutOfConstants&) {
      break;  // all strategies store the same constants
    } catch (const UserError&) {
      // This strategy's program does not fit the machine; another strategy's may.
    }
  }
  return result;
}

/// Returns the program with the fewest cycles by the cost model: the optimiser's or a strategy's.
Compiled compile_for_fewest_cycles(const nn::Graph& graph, const Model& model,
                                   const Options& options) {
  check_tensors_fit(model, options);
  // A strategy computes one image at a time and keeps nothing.
  if (options.batch != 1 || options.resident) {
    return compile_what_can_be_optimised(graph, model, options);
  }
  // The optimiser runs first because it finds weights that fit in no program while it builds its
  // graph, before any search.
  std::optional<Compiled> optimised;
  std::string refusal;
  try {
    optimised = compile_what_can_be_optimised(graph, model, options);
  } catch (const OutOfConstants&) {
    throw;
  } catch (const UserError& error) {
    refusal = error.what();
  }
  if (optimised && !options.quickest) return std::move(*optimised);
  Unoptimised unoptimised = compile_by_strategies(graph, model, options);
  if (!unoptimised.best) {
    if (!optimised) throw UserError(refusal);
    return std::move(*optimised);
  }
  const std::uint64_t cycles = unoptimised.best->predicted_cycles;
  if (optimised && optimised->predicted_cycles <= cycles) return std::move(*optimised);
  Compiled compiled = std::move(*unoptimised.best);
  compiled.notes.push_back(fmt::format(
      "compiled without the optimiser, by {}: {}", to_string(unoptimised.strategy),
      optimised ? fmt::format("{} cycles by the cost model, and {} for the best program that the "
                              "optimiser found",
                              cycles, optimised->predicted_cycles)
                : fmt::format("optimised, the network does not fit: {}", refusal)));
  return compiled;
}

Compiled compile_analysed(const nn::Graph& graph, const Model& model, const Options& options) {
  if (!options.optimise) {
    if (options.batch != 1 || options.resident) {
      user_error("several images at a time and resident constants need the optimising compiler");
    }
    return compile_by_strategy(graph, model, options);
  }
  if (options.compat) user_error("a program cannot be both compat and optimised");
  return compile_for_fewest_cycles(graph, model, options);
}

}  // namespace

Compiled compile(const nn::Graph& graph, const tcu::Architecture& architecture,
                 const Options& options) {
  Folding folding = fold_lossy_products(graph, architecture, options);
  const nn::Graph& compiled_graph = folding.graph ? *folding.graph : graph;
  const Model model = analyse(compiled_graph, architecture, options);
  Compiled compiled = compile_analysed(compiled_graph, model, options);
  tell_constants(compiled, std::move(folding));
  for (std::string& note : rearrangement_notes(model, compiled.layers)) {
    compiled.notes.push_back(std::move(note));
  }
  return compiled;
}

}  // namespace tactus::compiler
