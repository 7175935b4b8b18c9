#include "firmware/compiler/targets/tcu/stripe/tails.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tactus::compiler {
namespace {

using stripe::Affine;
using stripe::Block;
using stripe::Direction;
using stripe::Refinement;
using stripe::Statement;

bool aggregates(const Refinement& ref) { return !ref.agg_op.empty() && ref.agg_op != "assign"; }

/// The refinement of the block's only store, if each position writes another element: scalar
/// statements, no constraints, no reduction.
const Refinement* output_of(const Statement& stmt) {
  const Block* block = stmt.block();
  if (block == nullptr || !block->constraints.empty() || !block->location.empty()) return nullptr;
  const Refinement* output = nullptr;
  for (const auto& [into, ref] : block->refs) {
    if (ref.direction == Direction::in) continue;
    if (ref.direction != Direction::out || output != nullptr || aggregates(ref)) return nullptr;
    output = &ref;
  }
  for (const stripe::Index& idx : block->indexes) {
    if (idx.is_computed()) return nullptr;
  }
  for (const Statement& inner : block->statements) {
    if (inner.block() != nullptr || inner.as<stripe::Special>() != nullptr ||
        inner.as<stripe::LoadIndex>() != nullptr) {
      return nullptr;
    }
  }
  return output;
}

/// Names of the indexes that enumerate the dimensions of the whole tensor; "" for a size of 1.
/// Nothing for any other access.
std::optional<std::vector<std::string>> counted_by(const Block& block, const Refinement& ref,
                                                   const stripe::TensorShape& whole) {
  if (ref.access.size() != whole.dims.size()) return std::nullopt;
  std::vector<std::string> names;
  std::size_t used = 0;
  for (std::size_t d = 0; d < ref.access.size(); ++d) {
    const Affine& access = ref.access[d];
    if (access.is_zero() && whole.dims[d].size == 1) {
      names.emplace_back();
      continue;
    }
    if (access.constant() != 0 || access.terms().size() != 1 || access.terms()[0].second != 1) {
      return std::nullopt;
    }
    const std::string& name = access.terms()[0].first;
    if (block.index(name)->range != whole.dims[d].size ||
        std::find(names.begin(), names.end(), name) != names.end()) {
      return std::nullopt;
    }
    names.push_back(name);
    ++used;
  }
  const auto ordinary = std::count_if(block.indexes.begin(), block.indexes.end(),
                                      [](const stripe::Index& idx) { return idx.range > 1; });
  return static_cast<std::ptrdiff_t>(used) == ordinary ? std::optional(names) : std::nullopt;
}

/// Statements of main that read or write the buffer.
std::vector<std::size_t> users_of(const Block& main, const std::string& buffer) {
  std::vector<std::size_t> users;
  for (std::size_t i = 0; i < main.statements.size(); ++i) {
    if (stripe::buffers_of(main.statements[i]).count(buffer) != 0) users.push_back(i);
  }
  return users;
}

/// The input of a block that is a view of the buffer, if there is exactly one.
Refinement* single_view(Block& block, const std::string& buffer) {
  Refinement* found = nullptr;
  for (auto& [into, ref] : block.refs) {
    if (ref.from != buffer) continue;
    if (found != nullptr || ref.direction != Direction::in) return nullptr;
    found = &ref;
  }
  return found;
}

bool is_temporary(const Block& main, const std::string& buffer) {
  const Refinement* ref = main.ref(buffer);
  return ref != nullptr && ref->direction == Direction::none;
}

/// The only kernel besides its writer that uses a temporary buffer; nothing if there are others.
std::optional<std::size_t> only_reader(const Block& main, const std::string& buffer,
                                       std::size_t writer) {
  const std::vector<std::size_t> users = users_of(main, buffer);
  if (!is_temporary(main, buffer) || users.size() != 2 || users[0] != writer) return std::nullopt;
  return users[1];
}

/// True if the kernel at `at` may be moved directly behind the one at `writer`: the kernels between
/// them write nothing that it reads, and use nothing that it writes.
bool can_move_up(const Block& main, std::size_t at, std::size_t writer) {
  const stripe::Uses own = stripe::uses_of(main.statements[at]);
  for (std::size_t i = writer + 1; i < at; ++i) {
    const stripe::Uses between = stripe::uses_of(main.statements[i]);
    const auto meets = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
      return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
        return std::find(b.begin(), b.end(), name) != b.end();
      });
    };
    if (meets(own.buffer_reads, between.buffer_writes) ||
        meets(own.buffer_writes, between.buffer_writes) ||
        meets(own.buffer_writes, between.buffer_reads)) {
      return false;
    }
  }
  return true;
}

/// Replaces loads of a refinement by a scalar.
void replace_scalar(Block& block, const std::string& from, const std::string& to) {
  const auto rename = [&](std::string& name) {
    if (name == from) name = to;
  };
  for (Statement& stmt : block.statements) {
    if (auto* store = stmt.as<stripe::Store>()) rename(store->from);
    if (auto* op = stmt.as<stripe::Intrinsic>()) {
      for (std::string& input : op->inputs) rename(input);
    }
  }
}

// ---- chains of elementwise kernels --------------------------------------------------------------

/// Appends the second block's statements to the first block; the tensor between them becomes a
/// scalar.
void join(Block& first, const Refinement& between, Block second, const std::string& view,
          const std::map<std::string, std::string>& indexes) {
  std::string value;
  for (std::size_t i = 0; i < first.statements.size(); ++i) {
    const auto* store = first.statements[i].as<stripe::Store>();
    if (store == nullptr || store->into != between.into) continue;
    value = store->from;
    first.erase(i);
    break;
  }
  (void)first.take_ref(std::string(between.into));
  Affine::Affines rename;
  for (const auto& [from, to] : indexes) rename.emplace(from, Affine(to));
  std::map<std::string, std::string> refs;
  for (auto& [into, ref] : second.refs) {
    if (into == view) continue;
    Refinement moved = ref;
    moved.into = first.unique_ref_name(into);
    for (Affine& access : moved.access) access = access.substitute(rename);
    refs[into] = moved.into;
    first.add_ref(std::move(moved));
  }
  const std::string prefix = "$t" + std::to_string(first.statements.size()) + "_";
  const auto scalar = [&](std::string& name) { name = prefix + name.substr(1); };
  for (Statement& stmt : second.statements) {
    if (auto* load = stmt.as<stripe::Load>()) {
      scalar(load->into);
      if (load->from == view) continue;
      load->from = refs.at(load->from);
    } else if (auto* store = stmt.as<stripe::Store>()) {
      scalar(store->from);
      store->into = refs.at(store->into);
    } else if (auto* constant = stmt.as<stripe::Constant>()) {
      scalar(constant->name);
    } else if (auto* op = stmt.as<stripe::Intrinsic>()) {
      for (std::string& name : op->inputs) scalar(name);
      for (std::string& name : op->outputs) scalar(name);
    }
  }
  for (std::size_t i = second.statements.size(); i-- > 0;) {
    const auto* load = second.statements[i].as<stripe::Load>();
    if (load == nullptr || load->from != view) continue;
    const std::string name = load->into;
    second.erase(i);
    replace_scalar(second, name, value);
  }
  for (Statement& stmt : second.statements) {
    stmt.deps.clear();
    first.append(std::move(stmt));
  }
  for (Statement& stmt : first.statements) stmt.deps.clear();
  first.name += "+" + second.name;
}

bool merge_at(Block& main, std::size_t at) {
  const Refinement* output = output_of(main.statements[at]);
  if (output == nullptr || !main.statements[at].has_tag("eltwise")) return false;
  const std::string buffer = output->from;
  const auto reader = only_reader(main, buffer, at);
  if (!reader || !can_move_up(main, *reader, at)) return false;
  Statement& second = main.statements[*reader];
  if (output_of(second) == nullptr || !second.has_tag("eltwise")) return false;
  const Refinement* view = single_view(*second.block(), buffer);
  if (view == nullptr) return false;
  const stripe::TensorShape& whole = main.ref_at(buffer).shape;
  Block& first = *main.statements[at].block();
  const auto own = counted_by(first, *output, whole);
  const auto its = counted_by(*second.block(), *view, whole);
  if (!own || !its) return false;
  std::map<std::string, std::string> indexes;
  for (std::size_t d = 0; d < own->size(); ++d) {
    if (!(*its)[d].empty()) indexes[(*its)[d]] = (*own)[d];
  }
  join(first, Refinement(*output), *second.block(), view->into, indexes);
  main.erase(*reader);
  (void)main.take_ref(buffer);
  return true;
}

// ---- tails of contractions ----------------------------------------------------------------------

/// The last statement of a grid: a copy of the tile to memory.
struct Drain {
  Block* block = nullptr;
  std::string tile, raw;  ///< refinements of the grid
};

std::optional<Drain> drain_of(Statement& grid) {
  if (!grid.has_tag("tcu_grid") || grid.block() == nullptr) return std::nullopt;
  Block& block = *grid.block();
  if (block.statements.size() < 2) return std::nullopt;
  Block* store = block.statements.back().block();
  if (store == nullptr || !block.statements.back().has_tag("cache_store")) return std::nullopt;
  const Refinement* source = store->ref("src");
  const Refinement* target = store->ref("dst");
  if (source == nullptr || target == nullptr) return std::nullopt;
  const Refinement* tile = block.ref(source->from);
  const Refinement* raw = block.ref(target->from);
  if (tile == nullptr || raw == nullptr || tile->direction != Direction::none ||
      raw->direction != Direction::out) {
    return std::nullopt;
  }
  // Each element is summed up in one position of the grid.
  for (const stripe::Index& idx : block.indexes) {
    const bool used = std::any_of(raw->access.begin(), raw->access.end(),
                                  [&](const Affine& a) { return a.uses(idx.name); });
    if (idx.range > 1 && !used) return std::nullopt;
  }
  return Drain{store, tile->into, raw->into};
}

/// Where the tail's element (indices of its body) is computed in the tile of the grid.
struct TileOf {
  Affine::Affines origins;  ///< origins of the tile, by index of the tail
  std::map<std::string, std::uint64_t, std::less<>> sizes;
};

TileOf tile_of(const std::vector<std::string>& indices, const Refinement& raw) {
  TileOf tile;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].empty()) continue;
    tile.origins[indices[d]] = raw.access[d];
    tile.sizes[indices[d]] = raw.shape.dims[d].size;
  }
  return tile;
}

/// Gives the body's indices the tile's sizes. Tiles at the border may extend beyond the tensor.
void limit_to_tile(Block& body, const Block& grid, const std::vector<std::string>& indices,
                   const TileOf& tile, const Refinement& raw, const stripe::TensorShape& whole) {
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::string& name = indices[d];
    if (name.empty()) continue;
    const std::uint64_t size = tile.sizes.at(name);
    std::uint64_t reach = size + static_cast<std::uint64_t>(raw.access[d].constant());
    for (const Affine::Term& term : raw.access[d].terms()) {
      reach += static_cast<std::uint64_t>(term.second) * (grid.index(term.first)->range - 1);
    }
    body.index(name)->range = size;
    if (reach <= whole.dims[d].size) continue;
    stripe::Index origin;
    origin.name = body.unique_index_name(name + "_0");
    origin.affine = raw.access[d];
    if (!origin.is_computed()) continue;
    body.constraints.push_back(Affine(static_cast<std::int64_t>(whole.dims[d].size) - 1) -
                               Affine(name) - Affine(origin.name));
    body.indexes.push_back(std::move(origin));
  }
}

/// Takes the body's refinements, but for its result, from the grid: `view` is the tile of sums.
void take_from_grid(Block& body, Block& grid, const TileOf& tile, const std::string& view,
                    const std::string& sums, const std::string& result) {
  for (auto& [into, ref] : body.refs) {
    if (into == view) {
      ref.from = sums;
      ref.location = grid.ref_at(sums).location;
      continue;
    }
    if (into == result) continue;
    Refinement outer = ref;
    outer.into = grid.unique_ref_name(into);
    outer.shape = ref.swept(tile.sizes);
    for (std::size_t d = 0; d < outer.access.size(); ++d) {
      const Affine access = ref.access[d];
      Affine origin(access.constant());
      for (const Affine::Term& term : access.terms()) {
        origin += tile.origins.at(term.first) * term.second;
      }
      outer.access[d] = origin;
      ref.access[d].set_constant(0);
    }
    ref.from = outer.into;
    grid.add_ref(std::move(outer));
  }
}

bool has_falling_access(const Block& body) {
  for (const auto& [into, ref] : body.refs) {
    for (const Affine& access : ref.access) {
      for (const Affine::Term& term : access.terms()) {
        if (term.second < 0) return true;
      }
    }
  }
  return false;
}

/// Lets the drain store the result `out` to its buffer, `target`, in place of the sums.
void store_result(Block& grid, const Drain& drain, Refinement& out, const Refinement& target) {
  // The result replaces the sums in their accumulators, element by element.
  Refinement result = grid.ref_at(drain.tile);
  result.into = grid.unique_ref_name(out.into);
  result.agg_op.clear();
  result.shape.type = target.shape.type;
  result.attributes["in_place_of"] = drain.tile;
  Refinement far = grid.take_ref(drain.raw);
  far.from = out.from;
  far.agg_op.clear();
  far.into = grid.unique_ref_name(out.into + "_raw");
  far.shape.type = target.shape.type;
  for (std::size_t d = 0; d < far.shape.dims.size(); ++d) {
    far.shape.dims[d].stride = target.shape.dims[d].stride;
  }
  far.location = target.location;
  out.from = result.into;
  out.location = result.location;
  Refinement &source = drain.block->ref_at("src"), &sink = drain.block->ref_at("dst");
  source.from = result.into;
  sink.from = far.into;
  sink.location = far.location;
  source.shape.type = sink.shape.type = target.shape.type;
  for (std::size_t d = 0; d < far.shape.dims.size(); ++d) {
    sink.shape.dims[d].stride = target.shape.dims[d].stride;
  }
  grid.add_ref(std::move(result));
  grid.add_ref(std::move(far));
}

bool fuse_at(Block& main, std::size_t at) {
  const auto drain = drain_of(main.statements[at]);
  if (!drain) return false;
  Block& grid = *main.statements[at].block();
  const std::string buffer = grid.ref_at(drain->raw).from;
  const auto reader = only_reader(main, buffer, at);
  if (!reader || !can_move_up(main, *reader, at)) return false;
  Statement tail = main.statements[*reader];
  const Refinement* output = output_of(tail);
  if (output == nullptr) return false;
  Block& body = *tail.block();
  const Refinement* view = single_view(body, buffer);
  if (view == nullptr) return false;
  const stripe::TensorShape whole = main.ref_at(buffer).shape;
  const auto its = counted_by(body, *view, whole);
  const Refinement& target = main.ref_at(output->from);
  const auto made = counted_by(body, *output, target.shape);
  if (!its || !made || *its != *made) return false;
  if (has_falling_access(body)) return false;

  const Refinement raw = grid.ref_at(drain->raw);
  const TileOf tile = tile_of(*its, raw);
  limit_to_tile(body, grid, *its, tile, raw, whole);
  const std::string output_name = output->into;
  take_from_grid(body, grid, tile, view->into, drain->tile, output_name);
  store_result(grid, *drain, body.ref_at(output_name), target);
  grid.name += "+" + body.name;
  tail.deps.clear();
  tail.set_tag("tcu_tail");
  grid.insert(grid.statements.size() - 1, std::move(tail));
  for (Statement& stmt : grid.statements) stmt.deps.clear();
  main.erase(*reader);
  (void)main.take_ref(buffer);
  return true;
}

}  // namespace

void merge_elementwise(Block& main) {
  for (std::size_t i = 0; i < main.statements.size(); ++i) {
    while (merge_at(main, i)) {
    }
  }
}

void fuse_tails(Block& main) {
  for (std::size_t i = 0; i < main.statements.size(); ++i) {
    while (fuse_at(main, i)) {
    }
  }
}

}  // namespace tactus::compiler
