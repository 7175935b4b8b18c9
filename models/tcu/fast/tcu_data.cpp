#include "models/tcu/fast/tcu_data.h"

#include <algorithm>

#include "models/sim/bytes.h"
#include "models/tcu/decoder/decoder.h"

namespace tactus {

TcuData::TcuData(const tcu::Architecture& architecture, tcu::MacRounding rounding,
                 LocalMemory& local, SystolicArray& array, AccumulatorWithAlu& accumulators,
                 ActivationUnit* activation, const ConfigRegisters& registers,
                 const std::array<AxiTarget*, 2>& dram)
    : kernels_(tcu::vector_kernels(architecture.data_type, rounding)),
      lanes_(architecture.array_size),
      vector_bytes_(architecture.vector_bytes()),
      copies_(info(architecture.data_type).width_bits ==
              info(architecture.data_type).storage_bytes * 8),
      local_(local),
      array_(array),
      accumulators_(accumulators),
      activation_(activation),
      sums_(accumulators.accumulator().memory()),
      registers_(registers),
      dram_(dram),
      results_(batch * vector_bytes_),
      lost_(vector_bytes_) {}

void TcuData::execute(const ProgramItem& item) {
  using Kind = ProgramItem::Kind;
  switch (item.kind) {
    case Kind::multiply:
      multiply(item);
      break;
    case Kind::load_weights:
      load_weights(item);
      break;
    case Kind::from_dram:
      from_dram(item);
      break;
    case Kind::to_dram:
      to_dram(item);
      break;
    case Kind::accumulator_to_local:
      accumulator_to_local(item);
      break;
    case Kind::local_to_accumulator:
      for (std::uint64_t i = 0; i <= item.size; ++i) {
        const VectorRef from = local_.vector_or_zero(item.local.address + i * item.local.step);
        write_accumulators(item.accumulator, i, 1, &from, item.accumulate);
      }
      break;
    case Kind::simd:
      simd(item);
      break;
    case Kind::load_table:
      for (std::uint64_t i = 0; i <= item.size; ++i) {
        accumulators_.tables()->write(
            item.table, i, local_.vector_or_zero(item.local.address + i * item.local.step));
      }
      break;
    case Kind::load_activation:
      for (std::uint64_t i = 0; i <= item.size; ++i) {
        activation_->take_parameters(
            local_.vector_or_zero(item.local.address + i * item.local.step));
      }
      break;
    case Kind::none:
    case Kind::configure:
    case Kind::dais:
    case Kind::undefined:
      break;
  }
}

void TcuData::accumulator_to_local(const ProgramItem& item) {
  for (std::uint64_t i = 0; i <= item.size; ++i) {
    const VectorRef from =
        sums_.vector_or_zero(item.accumulator.address + i * item.accumulator.step);
    std::uint8_t* const to = writable(local_, item.local.address + i * item.local.step);
    if (item.activated) {
      activation_->activate_now(from, to);
    } else {
      copy_block(to, from, vector_bytes_);
    }
  }
}

void TcuData::multiply(const ProgramItem& item) {
  const std::uint64_t all = item.size + 1;
  array_.begin_product_now();
  for (std::uint64_t done = 0; done < all; done += batch) {
    const std::uint64_t count = std::min(batch, all - done);
    for (std::uint64_t i = 0; i < count; ++i) {
      vectors_[i] = item.zeroes
                        ? nullptr
                        : local_.vector_or_zero(item.local.address + (done + i) * item.local.step);
    }
    const std::uint64_t first = item.accumulator.address + done * item.accumulator.step;
    const bool in_place =
        !item.accumulate && item.accumulator.step == 1 && first + count <= sums_.depth();
    std::uint8_t* const results = in_place ? sums_.vector(first) : results_.data();
    array_.multiply_now(vectors_.data(), results, count);
    if (in_place) continue;
    if (item.accumulator.step == 1 && first + count <= sums_.depth()) {
      std::uint8_t* const sums = sums_.vector(first);
      kernels_.add(results, sums, sums, count * lanes_);
      continue;
    }
    for (std::uint64_t i = 0; i < count; ++i) vectors_[i] = results + i * vector_bytes_;
    write_accumulators(item.accumulator, done, count, vectors_.data(), item.accumulate);
  }
}

void TcuData::write_accumulators(const Walk& walk, std::uint64_t first, std::uint64_t count,
                                 const VectorRef* vectors, bool accumulate) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t address = walk.address + (first + i) * walk.step;
    if (address >= sums_.depth()) continue;
    std::uint8_t* const sum = sums_.vector(address);
    if (accumulate) {
      kernels_.add(vectors[i], sum, sum, lanes_);
    } else {
      copy_block(sum, vectors[i], vector_bytes_);
    }
  }
}

/// The last vector is loaded first.
void TcuData::load_weights(const ProgramItem& item) {
  for (std::uint64_t i = item.size + 1; i-- > 0;) {
    array_.take_weights(
        item.zeroes ? nullptr : local_.vector_or_zero(item.local.address + i * item.local.step));
  }
}

std::uint32_t TcuData::dram_address(const ProgramItem& item, std::uint64_t i) const {
  const std::uint64_t vector = item.dram.address + i * item.dram.step;
  return static_cast<std::uint32_t>(vector * vector_bytes_ + registers_.dram_offset[item.port]);
}

void TcuData::from_dram(const ProgramItem& item) {
  AxiTarget& dram = *dram_[item.port];
  const std::uint64_t all = item.size + 1;
  const bool in_place =
      copies_ && item.local.step == 1 && item.local.address + all <= local_.depth();
  if (in_place && !item.strided) {
    dram.read_now(dram_address(item, 0), local_.vector(item.local.address), all * vector_bytes_);
    return;
  }
  for (std::uint64_t done = 0; done < all; done += batch) {
    const std::uint64_t count = std::min(batch, all - done);
    if (!item.strided) {
      dram.read_now(dram_address(item, done), results_.data(), count * vector_bytes_);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint8_t* const bytes = results_.data() + i * vector_bytes_;
      if (item.strided) dram.read_now(dram_address(item, done + i), bytes, vector_bytes_);
      kernels_.from_bytes(
          bytes, writable(local_, item.local.address + (done + i) * item.local.step), lanes_);
    }
  }
}

void TcuData::to_dram(const ProgramItem& item) {
  AxiTarget& dram = *dram_[item.port];
  const std::uint64_t all = item.size + 1;
  for (std::uint64_t done = 0; done < all; done += batch) {
    const std::uint64_t count = std::min(batch, all - done);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint8_t* const bytes = results_.data() + i * vector_bytes_;
      kernels_.to_bytes(local_.vector_or_zero(item.local.address + (done + i) * item.local.step),
                        bytes, lanes_);
      if (item.strided) dram.write_now(dram_address(item, done + i), bytes, vector_bytes_);
    }
    if (!item.strided) {
      dram.write_now(dram_address(item, done), results_.data(), count * vector_bytes_);
    }
  }
}

void TcuData::simd(const ProgramItem& item) {
  AluArray& alu = accumulators_.alu();
  const VectorRef input = item.read ? sums_.vector_or_zero(item.read_address) : alu.no_input();
  alu.execute(item.alu, input, results_.data());
  if (!item.write) return;
  const VectorRef result = results_.data();
  write_accumulators(item.accumulator, 0, 1, &result, item.accumulate);
}

}  // namespace tactus
