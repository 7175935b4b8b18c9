#include "firmware/compiler/stripe/passes/tile.h"

#include <iterator>

#include "firmware/compiler/stripe/passes/support.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

std::int64_t as_signed(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(INT64_MAX)) user_error("{} does not fit 63 bits", value);
  return static_cast<std::int64_t>(value);
}

/// True if the index is used outside of accesses, so that its whole value is needed inside.
bool needs_value(const Block& block, const std::string& name) {
  for (const Affine& constraint : block.constraints) {
    if (constraint.uses(name)) return true;
  }
  for (const Device& device : block.location.devices) {
    for (const Affine& unit : device.units) {
      if (unit.uses(name)) return true;
    }
  }
  for (const Statement& stmt : block.statements) {
    if (const auto* load = stmt.as<LoadIndex>()) {
      if (load->from.uses(name)) return true;
    } else if (const Block* nested = stmt.block()) {
      for (const Index& idx : nested->indexes) {
        if (idx.affine.uses(name)) return true;
      }
    }
  }
  return false;
}

class Tiling {
 public:
  Tiling(Block& outer, const std::vector<std::uint64_t>& sizes, const TileOptions& options)
      : outer_(outer), inner_(outer), sizes_(sizes), options_(options) {}

  void run(Statement& stmt) {
    inner_.comments.clear();
    outer_.constraints.clear();
    outer_.statements.clear();
    split_indexes();
    if (!options_.location_idx_tag.empty()) number_locations();
    split_refs();
    Statement nested;
    if (options_.copy_tags) nested.attributes = stmt.attributes;
    nested.op = BlockBox(std::move(inner_));
    outer_.append(std::move(nested));
  }

 private:
  void split_indexes() {
    std::vector<Index> passed;
    for (std::size_t i = 0; i < outer_.indexes.size(); ++i) {
      Index& outer = outer_.indexes[i];
      Index& inner = inner_.indexes[i];
      if (outer.is_computed()) {
        inner.affine = Affine(outer.name);
        continue;
      }
      const std::uint64_t size = sizes_[i];
      const std::uint64_t count = divide_up(outer.range, size);
      const bool ragged = outer.range % size != 0;
      if (ragged || needs_value(inner_, outer.name)) {
        const std::int64_t within = options_.interleave ? as_signed(count) : 1;
        Index value;
        value.name = inner_.unique_index_name(outer.name);
        value.affine = Affine(outer.name);
        const Affine whole = Affine(outer.name, within) +
                             Affine(value.name, options_.interleave ? 1 : as_signed(size));
        replace_uses(outer.name, whole);
        if (ragged) {
          inner_.constraints.push_back(Affine(as_signed(outer.range) - 1) - whole);
        }
        passed.push_back(std::move(value));
      }
      outer.range = count;
      inner.range = size;
    }
    for (Index& idx : passed) inner_.indexes.push_back(std::move(idx));
  }

  /// Replaces all uses of an index, and those in the block's location, except accesses, which are
  /// split.
  void replace_uses(const std::string& name, const Affine& whole) {
    for (Affine& constraint : inner_.constraints) constraint = constraint.substitute(name, whole);
    for (Statement& stmt : inner_.statements) {
      if (auto* load = stmt.as<LoadIndex>()) {
        load->from = load->from.substitute(name, whole);
      } else if (Block* nested = stmt.block()) {
        for (Index& idx : nested->indexes) idx.affine = idx.affine.substitute(name, whole);
      }
    }
  }

  /// Replaces "#tag" in units by the number of the tile, last index fastest.
  void number_locations() {
    const std::string tag = "#" + options_.location_idx_tag;
    Affine number;
    std::int64_t scale = 1;
    for (auto idx = outer_.indexes.rbegin(); idx != outer_.indexes.rend(); ++idx) {
      if (idx->range <= 1) continue;
      number.set_coefficient(idx->name, scale);
      scale = multiply_checked(scale, as_signed(idx->range));
    }
    const auto replace = [&tag](Location& location, const Affine& value) {
      for (Device& device : location.devices) {
        for (Affine& unit : device.units) unit = unit.substitute(tag, value);
      }
    };
    replace(outer_.location, number);
    if (number.is_constant()) {
      replace(inner_.location, number);
      return;
    }
    Index passed;
    passed.name = inner_.unique_index_name(options_.location_idx_tag);
    passed.affine = number;
    replace(inner_.location, Affine(passed.name));
    inner_.indexes.push_back(std::move(passed));
  }

  void split_refs() {
    for (auto it = outer_.refs.begin(); it != outer_.refs.end();) {
      it = it->second.direction == Direction::none ? outer_.refs.erase(it) : std::next(it);
    }
    for (auto& [into, inner] : inner_.refs) {
      const auto found = outer_.refs.find(into);
      Refinement* outer = found != outer_.refs.end() ? &found->second : nullptr;
      for (std::size_t i = 0; i < inner.access.size(); ++i) {
        split_access(inner.access[i], outer != nullptr ? &outer->access[i] : nullptr);
      }
      if (outer == nullptr) continue;
      outer->shape = inner_.exterior_shape(inner);
      inner.from = into;
    }
  }

  /// The outer access moves by tiles and keeps the constant; the inner one starts where no term is
  /// negative.
  void split_access(Affine& inner, Affine* outer) {
    std::int64_t lowest = 0;
    Affine within, between;
    for (const Affine::Term& term : inner.terms()) {
      const std::size_t i = position_of(term.first);
      if (outer_.indexes[i].is_computed()) {
        between.set_coefficient(term.first, term.second);
        continue;
      }
      const std::int64_t size = as_signed(sizes_[i]);
      const std::int64_t count = as_signed(outer_.indexes[i].range);
      if (term.second < 0) {
        lowest = add_checked(lowest, multiply_checked(term.second, size - 1));
      }
      within.set_coefficient(term.first,
                             multiply_checked(term.second, options_.interleave ? count : 1));
      between.set_coefficient(term.first,
                              multiply_checked(term.second, options_.interleave ? 1 : size));
    }
    if (outer != nullptr) *outer = between + Affine(add_checked(inner.constant(), lowest));
    inner = within - Affine(lowest);
  }

  [[nodiscard]] std::size_t position_of(const std::string& name) const {
    for (std::size_t i = 0; i < outer_.indexes.size(); ++i) {
      if (outer_.indexes[i].name == name) return i;
    }
    internal_error("no index {}", name);
  }

  Block& outer_;
  Block inner_;
  const std::vector<std::uint64_t>& sizes_;
  const TileOptions& options_;
};

}  // namespace

bool apply_tile(Statement& stmt, const std::vector<std::uint64_t>& sizes,
                const TileOptions& options) {
  Block& block = *stmt.block();
  if (sizes.size() != block.indexes.size()) {
    internal_error("block {}: {} sizes for {} indexes", block_name(block), sizes.size(),
                   block.indexes.size());
  }
  bool all_one = true;
  bool all_whole = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) user_error("block {}: a tile of size 0", block_name(block));
    all_one = all_one && sizes[i] == 1;
    all_whole = all_whole && sizes[i] == block.indexes[i].range;
  }
  if (options.elide_trivial && (all_one || all_whole)) return false;
  Tiling(block, sizes, options).run(stmt);
  return true;
}

}  // namespace tactus::stripe
