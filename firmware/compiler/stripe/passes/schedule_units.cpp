#include "firmware/compiler/stripe/passes/schedule_units.h"

#include <algorithm>
#include <optional>
#include <set>

#include "firmware/compiler/stripe/passes/support.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

constexpr const char* unit_name = "unit";

/// Units that the views of each buffer request.
std::map<std::string, std::int64_t> asked_for(const Block& block) {
  std::map<std::string, std::int64_t> units;
  for (const Statement& stmt : block.statements) {
    for (const std::string& name : buffers_of(stmt)) units.emplace(name, 0);
  }
  std::map<std::string, std::int64_t> wanted;
  const auto ask = [&](const std::string& buffer, const std::optional<Affine>& unit) {
    if (!unit) return;
    if (!unit->is_constant()) {
      user_error("block {}: {} asks for memory unit {}, which is no constant", block_name(block),
                 buffer, unit->text());
    }
    const auto [found, added] = wanted.emplace(buffer, unit->constant());
    if (!added && found->second != unit->constant()) {
      user_error("block {}: views of {} ask for memory units {} and {}", block_name(block), buffer,
                 found->second, unit->constant());
    }
  };
  for (const auto& [name, unit] : units) ask(name, block.ref_at(name).cache_unit);
  for (const Statement& stmt : block.statements) {
    if (stmt.block() == nullptr) continue;
    for (const auto& [into, ref] : stmt.block()->refs) {
      if (ref.direction != Direction::none) ask(ref.from, ref.cache_unit);
    }
  }
  for (const auto& [name, unit] : wanted) units[name] = unit;
  return units;
}

std::map<std::string, std::int64_t> coloured(const Block& block,
                                             const std::vector<std::int64_t>& all) {
  std::map<std::string, std::set<std::string>> together;
  std::vector<std::string> order;
  for (const Statement& stmt : block.statements) {
    const std::set<std::string> names = buffers_of(stmt);
    for (const std::string& a : names) {
      if (together.find(a) == together.end()) order.push_back(a);
      together[a].insert(names.begin(), names.end());
    }
  }
  std::map<std::string, std::int64_t> units;
  for (const std::string& buffer : order) {
    std::set<std::int64_t> taken;
    for (const std::string& other : together[buffer]) {
      if (other != buffer && units.count(other) != 0) taken.insert(units[other]);
    }
    const auto free = std::find_if(all.begin(), all.end(),
                                   [&](std::int64_t unit) { return taken.count(unit) == 0; });
    if (free == all.end()) {
      user_error(
          "block {}: the {} units of color_io_unique are too few: {} is used beside buffers "
          "in all of them",
          block_name(block), all.size(), buffer);
    }
    units[buffer] = *free;
  }
  return units;
}

std::map<std::string, std::int64_t> mapped(const Block& block,
                                           const std::vector<UnitAssignment::Node>& nodes) {
  std::map<std::string, std::int64_t> units;
  std::vector<std::size_t> given(nodes.size(), 0);
  for (const Statement& stmt : block.statements) {
    const Location place = stmt.block() != nullptr ? stmt.block()->location : Location();
    for (const std::string& buffer : buffers_of(stmt)) {
      if (units.count(buffer) != 0) continue;
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (!LocationPattern(nodes[k].pattern).matches(place)) continue;
        units[buffer] = nodes[k].units[given[k]++ % nodes[k].units.size()];
        break;
      }
    }
  }
  for (const Statement& stmt : block.statements) {
    for (const std::string& buffer : buffers_of(stmt)) {
      if (units.count(buffer) != 0) continue;
      user_error("block {}: no node of numa_map matches the places of the blocks that use {}",
                 block_name(block), buffer);
    }
  }
  return units;
}

}  // namespace

bool chooses_unit(const Location& location) {
  bool chooses = false;
  for (const Device& device : location.devices) {
    for (const Affine& unit : device.units) {
      for (const Affine::Term& term : unit.terms()) {
        if (term.first != unit_name) {
          user_error("mem_loc {}: the unit {} uses {}; known is {}", location.text(), unit.text(),
                     term.first, unit_name);
        }
        chooses = true;
      }
    }
  }
  return chooses;
}

Location with_unit(Location location, std::int64_t unit) {
  for (Device& device : location.devices) {
    for (Affine& affine : device.units) affine = affine.substitute({{unit_name, Affine(unit)}});
  }
  return location;
}

std::map<std::string, std::int64_t> choose_units(const Block& block,
                                                 const UnitAssignment& assignment) {
  if (!assignment.color_io_unique.empty()) return coloured(block, assignment.color_io_unique);
  if (!assignment.numa_map.empty()) return mapped(block, assignment.numa_map);
  return asked_for(block);
}

}  // namespace tactus::stripe
