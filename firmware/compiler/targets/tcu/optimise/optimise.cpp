#include "firmware/compiler/targets/tcu/optimise/optimise.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/optimise/emission.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/layout.h"

namespace tactus::compiler::optimise {
namespace {

/// Vectors of the greatest value that one instruction adds; more only save instructions.
constexpr std::uint32_t pass_vectors = 8;

/// One plan of the effort may have so many codes; a large network's plan costs several.
constexpr std::uint64_t codes_a_plan = 40000;

struct Candidate {
  Schedule schedule;
  Lowered lowered;
  Emitted emitted;
  Plan plan;
};

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

class Optimiser {
 public:
  Optimiser(Graph graph, const tcu::Architecture& architecture, const Machine& machine)
      : architecture_(architecture),
        machine_(machine),
        network_(form_network(std::move(graph), architecture)),
        blocks_(network_, architecture) {
    place_all();
  }

  Optimised run(std::uint64_t effort);

 private:
  void place_all();
  [[nodiscard]] Plan first_plan();
  void set_tile(Plan& plan, std::size_t group, std::uint32_t parts);
  [[nodiscard]] bool cut_finer(Plan& plan, std::size_t group);
  void fit_accumulators(Plan& plan, std::size_t group);
  [[nodiscard]] Candidate attempt(Plan plan);
  [[nodiscard]] bool cut_where_inputs_are_too_large(const Schedule& schedule, const Places& places,
                                                    Plan& plan);
  [[nodiscard]] bool improve(Candidate& best, Plan plan);
  struct Displaced {
    std::uint32_t group = 0, last_reader = 0;
    std::uint64_t vectors = 0;
  };
  [[nodiscard]] std::vector<Displaced> displaced(const Candidate& candidate) const;
  void search_passes(Candidate& best);
  void search_ring(Candidate& best);
  void search_tiles(Candidate& best);
  void search_segments(Candidate& best);
  [[nodiscard]] Codes prologue() const;
  [[nodiscard]] std::vector<std::uint8_t> constants(const Candidate& candidate) const;
  [[nodiscard]] std::string form_of(const Group& group) const;
  void describe(const Candidate& candidate, Optimised& result) const;
  [[nodiscard]] double greatest_value() const {
    return tcu::to_real(architecture_.data_type, tcu::info(architecture_.data_type).max());
  }
  [[nodiscard]] std::uint64_t accumulators() const {
    return std::min(architecture_.accumulator_depth, architecture_.local_depth);
  }
  void append(const std::int32_t* mantissas, std::size_t count,
              std::vector<std::uint8_t>& bytes) const;

  tcu::Architecture architecture_;
  Machine machine_;
  Network network_;
  Blocks blocks_;
  Places places_;
  bool adds_extremes_ = false;
  std::vector<ActivationFunction> functions_;  ///< of the activation unit
  std::uint32_t largest_block_ = 1;
  std::uint64_t plans_ = 0;
  std::uint64_t spent_ = 0, budget_ = 0;  ///< codes
};

void Optimiser::place_all() {
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
  for (const Group& group : network_.groups) {
    adds_extremes_ =
        adds_extremes_ || (!group.by_unit && (group.activation == Activation::relu ||
                                              group.activation == Activation::leaky_relu));
  }
  if (adds_extremes_) {
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

/// The group's pixels in so many tiles, and as many blocks at a time as the accumulators hold.
void Optimiser::set_tile(Plan& plan, std::size_t number, std::uint32_t parts) {
  const Group& group = network_.groups[number];
  Plan::Tile& tile = plan.tiles[number];
  tile.pixels = (group.pixels + parts - 1) / parts;
  const std::uint64_t rounds =
      (std::uint64_t{tile.pixels} * group.blocks + accumulators() - 1) / accumulators();
  tile.blocks = static_cast<std::uint32_t>((group.blocks + rounds - 1) / rounds);
  while (tile.blocks > 1 && std::uint64_t{tile.pixels} * tile.blocks > accumulators()) {
    --tile.blocks;
  }
}

/// False: it is one pixel and one block already.
bool Optimiser::cut_finer(Plan& plan, std::size_t number) {
  Plan::Tile& tile = plan.tiles[number];
  const Group& group = network_.groups[number];
  if (tile.pixels > 1) {
    const std::uint32_t parts = (group.pixels + tile.pixels - 1) / tile.pixels;
    std::uint32_t more = parts;
    const std::uint32_t before = tile.pixels;
    while (tile.pixels == before) set_tile(plan, number, ++more);
    return true;
  }
  if (tile.blocks > 1) {
    tile.blocks = (tile.blocks + 1) / 2;
    return true;
  }
  return false;
}

/// Cuts the group's tiles until a job's accumulators are there.
void Optimiser::fit_accumulators(Plan& plan, std::size_t number) {
  const auto fits = [&] {
    Job job;
    job.group = static_cast<std::uint32_t>(number);
    job.end_pixel = plan.tiles[number].pixels;
    job.end_block = plan.tiles[number].blocks;
    // Windows at the border of an image are smaller than those of the first tile's neighbours.
    std::uint64_t most = 0;
    const Group& group = network_.groups[number];
    if (group.windows.empty()) return accumulators_of(network_, job) <= accumulators();
    for (std::uint32_t first = 0; first < group.pixels; first += plan.tiles[number].pixels) {
      for (std::uint32_t block = 0; block < group.blocks; block += plan.tiles[number].blocks) {
        job.first_pixel = first;
        job.end_pixel = std::min(group.pixels, first + plan.tiles[number].pixels);
        job.first_block = block;
        job.end_block = std::min(group.blocks, block + plan.tiles[number].blocks);
        most = std::max(most, accumulators_of(network_, job));
      }
    }
    return most <= accumulators();
  };
  while (!fits()) {
    if (!cut_finer(plan, number)) {
      user_error("layer {}: insufficient accumulators for one pixel",
                 quote(network_.groups[number].name));
    }
  }
}

Plan Optimiser::first_plan() {
  Plan plan;
  plan.tiles.resize(network_.groups.size());
  plan.joins_previous.assign(network_.groups.size(), false);
  plan.ring = 2 * (architecture_.array_size + 1);
  plan.least_zeroes = 4 * architecture_.array_size;
  plan.longest_chunk =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(16, architecture_.local_depth / 64));
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    set_tile(plan, g, 1);
  }
  return plan;
}

Candidate Optimiser::attempt(Plan plan) {
  ++plans_;
  Candidate candidate;
  for (;;) {
    for (std::size_t g = 0; g < network_.groups.size(); ++g) fit_accumulators(plan, g);
    if (places_.arena + plan.ring >= architecture_.local_depth) {
      user_error("insufficient local memory for weights: {} vectors needed, {} of {} are free",
                 plan.ring, architecture_.local_depth - places_.arena, architecture_.local_depth);
    }
    Places places = places_;
    places.arena_end = architecture_.local_depth - plan.ring;
    places.least_zeroes = plan.least_zeroes;
    candidate.schedule = make_schedule(network_, plan, places.inputs);
    // Data that is constant lies before the weights in DRAM1, behind the values of passes.
    for (Chunk& chunk : candidate.schedule.chunks) {
      if (chunk.port == 1) chunk.dram += static_cast<std::int64_t>(places_.arena);
    }
    if (cut_where_inputs_are_too_large(candidate.schedule, places, plan)) continue;
    std::uint32_t too_large = 0;
    auto lowered = lower(network_, candidate.schedule, blocks_, architecture_, places, too_large);
    if (lowered) {
      candidate.lowered = std::move(*lowered);
      break;
    }
    // Chunks of many blocks come together, however small the tile is.
    if (cut_finer(plan, too_large)) continue;
    if (plan.longest_chunk > 8) {
      plan.longest_chunk /= 2;
      set_tile(plan, too_large, 1);
    } else {
      user_error("layer {}: insufficient local memory: {} vectors",
                 quote(network_.groups[too_large].name), architecture_.local_depth);
    }
  }
  candidate.plan = plan;
  Ring ring;
  ring.first = static_cast<std::uint32_t>(candidate.lowered.local_end);
  ring.size = static_cast<std::uint32_t>(architecture_.local_depth - candidate.lowered.local_end);
  candidate.emitted = emit(candidate.lowered, prologue(), blocks_, architecture_, machine_, ring,
                           places_.arena + candidate.schedule.constant_data.size());
  return candidate;
}

/// Cuts each group that reads more at once than there is room for. False: there is none.
bool Optimiser::cut_where_inputs_are_too_large(const Schedule& schedule, const Places& places,
                                               Plan& plan) {
  bool cut = false;
  std::vector<bool> seen(network_.groups.size(), false);
  for (const Job& job : schedule.jobs) {
    if (seen[job.group]) continue;
    std::uint64_t read = 0;
    for (const std::uint32_t chunk : job.reads) read += schedule.chunks[chunk].vectors.size();
    if (read <= places.arena_end - places.arena) continue;
    seen[job.group] = true;
    cut = cut_finer(plan, job.group) || cut;
  }
  return cut;
}

Codes Optimiser::prologue() const {
  Codes codes;
  if (places_.arena == 0) return codes;
  Code code;
  code.kind = CodeKind::dram_read;
  code.port = 1;
  code.count = static_cast<std::uint32_t>(places_.arena);
  codes.push_back(code);
  return codes;
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

/// The image of DRAM1: values of passes, data, weights.
std::vector<std::uint8_t> Optimiser::constants(const Candidate& candidate) const {
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
    for (std::uint32_t lane = 0; lane < n; ++lane) {
      lanes[lane] = static_cast<std::int32_t>(
          tcu::quantise(architecture_.data_type, network_.graph.constants[v][lane]));
    }
    append(lanes.data(), n, bytes);
  }
  for (const std::uint32_t block : candidate.emitted.block_order) {
    append(blocks_[block].values.data(), blocks_[block].values.size(), bytes);
  }
  return bytes;
}

std::string Optimiser::form_of(const Group& group) const {
  if (group.kind == GroupKind::maximum) return "maxima by SIMD";
  if (group.kind == GroupKind::multiply) return "products by SIMD";
  std::string form;
  std::size_t dense = 0, diagonal = 0;
  for (const Part& part : group.parts) (part.dense ? dense : diagonal) += 1;
  if (dense != 0) form = "matrices";
  if (diagonal != 0) form += dense != 0 ? " and sums" : "sums";
  if (group.by_unit) return form + ", activation by the unit";
  switch (group.activation) {
    case Activation::relu:
      form += group.saturating_product ? ", ReLU in the product" : ", ReLU by passes";
      break;
    case Activation::leaky_relu:
      form += ", leaky ReLU by passes";
      break;
    case Activation::clip:
      form += ", clip by passes";
      break;
    case Activation::none:
      break;
  }
  return form;
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
      layer.form += (layer.form.empty() ? "" : " | ") + form_of(group);
      layer.true_macs += group.macs;
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

/// True if the plan is cheaper than the best so far, which it then becomes.
bool Optimiser::improve(Candidate& best, Plan plan) {
  if (spent_ >= budget_) return false;
  try {
    Candidate candidate = attempt(std::move(plan));
    spent_ += candidate.lowered.codes.size();
    if (candidate.emitted.cycles >= best.emitted.cycles) return false;
    best = std::move(candidate);
    return true;
  } catch (const UserError&) {
    return false;  // it does not fit
  }
}

/// Vectors of a group's results that went to DRAM0, and the last group that reads them.
std::vector<Optimiser::Displaced> Optimiser::displaced(const Candidate& candidate) const {
  std::vector<Displaced> groups(network_.groups.size());
  const Schedule& schedule = candidate.schedule;
  for (const Job& job : schedule.jobs) {
    Displaced& group = groups[job.group];
    group.group = job.group;
    for (const std::uint32_t number : job.writes) {
      const Chunk& chunk = schedule.chunks[number];
      if (chunk.dram < 0 || chunk.uses.empty()) continue;
      group.vectors += chunk.vectors.size();
      group.last_reader = std::max(group.last_reader, schedule.jobs[chunk.uses.back()].group);
    }
  }
  groups.erase(std::remove_if(groups.begin(), groups.end(),
                              [](const Displaced& group) { return group.vectors == 0; }),
               groups.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Displaced& a, const Displaced& b) { return a.vectors > b.vectors; });
  return groups;
}

/// Whether constants are added by zero vectors or by moves, by the number of accumulators.
void Optimiser::search_passes(Candidate& best) {
  for (const std::uint32_t factor : {2U, 8U, 16U, 64U, 0U}) {
    Plan plan = best.plan;
    plan.least_zeroes = factor == 0 ? 0xFFFFFFFF : factor * architecture_.array_size;
    (void)improve(best, std::move(plan));
  }
}

/// Larger and smaller tiles, group by group.
void Optimiser::search_tiles(Candidate& best) {
  for (std::size_t g = 0; g < network_.groups.size() && spent_ < budget_; ++g) {
    const std::uint32_t pixels = best.plan.tiles[g].pixels, all = network_.groups[g].pixels;
    const std::uint32_t parts = (all + pixels - 1) / pixels;
    for (const std::uint32_t tried : {parts / 2, parts + 1, 2 * parts}) {
      if (tried < 1 || tried > 64 || tried > all || tried == parts) continue;
      Plan plan = best.plan;
      set_tile(plan, g, tried);
      if (std::uint64_t{plan.tiles[g].pixels} * plan.tiles[g].blocks > accumulators() ||
          network_.groups[g].kind != GroupKind::sum) {
        continue;
      }
      (void)improve(best, std::move(plan));
    }
  }
}

/// Weights that are fetched again for each tile may stay in a larger ring.
void Optimiser::search_ring(Candidate& best) {
  for (const std::uint64_t part : {8, 4, 16, 3, 2}) {
    Plan plan = best.plan;
    plan.ring = static_cast<std::uint32_t>(architecture_.local_depth / part);
    if (plan.ring > best.plan.ring) (void)improve(best, std::move(plan));
  }
}

/// Groups between which values went to DRAM0 take turns, in tiles of several sizes.
void Optimiser::search_segments(Candidate& best) {
  constexpr std::size_t longest = 12;
  std::vector<bool> tried(network_.groups.size(), false);
  for (;;) {
    const std::vector<Displaced> groups = displaced(best);
    const auto next = std::find_if(groups.begin(), groups.end(),
                                   [&](const Displaced& group) { return !tried[group.group]; });
    if (next == groups.end() || spent_ >= budget_) return;
    const std::size_t first = next->group;
    tried[first] = true;
    for (std::size_t more = 0; more < 4; ++more) {
      const std::size_t last = next->last_reader + more;
      if (last >= network_.groups.size() || last - first > longest) break;
      for (const std::uint32_t finer : {1U, 2U, 4U}) {
        Plan plan = best.plan;
        for (std::size_t g = first; g <= last; ++g) {
          if (g > first) plan.joins_previous[g] = true;
          const std::uint32_t pixels = plan.tiles[g].pixels;
          const std::uint32_t parts = (network_.groups[g].pixels + pixels - 1) / pixels;
          if (finer > 1) set_tile(plan, g, std::min(network_.groups[g].pixels, parts * finer));
        }
        (void)improve(best, std::move(plan));
      }
    }
  }
}

Optimised Optimiser::run(std::uint64_t effort) {
  Candidate best = attempt(first_plan());
  spent_ = best.lowered.codes.size();
  budget_ = effort * codes_a_plan;
  if (effort > 1) {
    search_ring(best);
    search_segments(best);
    if (adds_extremes_) search_passes(best);
    search_tiles(best);
  }

  Optimised result;
  describe(best, result);
  result.predicted_cycles = best.emitted.cycles;
  result.plans = plans_;
  result.displaced = best.lowered.moved;
  result.fetched = best.emitted.fetched;
  CompiledProgram& program = result.program;
  program.program =
      tcu::encode_program(tcu::InstructionLayout(architecture_), best.emitted.instructions);
  program.instructions = best.emitted.instructions.size();
  program.constants = constants(best);
  program.constants_count = program.constants.size() / architecture_.vector_bytes();
  if (program.constants_count > architecture_.dram1_depth) {
    user_error("out of DRAM1 for constants: {} vectors needed, there are {}",
               program.constants_count, architecture_.dram1_depth);
  }
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
                   std::uint64_t effort) {
  return Optimiser(std::move(graph), architecture, machine).run(effort);
}

}  // namespace tactus::compiler::optimise
