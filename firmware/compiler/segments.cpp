#include "firmware/compiler/segments.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "firmware/compiler/frontend/dot.h"
#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/steps.h"
#include "firmware/compiler/targets/tcu/memory/constants.h"
#include "firmware/compiler/targets/tcu/optimise/optimise.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/timing.h"

namespace tactus::compiler {
namespace {

/// Steps that are compiled together. Addresses are in an unlimited memory, where every value has
/// its own place.
struct Unit {
  std::vector<std::string> nodes;
  std::string reason;  ///< reason why a strategy compiles the unit; empty: it is optimised
  hir::Layer layer;
  optimise::StepShape shape;
  Addresses reads, writes;  ///< in DRAM0, sorted, each once
  std::size_t segment = 0;

  [[nodiscard]] bool optimised() const { return reason.empty(); }
};

struct Segment {
  bool optimised = false;
  std::vector<std::size_t> units;
};

/// Calls f(addresses) for each operand of the operation.
template <typename Operation, typename F>
void for_each_operand(Operation& operation, F f) {
  if (auto* product = std::get_if<hir::MatMul>(&operation)) {
    for (auto* operand : {&product->weights, &product->bias, &product->inputs}) f(*operand);
  } else {
    auto& o = std::get<hir::VectorOperation>(operation);
    for (auto& operand : o.inputs) f(operand);
    f(o.tables);
  }
}

/// Calls f(address) for everything that the layer reads.
template <typename F>
void for_each_read(const hir::Layer& layer, F f) {
  for (const hir::Operation& operation : layer.operations) {
    for_each_operand(operation,
                     [&](const Addresses& read) { std::for_each(read.begin(), read.end(), f); });
  }
}

/// Calls f(address) for everything that the layer writes, including temporary values.
template <typename F>
void for_each_written(const hir::Layer& layer, F f) {
  for (const hir::Operation& operation : layer.operations) {
    std::visit([&](const auto& o) { std::for_each(o.outputs.begin(), o.outputs.end(), f); },
               operation);
  }
}

/// A program, and data for the choice between several programs.
struct Candidate {
  Compiled compiled;
  std::vector<std::uint64_t> plan_cycles;  ///< predicted cycles of each layer of the strategy
};

class Segmenter {
 public:
  /// `whole`, by plan: true keeps the steps of a plan together. Those of a plan with a step that
  /// the optimiser does not support are always kept together.
  Segmenter(const Model& model, const Options& options, const std::vector<LayerPlan>& plans,
            const std::vector<bool>& whole)
      : model_(model),
        options_(options),
        plans_(plans),
        machine_(machine_of(model.architecture, options)),
        n_(model.architecture.array_size),
        memory_(unlimited_memory(model.architecture)),
        space_(Tag::dram0, model.architecture.dram0_depth) {
    collect(whole);
    collect_outputs();
    cut();
    place_tensors();
    place_values();
    place_constants();
  }

  Candidate run();

 private:
  /// What is known of an object of the unlimited memory, by its ref.
  struct Stored {
    std::uint64_t first = 0;
    std::uint32_t blocks = 1;
  };
  /// Places that are adjacent in the unlimited memory and also in DRAM0.
  struct Run {
    Addresses addresses;
    std::uint32_t blocks = 1;
  };

  void collect(const std::vector<bool>& whole);
  void add_unit(const LayerPlan& plan, const std::string& reason);
  void add_unit(Unit unit);
  void collect_outputs();
  void cut();
  void place_tensors();
  void place_values();
  void place_constants();
  [[nodiscard]] std::vector<Run> runs_of(Addresses addresses) const;
  [[nodiscard]] Address placed(Address address, std::uint64_t first_temp) const;
  [[nodiscard]] hir::Layer placed(const hir::Layer& layer) const;
  void compile_by_strategy(const Segment& segment);
  void compile_optimised(std::size_t number);
  void append(const std::vector<std::uint8_t>& program, std::uint64_t first_constant);
  void add_layer(LayerInfo info, std::uint64_t first_instruction);
  void predict(Candidate& candidate);
  void add_notes();

  const Model& model_;
  const Options& options_;
  const std::vector<LayerPlan>& plans_;
  optimise::Machine machine_;
  std::uint32_t n_;
  MemoryManager memory_;
  std::vector<Unit> units_;
  std::vector<Segment> segments_;
  std::unordered_map<std::uint32_t, Stored> stored_;
  /// Number of lanes that can differ from 0.
  std::unordered_map<Address, std::uint32_t> lanes_;
  /// Index of the unit that writes the vector.
  std::unordered_map<Address, std::size_t> makers_;
  /// Index of the last segment that reads the vector.
  std::unordered_map<Address, std::size_t> last_readers_;
  /// Addresses of each output of the model.
  std::vector<Addresses> outputs_;
  HeapSpace space_;
  /// Places in DRAM0; for constants of units, in DRAM1.
  std::unordered_map<Address, std::uint64_t> places_;
  std::uint64_t values_end_ = 0;  ///< in DRAM0
  std::vector<tcu::Instruction> instructions_;
  Compiled result_;
};

/// Units are in the order of the model, however steps are grouped into layers of the strategy.
void Segmenter::collect(const std::vector<bool>& whole) {
  memory_.begin_pass(false);
  (void)allocate_inputs(model_, options_, memory_);
  for (const std::string& name : model_.inputs) {
    const Addresses& addresses = memory_.get(name).addresses;
    if (addresses.empty()) continue;
    const optimise::StepShape shape = shape_of(model_, name, name);
    stored_[addresses.front().ref()] = {addresses.front().raw(), shape.blocks};
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const std::uint64_t before = i % shape.blocks * std::uint64_t{n_};
      const std::uint64_t left = shape.channels > before ? shape.channels - before : 0;
      lanes_[addresses[i]] = static_cast<std::uint32_t>(std::min<std::uint64_t>(n_, left));
    }
  }
  for (std::size_t k = 0; k < plans_.size(); ++k) {
    const LayerPlan& plan = plans_[k];
    tell_layer(options_, 0, 1, k, plans_.size(), plan.name);
    const auto beyond = std::find_if(plan.steps.begin(), plan.steps.end(), [](const Step* step) {
      return !step->beyond_optimiser.empty();
    });
    if (whole[k] && beyond != plan.steps.end()) {
      add_unit(plan, (*beyond)->beyond_optimiser);
      continue;
    }
    for (const Step* step : plan.steps) add_unit(plan_of(*step), step->beyond_optimiser);
  }
}

void Segmenter::add_unit(const LayerPlan& plan, const std::string& reason) {
  Unit unit;
  for (const Step* step : plan.steps) unit.nodes.push_back(step->node->name);
  unit.reason = reason;
  unit.layer = Emitter(model_, plan, memory_).emit();
  unit.shape = shape_of(model_, *plan.steps.back());
  add_unit(std::move(unit));
}

void Segmenter::add_unit(Unit unit) {
  for_each_read(unit.layer, [&](Address a) {
    if (a.is(Tag::dram0)) unit.reads.push_back(a);
  });
  for_each_written(unit.layer, [&](Address a) {
    if (a.is(Tag::dram0)) unit.writes.push_back(a);
  });
  sort_unique(unit.reads);
  sort_unique(unit.writes);
  // Steps that only rename vectors have no code.
  if (unit.writes.empty()) return;
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const Address a : unit.writes) {
    makers_[a] = units_.size();
    // A lookup may change padding lanes from 0 to another value.
    lanes_[a] = n_;
    if (sizes[a.ref()]++ == 0) stored_[a.ref()].first = a.raw();
  }
  for (const auto& [ref, size] : sizes) {
    if (size == unit.shape.vectors) stored_[ref].blocks = unit.shape.blocks;
  }
  units_.push_back(std::move(unit));
}

/// Each vector of an output needs its own place. A vector that no unit writes, or that also belongs
/// to another output, is copied.
void Segmenter::collect_outputs() {
  Unit copies;
  copies.reason = "output that is another value, too";
  copies.layer.name = "outputs";
  copies.shape.blocks = 1;
  Addresses taken;
  for (const std::string& name : model_.outputs) {
    Addresses addresses = memory_.get(name).addresses;
    Addresses sorted = addresses;
    sort_unique(sorted);
    const bool own =
        sorted.size() == addresses.size() &&
        std::all_of(addresses.begin(), addresses.end(), [&](Address a) {
          return makers_.count(a) != 0 && !std::binary_search(taken.begin(), taken.end(), a);
        });
    if (own) {
      taken.insert(taken.end(), addresses.begin(), addresses.end());
      std::sort(taken.begin(), taken.end());
    } else {
      const Addresses copy = memory_.allocate_host_copy(name, addresses.size());
      const Addresses temps = memory_.allocate_temp(addresses.size());
      copies.layer.add(hir::Kind::load, {addresses}, temps);
      copies.layer.add(hir::Kind::save, {temps}, copy);
      addresses = copy;
    }
    outputs_.push_back(std::move(addresses));
  }
  add_unit(std::move(copies));
}

/// Takes units for the same compiler as long as there is one whose producers have been taken.
void Segmenter::cut() {
  std::vector<bool> done(units_.size(), false);
  std::size_t left = units_.size();
  bool optimised = !units_.empty() && units_.front().optimised();
  for (; left != 0; optimised = !optimised) {
    Segment segment;
    segment.optimised = optimised;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      Unit& unit = units_[u];
      if (done[u] || unit.optimised() != optimised) continue;
      const bool ready = std::all_of(unit.reads.begin(), unit.reads.end(), [&](Address a) {
        const auto maker = makers_.find(a);
        return maker == makers_.end() || done[maker->second];
      });
      if (!ready) continue;
      done[u] = true;
      --left;
      unit.segment = segments_.size();
      segment.units.push_back(u);
      for (const Address a : unit.reads) last_readers_[a] = unit.segment;
    }
    if (!segment.units.empty()) segments_.push_back(std::move(segment));
  }
}

/// Places inputs and outputs of the model as the optimiser would.
void Segmenter::place_tensors() {
  std::uint64_t next = 0;
  const auto place = [&](const std::string& name, const Addresses& addresses,
                         std::vector<tcu::TensorEntry>& entries) {
    entries.push_back({name, next, addresses.size()});
    for (const Address a : addresses) places_[a] = next++;
  };
  for (const std::string& name : model_.inputs) {
    place(name, memory_.get(name).addresses, result_.inputs);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    place(model_.outputs[i], outputs_[i], result_.outputs);
  }
  values_end_ = next;
  if (!space_.allocate(0, next)) {
    user_error("out of DRAM0 for inputs and outputs: {} vectors needed, there are {}", next,
               space_.depth());
  }
}

/// Places the values that leave their segment, and all values computed by a strategy.
void Segmenter::place_values() {
  std::map<std::size_t, Addresses>
      dying;  // addresses in space_ by the last segment that needs them
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    for (const std::size_t u : segments_[s].units) {
      std::map<std::uint32_t, Addresses> objects;
      for (const Address a : units_[u].writes) {
        const auto reader = last_readers_.find(a);
        const std::size_t last = reader == last_readers_.end() ? s : reader->second;
        if (places_.count(a) != 0 || (segments_[s].optimised && last == s)) continue;
        objects[a.ref()].push_back(a);
      }
      for (const auto& [ref, addresses] : objects) {
        const std::optional<Addresses> room = space_.allocate(ref, addresses.size());
        if (!room) {
          user_error("out of DRAM0 for {} vectors between layers: {} of {} are free",
                     addresses.size(), space_.depth() - space_.used(), space_.depth());
        }
        for (std::size_t i = 0; i < addresses.size(); ++i) {
          places_[addresses[i]] = (*room)[i].raw();
          values_end_ = std::max(values_end_, (*room)[i].raw() + 1);
          const auto reader = last_readers_.find(addresses[i]);
          dying[reader == last_readers_.end() ? s : reader->second].push_back((*room)[i]);
        }
      }
    }
    space_.free(dying[s]);
  }
}

/// Places the strategy's constants, in the order of their first uses by the model.
void Segmenter::place_constants() {
  Addresses constants;
  for (const Unit& unit : units_) {
    if (unit.optimised()) continue;
    for_each_read(unit.layer, [&](Address a) {
      if (a.is(Tag::dram1)) constants.push_back(a);
    });
  }
  sort_unique(constants);
  std::vector<float> values;
  values.reserve(constants.size() * n_);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    places_[constants[i]] = i;
    const float* lanes = memory_.constant_values(constants[i]);
    values.insert(values.end(), lanes, lanes + n_);
    ConstantLoss& loss = result_.constant_losses[memory_.constant_source(constants[i])];
    // One value in all lanes counts once.
    const bool splat = std::count(lanes, lanes + n_, *lanes) == n_;
    for (std::uint32_t lane = 0; lane < (splat ? 1 : n_); ++lane) {
      loss.add(model_.architecture.data_type, static_cast<double>(lanes[lane]));
    }
  }
  encode_constants(model_.architecture.data_type, values, result_.constants);
  result_.constant_vectors = constants.size();
  if (result_.constant_vectors > model_.architecture.dram1_depth) {
    user_error("out of DRAM1 for constants: {} vectors needed, there are {}",
               result_.constant_vectors, model_.architecture.dram1_depth);
  }
}

Address Segmenter::placed(Address address, std::uint64_t first_temp) const {
  if (address.is(Tag::temp)) return {Tag::temp, address.ref(), address.raw() - first_temp};
  const bool stored = address.is(Tag::dram0) || address.is(Tag::dram1);
  return stored ? Address(address.tag(), address.ref(), places_.at(address)) : address;
}

/// Temporary values are numbered from 0, as in every layer.
hir::Layer Segmenter::placed(const hir::Layer& layer) const {
  std::uint64_t first_temp = ~std::uint64_t{0};
  for_each_written(layer, [&](Address a) {
    if (a.is(Tag::temp)) first_temp = std::min(first_temp, a.raw());
  });
  const auto move = [&](Addresses& addresses) {
    for (Address& a : addresses) a = placed(a, first_temp);
  };
  hir::Layer moved = layer;
  for (hir::Operation& operation : moved.operations) {
    for_each_operand(operation, move);
    std::visit([&](auto& o) { move(o.outputs); }, operation);
  }
  return moved;
}

std::vector<Segmenter::Run> Segmenter::runs_of(Addresses addresses) const {
  sort_unique(addresses);
  std::vector<Run> runs;
  for (const Address a : addresses) {
    const bool follows = !runs.empty() && runs.back().addresses.back().ref() == a.ref() &&
                         runs.back().addresses.back().raw() + 1 == a.raw() &&
                         places_.at(runs.back().addresses.back()) + 1 == places_.at(a);
    if (!follows) {
      const Stored& stored = stored_.at(a.ref());
      const bool aligned = (a.raw() - stored.first) % stored.blocks == 0;
      runs.push_back({{}, aligned ? stored.blocks : 1});
    }
    runs.back().addresses.push_back(a);
  }
  return runs;
}

/// The constants of the program are stored from `first_constant` on.
void Segmenter::append(const std::vector<std::uint8_t>& program, std::uint64_t first_constant) {
  const tcu::InstructionLayout layout(model_.architecture);
  for (tcu::Instruction instruction : tcu::decode_program(layout, program)) {
    const bool reads_constants =
        info(tcu::kind_by_code(instruction)).from == tcu::VectorMemory::dram1;
    // The address is in the low bits, and what is added stays within the depth.
    if (reads_constants) instruction.operand1 += first_constant;
    instructions_.push_back(instruction);
  }
}

void Segmenter::add_layer(LayerInfo info, std::uint64_t first_instruction) {
  info.first_instruction += first_instruction;
  result_.true_macs += info.true_macs;
  SpaceUse& accumulators = result_.memory.accumulators;
  accumulators.maximum = std::max(accumulators.maximum, info.accumulators.maximum);
  result_.layers.push_back(std::move(info));
}

void Segmenter::compile_by_strategy(const Segment& segment) {
  const std::uint64_t first = instructions_.size();
  ProgramBuilder builder(model_.architecture, {});
  builder.begin_pass();
  for (const std::size_t u : segment.units) builder.add_layer(placed(units_[u].layer));
  CompiledProgram program = builder.finish();
  append(program.program, 0);
  for (std::size_t i = 0; i < segment.units.size(); ++i) {
    const Unit& unit = units_[segment.units[i]];
    LayerInfo info;
    static_cast<LayerStatistics&>(info) = std::move(program.layers[i]);
    info.nodes = unit.nodes;
    info.form = fmt::format("{}: compiled by {}", unit.reason, to_string(Strategy::local_isolated));
    add_layer(std::move(info), first);
  }
  for (std::size_t i = first; i < instructions_.size(); ++i) {
    const tcu::InstructionKindInfo& row = info(tcu::kind_by_code(instructions_[i]));
    if (row.from == tcu::VectorMemory::dram0 || row.to == tcu::VectorMemory::dram0) {
      result_.displaced += instructions_[i].operand2 + 1;
    } else if (row.from == tcu::VectorMemory::dram1) {
      result_.fetched += instructions_[i].operand2 + 1;
    }
  }
}

void Segmenter::compile_optimised(std::size_t number) {
  const Segment& segment = segments_[number];
  Addresses read, written;
  for (const std::size_t u : segment.units) {
    for (const Address a : units_[u].reads) {
      const auto maker = makers_.find(a);
      if (maker == makers_.end() || units_[maker->second].segment != number) read.push_back(a);
    }
    for (const Address a : units_[u].writes) {
      if (places_.count(a) != 0) written.push_back(a);
    }
  }
  if (written.empty()) return;
  optimise::GraphBuilder builder(model_.architecture, memory_);
  optimise::Ground ground;
  ground.scratch = values_end_;
  for (const Run& run : runs_of(read)) {
    std::vector<std::uint32_t> lanes;
    for (const Address a : run.addresses) lanes.push_back(lanes_.at(a));
    builder.add_input("values", run.addresses, run.blocks, lanes);
    ground.inputs.push_back(places_.at(run.addresses.front()));
  }
  for (const std::size_t u : segment.units) builder.add_step(units_[u].layer, units_[u].shape);
  for (const Run& run : runs_of(written)) {
    const Unit& maker = units_[makers_.at(run.addresses.front())];
    builder.add_output(maker.layer.name, run.addresses, run.blocks);
    ground.outputs.push_back(places_.at(run.addresses.front()));
    for (const Address a : run.addresses) lanes_[a] = builder.lanes(a);
  }
  optimise::Optimised optimised = optimise::optimise(builder.take(), model_.architecture, machine_,
                                                     wishes_of(options_), ground);
  const CompiledProgram& program = optimised.program;
  const std::uint64_t constants = result_.constant_vectors + program.constants_count;
  if (constants > model_.architecture.dram1_depth) {
    user_error("out of DRAM1 for constants: {} vectors needed, there are {}", constants,
               model_.architecture.dram1_depth);
  }
  const std::uint64_t first = instructions_.size();
  append(program.program, result_.constant_vectors);
  result_.constants.insert(result_.constants.end(), program.constants.begin(),
                           program.constants.end());
  result_.constant_vectors = constants;
  for (const auto& [name, loss] : program.constant_losses) result_.constant_losses[name].add(loss);
  for (optimise::OptimisedLayer& layer : optimised.layers) {
    add_layer(info_of(std::move(layer)), first);
  }
  SpaceUse& dram0 = result_.memory.dram0;
  dram0.maximum = std::max(dram0.maximum, program.memory.dram0.maximum);
  result_.plans += optimised.plans;
  result_.displaced += optimised.displaced;
  result_.fetched += optimised.fetched;
}

/// Predicts the cycles of the whole program by the cost model, since each segment starts in the
/// state that the previous one leaves.
void Segmenter::predict(Candidate& candidate) {
  std::vector<std::size_t> ends;
  for (const LayerInfo& layer : result_.layers) {
    ends.push_back(layer.first_instruction + layer.instructions);
  }
  const tcu::Prediction prediction =
      tcu::predict(instructions_, model_.architecture, machine_, ends);
  std::unordered_map<std::string, std::size_t> plan_of_node;
  for (std::size_t k = 0; k < plans_.size(); ++k) {
    for (const Step* step : plans_[k].steps) plan_of_node[step->node->name] = k;
  }
  candidate.plan_cycles.assign(plans_.size(), 0);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < result_.layers.size(); ++i) {
    LayerInfo& layer = result_.layers[i];
    layer.predicted_cycles = prediction.heads[i] - before;
    before = prediction.heads[i];
    if (layer.nodes.empty()) continue;
    const auto plan = plan_of_node.find(layer.nodes.front());
    if (plan != plan_of_node.end()) candidate.plan_cycles[plan->second] += layer.predicted_cycles;
  }
  result_.predicted_cycles = prediction.cycles;
}

void Segmenter::add_notes() {
  std::map<std::string, std::vector<std::string_view>> layers;
  for (const Unit& unit : units_) {
    if (!unit.optimised() && !unit.nodes.empty()) {
      layers[unit.reason].push_back(unit.layer.name);
    }
  }
  constexpr std::size_t most = 4;  // names in a message
  for (auto& [reason, names] : layers) {
    const std::size_t count = names.size();
    names.resize(std::min(count, most));
    result_.notes.push_back(
        fmt::format("{}: {} layer{} compiled by {}, for the optimiser does not know that ({}{})",
                    reason, count, count == 1 ? "" : "s", to_string(Strategy::local_isolated),
                    quote_list(names), count > most ? ", ..." : ""));
  }
}

Candidate Segmenter::run() {
  result_.memory.dram0.maximum = values_end_;
  result_.memory.local.maximum = model_.architecture.local_depth;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    segments_[s].optimised ? compile_optimised(s) : compile_by_strategy(segments_[s]);
  }
  result_.memory.dram1.maximum = result_.constant_vectors;
  result_.program = tcu::encode_program(tcu::InstructionLayout(model_.architecture), instructions_);
  result_.instructions = instructions_.size();
  Candidate candidate;
  predict(candidate);
  add_notes();
  candidate.compiled = std::move(result_);
  return candidate;
}

/// Chooses the cheapest of several programs. Throws an error only if no program fits.
class Choice {
 public:
  Choice(const Model& model, const Options& options, const std::vector<LayerPlan>& plans)
      : model_(model), options_(options), plans_(plans) {}

  /// Returns the cycles of each plan; empty if the program does not fit.
  std::optional<std::vector<std::uint64_t>> attempt(const std::vector<bool>& whole) {
    try {
      Candidate candidate = Segmenter(model_, options_, plans_, whole).run();
      plans_tried_ += candidate.compiled.plans;
      std::vector<std::uint64_t> cycles = std::move(candidate.plan_cycles);
      if (!best_ || candidate.compiled.predicted_cycles < best_->predicted_cycles) {
        best_ = std::move(candidate.compiled);
      }
      return cycles;
    } catch (const UserError& error) {
      if (!error_) error_ = error;
      return std::nullopt;
    }
  }
  Compiled take() {
    if (!best_) throw UserError(*error_);
    best_->plans = plans_tried_;
    return std::move(*best_);
  }

 private:
  const Model& model_;
  const Options& options_;
  const std::vector<LayerPlan>& plans_;
  std::optional<Compiled> best_;
  std::optional<UserError> error_;
  std::uint64_t plans_tried_ = 0;
};

}  // namespace

Compiled compile_in_segments(const nn::Graph& graph, const Model& model, const Options& options) {
  const std::vector<LayerPlan> plans = form_layers(model);
  std::vector<bool> mixed(plans.size(), false);
  for (std::size_t k = 0; k < plans.size(); ++k) {
    mixed[k] = plans[k].steps.size() > 1 &&
               std::any_of(plans[k].steps.begin(), plans[k].steps.end(),
                           [](const Step* step) { return !step->beyond_optimiser.empty(); });
  }
  Choice choice(model, options, plans);
  const auto apart = choice.attempt(std::vector<bool>(plans.size(), false));
  if (std::find(mixed.begin(), mixed.end(), true) != mixed.end()) {
    const auto together = choice.attempt(mixed);
    if (apart && together) {
      std::vector<bool> cheaper = mixed;
      for (std::size_t k = 0; k < plans.size(); ++k) {
        cheaper[k] = mixed[k] && (*together)[k] < (*apart)[k];
      }
      const bool is_new =
          cheaper != mixed && std::find(cheaper.begin(), cheaper.end(), true) != cheaper.end();
      if (is_new) (void)choice.attempt(cheaper);
    }
  }
  Compiled result = choice.take();
  const std::vector<std::string> reasons = std::move(result.notes);
  fill_from_model(result, graph, model, options);
  result.notes.insert(result.notes.end(), reasons.begin(), reasons.end());
  note_if_empty(result);
  if (options.dump_assembly) {
    result.assembly = tcu::disassemble_program(model.architecture, result.program);
  }
  if (options.dump_dot) result.dot = dot_graph(model, plans);
  return result;
}

}  // namespace tactus::compiler
