#include "firmware/compiler/targets/tcu/stripe/lower.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/backend/encoder.h"
#include "firmware/compiler/targets/tcu/lir/updates.h"
#include "firmware/compiler/targets/tcu/memory/constants.h"
#include "firmware/compiler/targets/tcu/stripe/complete.h"
#include "firmware/compiler/targets/tcu/stripe/walk.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {

using namespace stripe_tcu;  // NOLINT: the parts of this lowering

namespace {

// ---- blocks -------------------------------------------------------------------------------------

bool is_copy(const Nest& leaf) {
  std::size_t loads = 0, stores = 0, assigns = 0, others = 0;
  for (const stripe::Statement& stmt : leaf.block->statements) {
    if (stmt.as<stripe::Load>() != nullptr) {
      ++loads;
    } else if (stmt.as<stripe::Store>() != nullptr) {
      ++stores;
    } else if (const auto* op = stmt.as<stripe::Intrinsic>();
               op != nullptr && (op->name == "assign" || op->name == "ident")) {
      ++assigns;
    } else {
      ++others;
    }
  }
  if (loads != 1 || stores != 1 || others != 0) return false;
  for (const auto& [into, view] : leaf.views) {
    if (view.made_here) return false;
    if (!stripe::writes(view.ref->direction)) continue;
    if (!view.ref->agg_op.empty() && view.ref->agg_op != "assign") return false;
  }
  return true;
}

void walk_nest(Walk& walk, Nest& nest);

/// Walks the statements of a block at a position whose views are placed.
void walk_statements(Walk& walk, Nest& nest) {
  for (std::size_t i = 0; i < nest.children.size(); ++i) {
    if (nest.children[i] != nullptr) {
      walk_nest(walk, *nest.children[i]);
    } else if (const auto* special = nest.block->statements[i].as<stripe::Special>()) {
      lower_special(walk, nest, *special);
    } else {
      fail(*nest.block, "scalar statements beside blocks are nothing the unit can do");
    }
  }
}

bool only_specials(const Nest& nest) {
  return std::all_of(nest.block->statements.begin(), nest.block->statements.end(),
                     [](const auto& s) { return s.template as<stripe::Special>() != nullptr; });
}

void walk_nest(Walk& walk, Nest& nest) {
  if (nest.is_leaf() && !only_specials(nest)) {
    if (nest.device() == "ARRAY") {
      lower_product(walk, nest);
    } else if (is_copy(nest)) {
      lower_copy(walk, nest);
    } else {
      lower_functions(walk, nest);
    }
    return;
  }
  nest.enter();
  nest.each_position([&] {
    for (auto& [into, view] : nest.views) {
      if (view.made_here)
        std::fill(view.buffer->written.begin(), view.buffer->written.end(), false);
    }
    walk_statements(walk, nest);
  });
}

// ---- kernels ------------------------------------------------------------------------------------

std::string kernel_name(const stripe::Statement& statement) {
  if (const stripe::Block* block = statement.block()) return block->name;
  if (const auto* special = statement.as<stripe::Special>()) {
    return fmt::format("{}({})", special->name, fmt::join(special->outputs, ","));
  }
  return "statement";
}

/// Multiply-accumulates of the kernel: products of blocks that sum them up.
std::uint64_t true_macs(const std::vector<BlockCounts>& before,
                        const std::vector<BlockCounts>& after) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].device != "ARRAY") continue;
    sum += after[i].points - (i < before.size() ? before[i].points : 0);
  }
  return sum;
}

class Program {
 public:
  Program(const stripe::Program& program, const tcu::Architecture& architecture,
          const LowerOptions& options)
      : program_(program),
        architecture_(architecture),
        options_(options),
        nests_(program, architecture, homes()),
        walk_(architecture, nests_, options.reuse),
        encoder_(architecture) {}

  void run(LoweredStripe& out) {
    Nest& main = nests_.main();
    for (std::size_t i = 0; i < main.children.size(); ++i) run_kernel(main, i);
    finish(out);
  }

 private:
  [[nodiscard]] std::map<std::string, Tag> homes() const {
    std::map<std::string, Tag> homes;
    for (const auto& [name, values] : options_.constants) {
      if (program_.block().ref(name) == nullptr) {
        user_error("there is no buffer {} in the program's entry block to be a constant",
                   quote(name));
      }
      homes[name] = Tag::dram1;
    }
    return homes;
  }

  void run_kernel(Nest& main, std::size_t number) {
    for (Buffer& buffer : nests_.buffers()) {
      const bool kept = buffer.memory == Tag::local && buffer.base >= nests_.local_limit();
      if (kept || buffer.memory == Tag::dram0 || buffer.memory == Tag::dram1) {
        std::fill(buffer.written.begin(), buffer.written.end(), false);
      }
    }
    const std::vector<BlockCounts> before = walk_.counts;
    const stripe::Statement& statement = main.block->statements[number];
    if (main.children[number] != nullptr) {
      walk_nest(walk_, *main.children[number]);
    } else if (const auto* special = statement.as<stripe::Special>()) {
      lower_special(walk_, main, *special);
    } else {
      fail(*main.block, "scalar statements in main are nothing the unit can do");
    }
    lir::Segment segment;
    segment.kind = lir::SegmentKind::compute;
    segment.operations = walk_.machine.take_operations();
    if (lir::updates_collide(architecture_.array_size)) {
      segment = lir::keep_updates_apart(segment, architecture_.array_size);
    }
    LayerInfo layer;
    layer.name = kernel_name(statement);
    layer.nodes = {layer.name};
    layer.first_instruction = encoder_.instructions();
    lir_ << "kernel " << quote(layer.name) << '\n';
    lir::dump(segment, lir_);
    encoder_.append(segment);
    layer.instructions = encoder_.instructions() - layer.first_instruction;
    const Encoder::Counts counts = encoder_.take_counts();
    layer.by_opcode = counts.by_opcode;
    layer.mat_mul_vectors = counts.mat_mul_vectors;
    layer.zeroes_vectors = counts.zeroes_vectors;
    layer.true_macs = true_macs(before, walk_.counts);
    layer.stages = layer.partitions = 1;
    // A kernel without instructions is no layer.
    if (layer.instructions > 0) layers_.push_back(std::move(layer));
  }

  [[nodiscard]] TensorLayout layout_of(const std::string& name, const Buffer& buffer) const {
    TensorLayout layout;
    layout.name = name;
    for (const stripe::Dimension& dim : buffer.shape.dims) {
      layout.shape.push_back(static_cast<std::int64_t>(dim.size));
    }
    layout.order = buffer.order;
    layout.vectors = buffer.vectors;
    return layout;
  }

  /// Writes a constant and counts its loss.
  void declare_constant(const TensorLayout& layout, std::uint64_t base,
                        const std::vector<float>& values, Compiled& model) {
    write_constant(pack_tensor(layout, architecture_, values), base, model);
    const auto source = options_.sources.find(layout.name);
    ConstantLoss& loss =
        model.constant_losses[source == options_.sources.end() ? layout.name : source->second];
    for (const float element : values) {
      loss.add(architecture_.data_type, static_cast<double>(element));
    }
  }

  /// The user's buffers are the model's inputs, outputs and constants.
  void declare_buffers(Compiled& model) {
    std::map<std::string, stripe::Direction> used;
    for (const auto& [into, ref] : nests_.main().block->refs) {
      const auto [found, added] = used.emplace(ref.from, ref.direction);
      if (!added) found->second = stripe::unite(found->second, ref.direction);
    }
    const auto users = stripe::user_buffers(program_);
    for (const auto& [name, ref] : program_.block().refs) {
      if (users.count(name) == 0) continue;  // a temporary
      const Buffer& buffer = nests_.entry_buffer(name);
      const TensorLayout layout = layout_of(name, buffer);
      const auto found = used.find(name);
      const auto direction = found != used.end() ? found->second : stripe::Direction::in;
      const auto constant = options_.constants.find(name);
      if (constant != options_.constants.end()) {
        if (stripe::writes(direction)) {
          fail(program_.block(),
               fmt::format("writes buffer {}, which is to be a constant", quote(name)));
        }
        declare_constant(layout, buffer.base, constant->second, model);
        continue;
      }
      if (buffer.memory != Tag::dram0) {
        user_error(
            "buffer {} of the user's is in DRAM1, where constants are; its values must be "
            "known, or it must be in DRAM0",
            quote(name));
      }
      // A buffer that is read and written is input and output.
      if (stripe::writes(direction)) {
        model.outputs.push_back({name, buffer.base, buffer.vectors});
        model.output_layouts.push_back(layout);
      }
      if (direction != stripe::Direction::out) {
        model.inputs.push_back({name, buffer.base, buffer.vectors});
        model.input_layouts.push_back(layout);
      }
    }
  }

  void finish(LoweredStripe& out) {
    Compiled& model = out.model;
    model.architecture = architecture_;
    model.instructions = encoder_.instructions();
    model.program = encoder_.take_bytes();
    model.constants.assign(nests_.dram1_used() * architecture_.vector_bytes(), 0);
    declare_buffers(model);
    if (model.outputs.empty()) {
      fail(program_.block(),
           "writes none of the user's buffers, so the model would have no outputs");
    }
    for (const auto& [value, vector] : walk_.splats) {
      write_splat(value, vector, model);
      model.constant_losses[fmt::format("factor {:g}", value)].add(architecture_.data_type, value);
    }
    model.constant_vectors = nests_.dram1_used();
    const auto by_base = [](const auto& a, const auto& b) { return a.base < b.base; };
    std::stable_sort(model.inputs.begin(), model.inputs.end(), by_base);
    std::stable_sort(model.outputs.begin(), model.outputs.end(), by_base);
    model.layers = std::move(layers_);
    for (const LayerInfo& layer : model.layers) model.true_macs += layer.true_macs;
    model.memory.dram0 = {nests_.dram0_used(), nests_.dram0_used()};
    model.memory.dram1 = {nests_.dram1_used(), nests_.dram1_used()};
    model.memory.local = {nests_.local_used(), nests_.local_used()};
    model.memory.accumulators = {nests_.accumulators_used(), nests_.accumulators_used()};
    model.lir = lir_.str();
    out.counts = walk_.counts;
  }

  void write_constant(const std::vector<std::uint8_t>& image, std::uint64_t base,
                      Compiled& model) const {
    std::copy(
        image.begin(), image.end(),
        model.constants.begin() + static_cast<std::ptrdiff_t>(base * architecture_.vector_bytes()));
  }

  /// Writes a constant vector, rounded as by the interpreter.
  void write_splat(double value, std::uint64_t vector, Compiled& model) const {
    const std::int64_t mantissa = tcu::round_half_even(architecture_.data_type, value);
    const tcu::DataTypeInfo& type = tcu::info(architecture_.data_type);
    const std::uint64_t bits =
        static_cast<std::uint64_t>(mantissa) & ((std::uint64_t{1} << type.width_bits) - 1);
    std::vector<std::uint8_t> image;
    for (std::uint32_t lane = 0; lane < architecture_.array_size; ++lane) {
      for (unsigned b = 0; b < type.storage_bytes; ++b) {
        image.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
      }
    }
    write_constant(image, vector, model);
  }

  const stripe::Program& program_;
  const tcu::Architecture& architecture_;
  const LowerOptions& options_;
  Nests nests_;
  Walk walk_;
  Encoder encoder_;
  std::vector<LayerInfo> layers_;
  std::ostringstream lir_;
};

}  // namespace

LoweredStripe lower(const stripe::Program& program, const tcu::Architecture& architecture,
                    const LowerOptions& options) {
  if (architecture.number_of_threads != 1) {
    user_error("number_of_threads is {}; programs are made for 1 thread only",
               architecture.number_of_threads);
  }
  LoweredStripe out;
  out.program = program;
  if (options.complete) complete_passes(out.program, architecture, options.axi_bytes);
  Program(out.program, architecture, options).run(out);
  return out;
}

stripe::FixedPoint number_format(const tcu::Architecture& architecture) {
  const tcu::DataTypeInfo& type = tcu::info(architecture.data_type);
  return {type.width_bits, type.binary_point, "ARRAY"};
}

}  // namespace tactus::compiler
