#include "tests/support/random_program.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "isa/dais/file.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/lookup.h"
#include "isa/tcu/names.h"
#include "tests/dais/random_dais.h"

namespace tactus {
namespace {

using tcu::DataMoveKind;
using tcu::Instruction;
using tcu::Operand;

std::uint64_t random_depth(Random& random, std::uint64_t low, std::uint64_t high) {
  if (random.chance(40)) return random.range(low, high);
  std::uint64_t depth = 1;
  while (depth < low) depth *= 2;
  while (depth * 2 <= high && random.chance(75)) depth *= 2;
  return depth;
}

std::vector<unsigned> fitting_widths(const tcu::Architecture& a) {
  const unsigned scalar_bits = info(a.data_type).storage_bytes * 8;
  std::vector<unsigned> widths;
  for (unsigned bits = 32; bits <= 1024; bits *= 2) {
    if (a.array_size % (bits / scalar_bits) == 0) widths.push_back(bits);
  }
  return widths;
}

/// Draws a mantissa. Most are small and some are extreme, so that results neither vanish nor all
/// saturate.
std::int64_t random_mantissa(Random& random, const tcu::DataTypeInfo& type) {
  const std::int64_t one = std::int64_t{1} << type.binary_point;
  const auto within = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * limit + 1))) -
           limit;
  };
  const unsigned kind = static_cast<unsigned>(random.below(16));
  if (kind < 8) return within(one);
  if (kind < 12) return within(std::min(4 * one, type.max()));
  if (kind < 14) return within(type.max());
  if (kind == 14) return 0;
  return random.pick({type.min(), type.max(), one, -one, std::int64_t{1}, std::int64_t{-1}});
}

std::vector<std::uint8_t> random_vectors(Random& random, const tcu::Architecture& a,
                                         std::uint64_t count) {
  const tcu::DataTypeInfo& type = info(a.data_type);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(count * a.vector_bytes());
  for (std::uint64_t i = 0; i < count * a.array_size; ++i) {
    // Bits above the type's width are arbitrary: the hardware ignores them.
    auto bits = static_cast<std::uint64_t>(random_mantissa(random, type));
    if (random.chance(50)) bits ^= random.below(1U << 14) << type.width_bits;
    for (unsigned b = 0; b < type.storage_bytes; ++b) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
  }
  return bytes;
}

/// An access through the accumulators' port A.
struct Access {
  bool write = false;
  bool accumulate = false;
  std::uint64_t address = 0;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomOptions& options)
      : random_(seed), options_(options), layout_(tcu::Architecture{}) {
    program_.seed = seed;
    program_.architecture = random_architecture(random_, program_.axi_data_bits);
    if (Random(seed ^ 0xDA15).chance(40)) add_random_dais_blocks(seed, program_.architecture);
    if (options.extensions || options.exactly) {
      add_random_extensions(seed, program_.architecture, options.exactly);
    }
    layout_ = tcu::InstructionLayout(architecture());
    for (unsigned port = 0; port < 2; ++port) {
      add_window(port, 0);
      while (random_.chance(50)) {
        add_window(port, static_cast<std::uint32_t>(random_.below(65536)) << 16);
      }
    }
  }

  RandomProgram make() {
    fill_local_memory();
    while (program_.instructions.size() < options_.instructions) add_random();
    return std::move(program_);
  }

 private:
  [[nodiscard]] const tcu::Architecture& architecture() const { return program_.architecture; }
  [[nodiscard]] std::uint64_t dram_depth(unsigned port) const {
    return port == 0 ? architecture().dram0_depth : architecture().dram1_depth;
  }
  void add_window(unsigned port, std::uint32_t address) {
    program_.windows.push_back(
        {port, address, random_vectors(random_, architecture(), dram_depth(port))});
  }

  /// Fills local memory with known data first, so that the results of moves and products are not
  /// all zero.
  void fill_local_memory() {
    const std::uint64_t count = std::min(architecture().local_depth, architecture().dram0_depth);
    add_dram_move(0, false, {0, 0}, {0, 0}, count);
    const std::uint64_t weights = std::min<std::uint64_t>(architecture().array_size + 1, count);
    add(make_load_weights(layout_, {0, 0}, weights));
  }

  void add_random();
  void add_load_weights();
  void add_mat_mul();
  void add_accumulator_move();
  void add_simd();
  void add_simd_on_accumulators(const tcu::SimdFields& fields, bool read, bool write);
  void add_lookup();
  void add_activation();
  void add_dais();
  void add_configure();
  void add_random_dram_move();
  void add_dram_move(unsigned port, bool to_dram, Operand local, Operand dram, std::uint64_t count);

  void add(const Instruction& instruction) { program_.instructions.push_back(instruction); }
  void add_with_accesses(const Instruction& instruction, const std::vector<Access>& accesses);
  [[nodiscard]] std::vector<Access> accesses_of_run(Operand start, std::uint64_t count, bool write,
                                                    bool accumulate) const;
  [[nodiscard]] static bool unsafe(const std::optional<Access>& before,
                                   const std::optional<Access>& last, const Access& next);

  /// Draws a number of vectors, at most `limit`. Most are small.
  std::uint64_t random_count(std::uint64_t limit);
  /// Draws a start and a stride at which `count` vectors are legal in a memory.
  Operand random_run(std::uint64_t depth, std::uint32_t strides, std::uint64_t count,
                     bool may_wrap = true);
  /// Draws a start and a stride in the accumulators. Many starts are at the vector accessed last,
  /// where the order of accesses matters.
  Operand random_accumulator_run(std::uint64_t count);

  Random random_;
  RandomOptions options_;
  RandomProgram program_;
  tcu::InstructionLayout layout_;
  std::optional<Access> before_, last_;     ///< the last two accesses of the accumulators
  std::array<bool, 2> writes_under_way_{};  ///< by DRAM port; true: its last DataMove was a write
};

std::uint64_t Generator::random_count(std::uint64_t limit) {
  const std::uint64_t n = architecture().array_size;
  const std::uint64_t most = random_.pick<std::uint64_t>({1, 2, 4, 8, n + 1, 3 * n, 40});
  const std::uint64_t count = random_.chance(3) ? limit : random_.range(1, most);
  return std::min(count, limit);
}

Operand Generator::random_run(std::uint64_t depth, std::uint32_t strides, std::uint64_t count,
                              bool may_wrap) {
  unsigned stride = 0;
  if (random_.chance(35)) {
    stride = static_cast<unsigned>(random_.below(strides));
    while (stride > 0 && ((count - 1) << stride) >= depth) --stride;
  }
  const bool power_of_two = (depth & (depth - 1)) == 0;
  const bool wraps =
      may_wrap && options_.wrap && power_of_two && random_.chance(10) && (count << stride) <= depth;
  const std::uint64_t starts = wraps ? depth : depth - ((count - 1) << stride);
  return {random_.below(starts), stride};
}

Operand Generator::random_accumulator_run(std::uint64_t count) {
  const std::uint64_t depth = architecture().accumulator_depth;
  if (last_ && last_->address + count <= depth && random_.chance(30)) return {last_->address, 0};
  return random_run(depth, architecture().stride1_depth, count);
}

// ---- accumulator accesses ----------------------------------------------------------------------

std::vector<Access> Generator::accesses_of_run(Operand start, std::uint64_t count, bool write,
                                               bool accumulate) const {
  std::vector<Access> accesses;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t address = start.address + (k << start.stride);
    accesses.push_back({write, accumulate, address % architecture().accumulator_depth});
  }
  return accesses;
}

/// Returns true if the result of `next` may depend on timing. `last` is the access just before it,
/// `before` the one before that. An accumulating write reads the old vector early, which is unsafe
/// - after an accumulating write of the same vector, since it may read too early;
/// - after two writes of the same vector, the last of them plain: it waits for the lock, but the
///   earlier write, if still pending, is taken for the awaited one and releases the lock.
bool Generator::unsafe(const std::optional<Access>& before, const std::optional<Access>& last,
                       const Access& next) {
  if (!next.accumulate) return false;
  const auto writes_same = [&](const std::optional<Access>& access) {
    return access && access->write && access->address == next.address;
  };
  if (!writes_same(last)) return false;
  return last->accumulate || writes_same(before);
}

void Generator::add_with_accesses(const Instruction& instruction,
                                  const std::vector<Access>& accesses) {
  const bool clashes =
      !accesses.empty() && (unsafe(before_, last_, accesses[0]) ||
                            (accesses.size() > 1 && unsafe(last_, accesses[0], accesses[1])));
  if (options_.hazards == Hazards::none && clashes) {
    // One read in between makes the access safe, since it is accepted only after the access before
    // it is done.
    const Access read{false, false, random_.below(architecture().accumulator_depth)};
    add(make_simd(layout_, {tcu::SimdOp::move, 0, 0, 0}, 0, read.address, true, false));
    before_ = last_;
    last_ = read;
  }
  add(instruction);
  for (const Access& access : accesses) {
    before_ = last_;
    last_ = access;
  }
}

// ---- instructions ------------------------------------------------------------------------------

void Generator::add_random() {
  if (!architecture().dais_blocks.empty() && random_.chance(25)) return add_dais();
  if (architecture().lookup_tables.count > 0 && random_.chance(25)) return add_lookup();
  if (architecture().activation_unit && random_.chance(20)) return add_activation();
  const std::uint64_t kind = random_.below(100);
  if (kind < 6) return add(tcu::make_no_op());
  if (kind < 16) return add_load_weights();
  if (kind < 38) return add_mat_mul();
  if (kind < 57) return add_accumulator_move();
  if (kind < 77) return add_simd();
  if (kind < 97) return add_random_dram_move();
  add_configure();
}

void Generator::add_load_weights() {
  const bool zeroes = random_.chance(10);
  const std::uint64_t full = architecture().array_size + std::uint64_t{1};
  const std::uint64_t wanted = random_.chance(50) ? full : random_count(2 * full);
  const std::uint64_t count = std::min(wanted, architecture().local_depth);
  const Operand local = random_run(architecture().local_depth, architecture().stride0_depth, count);
  add(make_load_weights(layout_, zeroes ? Operand{0, 0} : local, count, zeroes));
}

void Generator::add_mat_mul() {
  const bool zeroes = random_.chance(12);
  const bool accumulate = random_.chance(50);
  const tcu::Architecture& a = architecture();
  const std::uint64_t count = random_count(std::min(a.local_depth, a.accumulator_depth));
  const Operand local = random_run(a.local_depth, a.stride0_depth, count);
  const Operand to = random_accumulator_run(count);
  add_with_accesses(
      make_mat_mul(layout_, zeroes ? Operand{0, 0} : local, to, count, accumulate, zeroes),
      accesses_of_run(to, count, true, accumulate));
}

void Generator::add_accumulator_move() {
  const auto kind =
      random_.pick({DataMoveKind::accumulator_to_local, DataMoveKind::local_to_accumulator,
                    DataMoveKind::local_to_accumulator_accumulate});
  const tcu::Architecture& a = architecture();
  const std::uint64_t count = random_count(std::min(a.local_depth, a.accumulator_depth));
  const Operand local = random_run(a.local_depth, a.stride0_depth, count);
  const Operand other = random_accumulator_run(count);
  add_with_accesses(make_data_move(layout_, kind, local, other, count),
                    accesses_of_run(other, count, kind != DataMoveKind::accumulator_to_local,
                                    kind == DataMoveKind::local_to_accumulator_accumulate));
}

void Generator::add_simd() {
  const std::uint64_t registers = architecture().simd_registers_depth;
  const auto selector = [&](std::uint64_t lowest) {
    return static_cast<unsigned>(random_.range(lowest, registers));
  };
  std::vector<tcu::SimdOp> operations;
  for (std::size_t number = 0; number < tcu::simd_ops; ++number) {
    const auto op = static_cast<tcu::SimdOp>(number);
    if (op != tcu::SimdOp::lookup && has(layout_, info(op).needs)) operations.push_back(op);
  }
  tcu::SimdFields fields{operations[random_.below(operations.size())], selector(0), selector(0),
                         selector(0)};
  bool read = random_.chance(65);
  bool write = random_.chance(60);
  if (fields.op == tcu::SimdOp::no_op) {
    read = write = false;
  } else if (fields.op == tcu::SimdOp::zero) {
    read = false;
  } else if (read) {  // legal only if an operand is the vector that is read
    if (fields.left != 0 && fields.right != 0) {
      (random_.chance(50) ? fields.left : fields.right) = 0;
    }
  } else {
    fields.left = selector(1);
    fields.right = selector(1);
  }
  add_simd_on_accumulators(fields, read, write);
}

/// Adds a SIMD instruction that reads one random accumulator vector, if `read`, and writes another,
/// if `write`.
void Generator::add_simd_on_accumulators(const tcu::SimdFields& fields, bool read, bool write) {
  const bool accumulate = random_.chance(40);
  const std::uint64_t from = random_accumulator_run(1).address;
  const std::uint64_t to = random_accumulator_run(1).address;
  std::vector<Access> accesses;
  if (read) accesses.push_back({false, false, from});
  if (write) accesses.push_back({true, accumulate, to});
  add_with_accesses(make_simd(layout_, fields, to, from, read, write, accumulate), accesses);
}

/// Adds an instruction that loads a table, or a Lookup.
void Generator::add_lookup() {
  const tcu::Architecture& a = architecture();
  const std::uint32_t tables = a.lookup_tables.count;
  if (random_.chance(30)) {
    const Operand local = random_run(a.local_depth, a.stride0_depth, lookup_vectors(a));
    return add(make_load_lut(layout_, local, random_.below(tables)));
  }
  const std::uint32_t registers = a.simd_registers_depth;
  const bool read = random_.chance(70);
  const bool write = random_.chance(50);
  const auto source = [&] { return static_cast<unsigned>(random_.range(1, registers)); };
  tcu::SimdFields fields{tcu::SimdOp::lookup, source(), source(),
                         static_cast<unsigned>(random_.range(1, registers - tables))};
  if (read) (random_.chance(80) ? fields.left : fields.right) = 0;
  add_simd_on_accumulators(fields, read, write);
}

/// Adds an instruction that loads the activation unit's parameters, or a move through the unit.
void Generator::add_activation() {
  const tcu::Architecture& a = architecture();
  if (random_.chance(30)) {
    return add(make_load_activation(layout_, random_run(a.local_depth, a.stride0_depth, 4)));
  }
  const std::uint64_t count = random_count(std::min(a.local_depth, a.accumulator_depth));
  const Operand local = random_run(a.local_depth, a.stride0_depth, count);
  const Operand other = random_accumulator_run(count);
  add_with_accesses(
      make_data_move(layout_, DataMoveKind::accumulator_to_local_activated, local, other, count),
      accesses_of_run(other, count, false, false));
}

void Generator::add_dais() {
  const tcu::Architecture& a = architecture();
  const auto number = static_cast<unsigned>(random_.below(a.dais_blocks.size()));
  const std::uint64_t in = a.dais_blocks[number].input_vectors(a.array_size);
  const std::uint64_t out = a.dais_blocks[number].output_vectors(a.array_size);
  // The number of results is also limited by the local memory's depth, since the counter of results
  // is as deep as that memory.
  const std::uint64_t count =
      random_count(std::min({a.local_depth / in, a.accumulator_depth / out, a.local_depth / out}));
  const bool accumulate = random_.chance(40);
  const Operand local = random_run(a.local_depth, a.stride0_depth, count * in);
  const Operand to = random_accumulator_run(count * out);
  add_with_accesses(make_dais(layout_, number, local, to, count, accumulate),
                    accesses_of_run(to, count * out, true, accumulate));
}

void Generator::add_configure() {
  const auto reg =
      random_.pick({tcu::ConfigRegister::dram0_offset, tcu::ConfigRegister::dram1_offset,
                    tcu::ConfigRegister::dram0_offset, tcu::ConfigRegister::dram1_offset,
                    tcu::ConfigRegister::dram0_cache, tcu::ConfigRegister::dram1_cache,
                    tcu::ConfigRegister::timeout, tcu::ConfigRegister::tracepoint,
                    tcu::ConfigRegister::program_counter, tcu::ConfigRegister::sample_interval});
  const bool offset =
      reg == tcu::ConfigRegister::dram0_offset || reg == tcu::ConfigRegister::dram1_offset;
  if (!offset) {
    return add(make_configure(layout_, reg, static_cast<std::uint32_t>(random_.below(40))));
  }
  const unsigned port = reg == tcu::ConfigRegister::dram0_offset ? 0 : 1;
  if (options_.hazards == Hazards::none && writes_under_way_[port]) {
    // A read through the port waits for all responses to the port's writes.
    add_dram_move(port, false, {random_.below(architecture().local_depth), 0},
                  {random_.below(dram_depth(port)), 0}, 1);
  }
  std::vector<std::uint32_t> offsets;
  for (const RandomProgram::Window& window : program_.windows) {
    if (window.port == port) offsets.push_back(window.address);
  }
  add(make_configure(layout_, reg, offsets[random_.below(offsets.size())] >> 16));
}

void Generator::add_random_dram_move() {
  const unsigned port = random_.chance(50) ? 0 : 1;
  const tcu::Architecture& a = architecture();
  const std::uint64_t count = random_count(std::min(a.local_depth, dram_depth(port)));
  const Operand local = random_run(a.local_depth, a.stride0_depth, count);
  const bool to_dram = random_.chance(50);
  Operand dram = random_run(dram_depth(port), a.stride1_depth, count);
  // Without a stride the address does not wrap. The transfer must then not go past the end, where
  // contents are not known.
  if (dram.stride == 0) dram = random_run(dram_depth(port), 1, count, false);
  add_dram_move(port, to_dram, local, dram, count);
}

void Generator::add_dram_move(unsigned port, bool to_dram, Operand local, Operand dram,
                              std::uint64_t count) {
  const auto kind = static_cast<DataMoveKind>(2 * port + (to_dram ? 1 : 0));
  add(make_data_move(layout_, kind, local, dram, count));
  writes_under_way_[port] = to_dram;
}

}  // namespace

std::vector<std::uint8_t> RandomProgram::bytes() const {
  return encode_program(tcu::InstructionLayout(architecture), instructions);
}

RandomProgram RandomProgram::prefix(std::size_t count) const {
  RandomProgram shorter = *this;
  shorter.instructions.resize(count);
  return shorter;
}

std::string RandomProgram::describe() const {
  return fmt::format("seed {}, AXI {} bits, {}\n{}", seed, axi_data_bits, to_json(architecture, -1),
                     disassemble_program(architecture, bytes()));
}

void add_random_dais_blocks(std::uint64_t seed, tcu::Architecture& architecture) {
  Random random(seed ^ 0xB10C);
  const std::uint64_t wanted = random.range(1, 3);
  while (architecture.dais_blocks.size() < wanted) {
    dais::RandomShape shape;
    shape.dialect = random.pick({dais::Dialect::seed, dais::Dialect::v0, dais::Dialect::v1});
    shape.widest = random.pick({8U, 16U, 40U});
    shape.ops = random.range(8, 30);
    dais::RandomProgram programs(random.below(~std::uint64_t{0}), shape);
    auto file = std::make_shared<dais::File>();
    file->is_pipeline = random.chance(50);
    file->pipeline.stages.push_back(programs.make());
    while (file->is_pipeline && random.chance(60)) {
      dais::Program next = programs.make();
      // A stage has as many outputs as the next stage has inputs.
      std::vector<dais::Output>& outputs = file->pipeline.stages.back().outputs;
      while (outputs.size() < next.input_count()) outputs.push_back(outputs.front());
      outputs.resize(next.input_count());
      file->pipeline.stages.push_back(std::move(next));
    }
    const std::string name = fmt::format("block{}", architecture.dais_blocks.size());
    tcu::DaisBlockEntry entry{name, name + ".json", name + ".json", std::move(file)};
    // The largest block has 6 inputs and 8 outputs; memories of 2 and 4 vectors cannot hold the
    // vectors of every block.
    if (!dais_block_problem(architecture, entry).empty()) continue;
    architecture.dais_blocks.push_back(std::move(entry));
  }
}

void add_random_extensions(std::uint64_t seed, tcu::Architecture& a,
                           std::optional<unsigned> exactly) {
  Random random(seed ^ 0xE87);
  const auto has = [&](unsigned extension, unsigned percent) {
    return exactly ? (*exactly & extension) == extension : random.chance(percent);
  };
  if (has(lookup_tables, 30)) {
    const unsigned point = info(a.data_type).binary_point;
    tcu::LookupTables tables;
    tables.count = static_cast<std::uint32_t>(random.range(1, 3));
    tables.depth = 1U << random.range(1, 6);
    tables.key_binary_point = static_cast<std::uint32_t>(random.range(point - 3, point));
    a.lookup_tables = tables;
    // A table may be larger than a memory of 2 or 4 vectors; then the machine has no tables.
    if (lookup_vectors(a) > std::min(a.local_depth, a.accumulator_depth)) a.lookup_tables = {};
    if (a.lookup_tables.count > 0) a.simd_registers_depth += tables.count;
  }
  if (has(shadow_weights, 40)) {
    a.shadow_weights = has(own_reads, 50) ? tcu::ShadowWeights::own_reads : tcu::ShadowWeights::on;
  }
  if (has(activation_unit, 30) && a.local_depth >= 4) a.activation_unit = true;
  if (has(dma_queue, 35)) a.dma_queue = static_cast<std::uint32_t>(random.range(1, 5));
}

tcu::Architecture random_architecture(Random& random, unsigned& axi_data_bits) {
  tcu::Architecture a;
  std::vector<unsigned> widths;
  do {
    a.data_type = random.pick({tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                               tcu::DataType::fp18bp10, tcu::DataType::fp32bp16});
    a.array_size = static_cast<std::uint32_t>(
        random.chance(60) ? random.range(2, 10) : random.pick<std::uint64_t>({12, 16, 20, 31, 32}));
    widths = fitting_widths(a);
  } while (widths.empty());
  axi_data_bits = widths[random.below(widths.size())];
  a.local_depth = random_depth(random, 4, random.chance(20) ? 1024 : 128);
  a.accumulator_depth = random_depth(random, 2, 64);
  a.dram0_depth = random_depth(random, 8, 1024);
  a.dram1_depth = random_depth(random, 8, 256);
  a.simd_registers_depth = static_cast<std::uint32_t>(random.range(1, 4));
  a.stride0_depth = static_cast<std::uint32_t>(random.range(1, 8));
  a.stride1_depth = static_cast<std::uint32_t>(random.range(1, 8));
  return a;
}

RandomProgram random_program(std::uint64_t seed, const RandomOptions& options) {
  return Generator(seed, options).make();
}

}  // namespace tactus
