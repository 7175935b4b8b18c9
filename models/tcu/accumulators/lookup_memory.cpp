#include "models/tcu/accumulators/lookup_memory.h"

#include <string>

#include "models/tcu/events.h"

namespace tactus {

LookupMemory::LookupMemory(const sc_core::sc_module_name& name, Clock& clock,
                           const tcu::Architecture& architecture)
    : sc_module(name),
      clock_(clock),
      type_(architecture.data_type),
      form_(architecture.lookup_tables),
      lanes_(architecture.array_size),
      vector_bytes_(architecture.vector_bytes()),
      entries_(std::size_t{form_.count} * form_.depth),
      account_("tables", clock, state_table, rest) {}

void LookupMemory::write(unsigned table, std::uint64_t index, VectorRef entries) {
  if (clock_.events != nullptr) {
    clock_.events->event({TcuEvent::lookup_entries, 0, table, index, 0, nullptr});
  }
  for (std::size_t i = 0; i < lanes_; ++i) {
    const std::uint64_t entry = index * lanes_ + i;
    if (entry >= form_.depth) return;
    entries_[std::size_t{table} * form_.depth + entry] = tcu::lane(type_, entries, i);
  }
}

void LookupMemory::find(VectorRef arguments, std::uint8_t* difference, std::uint8_t* values) {
  for (std::size_t i = 0; i < lanes_; ++i) {
    const tcu::LookupKey key = lookup_key(type_, form_, tcu::lane(type_, arguments, i));
    for (std::size_t table = 0; table < form_.count; ++table) {
      set_lane(type_, values + table * vector_bytes_, i, entries_[table * form_.depth + key.entry]);
    }
    set_lane(type_, difference, i, key.difference);
  }
}

void LookupMemory::describe(const trace::Scope& scope) const {
  scope.family(
      "entries", entries_.size(), scope.widths().lane_bits,
      [this](std::uint64_t i) {
        return "t" + std::to_string(i / form_.depth) + "_" + std::to_string(i % form_.depth);
      },
      [this](std::uint64_t i, std::uint64_t* words) {
        const unsigned bits = tcu::info(type_).width_bits;
        *words = static_cast<std::uint64_t>(entries_[i]) & ((std::uint64_t{1} << bits) - 1);
      });
}

}  // namespace tactus
