#include "firmware/compiler/stripe/passes/alias.h"

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

/// Combines locations of nested views: units of the same devices are added. An inner view at other
/// devices keeps its own location.
Location add_units(const Location& outer, const Location& inner) {
  if (outer.devices.size() != inner.devices.size()) return inner;
  Location sum = outer;
  for (std::size_t i = 0; i < sum.devices.size(); ++i) {
    Device& device = sum.devices[i];
    const Device& added = inner.devices[i];
    if (device.name != added.name || device.units.size() != added.units.size()) return inner;
    for (std::size_t k = 0; k < device.units.size(); ++k) device.units[k] += added.units[k];
  }
  return sum;
}

}  // namespace

bool overlap(const std::vector<Extent>& a, const std::vector<Extent>& b) {
  if (a.size() != b.size()) internal_error("extents of {} and {} dimensions", a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b[i].min > a[i].max || a[i].min > b[i].max) return false;
  }
  return true;
}

AliasType compare(const AliasInfo& a, const AliasInfo& b) {
  if (a.base_name != b.base_name || a.location != b.location) return AliasType::none;
  if (a.access == b.access && a.shape.dims == b.shape.dims) return AliasType::exact;
  if (a.access.size() != b.access.size()) return AliasType::partial;
  // Terms that both have move both boxes alike. What is left decides only if it is constant.
  std::vector<Extent> box_a, box_b;
  for (std::size_t i = 0; i < a.access.size(); ++i) {
    const Affine difference = a.access[i] - b.access[i];
    if (!difference.is_constant()) return AliasType::partial;
    const auto last = [&](const AliasInfo& info) {
      return static_cast<std::int64_t>(info.shape.dims[i].size) - 1;
    };
    box_a.push_back({difference.constant(), difference.constant() + last(a)});
    box_b.push_back({0, last(b)});
  }
  return overlap(box_a, box_b) ? AliasType::partial : AliasType::none;
}

AliasMap::AliasMap(const AliasMap& outer, Block& block)
    : outer_(&outer), depth_(outer.depth_ + 1), ranges_(outer.ranges_) {
  const std::string prefix = "d" + std::to_string(depth_) + ":";
  for (const Index& idx : block.indexes) {
    if (idx.is_computed()) {
      sources_[idx.name] = idx.affine.substitute(outer.sources_);
    } else {
      ranges_[prefix + idx.name] = idx.range;
      sources_[idx.name] = Affine(prefix + idx.name);
    }
  }
  for (auto& [into, ref] : block.refs) {
    AliasInfo& info = info_[into];
    const auto source = outer.info_.find(ref.from);
    if (ref.direction != Direction::none && source != outer.info_.end()) {
      info.base_block = source->second.base_block;
      info.base = source->second.base;
      info.base_name = source->second.base_name;
      info.access = source->second.access;
      info.location = add_units(source->second.location, ref.location);
    } else {
      info.base_block = &block;
      info.base = &ref;
      info.base_name = prefix + into;
      info.access.resize(ref.access.size());
      info.location = ref.location;
    }
    info.shape = ref.shape;
    info.extents.resize(ref.access.size());
    info.access.resize(ref.access.size());
    for (std::size_t i = 0; i < ref.access.size(); ++i) {
      // Computed indexes are replaced by their definitions.
      info.access[i] += ref.access[i].substitute(sources_);
      Extent& extent = info.extents[i];
      extent = {info.access[i].constant(), info.access[i].constant()};
      for (const Affine::Term& term : info.access[i].terms()) {
        const std::int64_t far =
            multiply_checked(term.second, static_cast<std::int64_t>(ranges_.at(term.first)) - 1);
        std::int64_t& end = term.second > 0 ? extent.max : extent.min;
        end = add_checked(end, far);
      }
      extent.max = add_checked(extent.max, static_cast<std::int64_t>(ref.shape.dims[i].size) - 1);
    }
  }
}

const AliasInfo& AliasMap::at(const std::string& into) const {
  const auto it = info_.find(into);
  if (it == info_.end()) internal_error("no view {}", quote(into));
  return it->second;
}

Extent AliasMap::bounds(const Affine& affine) const {
  const Affine full = affine.substitute(sources_);
  Extent extent{full.constant(), full.constant()};
  for (const Affine::Term& term : full.terms()) {
    const auto range = ranges_.find(term.first);
    if (range == ranges_.end()) internal_error("no index {}", quote(term.first));
    const std::int64_t far =
        multiply_checked(term.second, static_cast<std::int64_t>(range->second) - 1);
    std::int64_t& end = term.second > 0 ? extent.max : extent.min;
    end = add_checked(end, far);
  }
  return extent;
}

Affine AliasMap::translate(const Affine& affine) const {
  Affine rest(affine.constant());
  for (const Affine::Term& term : affine.terms()) {
    const auto range = ranges_.find(term.first);
    if (range == ranges_.end() || range->second != 1) rest += Affine(term.first, term.second);
  }
  Affine result;
  for (const auto& [name, source] : sources_) {
    std::int64_t factor = 0;
    for (const Affine::Term& term : source.terms()) {
      const std::int64_t wanted = rest.coefficient(term.first);
      if (wanted != 0) {
        factor = wanted / term.second;
        break;
      }
    }
    if (factor == 0) continue;
    result += Affine(name, factor);
    rest -= source * factor;
  }
  if (!rest.is_constant()) {
    user_error("{} cannot be told by the indexes of the block", affine.text());
  }
  return result + rest;
}

void AliasMap::add_bounds(Block& inner, const AliasInfo& info, std::size_t dim,
                          const std::string& name, bool unindexed) const {
  const std::int64_t last = static_cast<std::int64_t>(info.base->shape.dims[dim].size) - 1;
  const bool below = info.extents[dim].min < 0;
  const bool above = info.extents[dim].max > last;
  if (!below && !above) return;
  Index origin;
  origin.name = inner.unique_index_name(name);
  origin.affine = translate(info.access[dim]);
  const Affine at = (unindexed ? Affine() : Affine(name)) +
                    (origin.affine.is_zero() ? Affine() : Affine(origin.name));
  if (!origin.affine.is_zero()) inner.indexes.push_back(origin);
  if (below) inner.constraints.push_back(at);
  if (above) inner.constraints.push_back(Affine(last) - at);
}

}  // namespace tactus::stripe
