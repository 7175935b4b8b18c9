#include "isa/darwinn/linker.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "isa/darwinn/refusal.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

using LayerIndex = std::unordered_map<std::string_view, std::size_t>;

LayerIndex index_of(const std::vector<Layer>& layers) {
  LayerIndex index;
  for (std::size_t i = 0; i < layers.size(); ++i) index.emplace(*layers[i].name, i);
  return index;
}

std::optional<std::uint64_t> address_of(const Executable& executable, const LayerIndex& inputs,
                                        const LayerIndex& outputs, const Meta& meta,
                                        const Addresses& addresses) {
  if (meta.desc == parameter) return addresses.parameters;
  if (meta.desc == scratch) return addresses.scratch;
  const bool in = meta.desc == input;
  const std::size_t index = (in ? inputs : outputs).at(*meta.name);
  const auto& all = in ? addresses.inputs : addresses.outputs;
  const auto batch = static_cast<std::size_t>(meta.batch);
  if (index < all.size() && batch < all[index].size()) return all[index][batch];
  throw PackageError(
      Code::io_size,
      fmt::format("{}: {}: batch element {} of {} {} has no buffer", type_name(executable.type),
                  name(Code::io_size), meta.batch, in ? "input" : "output", quote(*meta.name)));
}

}  // namespace

void write_bits(std::uint8_t* buffer, std::int64_t offset, std::uint32_t value) {
  std::uint8_t* const first = buffer + offset / 8;
  const auto shift = static_cast<unsigned>(offset % 8);
  const std::uint64_t mask = std::uint64_t{0xFFFFFFFF} << shift;
  const std::uint64_t bits = std::uint64_t{value} << shift;
  const unsigned bytes = shift == 0 ? 4 : 5;
  for (unsigned i = 0; i < bytes; ++i) {
    const auto keep = static_cast<std::uint8_t>(~(mask >> (8 * i)));
    first[i] = static_cast<std::uint8_t>((first[i] & keep) | (bits >> (8 * i)));
  }
}

std::vector<std::uint8_t> link(const Executable& executable, std::size_t chunk,
                               const Addresses& addresses) {
  const Chunk& from = executable.chunks.at(chunk);
  std::vector<std::uint8_t> code(from.code.begin(), from.code.end());
  const LayerIndex inputs = index_of(executable.inputs), outputs = index_of(executable.outputs);
  for (const Field& field : from.fields) {
    const auto address = address_of(executable, inputs, outputs, *field.meta, addresses);
    if (!address) continue;
    const bool upper = field.meta->position == upper_32bit;
    write_bits(code.data(), field.offset_bit,
               static_cast<std::uint32_t>(upper ? *address >> 32 : *address));
  }
  return code;
}

BuddyAllocator::BuddyAllocator(std::uint64_t start, std::uint64_t bytes) : start_(start) {
  std::size_t order = 0;
  while (page << order < bytes) ++order;
  if (bytes == 0 || page << order != bytes) {
    internal_error("a buddy allocator of {} bytes", bytes);
  }
  free_.resize(order + 1);
  free_[order].insert(0);
}

std::uint64_t BuddyAllocator::allocate(std::uint64_t bytes) {
  if (bytes == 0) user_error("0 bytes cannot be given an address");
  std::size_t order = 0;
  while (order < free_.size() && page << order < bytes) ++order;
  std::size_t found = order;
  while (found < free_.size() && free_[found].empty()) ++found;
  if (found >= free_.size()) {
    user_error("the device's address space has no free block of {} bytes: {} of {} are taken",
               bytes, used_, page << (free_.size() - 1));
  }
  const std::uint64_t offset = *free_[found].begin();
  free_[found].erase(free_[found].begin());
  while (found > order) {
    --found;
    free_[found].insert(offset + (page << found));
  }
  taken_[offset] = order;
  used_ += page << order;
  return start_ + offset;
}

void BuddyAllocator::release(std::uint64_t address) {
  const auto taken = taken_.find(address - start_);
  if (taken == taken_.end()) internal_error("{:#x} was not allocated", address);
  std::uint64_t offset = taken->first;
  std::size_t order = taken->second;
  taken_.erase(taken);
  used_ -= page << order;
  while (order + 1 < free_.size() && free_[order].erase(offset ^ (page << order)) != 0) {
    offset &= ~(page << order);
    ++order;
  }
  free_[order].insert(offset);
}

Addresses allocate(const Executable& executable, BuddyAllocator& allocator, std::uint64_t granule) {
  const auto place = [&](std::uint64_t bytes) {
    return allocator.allocate(std::max(bytes, granule));
  };
  Addresses addresses;
  if (!executable.parameters.empty()) {
    addresses.parameters = place(executable.parameters.size());
  }
  const auto layers = [&](const std::vector<Layer>& all) {
    std::vector<std::vector<std::uint64_t>> result;
    for (const Layer& layer : all) {
      // The batch elements of a layer are consecutive in one block.
      const auto bytes = static_cast<std::uint64_t>(layer.padded_bytes());
      const auto batch = static_cast<std::uint64_t>(executable.batch_size);
      const std::uint64_t start = place(bytes * batch);
      result.emplace_back();
      for (std::uint64_t i = 0; i < batch; ++i) result.back().push_back(start + i * bytes);
    }
    return result;
  };
  addresses.inputs = layers(executable.inputs);
  addresses.outputs = layers(executable.outputs);
  if (executable.scratch_bytes > 0) {
    addresses.scratch = place(static_cast<std::uint64_t>(executable.scratch_bytes));
  }
  return addresses;
}

}  // namespace tactus::darwinn
