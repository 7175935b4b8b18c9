#include "firmware/compiler/targets/tcu/memory/memory_manager.h"

#include <algorithm>

#include "firmware/compiler/targets/tcu/memory/constants.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

constexpr std::uint32_t most_refs = 1U << Address::ref_bits;
constexpr std::uint64_t most_raws = std::uint64_t{1} << Address::raw_bits;

std::string_view name_of(Tag tag) {
  switch (tag) {
    case Tag::local:
      return "local memory";
    case Tag::dram0:
      return "DRAM0";
    case Tag::dram1:
      return "DRAM1";
    default:
      return "virtual memory";
  }
}

/// A constant's name as the model has it, without what the compiler made of the tensor.
std::string shown(const std::string& name) {
  return quote(name.substr(0, std::min(name.find(" as "), name.find(" broadcast to "))));
}

}  // namespace

MemoryManager::MemoryManager(const tcu::Architecture& architecture, const MemoryOptions& options)
    : architecture_(architecture),
      options_(options),
      dram0_(Tag::dram0, std::min(architecture.dram0_depth, most_raws)),
      dram1_(Tag::dram1, std::min(architecture.dram1_depth, most_raws)),
      local_(Tag::local, std::min(architecture.local_depth, most_raws)),
      temp_(Tag::temp, most_raws),
      discarded_(Tag::temp, most_raws) {}

// ---- making objects ----------------------------------------------------------------------------

const Object& MemoryManager::allocate_input(const std::string& name, const Dims& dims,
                                            std::uint64_t count, const Consumers& consumers) {
  const Object& object = add(name, dims, allocate(Tag::dram0, name, count), consumers).object;
  if (!constants_only_) {
    for (tcu::TensorEntry& piece : pieces(name, object.addresses)) {
      inputs_.push_back(std::move(piece));
    }
  }
  return object;
}

const Object& MemoryManager::allocate_variable(const std::string& name, const Dims& dims,
                                               std::uint64_t count, const Consumers& consumers) {
  const Tag tag = variables_are_local(options_.strategy) ? Tag::local : Tag::dram0;
  return add(name, dims, allocate(tag, name, count), consumers).object;
}

const Object& MemoryManager::blend(const std::string& name, const Dims& dims,
                                   const Addresses& addresses,
                                   const std::vector<std::string>& blended,
                                   const Consumers& consumers) {
  std::uint32_t set = 0;
  for (const std::string& member : blended) {
    const auto found = objects_.find(member);
    if (found == objects_.end()) internal_error("blend: no object {}", quote(member));
    Entry& entry = *found->second;
    if (entry.blend == 0) entry.blend = new_blend();
    set = set == 0 ? blend_of(entry.blend) : join_blends(set, entry.blend);
  }
  if (set == 0) set = new_blend(0);
  for (const Address address : addresses) ++holders_.try_emplace(address, 1).first->second;
  Entry& entry = add(name, dims, addresses, consumers);
  entry.blend = set;
  ++blends_[set].members;
  return entry.object;
}

const Object& MemoryManager::constant(const std::string& name, const Dims& dims,
                                      std::uint64_t count, const VectorMaker& make,
                                      const ConstantSource& source) {
  if (const Object* known = find(name)) {
    if (known->addresses.size() != count) {
      internal_error("constant {} has {} vectors, now {} are asked for", quote(name),
                     known->addresses.size(), count);
    }
    return *known;
  }
  const bool is_local = constants_are_local(options_.strategy);
  if (is_local && !constants_only_) {
    internal_error("constant {} was not there in the pass that places constants", quote(name));
  }
  // The constants are stored in DRAM1, from where they are copied to local memory.
  if (is_local && constants_count_ + count > architecture_.dram1_depth) {
    throw OutOfConstants(fmt::format(
        "out of DRAM1 for constant {}: {} vectors needed, {} of {} are free", shown(name), count,
        architecture_.dram1_depth - constants_count_, architecture_.dram1_depth));
  }
  const Tag tag = is_local ? Tag::local : Tag::dram1;
  const std::uint32_t ref = next_ref();
  Addresses addresses = take(is_local ? local_ : dram1_, tag, ref, name, count);
  std::vector<float> values = make();
  if (values.size() != count * architecture_.array_size) {
    internal_error("constant {}: {} values for {} vectors of {}", quote(name), values.size(), count,
                   architecture_.array_size);
  }
  const std::string& source_name = source.name.empty() ? name : source.name;
  if (options_.keep_values) {
    kept_[ref] = {addresses.empty() ? 0 : addresses.front().raw(), std::move(values), source_name};
  } else {
    ConstantLoss loss;
    for (const float value : values) {
      loss.add(architecture_.data_type, static_cast<double>(value));
    }
    const std::uint64_t copies = source.values == 0 ? 1 : loss.values / source.values;
    if (copies > 1 && copies * source.values == loss.values) loss.divide(copies);
    losses_[source_name].add(loss);
    encode_constants(architecture_.data_type, values, constants_);
  }
  constants_count_ += count;
  Entry& entry = add(name, dims, std::move(addresses), {});
  entry.keep = entry.constant = true;
  constant_refs_.resize(refs_);
  constant_refs_[ref] = true;
  return entry.object;
}

const float* MemoryManager::constant_values(Address address) const {
  const auto kept = address.is(Tag::dram1) ? kept_.find(address.ref()) : kept_.end();
  if (kept == kept_.end()) return nullptr;
  return kept->second.values.data() +
         (address.raw() - kept->second.first) * architecture_.array_size;
}

Addresses MemoryManager::allocate_temp(std::uint64_t count) {
  if (temp_refs_ == most_refs) internal_error("more than {} temps in a layer", most_refs);
  return take(temp_, Tag::temp, temp_refs_++, "a temp", count);
}

Addresses MemoryManager::allocate_host_copy(const std::string& name, std::uint64_t count) {
  return allocate(Tag::dram0, name, count);
}

MemoryManager::Entry& MemoryManager::add(const std::string& name, const Dims& dims,
                                         Addresses addresses, const Consumers& consumers) {
  const auto [place, is_new] = objects_.try_emplace(name);
  if (!is_new) internal_error("object {} exists already", quote(name));
  place->second = std::make_unique<Entry>();
  Entry& entry = *place->second;
  entry.object = {name, dims, std::move(addresses)};
  entry.consumers = consumers.nodes;
  entry.keep = consumers.output;
  entry.sequence = sequence_++;
  return entry;
}

Addresses MemoryManager::allocate(Tag tag, const std::string& name, std::uint64_t count) {
  // In a pass for constants only, no code is made, so any address that needs no memory will do.
  if (constants_only_) return take(discarded_, Tag::temp, 0, name, count);
  return take(tag == Tag::local ? local_ : dram0_, tag, next_ref(), name, count);
}

template <typename Space>
Addresses MemoryManager::take(Space& space, Tag tag, std::uint32_t ref, const std::string& name,
                              std::uint64_t count) {
  std::optional<Addresses> addresses = space.allocate(ref, count);
  if (!addresses) {
    const std::string what =
        fmt::format("out of {} for {}: {} vectors needed, {} of {} are free", name_of(tag),
                    shown(name), count, space.depth() - space.used(), space.depth());
    if (tag == Tag::dram1) throw OutOfConstants(what);
    throw UserError(what);
  }
  return std::move(*addresses);
}

std::uint32_t MemoryManager::next_ref() {
  if (refs_ == most_refs) user_error("the model needs more than {} memory objects", most_refs);
  return refs_++;
}

// ---- life --------------------------------------------------------------------------------------

const Object* MemoryManager::find(const std::string& name) const {
  const auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : &found->second->object;
}

const Object& MemoryManager::get(const std::string& name) const {
  const Object* object = find(name);
  if (object == nullptr) internal_error("no memory object {}", quote(name));
  return *object;
}

const Object& MemoryManager::consume(const std::string& name, const std::string& consumer) {
  const auto found = objects_.find(name);
  if (found == objects_.end()) internal_error("no memory object {}", quote(name));
  std::vector<std::string>& consumers = found->second->consumers;
  const auto place = std::find(consumers.begin(), consumers.end(), consumer);
  if (place == consumers.end()) {
    internal_error("{} is not a consumer of {}", quote(consumer), quote(name));
  }
  consumers.erase(place);
  return found->second->object;
}

void MemoryManager::end_layer() {
  std::vector<const Entry*> dead;
  for (const auto& [name, entry] : objects_) {
    if (!entry->keep && entry->consumers.empty()) dead.push_back(entry.get());
  }
  // The order in which blended objects are freed decides which vectors the reference frees.
  std::sort(dead.begin(), dead.end(),
            [](const Entry* a, const Entry* b) { return a->sequence < b->sequence; });
  for (const Entry* entry : dead) {
    release(*entry);
    objects_.erase(std::string(entry->object.name));
  }
  temp_.clear();
  temp_refs_ = 0;
}

void MemoryManager::release(const Entry& entry) {
  Addresses freed;
  for (const Address address : entry.object.addresses) {
    const auto holders = holders_.find(address);
    if (holders != holders_.end()) {
      if (--holders->second > 0) continue;
      holders_.erase(holders);
    }
    freed.push_back(address);
  }
  if (options_.compat && entry.blend != 0) {
    if (--blends_[blend_of(entry.blend)].members > 0) return;
    freed = entry.object.addresses;
    std::sort(freed.begin(), freed.end());
    freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
  }
  give_back(freed);
}

void MemoryManager::give_back(const Addresses& addresses) {
  Addresses dram0, local;
  for (const Address address : addresses) {
    if (address.is(Tag::temp)) continue;
    if (address.ref() < constant_refs_.size() && constant_refs_[address.ref()]) continue;
    (address.is(Tag::local) ? local : dram0).push_back(address);
  }
  dram0_.free(dram0);
  local_.free(local);
}

void MemoryManager::begin_pass(bool constants_only) {
  constants_only_ = constants_only;
  for (auto entry = objects_.begin(); entry != objects_.end();) {
    entry->second->blend = 0;
    entry = entry->second->constant ? std::next(entry) : objects_.erase(entry);
  }
  holders_.clear();
  blends_.assign(1, {});
  temp_.clear();
  temp_refs_ = 0;
  discarded_.clear();
}

// ---- blended sets ------------------------------------------------------------------------------

std::uint32_t MemoryManager::new_blend(std::uint32_t members) {
  const auto set = static_cast<std::uint32_t>(blends_.size());
  blends_.push_back({set, members});
  return set;
}

std::uint32_t MemoryManager::blend_of(std::uint32_t set) const {
  while (blends_[set].parent != set) set = blends_[set].parent;
  return set;
}

std::uint32_t MemoryManager::join_blends(std::uint32_t a, std::uint32_t b) {
  a = blend_of(a);
  b = blend_of(b);
  if (a == b) return a;
  blends_[b].parent = a;
  blends_[a].members += blends_[b].members;
  return a;
}

// ---- results -----------------------------------------------------------------------------------

std::vector<tcu::TensorEntry> MemoryManager::inputs() const {
  std::vector<tcu::TensorEntry> out = inputs_;
  std::stable_sort(
      out.begin(), out.end(),
      [](const tcu::TensorEntry& a, const tcu::TensorEntry& b) { return a.base < b.base; });
  return out;
}

std::vector<tcu::TensorEntry> MemoryManager::pieces(const std::string& name,
                                                    const Addresses& addresses) {
  std::vector<tcu::TensorEntry> out;
  for (const Address address : addresses) {
    if (out.empty() || out.back().base + out.back().size != address.raw()) {
      out.push_back({name, address.raw(), 0});
    }
    ++out.back().size;
  }
  return out;
}

}  // namespace tactus::compiler
