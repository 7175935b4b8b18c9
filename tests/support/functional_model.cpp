#include "tests/support/functional_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "isa/dais/file.h"

namespace tactus {
namespace {

unsigned log2_up(std::uint64_t depth) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < depth) ++bits;
  return bits;
}

unsigned round8(unsigned bits) { return (bits + 7) / 8 * 8; }

std::uint64_t low(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Returns bits [position, position + count) of a little-endian number.
std::uint64_t bits_of(const std::uint8_t* bytes, unsigned position, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned at = position + i;
    value |= std::uint64_t{(bytes[at / 8] >> (at % 8) & 1U)} << i;
  }
  return value;
}

}  // namespace

std::uint8_t FunctionalDram::read(std::uint32_t address) const {
  const auto page = pages_.find(address / page_bytes * page_bytes);
  return page == pages_.end() ? 0 : page->second[address % page_bytes];
}

void FunctionalDram::write(std::uint32_t address, std::uint8_t byte) {
  Page& page = pages_[address / page_bytes * page_bytes];
  page.resize(page_bytes);
  page[address % page_bytes] = byte;
}

void FunctionalDram::write(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
  for (const std::uint8_t byte : bytes) write(address++, byte);
}

FunctionalModel::Walk::Walk(std::uint64_t base, std::uint64_t stride, std::uint64_t depth,
                            unsigned bits, bool reverse)
    : base_(base),
      step_(std::uint64_t{1} << stride),
      depth_(depth),
      mask_(low(~std::uint64_t{0}, bits)),
      reverse_(reverse) {}

std::uint64_t FunctionalModel::Walk::next() {
  const std::uint64_t address = (reverse_ ? base_ - offset_ : base_ + offset_) & mask_;
  offset_ = offset_ + step_ >= depth_ ? 0 : offset_ + step_;
  return address;
}

FunctionalModel::FunctionalModel(const tcu::Architecture& a)
    : architecture_(a), type_(info(a.data_type)) {
  const Vector zero(a.array_size);
  local_.assign(a.local_depth, zero);
  accumulators_.assign(a.accumulator_depth, zero);
  registers_.assign(a.simd_registers_depth, zero);
  weights_.assign(a.array_size + 1, zero);
  for (const tcu::DaisBlockEntry& block : a.dais_blocks) {
    blocks_.emplace_back(block.file->pipeline);
  }

  const std::int64_t one = std::int64_t{1} << type_.binary_point;
  activation_ = {Vector(a.array_size, one), zero, Vector(a.array_size, one),
                 Vector(a.array_size, type_.max())};
  tables_.assign(a.lookup_tables.count, std::vector<std::int64_t>(a.lookup_tables.depth));

  Widths& w = widths_;
  w.operation = a.lookup_tables.count == 0 ? 4 : 5;
  w.local = log2_up(a.local_depth);
  w.accumulators = log2_up(a.accumulator_depth);
  w.dram[0] = log2_up(a.dram0_depth);
  w.dram[1] = log2_up(a.dram1_depth);
  w.selector = log2_up(a.simd_registers_depth + std::uint64_t{1});
  w.stride0 = log2_up(a.stride0_depth);
  w.stride1 = log2_up(a.stride1_depth);
  w.address0 = std::max(w.local, w.accumulators);
  w.operand0 = round8(w.address0 + w.stride0);
  w.address1 = std::max({w.local, w.dram[0], w.dram[1], w.accumulators});
  w.operand1 = round8(w.address1 + w.stride1);
  w.operand2 = round8(std::max({std::min(w.local, w.accumulators), std::min(w.local, w.dram[0]),
                                std::min(w.local, w.dram[1]), w.operation + 3 * w.selector}));
}

void FunctionalModel::run(const std::vector<std::uint8_t>& program) {
  const unsigned bytes = (widths_.operand0 + widths_.operand1 + widths_.operand2 + 8) / 8;
  if (program.size() % bytes != 0) throw std::logic_error("not whole instructions");
  for (std::size_t at = 0; at < program.size(); at += bytes) {
    execute(decode(program.data() + at));
    ++counts_.instructions;
  }
}

FunctionalModel::Fields FunctionalModel::decode(const std::uint8_t* bytes) const {
  const Widths& w = widths_;
  const unsigned start1 = w.operand0;
  const unsigned start2 = start1 + w.operand1;
  const unsigned header = start2 + w.operand2;
  Fields f{};
  f.address0 = bits_of(bytes, 0, w.address0);
  f.stride0 = bits_of(bytes, w.address0, w.stride0);
  f.address1 = bits_of(bytes, start1, w.address1);
  f.stride1 = bits_of(bytes, start1 + w.address1, w.stride1);
  f.operand1 = bits_of(bytes, start1, w.operand1);
  f.operand2 = bits_of(bytes, start2, w.operand2);
  f.configure = static_cast<std::uint32_t>(bits_of(bytes, 0, std::min(32U, header)));
  f.flags = static_cast<unsigned>(bits_of(bytes, header, 4));
  f.opcode = static_cast<unsigned>(bits_of(bytes, header + 4, 4));
  return f;
}

void FunctionalModel::execute(const Fields& f) {
  switch (f.opcode) {
    case 0x1:
      return mat_mul(f);
    case 0x2:
      return data_move(f);
    case 0x3:
      return load_weights(f);
    case 0x4:
      return simd(f);
    case 0x5:
      return load_lut(f);
    case 0x6:
      return dais(f);
    case 0x7:
      return load_activation(f);
    case 0xF:
      return configure(f);
    default:
      return;
  }
}

// ---- memories ----------------------------------------------------------------------------------

FunctionalModel::Vector FunctionalModel::read(const std::vector<Vector>& memory,
                                              std::uint64_t address) const {
  return address < memory.size() ? memory[address] : Vector(architecture_.array_size);
}

void FunctionalModel::write(std::vector<Vector>& memory, std::uint64_t address,
                            const Vector& vector) {
  if (address < memory.size()) memory[address] = vector;
}

void FunctionalModel::write_accumulator(std::uint64_t address, const Vector& vector,
                                        bool accumulate) {
  Vector sum = vector;
  if (accumulate) {
    const Vector old = read(accumulators_, address);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = std::clamp(sum[i] + old[i], type_.min(), type_.max());
    }
  }
  write(accumulators_, address, sum);
}

FunctionalModel::Walk FunctionalModel::local_walk(const Fields& f) const {
  return {f.address0, f.stride0, architecture_.local_depth, widths_.local};
}

FunctionalModel::Walk FunctionalModel::accumulator_walk(const Fields& f) const {
  return {f.address1, f.stride1, architecture_.accumulator_depth, widths_.accumulators};
}

std::uint32_t FunctionalModel::dram_byte(unsigned port, std::uint64_t address) const {
  return static_cast<std::uint32_t>(address * architecture_.vector_bytes() + dram_offset_[port]);
}

FunctionalModel::Vector FunctionalModel::read_dram(unsigned port, std::uint64_t address) const {
  Vector vector(architecture_.array_size);
  std::uint32_t byte = dram_byte(port, address);
  for (std::int64_t& scalar : vector) {
    std::int64_t bits = 0;
    for (unsigned i = 0; i < type_.storage_bytes; ++i) {
      bits |= std::int64_t{dram_[port].read(byte++)} << (8 * i);
    }
    bits &= (std::int64_t{1} << type_.width_bits) - 1;
    const bool negative = (bits >> (type_.width_bits - 1) & 1) != 0;
    scalar = negative ? bits - (std::int64_t{1} << type_.width_bits) : bits;
  }
  return vector;
}

void FunctionalModel::write_dram(unsigned port, std::uint64_t address, const Vector& vector) {
  std::uint32_t byte = dram_byte(port, address);
  for (const std::int64_t scalar : vector) {
    // For FP18BP10 a lane in DRAM is wider than the scalar. The upper bits are zero.
    const std::uint64_t bits = low(static_cast<std::uint64_t>(scalar), type_.width_bits);
    for (unsigned i = 0; i < type_.storage_bytes; ++i) {
      dram_[port].write(byte++, static_cast<std::uint8_t>(bits >> (8 * i)));
    }
  }
}

// ---- instructions ------------------------------------------------------------------------------

FunctionalModel::Vector FunctionalModel::multiply(const Vector& x) const {
  Vector y = weights_[0];
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      y[i] = mac(architecture_.data_type, tcu::MacRounding::sum, x[j], weights_[1 + j][i], y[i]);
    }
  }
  return y;
}

void FunctionalModel::mat_mul(const Fields& f) {
  const bool accumulate = (f.flags & 1) != 0;
  const bool zeroes = (f.flags & 2) != 0;
  Walk from = local_walk(f);
  Walk to = accumulator_walk(f);
  for (std::uint64_t k = 0; k <= f.operand2; ++k) {
    const Vector x = zeroes ? Vector(architecture_.array_size) : read(local_, from.next());
    write_accumulator(to.next(), multiply(x), accumulate);
    ++counts_.array_runs;
  }
}

void FunctionalModel::load_weights(const Fields& f) {
  const bool zeroes = (f.flags & 1) != 0;
  const std::uint64_t size = f.operand1;
  Walk from(f.address0 + (size << f.stride0), f.stride0, architecture_.local_depth, widths_.local,
            true);
  for (std::uint64_t k = 0; k <= size; ++k) {
    weights_.push_front(zeroes ? Vector(architecture_.array_size) : read(local_, from.next()));
    weights_.pop_back();
    ++counts_.array_loads;
  }
}

void FunctionalModel::data_move(const Fields& f) {
  if (f.flags < 4) return dram_move(f, f.flags / 2, f.flags % 2 == 1);
  const bool activates = f.flags == 0xE && architecture_.activation_unit;
  if (f.flags != 0xC && f.flags != 0xD && f.flags != 0xF && !activates) return;
  Walk local = local_walk(f);
  Walk accumulator = accumulator_walk(f);
  for (std::uint64_t k = 0; k <= f.operand2; ++k) {
    const std::uint64_t here = local.next();
    const std::uint64_t there = accumulator.next();
    if (activates) {
      write(local_, here, activated(read(accumulators_, there)));
    } else if (f.flags == 0xC) {
      write(local_, here, read(accumulators_, there));
    } else {
      write_accumulator(there, read(local_, here), f.flags == 0xF);
    }
  }
}

void FunctionalModel::dram_move(const Fields& f, unsigned port, bool to_dram) {
  const std::uint64_t depth = port == 0 ? architecture_.dram0_depth : architecture_.dram1_depth;
  Walk local = local_walk(f);
  Walk strided(f.address1, f.stride1, depth, widths_.dram[port]);
  // Without a stride the port gets one request, whose addresses continue past the depth.
  const std::uint64_t base = low(f.address1, widths_.dram[port]);
  if (f.stride1 == 0) {
    requests_.push_back({port, to_dram, dram_byte(port, base), f.operand2 + 1});
  }
  for (std::uint64_t k = 0; k <= f.operand2; ++k) {
    const std::uint64_t there = f.stride1 == 0 ? base + k : strided.next();
    if (f.stride1 != 0) requests_.push_back({port, to_dram, dram_byte(port, there), 1});
    if (to_dram) {
      write_dram(port, there, read(local_, local.next()));
      ++counts_.vectors_written[port];
    } else {
      write(local_, local.next(), read_dram(port, there));
      ++counts_.vectors_read[port];
    }
  }
}

void FunctionalModel::simd(const Fields& f) {
  const unsigned r = widths_.selector;
  const auto op = static_cast<tcu::SimdOp>(low(f.operand2 >> (3 * r), widths_.operation));
  const std::uint64_t left = low(f.operand2 >> (2 * r), r);
  const std::uint64_t right = low(f.operand2 >> r, r);
  const std::uint64_t dest = low(f.operand2, r);
  // A NoOp is legal only without read and write; the ALU gets no instruction.
  if (op == tcu::SimdOp::no_op) return;
  const bool reads = (f.flags & 1) != 0;
  const Vector input = reads ? read(accumulators_, low(f.address1, widths_.accumulators))
                             : Vector(weights_[0].size());
  const Vector& a = left == 0 ? input : registers_[left - 1];
  const Vector& b = right == 0 ? input : registers_[right - 1];
  Vector result(input.size());
  ++counts_.alu_operations;
  if (op == tcu::SimdOp::lookup) {
    look_up(a, dest);
    result = registers_[dest - 1];
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = alu(architecture_.data_type, op, a[i], b[i]);
    }
    if (dest != 0) registers_[dest - 1] = result;
  }
  if ((f.flags & 2) == 0) return;
  write_accumulator(low(f.address0, widths_.accumulators), result, (f.flags & 4) != 0);
}

/// Executes a Lookup: finds the nearest key by comparing every key. If two keys are equally near,
/// the larger one counts.
void FunctionalModel::look_up(const Vector& argument, std::uint64_t dest) {
  ++counts_.lookups;
  const tcu::LookupTables& form = architecture_.lookup_tables;
  const std::int64_t step = std::int64_t{1} << (type_.binary_point - form.key_binary_point);
  const std::int64_t depth = form.depth;
  const Vector arguments = argument;  // a copy, since it may be one of the registers written below
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::int64_t best = 0;
    for (std::int64_t entry = 0; entry < depth; ++entry) {
      const auto distance = [&](std::int64_t e) {
        return std::llabs(arguments[i] - (e - depth / 2) * step);
      };
      if (distance(entry) <= distance(best)) best = entry;
    }
    const std::int64_t difference = arguments[i] - (best - depth / 2) * step;
    registers_[dest - 1][i] = std::clamp(difference, type_.min(), type_.max());
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      registers_[dest + table][i] = tables_[table][static_cast<std::size_t>(best)];
    }
  }
}

void FunctionalModel::load_activation(const Fields& f) {
  if (!architecture_.activation_unit) return;
  Walk from = local_walk(f);
  for (Vector& parameter : activation_) parameter = read(local_, from.next());
}

FunctionalModel::Vector FunctionalModel::activated(const Vector& x) const {
  const auto mac = [this](std::int64_t a, std::int64_t b, std::int64_t c) {
    return tcu::mac(architecture_.data_type, tcu::MacRounding::sum, a, b, c);
  };
  Vector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = mac(x[i], activation_[0][i], activation_[1][i]);
    if (y[i] < 0) y[i] = mac(y[i], activation_[2][i], 0);
    y[i] = std::min(y[i], activation_[3][i]);
  }
  return y;
}

/// Loads a whole table; each entry takes one lane.
void FunctionalModel::load_lut(const Fields& f) {
  if (f.operand1 >= tables_.size()) return;
  std::vector<std::int64_t>& table = tables_[f.operand1];
  Walk from = local_walk(f);
  for (std::size_t entry = 0; entry < table.size();) {
    for (const std::int64_t lane : read(local_, from.next())) {
      if (entry < table.size()) table[entry++] = lane;
    }
    ++counts_.table_vectors;
  }
}

/// Executes a DAIS block's instruction. A sample takes as many vectors as its scalars need.
void FunctionalModel::dais(const Fields& f) {
  const unsigned number = f.flags / 2;
  if (number >= blocks_.size()) return;
  const std::size_t inputs = architecture_.dais_blocks[number].file->pipeline.input_count();
  const std::size_t outputs = architecture_.dais_blocks[number].file->pipeline.output_count();
  const std::size_t n = architecture_.array_size;
  const long double one = std::ldexp(1.0L, static_cast<int>(type_.binary_point));
  Walk from = local_walk(f);
  Walk to = accumulator_walk(f);
  for (std::uint64_t sample = 0; sample <= f.operand2; ++sample) {
    std::vector<double> in, out(outputs);
    while (in.size() < inputs) {
      for (const std::int64_t lane : read(local_, from.next())) {
        in.push_back(static_cast<double>(static_cast<long double>(lane) / one));
      }
    }
    blocks_[number].run(in.data(), out.data(), 1);
    Vector result(n);
    for (std::size_t i = 0; i < outputs; ++i) {
      const long double exact = static_cast<long double>(out[i]) * one;
      const auto low_end = static_cast<long double>(type_.min());
      const auto high_end = static_cast<long double>(type_.max());
      result[i % n] = std::llrint(std::clamp(exact, low_end, high_end));  // ties to even
      if (i % n + 1 < n && i + 1 < outputs) continue;
      write_accumulator(to.next(), result, f.flags % 2 == 1);
      result.assign(n, 0);
    }
    ++counts_.dais_samples[number];
  }
  ++counts_.dais_instructions[number];
}

void FunctionalModel::configure(const Fields& f) {
  const std::uint32_t number = f.configure & 0xF;
  if (number == 0 || number == 4) dram_offset_[number / 4] = (f.configure >> 4) << 16;
}

}  // namespace tactus
