// Copies between memories. All of them pass through local memory.
#include <algorithm>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/walk.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {
namespace {

using Pairs = std::vector<std::pair<Vector, Vector>>;

/// Clears accumulators among the sources that nothing was written to: they count as zero.
void clear_sources(Walk& walk, const Pairs& pairs) {
  std::vector<Address> untouched;
  for (const auto& [from, to] : pairs) {
    if (from.buffer->memory != Tag::accumulators || from.buffer->written[from.number]) continue;
    untouched.push_back(from.address());
    from.buffer->written[from.number] = true;
  }
  walk.clear_accumulators(untouched);
}

void to_accumulators(Walk& walk, const Moves& moves, const Pairs& pairs) {
  Moves plain, added;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Vector& to = pairs[i].second;
    const bool adds = to.buffer->agg_op == "add" && to.buffer->written[to.number];
    (adds ? added : plain).push_back(moves[i]);
  }
  walk.machine.from_local(plain);
  walk.machine.from_local(added, true);
}

/// Copies pairs of vectors with one source memory and one target memory, at most as many as fit
/// into free memory.
void copy_some(Walk& walk, const Nest& stage, const Pairs& pairs) {
  const Buffer& source = *pairs.front().first.buffer;
  const Buffer& target = *pairs.front().second.buffer;
  clear_sources(walk, pairs);
  Moves first, second;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Address here(Tag::local, 0, walk.stage_local(stage) + i);
    const Address from = pairs[i].first.address(), to = pairs[i].second.address();
    if (source.memory == Tag::local && target.memory != Tag::local) {
      second.emplace_back(from, to);
    } else if (target.memory == Tag::local && source.memory != Tag::local) {
      first.emplace_back(to, from);
    } else {
      first.emplace_back(here, from);
      second.emplace_back(here, to);
    }
  }
  if (source.memory == Tag::local && target.memory == Tag::local) {
    Moves moves;
    for (const auto& [from, to] : pairs) moves.emplace_back(from.address(), to.address());
    walk.machine.within_local(moves, stage.accumulators_used);
  } else {
    if (!first.empty()) walk.machine.to_local(first);
    if (!second.empty()) {
      if (target.memory == Tag::accumulators) {
        to_accumulators(walk, second, pairs);
      } else {
        walk.machine.from_local(second);
      }
    }
  }
  for (const auto& [from, to] : pairs) to.buffer->written[to.number] = true;
}

}  // namespace

void copy_vectors(Walk& walk, const Nest& stage, const Pairs& pairs) {
  if (pairs.empty()) return;
  const Tag from = pairs.front().first.buffer->memory, to = pairs.front().second.buffer->memory;
  std::uint64_t room = pairs.size();
  if (from == Tag::local && to == Tag::local) {
    room = walk.free_accumulators(stage);
  } else if (from != Tag::local && to != Tag::local) {
    room = walk.free_local(stage);
  }
  if (room == 0) {
    fail(*stage.block, fmt::format("no vector of {} is free to copy by way of",
                                   from == Tag::local ? "the accumulators" : "local memory"));
  }
  for (std::size_t begin = 0; begin < pairs.size(); begin += room) {
    const std::size_t end = std::min<std::size_t>(pairs.size(), begin + room);
    copy_some(walk, stage,
              {pairs.begin() + static_cast<std::ptrdiff_t>(begin),
               pairs.begin() + static_cast<std::ptrdiff_t>(end)});
  }
}

/// Adds sources to the contents of the targets, in the accumulators.
void add_vectors(Walk& walk, const Nest& stage, const Pairs& pairs) {
  const std::uint64_t room = std::min(walk.free_accumulators(stage), walk.free_local(stage) / 2);
  if (room == 0 && !pairs.empty()) {
    fail(*stage.block, "no vector of the accumulators or of local memory is free to add in");
  }
  for (std::size_t begin = 0; begin < pairs.size(); begin += room) {
    const std::size_t end = std::min<std::size_t>(pairs.size(), begin + room);
    Moves old, more, from_memory, results, out;
    for (std::size_t i = begin; i < end; ++i) {
      const auto& [source, target] = pairs[i];
      const Address here(Tag::local, 0, walk.stage_local(stage) + 2 * (i - begin));
      const Address there(Tag::local, 0, here.raw() + 1);
      const Address sum(Tag::accumulators, 0, stage.accumulators_used + (i - begin));
      const bool local = target.buffer->memory == Tag::local;
      const Address kept = local ? target.address() : here;
      if (!local) old.emplace_back(here, target.address());
      results.emplace_back(kept, sum);
      if (!local) out.emplace_back(here, target.address());
      const bool at_hand = source.buffer->memory == Tag::local;
      if (!at_hand) from_memory.emplace_back(there, source.address());
      more.emplace_back(at_hand ? source.address() : there, sum);
    }
    walk.machine.to_local(old);
    walk.machine.to_local(from_memory);
    walk.machine.from_local(results);
    walk.machine.from_local(more, true);
    walk.machine.to_local(results);
    walk.machine.from_local(out);
  }
}

void lower_copy(Walk& walk, Nest& leaf) {
  View* source = nullptr;
  View* target = nullptr;
  for (auto& [into, view] : leaf.views) {
    (stripe::writes(view.ref->direction) ? target : source) = &view;
  }
  const std::string op = aggregation_around(*target);
  const Fold fold = fold_of(leaf, *target, op);
  const std::optional<std::size_t> lane = walk.lane_index(leaf);
  std::vector<std::size_t> rows;
  for (const std::size_t i : leaf.ordinary) {
    if (i != lane) rows.push_back(i);
  }
  Pairs pairs;
  std::uint64_t points = 0;
  leaf.enter();
  leaf.each_position_of(rows, [&] {
    if (lane) leaf.values[*lane] = 0;
    const std::optional<LaneRange> range = walk.allowed_lanes(leaf, lane);
    if (!range) return;
    leaf.place();
    points += static_cast<std::uint64_t>(range->last - range->first + 1);
    if (range->first % walk.lanes() != 0) {
      fail(*leaf.block, "constraints cut the first lanes of a vector off");
    }
    walk.check_row_end(leaf, *target, range->last);
    for (std::int64_t at = range->first; at <= range->last; at += walk.lanes()) {
      pairs.emplace_back(walk.vector_at(leaf, *source, at), walk.vector_at(leaf, *target, at));
    }
  });
  if (pairs.empty()) return;
  BlockCounts& counts = walk.count(leaf);
  ++counts.invocations;
  counts.points += points;
  counts.slots += leaf.block->positions();
  counts.vectors += pairs.size();
  if (fold == Fold::none || target->buffer->memory == Tag::accumulators) {
    copy_vectors(walk, leaf, pairs);
    return;
  }
  // The first source of a target overwrites it, further ones are added.
  Pairs first, more;
  for (const auto& pair : pairs) {
    const bool adds = fold == Fold::onto_old || pair.second.buffer->written[pair.second.number];
    (adds ? more : first).push_back(pair);
  }
  if (!more.empty() && op != "add") {
    fail(*leaf.block, fmt::format("refinement {} is combined by {} with what is there; a copy adds "
                                  "only",
                                  quote(target->ref->into), op));
  }
  copy_vectors(walk, leaf, first);
  clear_sources(walk, more);
  add_vectors(walk, leaf, more);
}

// ---- specials -----------------------------------------------------------------------------------

namespace {

/// Returns all vectors of a view, row by row.
std::vector<Vector> vectors_of(const Walk& walk, const Nest& nest, const View& view) {
  const Buffer& buffer = *view.buffer;
  const auto& dims = view.ref->shape.dims;
  const std::size_t missing = buffer.strides.size() - dims.size();
  std::vector<Vector> vectors;
  std::vector<std::uint64_t> at(dims.size(), 0);
  for (const stripe::Dimension& dim : dims) {
    if (dim.size == 0) return vectors;
  }
  for (;;) {
    std::int64_t offset = 0, lane = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      offset += static_cast<std::int64_t>(at[d]) * buffer.strides[d + missing];
      if (buffer.lane_dim == d + missing) lane = static_cast<std::int64_t>(at[d]);
    }
    if (lane % walk.lanes() == 0) vectors.push_back(walk.vector_at(nest, view, offset));
    std::size_t d = dims.size();
    for (;;) {
      if (d == 0) return vectors;
      --d;
      if (++at[d] < dims[d].size) break;
      at[d] = 0;
    }
  }
}

/// Fills a view with zeroes: the array writes zeroes to some accumulators, which are then copied.
void lower_zero(Walk& walk, Nest& nest, const View& view) {
  const std::vector<Vector> targets = vectors_of(walk, nest, view);
  if (view.buffer->memory == Tag::accumulators) {
    std::vector<Address> addresses;
    for (const Vector& v : targets) {
      addresses.push_back(v.address());
      v.buffer->written[v.number] = true;
    }
    walk.clear_accumulators(addresses);
    return;
  }
  const bool local = view.buffer->memory == Tag::local;
  const std::uint64_t room = local ? walk.free_accumulators(nest)
                                   : std::min(walk.free_accumulators(nest), walk.free_local(nest));
  if (room == 0) fail(*nest.block, "no vector is free to make zeroes in");
  const std::uint64_t size = std::min<std::uint64_t>(room, targets.size());
  walk.machine.load_weights(std::vector<Address>(walk.architecture.array_size, Address::zeroes()));
  Moves zeroes;
  for (std::uint64_t i = 0; i < size; ++i) {
    zeroes.emplace_back(Address::zeroes(),
                        Address(Tag::accumulators, 0, nest.accumulators_used + i));
  }
  walk.machine.multiply(zeroes, false);
  Moves down;
  for (std::uint64_t i = 0; i < size && !local; ++i) {
    down.emplace_back(Address(Tag::local, 0, walk.stage_local(nest) + i), zeroes[i].second);
  }
  walk.machine.to_local(down);
  for (std::size_t begin = 0; begin < targets.size(); begin += size) {
    Moves moves;
    for (std::size_t i = begin; i < std::min<std::size_t>(targets.size(), begin + size); ++i) {
      const Vector& v = targets[i];
      if (local) {
        moves.emplace_back(v.address(), zeroes[i - begin].second);
      } else {
        moves.emplace_back(down[i - begin].first, v.address());
      }
      v.buffer->written[v.number] = true;
    }
    if (local) {
      walk.machine.to_local(moves);
    } else {
      walk.machine.from_local(moves);
    }
  }
}

}  // namespace

void lower_special(Walk& walk, Nest& nest, const stripe::Special& special) {
  const bool zero = special.name == "zero" || special.name == "agg_init_add";
  if (zero && special.outputs.size() == 1) {
    lower_zero(walk, nest, nest.views.at(special.outputs[0]));
    return;
  }
  const bool copies = special.name == "copy" || special.name == "reshape";
  if (!copies || special.inputs.size() != 1 || special.outputs.size() != 1) {
    fail(*nest.block, fmt::format("{} is nothing the unit can do; it has zero, agg_init_add, "
                                  "copy and reshape",
                                  quote(special.name)));
  }
  const View& from = nest.views.at(special.inputs[0]);
  const View& to = nest.views.at(special.outputs[0]);
  const auto rows = [](const View& view) { return view.ref->shape.dims.back().size; };
  const bool whole = rows(from) == rows(to) || (rows(from) % walk.architecture.array_size == 0 &&
                                                rows(to) % walk.architecture.array_size == 0);
  const std::vector<Vector> sources = vectors_of(walk, nest, from);
  const std::vector<Vector> targets = vectors_of(walk, nest, to);
  if (!whole || sources.size() != targets.size()) {
    fail(*nest.block,
         fmt::format("{} of {} to {} moves scalars between lanes, which the unit cannot do",
                     special.name, quote(special.inputs[0]), quote(special.outputs[0])));
  }
  Pairs pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) pairs.emplace_back(sources[i], targets[i]);
  copy_vectors(walk, nest, pairs);
}

}  // namespace tactus::compiler::stripe_tcu
