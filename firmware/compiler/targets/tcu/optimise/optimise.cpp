#include "firmware/compiler/targets/tcu/optimise/optimise.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/optimise/planner.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/layout.h"

namespace tactus::compiler::optimise {
namespace {

/// Vectors of the greatest value that one instruction can add. A larger number would only save
/// instructions.
constexpr std::uint32_t pass_vectors = 8;

constexpr std::pair<std::uint64_t Costs::*, const char*> cost_names[] = {
    {&Costs::matrices, "products"},      {&Costs::weights, "weight changes"},
    {&Costs::moves, "moves and passes"}, {&Costs::simd, "SIMD"},
    {&Costs::values, "DRAM0"},           {&Costs::fetches, "DRAM1"}};

void add(Costs& sum, const Costs& costs) {
  for (const auto& [member, name] : cost_names) sum.*member += costs.*member;
}

/// "products 61 %, weight changes 22 %, ...", largest first.
std::string shares(const Costs& costs) {
  std::uint64_t all = 0;
  std::vector<std::pair<std::uint64_t, const char*>> parts;
  for (const auto& [member, name] : cost_names) {
    all += costs.*member;
    parts.emplace_back(costs.*member, name);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [cycles, name] : parts) {
    const double percent =
        100 * static_cast<double>(cycles) / static_cast<double>(std::max<std::uint64_t>(all, 1));
    if (percent < 0.5) continue;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, percent);
  }
  return text;
}

/// Fewest cycles of the SIMD instructions for one result: two for reading, two for writing, one for
/// the rest.
std::size_t simd_cycles(hir::Kind kind, std::size_t operands) {
  std::size_t cycles = 2;
  for (const hir::SimdStep& step : hir::simd_sequence(kind, operands)) cycles += step.reads ? 2 : 1;
  return cycles;
}

/// Lower bound for a group, see OptimisedLayer.
std::uint64_t bound_of(const Group& group, std::uint32_t n) {
  std::uint64_t cycles = group.results.size() + group.normalised.results.size();
  bool any_load = false;
  for (const Part& part : group.parts) {
    // Loading of the rows and the bias, and the array's drain. DataMoves need no weights, equal
    // factors share theirs.
    const bool loads = part.dense || part.columns[0].diagonal != nullptr;
    const std::uint64_t change = loads ? part.rows + 1 + 2 * std::uint64_t{n} : 0;
    any_load = any_load || loads;
    cycles += (part.inputs.size() + change) * part.columns.size();
  }
  // The array may be drained already when the first weights are loaded.
  if (any_load) cycles -= 2 * std::uint64_t{n} + 1;
  // Each operand is copied once.
  std::vector<Vector> operands;
  std::size_t size = 0, each = 0;
  for (const auto& window : group.windows) {
    operands.insert(operands.end(), window.begin(), window.end());
    if (window.size() != size) each = simd_cycles(group.operation, window.size());
    size = window.size();
    cycles += each;
  }
  std::sort(operands.begin(), operands.end());
  cycles +=
      static_cast<std::uint64_t>(std::unique(operands.begin(), operands.end()) - operands.begin());
  if (group.activation == Activation::lookup) {
    cycles += simd_cycles(hir::Kind::lookup, 1) * group.results.size();
  }
  if (group.window > 1) cycles += (2 * group.window + 2) * group.results.size();
  return cycles;
}

class Optimiser {
 public:
  Optimiser(Graph graph, const tcu::Architecture& architecture, const Machine& machine,
            const std::optional<Ground>& ground)
      : architecture_(architecture),
        machine_(machine),
        network_(form_network(std::move(graph), architecture)),
        blocks_(network_, architecture) {
    place_tensors(ground);
    place_constants();
  }

  Optimised run(const Wishes& wishes, const Inspect& inspect);

 private:
  void place_tensors(const std::optional<Ground>& ground);
  void place_constants();
  [[nodiscard]] std::vector<std::uint8_t> constants(const Candidate& candidate,
                                                    ConstantLosses& losses);
  [[nodiscard]] std::string form_of(const Group& group) const;
  [[nodiscard]] std::string fallbacks_of(const Candidate& candidate, std::uint32_t group) const;
  void describe(const Candidate& candidate, Optimised& result) const;
  [[nodiscard]] double greatest_value() const {
    return tcu::to_real(architecture_.data_type, tcu::info(architecture_.data_type).max());
  }
  void append(const std::int32_t* mantissas, std::size_t count,
              std::vector<std::uint8_t>& bytes) const;

  tcu::Architecture architecture_;
  Machine machine_;
  Network network_;
  Blocks blocks_;
  Places places_;
  std::vector<ActivationFunction> functions_;  ///< of the activation unit
};

void Optimiser::place_tensors(const std::optional<Ground>& ground) {
  if (ground) {
    places_.inputs = ground->inputs;
    places_.outputs = ground->outputs;
    places_.spill = ground->scratch;
    return;
  }
  std::uint64_t next = 0;
  for (const Tensor& input : network_.graph.inputs) {
    places_.inputs.push_back(next);
    next += input.vectors.size();
  }
  for (const Tensor& output : network_.graph.outputs) {
    places_.outputs.push_back(next);
    next += output.vectors.size();
  }
  places_.spill = next;
  if (next > architecture_.dram0_depth) {
    user_error("out of DRAM0 for inputs and outputs: {} vectors needed, there are {}", next,
               architecture_.dram0_depth);
  }
}

void Optimiser::place_constants() {
  const bool adds_extremes =
      std::any_of(network_.groups.begin(), network_.groups.end(), [](const Group& group) {
        return !group.by_unit && (group.activation == Activation::relu || has_falling_slope(group));
      });
  if (adds_extremes) {
    places_.pass_vectors = std::max<std::uint32_t>(
        1, std::min<std::uint32_t>(pass_vectors,
                                   static_cast<std::uint32_t>(architecture_.local_depth / 64)));
    places_.greatest = 0;
    places_.negated = places_.pass_vectors;
  }
  places_.activations = 2 * places_.pass_vectors;
  functions_ = activation_functions(network_, static_cast<float>(greatest_value()));
  places_.arena = places_.activations + functions_.size() * tcu::activation_parameters;
}

void Optimiser::append(const std::int32_t* mantissas, std::size_t count,
                       std::vector<std::uint8_t>& bytes) const {
  const tcu::DataTypeInfo& type = tcu::info(architecture_.data_type);
  const std::uint32_t mask =
      type.width_bits >= 32 ? 0xFFFFFFFFU : (std::uint32_t{1} << type.width_bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(mantissas[i]) & mask;
    for (unsigned b = 0; b < type.storage_bytes; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
}

/// The contents of DRAM1: greatest values, constant vectors, weights.
std::vector<std::uint8_t> Optimiser::constants(const Candidate& candidate, ConstantLosses& losses) {
  const std::uint32_t n = architecture_.array_size;
  const auto greatest = static_cast<std::int32_t>(tcu::info(architecture_.data_type).max());
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t value : {greatest, -greatest}) {
    const std::vector<std::int32_t> lanes(std::size_t{places_.pass_vectors} * n, value);
    append(lanes.data(), lanes.size(), bytes);
  }
  for (const ActivationFunction& function : functions_) {
    const tcu::DataTypeInfo& type = tcu::info(architecture_.data_type);
    const auto quantised = [&](float value) {
      return static_cast<std::int32_t>(tcu::quantise(architecture_.data_type, value));
    };
    const std::int32_t one = std::int32_t{1} << type.binary_point;
    for (const std::int32_t value :
         {one, 0, quantised(function.slope), quantised(function.limit)}) {
      append(std::vector<std::int32_t>(n, value).data(), n, bytes);
    }
  }
  std::vector<std::int32_t> lanes(n);
  for (const Vector v : candidate.schedule.constant_data) {
    ConstantLoss loss;
    for (std::uint32_t lane = 0; lane < n; ++lane) {
      lanes[lane] = static_cast<std::int32_t>(
          tcu::quantise(architecture_.data_type, network_.graph.constants[v][lane]));
      loss.add(architecture_.data_type, static_cast<double>(network_.graph.constants[v][lane]));
    }
    const auto source = network_.graph.sources.find(network_.graph.constants[v]);
    // One value in all lanes counts once.
    if (std::count(lanes.begin(), lanes.end(), lanes.front()) == n && loss.values == n) {
      loss.divide(n);
    }
    losses[source == network_.graph.sources.end() ? "other constants" : *source->second].add(loss);
    append(lanes.data(), n, bytes);
  }
  for (const std::uint32_t number : candidate.emitted.block_order) {
    const Block& block = blocks_[number];
    append(block.values.data(), block.values.size(), bytes);
    if (block.loss.values != 0) losses[block.source].add(block.loss);
    if (block.bias_loss.values != 0) losses[block.bias_source].add(block.bias_loss);
  }
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    const Group& group = network_.groups[g];
    for (std::uint32_t b = 0; b < group.blocks && group.kind == GroupKind::sum; ++b) {
      const ConstantLoss loss = blocks_.vanished_bias(g, b);
      if (loss.values != 0) losses["layer " + group.name].add(loss);
    }
  }
  return bytes;
}

std::string Optimiser::form_of(const Group& group) const {
  if (group.kind == GroupKind::simd) {
    return fmt::format("{} by SIMD", hir::to_string(group.operation));
  }
  std::string form;
  std::size_t dense = 0, diagonal = 0;
  for (const Part& part : group.parts) (part.dense ? dense : diagonal) += 1;
  if (dense != 0) form = has_computed_weights(group) ? "products of computed operands" : "matrices";
  if (diagonal != 0) form += dense != 0 ? " and sums" : "sums";
  if (group.window != 1) form += ", maxima by SIMD in the accumulators";
  if (group.by_unit) return form + ", activation by the unit";
  if (!group.normalised.results.empty()) form += ", also normalised by the unit";
  switch (group.activation) {
    case Activation::relu:
      form += group.saturating_product ? ", ReLU in the product" : ", ReLU by passes";
      break;
    case Activation::leaky_relu:
      form += ", leaky ReLU by two diagonal products";
      break;
    case Activation::clip:
      form += ", clip by passes";
      break;
    case Activation::lookup:
      form += ", function by lookup tables";
      break;
    case Activation::none:
      break;
  }
  return form;
}

/// Text that says why a group is computed in pieces and how much of it was displaced to DRAM0;
/// empty if neither applies.
std::string Optimiser::fallbacks_of(const Candidate& candidate, std::uint32_t number) const {
  const Group& group = network_.groups[number];
  const Plan::Tile& tile = candidate.plan.tiles[number];
  const std::uint64_t room =
      architecture_.local_depth - places_.arena - candidate.plan.ring - candidate.plan.resident;
  const std::uint64_t results = std::uint64_t{group.pixels} * group.window * group.blocks;
  const std::uint64_t accumulators =
      std::min(architecture_.accumulator_depth, architecture_.local_depth);
  std::string text;
  if (tile.pixels < group.pixels || tile.blocks < group.blocks) {
    const std::uint64_t read = most_read(group, group.pixels);
    text = fmt::format(
        "; in pieces of {} of {} pixels and {} of {} blocks{}", tile.pixels, group.pixels,
        tile.blocks, group.blocks,
        tile.slices > 1 ? fmt::format(", {} slices of the inputs each", tile.slices) : "");
    if (tile.pixels < group.pixels && read > room) {
      text += fmt::format(", for it reads {} vectors and local memory has room for {}", read, room);
    } else if (results > accumulators) {
      text += fmt::format(", for it has {} results and there are {} accumulators", results,
                          accumulators);
    } else {
      text += ", which is faster";
    }
  }
  std::uint64_t displaced = 0;
  for (const Job& job : candidate.schedule.jobs) {
    if (job.group != number) continue;
    for (const std::uint32_t chunk : job.writes) {
      const Chunk& written = candidate.schedule.chunks[chunk];
      if (written.dram >= 0) displaced += written.vectors.size();
    }
  }
  if (displaced != 0) {
    text += fmt::format("; {} of {} results wait in DRAM0, local memory being full", displaced,
                        group.results.size() + group.normalised.results.size());
  }
  return text;
}

void Optimiser::describe(const Candidate& candidate, Optimised& result) const {
  const Schedule& schedule = candidate.schedule;
  const Emitted& emitted = candidate.emitted;
  std::size_t instruction = 0;
  std::uint64_t cycles = 0;
  for (std::size_t job = 0; job < schedule.jobs.size();) {
    OptimisedLayer layer;
    const std::uint32_t segment = schedule.jobs[job].segment;
    std::vector<std::uint32_t> groups;
    Costs costs;
    for (; job < schedule.jobs.size() && schedule.jobs[job].segment == segment; ++job) {
      const std::uint32_t group = schedule.jobs[job].group;
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
      layer.accumulators.maximum =
          std::max(layer.accumulators.maximum, accumulators_of(network_, schedule.jobs[job]));
      ++layer.partitions;
      add(costs, emitted.job_costs[job]);
    }
    layer.stages = groups.size();
    for (const std::uint32_t g : groups) {
      const Group& group = network_.groups[g];
      layer.name += (layer.name.empty() ? "" : "|") + group.name;
      layer.form += (layer.form.empty() ? "" : " | ") + form_of(group) + fallbacks_of(candidate, g);
      layer.true_macs += group.macs;
      layer.bound_cycles += bound_of(group, architecture_.array_size);
      layer.nodes.insert(layer.nodes.end(), group.nodes.begin(), group.nodes.end());
    }
    layer.first_instruction = instruction;
    for (; instruction < emitted.job_ends[job - 1]; ++instruction) {
      const tcu::Instruction& i = emitted.instructions[instruction];
      ++layer.by_opcode[i.opcode];
      if (i.opcode != static_cast<std::uint8_t>(tcu::Opcode::mat_mul)) continue;
      layer.mat_mul_vectors += i.operand2 + 1;
      if ((i.flags & tcu::mat_mul_zeroes) != 0) layer.zeroes_vectors += i.operand2 + 1;
    }
    layer.instructions = instruction - layer.first_instruction;
    layer.form += "; " + shares(costs);
    layer.predicted_cycles = emitted.job_cycles[job - 1] - cycles;
    cycles = emitted.job_cycles[job - 1];
    layer.local.maximum = candidate.lowered.local_end;
    result.layers.push_back(std::move(layer));
  }
}

Optimised Optimiser::run(const Wishes& wishes, const Inspect& inspect) {
  Planner planner(network_, blocks_, architecture_, machine_, places_);
  const Candidate best = planner.search(wishes);

  if (inspect) inspect(network_, blocks_, best.schedule);

  Optimised result;
  describe(best, result);
  result.predicted_cycles = best.emitted.cycles;
  result.plans = planner.plans();
  if (wishes.resident && places_.arena != 0) {
    result.resident.push_back({0, 0, places_.arena});
  }
  if (best.emitted.resident.size != 0) {
    result.resident.push_back({places_.arena + best.schedule.constant_data.size(),
                               best.emitted.resident.first, best.emitted.resident.size});
  }
  result.displaced = best.lowered.moved;
  result.fetched = best.emitted.fetched;
  CompiledProgram& program = result.program;
  program.program =
      tcu::encode_program(tcu::InstructionLayout(architecture_), best.emitted.instructions);
  program.instructions = best.emitted.instructions.size();
  program.constants = constants(best, program.constant_losses);
  program.constants_count = program.constants.size() / architecture_.vector_bytes();
  for (std::size_t i = 0; i < network_.graph.inputs.size(); ++i) {
    program.inputs.push_back({network_.graph.inputs[i].name, places_.inputs[i],
                              network_.graph.inputs[i].vectors.size()});
  }
  for (std::size_t i = 0; i < network_.graph.outputs.size(); ++i) {
    program.outputs.push_back({network_.graph.outputs[i].name, places_.outputs[i],
                               network_.graph.outputs[i].vectors.size()});
  }
  for (const OptimisedLayer& layer : result.layers) program.layers.push_back(layer);
  program.memory.dram0.maximum = best.lowered.dram0_end;
  program.memory.dram1.maximum = program.constants_count;
  program.memory.local.maximum = architecture_.local_depth;
  for (const OptimisedLayer& layer : result.layers) {
    program.memory.accumulators.maximum =
        std::max(program.memory.accumulators.maximum, layer.accumulators.maximum);
  }
  return result;
}

}  // namespace

Optimised optimise(Graph graph, const tcu::Architecture& architecture, const Machine& machine,
                   const Wishes& wishes, const std::optional<Ground>& ground,
                   const Inspect& inspect) {
  return Optimiser(std::move(graph), architecture, machine, ground).run(wishes, inspect);
}

}  // namespace tactus::compiler::optimise
