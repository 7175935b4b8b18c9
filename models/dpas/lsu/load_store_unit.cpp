#include "models/dpas/lsu/load_store_unit.h"

#include <algorithm>
#include <cstring>

#include "isa/dpas/alu.h"
#include "isa/dpas/block2d.h"
#include "isa/support/error.h"
#include "models/dpas/events.h"
#include "models/dpas/signals.h"

namespace tactus::dpas {
namespace {

constexpr std::uint64_t address_end = std::uint64_t{1} << 32;

}  // namespace

LoadStoreUnit::LoadStoreUnit(const sc_core::sc_module_name& name, Clock& clock,
                             const MachineParameters& parameters, RegisterFile& registers,
                             Link<Issued>& issued)
    : sc_module(name),
      clock_(clock),
      grf_bytes_(parameters.profile.grf_bytes),
      send_latency_(parameters.profile.send_latency),
      registers_(registers),
      issued_(issued),
      queue_(std::min(parameters.messages, most_messages)),
      account_("lsu", clock, MemoryPort::state_table, MemoryPort::rest) {}

void LoadStoreUnit::attach(MemoryPort& port) {
  port_ = &port;
  port_->on_done = [this](Message& message) { done(message); };
}

void LoadStoreUnit::drive() {
  issued_.ready = takes();
  port_->drive();
}

void LoadStoreUnit::commit() {
  port_->commit();
  if (issued_.fires()) accept(issued_.bits);
  account_.enter(port_->state());
}

/// Throws UserError unless all bytes are in one buffer.
void LoadStoreUnit::check(const Message& message, std::uint64_t address, std::uint64_t bytes) {
  if (bytes <= address_end && address <= address_end - bytes &&
      memory_map_.contains(address, bytes)) {
    return;
  }
  user_error("{}: {} of bytes 0x{:x}..0x{:x}, outside of what is bound: {}",
             message.issued.kernel->place(*message.issued.operation),
             message.load ? "a load" : "a store", address, address + bytes - 1, memory_map_.text());
}

/// Appends rows. A row that continues the last one is joined to it.
void LoadStoreUnit::add_rows(Message& message, Rows rows) {
  message.bytes += std::uint64_t{rows.bytes} * rows.count;
  if (rows.pitch == rows.bytes && rows.step == rows.bytes) {
    rows.bytes *= rows.count;
    rows.count = 1;
  }
  if (!message.rows.empty() && rows.count == 1) {
    Rows& last = message.rows.back();
    if (last.count == 1 && last.address + last.bytes == rows.address &&
        last.offset + last.bytes == rows.offset) {
      last.bytes += rows.bytes;
      return;
    }
  }
  message.rows.push_back(rows);
}

void LoadStoreUnit::block_rows(Message& message, const Instruction& instruction,
                               const std::uint8_t* registers) {
  const Block2d& block = instruction.lsc.block;
  const auto value = [&](unsigned i) { return scalar_value(instruction.source[i], registers); };
  // Sizes are 32 bits and given minus one; the address has 64 bits.
  const auto base = static_cast<std::uint64_t>(value(0));
  const auto extent = [&](unsigned i) {
    return (static_cast<std::uint64_t>(value(i)) & 0xFFFFFFFFU) + 1;
  };
  const std::uint64_t width = extent(1), height = extent(2), pitch = extent(3);
  const std::int64_t x = static_cast<std::int32_t>(value(4));
  const std::int64_t y = static_cast<std::int32_t>(value(5));
  if (pitch < width) {
    user_error("{}: pitch of {} bytes; allowed: {}, the surface's width, or more",
               message.issued.kernel->place(*message.issued.operation), pitch, width);
  }
  const std::size_t row_size = row_bytes(block);
  const std::size_t size = row_size * block.height * block.blocks;
  message.data.resize(size);
  const std::int64_t first_line = std::max<std::int64_t>(y, 0);
  const std::int64_t end_line =
      std::min<std::int64_t>(y + block.height, static_cast<std::int64_t>(height));
  for (unsigned b = 0; b < block.blocks && first_line < end_line; ++b) {
    const std::int64_t from = (x + std::int64_t{b} * block.width) * block.element_bytes;
    const std::int64_t first = std::max<std::int64_t>(from, 0);
    const std::int64_t end = std::min<std::int64_t>(from + static_cast<std::int64_t>(row_size),
                                                    static_cast<std::int64_t>(width));
    if (first >= end) continue;
    const auto bytes = static_cast<std::uint64_t>(end - first);
    const std::uint64_t address =
        base + static_cast<std::uint64_t>(first_line) * pitch + static_cast<std::uint64_t>(first);
    const auto lines = static_cast<std::uint64_t>(end_line - first_line);
    // If the span from the first to the last row is in one buffer, single rows need no check.
    const std::uint64_t span = (lines - 1) * pitch + bytes;
    const bool inside = address <= address_end && span <= address_end - address &&
                        memory_map_.contains(address, span);
    for (std::uint64_t line = 0; line < lines && !inside; ++line) {
      check(message, address + line * pitch, bytes);
    }
    const std::size_t offset =
        (std::size_t{b} * block.height + static_cast<std::size_t>(first_line - y)) * row_size +
        static_cast<std::size_t>(first - from);
    add_rows(message, {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes),
                       static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(lines),
                       static_cast<std::uint32_t>(pitch), static_cast<std::uint32_t>(row_size)});
  }
  if (!message.load || message.bytes == size) return;
  // Bytes outside the surface are zero.
  std::fill(message.data.begin(), message.data.end(), std::uint8_t{0});
}

void LoadStoreUnit::element_rows(Message& message, const Instruction& instruction,
                                 const std::uint8_t* registers) {
  const LscMessage& lsc = instruction.lsc;
  const std::size_t bytes = std::size_t{lsc.element_bytes()} * lsc.vector_size;
  const unsigned channels = lsc.transposed ? 1 : instruction.execution_size;
  const unsigned address_bytes = 1U << static_cast<unsigned>(lsc.address_size);
  message.data.assign(bytes * channels, 0);
  for (unsigned n = 0; n < channels; ++n) {
    if ((message.issued.channels >> n & 1U) == 0) continue;
    std::uint64_t address = 0;
    const Operand& addresses = instruction.source[0];
    if (addresses.in_registers()) {
      std::memcpy(&address, registers + addresses.address + std::size_t{n} * address_bytes,
                  address_bytes);
    } else {
      address = addresses.immediate;
    }
    address =
        address * lsc.address_scale + static_cast<std::uint64_t>(std::int64_t{lsc.address_offset});
    check(message, address, bytes);
    add_rows(message, {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes),
                       static_cast<std::uint32_t>(n * bytes)});
  }
}

void LoadStoreUnit::accept(const Issued& issued) {
  const Cycle now = clock_.now;
  const Operation& operation = *issued.operation;
  const Instruction& instruction = issued.kernel->instruction(operation);
  std::uint8_t* const registers = registers_.bytes(issued.thread);
  Message& message = queue_.take();
  message.issued = issued;
  message.load = instruction.lsc.is_load();
  if (instruction.lsc.is_block2d()) {
    block_rows(message, instruction, registers);
  } else {
    element_rows(message, instruction, registers);
  }
  // The last source of a store is its data.
  const unsigned data_registers =
      message.load ? 0 : unsigned{operation.source[operation.sources - 1].count};
  message.ready_at = now + send_latency_ + data_registers;
  for (unsigned i = 0; i < operation.sources; ++i) {
    registers_.reads(issued.thread, operation.source[i], message.ready_at, Hazard::send_sources);
    registers_.stats().reads += operation.source[i].count;
  }
  if (message.load) {
    registers_.writes(issued.thread, operation.dst, never, Hazard::load);
    ++stats_.loads;
    stats_.bytes_loaded += message.bytes;
  } else {
    take_data(message, instruction, registers);
    ++stats_.stores;
    stats_.bytes_stored += message.bytes;
  }
  ++clock_.progress;
  queue_.push(message);
}

/// Copies the data of a store from its registers.
void LoadStoreUnit::take_data(Message& message, const Instruction& instruction,
                              const std::uint8_t* registers) const {
  const LscMessage& lsc = instruction.lsc;
  const std::uint8_t* from = registers + instruction.source[lsc.is_block2d() ? 6 : 1].address;
  if (lsc.is_block2d()) {
    const std::size_t block_size = row_bytes(lsc.block) * lsc.block.height;
    for (unsigned b = 0; b < lsc.block.blocks; ++b) {
      take_block(lsc.block, grf_bytes_, b, from, message.data.data() + b * block_size);
    }
    return;
  }
  each_element(message, instruction,
               [&](std::size_t in_data, std::size_t in_registers, std::size_t bytes) {
                 std::memcpy(message.data.data() + in_data, from + in_registers, bytes);
               });
}

/// Copies the data of a load to its registers.
void LoadStoreUnit::place_data(const Message& message, const Instruction& instruction,
                               std::uint8_t* registers) const {
  const LscMessage& lsc = instruction.lsc;
  std::uint8_t* const to = registers + instruction.dst.address;
  if (lsc.is_block2d()) {
    const std::size_t block_size = row_bytes(lsc.block) * lsc.block.height;
    const std::size_t size = register_bytes(lsc.block, grf_bytes_);
    if (size > block_size * lsc.block.blocks) std::memset(to, 0, size);  // clears the padding
    for (unsigned b = 0; b < lsc.block.blocks; ++b) {
      place_block(lsc.block, grf_bytes_, b, message.data.data() + b * block_size, to);
    }
    return;
  }
  each_element(message, instruction,
               [&](std::size_t in_data, std::size_t in_registers, std::size_t bytes) {
                 std::memcpy(to + in_registers, message.data.data() + in_data, bytes);
               });
}

/// Calls move(offset in data, offset in registers, bytes) for every element of a load or store. In
/// memory the elements of a channel are consecutive. In registers, element j of all channels is
/// consecutive and starts at a register.
template <typename Move>
void LoadStoreUnit::each_element(const Message& message, const Instruction& instruction,
                                 Move&& move) const {
  const std::size_t bytes = instruction.lsc.element_bytes();
  const std::size_t vector = instruction.lsc.vector_size;
  if (instruction.lsc.transposed) return move(0, 0, bytes * vector);
  const std::size_t channels = instruction.execution_size;
  const std::size_t span = (channels * bytes + grf_bytes_ - 1) / grf_bytes_ * grf_bytes_;
  for (std::size_t n = 0; n < channels; ++n) {
    if ((message.issued.channels >> n & 1U) == 0) continue;
    for (std::size_t j = 0; j < vector; ++j) {
      move((n * vector + j) * bytes, j * span + n * bytes, bytes);
    }
  }
}

void LoadStoreUnit::done(Message& message) {
  const Issued issued = message.issued;
  const Operation& operation = *issued.operation;
  if (message.load) {
    place_data(message, issued.kernel->instruction(operation), registers_.bytes(issued.thread));
    registers_.writes(issued.thread, operation.dst, clock_.now + 1, Hazard::load);
    registers_.stats().writes += operation.dst.count;
  }
  if (clock_.events != nullptr) {
    clock_.events->event({DpasEvent::message, issued.thread, operation.index});
  }
  queue_.give_back(message);
  on_done(issued);
}

void LoadStoreUnit::describe(const trace::Scope& scope) const {
  scope.channel("issued", issued_);
  scope.level("messages", queue_.capacity(), [this] { return queue_.in_use(); });
  port_->describe(scope.unit("memory"));
}

}  // namespace tactus::dpas
