#include "firmware/compiler/stripe/passes/support.h"

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

void walk(const AliasMap& outer, Statement& stmt, const Tags& reqs, bool all, const OnBlock& run,
          Descend descend) {
  Block* block = stmt.block();
  if (block == nullptr) return;
  {
    const AliasMap map(outer, *block);
    if (all || stmt.has_tags(reqs)) {
      run(map, stmt);
      if (descend == Descend::until_match) return;
    }
  }
  // A new map, since the pass may have changed the block.
  const AliasMap map(outer, *stmt.block());
  for (Statement& inner : stmt.block()->statements) walk(map, inner, reqs, all, run, descend);
}

}  // namespace

void on_blocks(Program& program, const Tags& reqs, const OnBlock& run, Descend descend) {
  const AliasMap outside;
  const bool all = reqs.empty() || reqs.count("all") != 0;
  walk(outside, program.entry, reqs, all, run, descend);
}

void require_inner_block(const Program& program, const Statement& stmt) {
  if (&stmt != &program.entry) return;
  user_error(
      "block {} is the program's own block, and its buffers would end up inside a tile; allowed: "
      "blocks inside it, such as those tagged main or kernel",
      block_name(program.block()));
}

void fix_up(Block& block, const std::string& into) {
  const Refinement& source = block.ref_at(into);
  for (Statement& stmt : block.statements) {
    Block* nested = stmt.block();
    if (nested == nullptr) continue;
    for (auto& [name, ref] : nested->refs) {
      if (ref.direction == Direction::none || ref.from != into) continue;
      ref.location = source.location;
      ref.offset = source.offset;
      for (std::size_t i = 0; i < ref.shape.dims.size() && i < source.shape.dims.size(); ++i) {
        ref.shape.dims[i].stride = source.shape.dims[i].stride;
      }
      fix_up(*nested, name);
    }
  }
}

TensorShape compact_shape(DataType type, const std::vector<std::uint64_t>& sizes) {
  TensorShape shape;
  shape.type = type;
  for (const std::uint64_t size : sizes) shape.dims.push_back({size, 1});
  shape.set_natural_strides();
  return shape;
}

TensorShape element_shape(TensorShape shape) {
  for (Dimension& dim : shape.dims) dim.size = 1;
  return shape;
}

void substitute_index(Block& block, const std::string& name, const Affine& replacement) {
  const auto replace = [&](Affine& affine) { affine = affine.substitute(name, replacement); };
  const auto replace_units = [&](Location& location) {
    for (Device& device : location.devices) {
      for (Affine& unit : device.units) replace(unit);
    }
  };
  for (Affine& constraint : block.constraints) replace(constraint);
  replace_units(block.location);
  for (auto& [into, ref] : block.refs) {
    for (Affine& access : ref.access) replace(access);
    replace_units(ref.location);
    if (ref.cache_unit) replace(*ref.cache_unit);
  }
  for (Statement& stmt : block.statements) {
    if (Block* nested = stmt.block()) {
      for (Index& idx : nested->indexes) replace(idx.affine);
    } else if (auto* load = stmt.as<LoadIndex>()) {
      replace(load->from);
    }
  }
}

std::string block_name(const Block& block) { return quote(block.name); }

}  // namespace tactus::stripe
