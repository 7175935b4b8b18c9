#include "firmware/compiler/targets/tcu/program_builder.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "firmware/compiler/targets/tcu/backend/encoder.h"
#include "firmware/compiler/targets/tcu/lir/updates.h"
#include "firmware/compiler/targets/tcu/scheduler/graph.h"
#include "firmware/compiler/targets/tcu/scheduler/lowering.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

void require_possible(const tcu::Architecture& architecture) {
  if (architecture.number_of_threads != 1) {
    user_error("number_of_threads is {}; programs are compiled for 1 thread only",
               architecture.number_of_threads);
  }
}

bool has_save(const hir::Layer& layer) {
  return std::any_of(layer.operations.begin(), layer.operations.end(), [](const auto& operation) {
    const auto* o = std::get_if<hir::VectorOperation>(&operation);
    return o != nullptr && o->kind == hir::Kind::save && !o->outputs.empty();
  });
}

std::uint64_t true_macs(const hir::Layer& layer) {
  std::uint64_t sum = 0;
  for (const hir::Operation& operation : layer.operations) {
    const auto* m = std::get_if<hir::MatMul>(&operation);
    if (m == nullptr) continue;
    for (std::size_t p = 0; p < m->pairs(); ++p) {
      if (!m->inputs[p * m->input_blocks].is(Tag::zeroes)) sum += m->true_macs;
    }
  }
  return sum;
}

/// The host finds the vectors of an output in DRAM0, in rising order.
bool host_can_read(const Addresses& addresses) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!addresses[i].is(Tag::dram0)) return false;
    if (i > 0 && addresses[i].raw() <= addresses[i - 1].raw()) return false;
  }
  return true;
}

}  // namespace

struct ProgramBuilder::State {
  State(const tcu::Architecture& architecture_in, const BuilderOptions& options_in)
      : architecture(architecture_in),
        options(options_in),
        memory(architecture_in, {options_in.strategy, options_in.compat}),
        encoder(architecture_in) {}

  tcu::Architecture architecture;
  BuilderOptions options;
  MemoryManager memory;
  Encoder encoder;
  unsigned pass = 0;
  std::vector<LayerStatistics> layers;
  std::vector<tcu::TensorEntry> outputs;
  SpaceUse local, accumulators;

  void lower(const hir::Layer& layer);
  void copy_to_host(const Object& object, hir::Layer& layer);
};

ProgramBuilder::ProgramBuilder(const tcu::Architecture& architecture,
                               const BuilderOptions& options) {
  require_possible(architecture);
  state_ = std::make_unique<State>(architecture, options);
}

ProgramBuilder::~ProgramBuilder() = default;

MemoryManager& ProgramBuilder::memory() { return state_->memory; }

unsigned ProgramBuilder::passes() const {
  return constants_are_local(state_->options.strategy) ? 2 : 1;
}

void ProgramBuilder::begin_pass() {
  if (state_->pass == passes()) internal_error("more passes than {}", passes());
  ++state_->pass;
  state_->memory.begin_pass(state_->pass < passes());
}

void ProgramBuilder::add_layer(const hir::Layer& layer) {
  if (!state_->memory.constants_only() && has_save(layer)) state_->lower(layer);
  state_->memory.end_layer();
}

void ProgramBuilder::State::lower(const hir::Layer& layer) {
  hir::check(layer, architecture.array_size);
  if (options.dump_hir != nullptr) hir::dump(layer, *options.dump_hir);
  if (options.dump_lir != nullptr) *options.dump_lir << "layer " << quote(layer.name) << '\n';
  LayerStatistics statistics;
  statistics.name = layer.name;
  statistics.first_instruction = encoder.instructions();
  const auto append = [&](const lir::Segment& segment) {
    if (options.dump_lir != nullptr) lir::dump(segment, *options.dump_lir);
    encoder.append(segment);
  };
  // The reference knows nothing of collisions.
  const bool apart = !options.compat && lir::updates_collide(architecture.array_size);
  const SegmentSink sink = [&](const lir::Segment& segment) {
    append(apart ? lir::keep_updates_apart(segment, architecture.array_size) : segment);
  };
  const Graph graph(layer, architecture.array_size);
  const LoweringFigures figures =
      options.strategy == Strategy::local_isolated
          ? lower_isolated(graph, architecture, layer.name, sink)
          : lower_shared(graph, architecture, layer.name, memory.local(), sink);
  statistics.instructions = encoder.instructions() - statistics.first_instruction;
  const Encoder::Counts counts = encoder.take_counts();
  statistics.by_opcode = counts.by_opcode;
  statistics.mat_mul_vectors = counts.mat_mul_vectors;
  statistics.zeroes_vectors = counts.zeroes_vectors;
  statistics.true_macs = true_macs(layer);
  statistics.stages = figures.stages;
  statistics.partitions = figures.partitions;
  statistics.local = figures.local;
  statistics.accumulators = figures.accumulators;
  for (const auto& [total, of_layer] :
       {std::pair(&local, &figures.local), std::pair(&accumulators, &figures.accumulators)}) {
    total->maximum = std::max(total->maximum, of_layer->maximum);
    total->aggregate += of_layer->aggregate;
  }
  layers.push_back(std::move(statistics));
}

void ProgramBuilder::add_outputs(const std::vector<std::string>& names) {
  hir::Layer copies;
  copies.name = "outputs";
  std::set<std::uint64_t> taken;  // vectors of DRAM0, if tensors must not share any
  if (state_->options.separate_outputs) {
    for (const tcu::TensorEntry& input : state_->memory.inputs()) {
      for (std::uint64_t i = 0; i < input.size; ++i) taken.insert(input.base + i);
    }
  }
  for (const std::string& name : names) {
    const Object& object = state_->memory.get(name);
    if (state_->memory.constants_only()) continue;
    const bool shares =
        std::any_of(object.addresses.begin(), object.addresses.end(),
                    [&](Address one) { return one.is(Tag::dram0) && taken.count(one.raw()) != 0; });
    if (host_can_read(object.addresses) && !shares) {
      if (state_->options.separate_outputs) {
        for (const Address one : object.addresses) taken.insert(one.raw());
      }
      for (auto& piece : MemoryManager::pieces(name, object.addresses)) {
        state_->outputs.push_back(std::move(piece));
      }
    } else {
      state_->copy_to_host(object, copies);
    }
  }
  add_layer(copies);
  std::stable_sort(state_->outputs.begin(), state_->outputs.end(),
                   [](const auto& a, const auto& b) { return a.base < b.base; });
}

void ProgramBuilder::State::copy_to_host(const Object& object, hir::Layer& layer) {
  const Addresses copy = memory.allocate_host_copy(object.name, object.addresses.size());
  Addresses here, here_copy, loaded, loaded_copy;
  for (std::size_t i = 0; i < copy.size(); ++i) {
    const bool is_local = object.addresses[i].is(Tag::local);
    (is_local ? here : loaded).push_back(object.addresses[i]);
    (is_local ? here_copy : loaded_copy).push_back(copy[i]);
  }
  if (!here.empty()) layer.add(hir::Kind::save, {here}, here_copy);
  if (!loaded.empty()) {
    const Addresses temp = memory.allocate_temp(loaded.size());
    layer.add(hir::Kind::load, {loaded}, temp);
    layer.add(hir::Kind::save, {temp}, loaded_copy);
  }
  for (auto& piece : MemoryManager::pieces(object.name, copy)) outputs.push_back(std::move(piece));
}

CompiledProgram ProgramBuilder::finish() {
  State& s = *state_;
  if (s.pass != passes()) internal_error("{} passes of {}", s.pass, passes());
  CompiledProgram out;
  out.instructions = s.encoder.instructions();
  out.program = s.encoder.take_bytes();
  out.constants = s.memory.take_constants();
  out.constants_count = s.memory.constants_count();
  out.constant_losses = s.memory.constant_losses();
  out.load_constants_to_local = constants_are_local(s.options.strategy);
  out.inputs = s.memory.inputs();
  out.outputs = std::move(s.outputs);
  out.layers = std::move(s.layers);
  const bool isolated = s.options.strategy == Strategy::local_isolated;
  out.memory = {s.memory.dram0_use(), s.memory.dram1_use(),
                isolated ? s.local : s.memory.local_use(), s.accumulators};
  return out;
}

}  // namespace tactus::compiler
