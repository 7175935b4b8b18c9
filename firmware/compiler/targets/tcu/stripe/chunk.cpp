#include "firmware/compiler/targets/tcu/stripe/chunk.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/tcu/lookup.h"

namespace tactus::compiler::stripe_tcu {

using tcu::SimdOp;

Chunk::Chunk(Walk& walk, const Nest& leaf, const Expression& expression, Reduction reduction,
             Fold fold)
    : walk_(walk), leaf_(leaf), expression_(expression), reduction_(reduction), fold_(fold) {
  for (const Term& term : expression.terms) {
    operations_ += term.kind == Term::Kind::operation ? 1 : 0;
    if (term.kind == Term::Kind::operation && term.op == SimdOp::lookup) {
      tables_.emplace(term.table, Address::invalid());
    }
  }
  // Room for all tables or, if that is more than half of the free memory, for one at a time.
  const std::uint64_t one = 2 * tcu::lookup_vectors(walk.architecture);
  table_vectors_ = tables_.empty() ? 0 : one;
  if (tables_.size() * one <= walk.free_local(leaf) / 2) table_vectors_ = tables_.size() * one;
}

bool Chunk::add(const Result& result) {
  std::set<Address> more;
  for (const Item& item : result.items) {
    for (std::size_t t = 0; t < expression_.terms.size(); ++t) {
      const Address source = source_of(t, item);
      if (source.is(Tag::invalid) || source.is(Tag::accumulators)) continue;
      if (sources_.count(source) == 0) more.insert(source);
    }
  }
  const std::size_t items = items_ + result.items.size();
  const std::size_t sources = sources_.size() + more.size();
  // Each source may need a vector, and each item one more if values are added to it.
  const std::size_t accumulators = sources + items * (operations_ + 1) + 2 * (results_.size() + 1);
  const std::size_t local = table_vectors_ + sources + 2 * (results_.size() + 1);
  if (accumulators > walk_.free_accumulators(leaf_) || local > walk_.free_local(leaf_)) {
    if (!results_.empty()) return false;
    fail(*leaf_.block,
         fmt::format("a single result needs {} accumulators and {} vectors of local memory; {} "
                     "and {} are free",
                     accumulators, local, walk_.free_accumulators(leaf_), walk_.free_local(leaf_)));
  }
  sources_.insert(more.begin(), more.end());
  items_ = items;
  results_.push_back(result);
  return true;
}

void Chunk::emit() {
  if (results_.empty()) return;
  load_sources();
  choose_targets();
  const std::size_t taps = most_items();
  if (reduction_ == Reduction::max || reduction_ == Reduction::min) {
    emit_extremes();
  } else {
    for (std::size_t tap = 0; tap < taps; ++tap) emit_tap(tap);
  }
  store_results();
  results_.clear();
  sources_.clear();
  items_ = 0;
}
Address Chunk::source_of(std::size_t term, const Item& item) const {
  const Term& t = expression_.terms[term];
  if (t.kind == Term::Kind::input) return item.inputs[term].address();
  if (t.kind == Term::Kind::constant && t.value != 0) return walk_.splat(t.value);
  return Address::invalid();
}

std::size_t Chunk::most_items() const {
  std::size_t most = 0;
  for (const Result& r : results_) most = std::max(most, r.items.size());
  return most;
}

/// Loads all sources in DRAM, in the order of addresses.
void Chunk::load_sources() {
  next_local_ = walk_.stage_local(leaf_);
  for (auto& [name, place] : tables_) {
    place = {Tag::local, 0, next_local_};
    if (table_vectors_ > 2 * tcu::lookup_vectors(walk_.architecture)) {
      next_local_ += 2 * tcu::lookup_vectors(walk_.architecture);
    }
  }
  next_local_ = walk_.stage_local(leaf_) + table_vectors_;
  next_accumulator_ = leaf_.accumulators_used;
  free_.clear();
  local_.clear();
  in_accumulators_.clear();
  Moves moves;
  for (const Address source : sources_) {
    if (source.is(Tag::local)) {
      local_[source] = source;
      continue;
    }
    const Address here(Tag::local, 0, next_local_++);
    local_[source] = here;
    if (!moves.empty() && moves.back().second.tag() != source.tag()) {
      walk_.machine.to_local(moves);
      moves.clear();
    }
    moves.emplace_back(here, source);
  }
  walk_.machine.to_local(moves);
}

void Chunk::choose_targets() {
  targets_.clear();
  for (const Result& result : results_) {
    // A maximum that includes old contents is computed in another accumulator first.
    const bool there =
        result.target.buffer->memory == Tag::accumulators && !(extreme() && goes_on(result.target));
    targets_.push_back(there ? result.target.address() : take());
  }
}

Address Chunk::take() {
  if (!free_.empty()) {
    const Address address = free_.back();
    free_.pop_back();
    return address;
  }
  return {Tag::accumulators, 0, next_accumulator_++};
}

bool Chunk::extreme() const { return reduction_ == Reduction::max || reduction_ == Reduction::min; }

/// True if the target's old contents are an additional operand.
bool Chunk::goes_on(const Vector& target) const {
  return fold_ == Fold::onto_old || (fold_ == Fold::fresh && target.buffer->written[target.number]);
}

bool Chunk::holds_something(std::size_t result) const {
  const Vector& v = results_[result].target;
  return v.buffer->memory == Tag::accumulators && reduction_ == Reduction::add &&
         v.buffer->written[v.number];
}

// ---- values of terms ----

/// Values of a leaf term for all rows; vectors that several rows read are loaded once.
Chunk::Values Chunk::leaf_values(std::size_t term, const std::vector<Row>& rows) {
  Values values;
  std::set<Address> missing;
  for (const Row& row : rows) {
    const Address source = source_of(term, *row.item);
    if (source.is(Tag::invalid)) {
      if (zero_.is(Tag::invalid)) {
        zero_ = take();
        walk_.clear_accumulators({zero_});
      }
      values.push_back(zero_);
    } else if (source.is(Tag::accumulators)) {
      require_written(row.item->inputs[term]);
      values.push_back(source);
    } else {
      if (in_accumulators_.count(source) == 0) missing.insert(source);
      values.push_back(source);
    }
  }
  Moves moves;
  for (const Address source : missing) {
    const Address slot = take();
    in_accumulators_[source] = slot;
    moves.emplace_back(local_.at(source), slot);
  }
  walk_.machine.from_local(moves);
  for (Address& value : values) {
    const auto found = in_accumulators_.find(value);
    if (found != in_accumulators_.end()) value = found->second;
  }
  return values;
}

void Chunk::require_written(const Vector& vector) {
  if (vector.buffer->written[vector.number]) return;
  walk_.clear_accumulators({vector.address()});
  vector.buffer->written[vector.number] = true;
}

/// True if a term can be added by an accumulating DataMove: its values are in local memory for
/// all rows, and no other term reads it.
bool Chunk::can_be_added(std::size_t term, const std::vector<Row>& rows) const {
  const Term& t = expression_.terms[term];
  if (t.kind == Term::Kind::operation || t.is_zero() || t.uses != 1) return false;
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return !source_of(term, *row.item).is(Tag::accumulators);
  });
}

void Chunk::add_from_local(std::size_t term, const std::vector<Row>& rows, const Values& onto,
                           bool accumulate) {
  Moves moves;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    moves.emplace_back(local_.at(source_of(term, *rows[i].item)), onto[i]);
  }
  walk_.machine.from_local(moves, accumulate);
}

void Chunk::copy(const Values& from, const Values& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) continue;
    walk_.machine.simd(SimdOp::move, Machine::port, Machine::port, to[i], from[i]);
  }
}

/// Values of a term; `into`, if not empty, is where they shall be. `accumulate` there per row.
Chunk::Values Chunk::values_of(std::size_t term, const std::vector<Row>& rows, Values into,
                               const std::vector<bool>& accumulate) {
  const Term& t = expression_.terms[term];
  const bool adds = std::find(accumulate.begin(), accumulate.end(), true) != accumulate.end();
  if (t.kind != Term::Kind::operation) {
    if (into.empty()) return leaf_values(term, rows);
    if (can_be_added(term, rows)) {
      move_in(term, rows, into, accumulate);
      return into;
    }
    const Values from = leaf_values(term, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      walk_.machine.simd(SimdOp::move, Machine::port, Machine::port, into[i], from[i],
                         !accumulate.empty() && accumulate[i]);
    }
    return into;
  }
  // A single sum would wait for its base to be written before a DataMove may add to it.
  if (t.op == SimdOp::add && !adds && rows.size() > 1) {
    for (const auto& [base, added] : {std::pair(t.left, t.right), std::pair(t.right, t.left)}) {
      if (base != added && can_be_added(added, rows)) return sum(base, added, rows, into);
    }
  }
  return operation(t, rows, std::move(into), accumulate);
}

void Chunk::move_in(std::size_t term, const std::vector<Row>& rows, const Values& into,
                    const std::vector<bool>& accumulate) {
  for (const bool adds : {false, true}) {
    std::vector<Row> some;
    Values onto;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((!accumulate.empty() && accumulate[i]) != adds) continue;
      some.push_back(rows[i]);
      onto.push_back(into[i]);
    }
    if (!some.empty()) add_from_local(term, some, onto, adds);
  }
}

/// Computes a sum: the base is computed in the accumulators of the sum, then the other operand is
/// added by an accumulating DataMove.
Chunk::Values Chunk::sum(std::size_t base, std::size_t added, const std::vector<Row>& rows,
                         Values into) {
  const Term& b = expression_.terms[base];
  if (into.empty()) {
    if (b.kind == Term::Kind::operation && b.uses == 1) {
      into = values_of(base, rows, {}, {});
      add_from_local(added, rows, into, true);
      return into;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) into.push_back(take());
  }
  if (b.kind == Term::Kind::operation && b.uses == 1) {
    (void)values_of(base, rows, into, {});
  } else if (can_be_added(base, rows)) {
    add_from_local(base, rows, into, false);
  } else {
    copy(memo(base, rows), into);
  }
  add_from_local(added, rows, into, true);
  return into;
}

/// Values of a term; a term that several operations read is computed once.
Chunk::Values Chunk::memo(std::size_t term, const std::vector<Row>& rows) {
  const Term& t = expression_.terms[term];
  if (t.kind != Term::Kind::operation) return leaf_values(term, rows);
  if (t.uses == 1) return values_of(term, rows, {}, {});
  const auto found = computed_.find(term);
  if (found != computed_.end()) return found->second;
  return computed_[term] = values_of(term, rows, {}, {});
}

void Chunk::load_tables(const std::string& name) {
  const Address place = tables_.at(name);
  const Buffer& buffer = walk_.nests.entry_buffer(name);
  Moves moves;
  for (std::uint64_t i = 0; i < buffer.vectors; ++i) {
    moves.emplace_back(Address(Tag::local, 0, place.raw() + i), buffer.address(i));
  }
  walk_.machine.to_local(moves);
  for (std::uint32_t row = 0; row < 2; ++row) {
    walk_.machine.load_table(row, {Tag::local, 0, place.raw() + row * buffer.vectors / 2});
  }
}

void Chunk::unary(const Term& t, const Values& operand, const Values& into,
                  const std::vector<bool>& accumulate) {
  const bool looked_up = t.op == SimdOp::lookup;
  if (looked_up) load_tables(t.table);
  for (std::size_t i = 0; i < operand.size(); ++i) {
    const bool adds = !accumulate.empty() && accumulate[i];
    if (looked_up) {
      walk_.machine.look_up(into[i], operand[i], adds);
    } else {
      walk_.machine.simd(t.op, Machine::port, Machine::port, into[i], operand[i], adds);
    }
  }
}

/// An operand that is zero has no values.
void Chunk::binary(const Term& t, const Values& left, const Values& right,
                   const std::vector<Row>& rows, const Values& into,
                   const std::vector<bool>& accumulate) {
  const bool left_zero = expression_.terms[t.left].is_zero();
  const bool right_zero = expression_.terms[t.right].is_zero();
  // The operand with fewer different vectors is kept in the register.
  const bool left_kept = left_zero || (!right_zero && distinct(left) < distinct(right));
  const Values& kept = left_kept ? left : right;
  const Values& read = left_kept ? (right_zero ? leaf_values(t.right, rows) : right) : left;
  const unsigned a = left_kept ? Machine::register_1 : Machine::port;
  const unsigned b = left_kept ? Machine::port : Machine::register_1;
  const auto emit = [&](std::size_t i) {
    walk_.machine.simd(t.op, a, b, into[i], read[i], !accumulate.empty() && accumulate[i]);
  };
  if (kept.empty()) {
    walk_.machine.simd_to_register(SimdOp::zero, Machine::port, Machine::port, Address::invalid());
    for (std::size_t i = 0; i < rows.size(); ++i) emit(i);
    return;
  }
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return kept[x] < kept[y]; });
  Address there = Address::invalid();
  for (const std::size_t i : order) {
    if (kept[i] != there) {
      walk_.machine.simd_to_register(SimdOp::move, Machine::port, Machine::port, kept[i]);
    }
    there = kept[i];
    emit(i);
  }
}

Chunk::Values Chunk::operation(const Term& t, const std::vector<Row>& rows, Values into,
                               const std::vector<bool>& accumulate) {
  const bool unary_term = t.is_unary();
  const bool left_zero = expression_.terms[t.left].is_zero();
  const bool right_zero = !unary_term && expression_.terms[t.right].is_zero();
  const Values left = left_zero ? Values() : memo(t.left, rows);
  const Values right = unary_term || right_zero ? Values()
                       : t.left == t.right      ? left
                                                : memo(t.right, rows);
  const bool own_left = owned(t.left), own_right = !unary_term && owned(t.right);
  if (into.empty()) {
    if (own_left) {
      into = left;
    } else if (own_right) {
      into = right;
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) into.push_back(take());
    }
  }
  if (unary_term) {
    unary(t, left_zero ? leaf_values(t.left, rows) : left, into, accumulate);
  } else {
    binary(t, left, right, rows, into, accumulate);
  }
  return into;
}

std::size_t Chunk::distinct(const Values& values) {
  return std::set<Address>(values.begin(), values.end()).size();
}

// ---- results ----

void Chunk::emit_tap(std::size_t tap) {
  std::vector<Row> rows;
  Values into;
  std::vector<bool> accumulate;
  for (std::size_t r = 0; r < results_.size(); ++r) {
    if (tap >= results_[r].items.size()) continue;
    rows.push_back({&results_[r].items[tap], r});
    into.push_back(targets_[r]);
    accumulate.push_back(tap > 0 || holds_something(r));
  }
  if (std::find(accumulate.begin(), accumulate.end(), true) == accumulate.end()) {
    accumulate.clear();
  }
  computed_.clear();
  (void)values_of(expression_.root, rows, into, accumulate);
}

void Chunk::emit_extremes() {
  const SimdOp op = reduction_ == Reduction::max ? SimdOp::max : SimdOp::min;
  std::vector<Row> rows;
  for (std::size_t r = 0; r < results_.size(); ++r) {
    for (const Item& item : results_[r].items) rows.push_back({&item, r});
  }
  computed_.clear();
  const Values values = memo(expression_.root, rows);
  std::size_t next = 0;
  for (std::size_t r = 0; r < results_.size(); ++r) {
    const std::size_t count = results_[r].items.size();
    if (count == 1) {
      walk_.machine.simd(SimdOp::move, Machine::port, Machine::port, targets_[r], values[next]);
    } else {
      walk_.machine.simd_to_register(SimdOp::move, Machine::port, Machine::port, values[next]);
      for (std::size_t k = 1; k + 1 < count; ++k) {
        walk_.machine.simd_to_register(op, Machine::port, Machine::register_1, values[next + k]);
      }
      walk_.machine.simd(op, Machine::port, Machine::register_1, targets_[r],
                         values[next + count - 1]);
    }
    next += count;
  }
}

/// Combines a result with the old contents of its target.
void Chunk::go_on(std::size_t r) {
  const Vector& target = results_[r].target;
  const Tag memory = target.buffer->memory;
  if (memory == Tag::accumulators) {
    // A sum is complete: it was accumulated in place.
    if (extreme()) combine(target.address(), targets_[r], target.address());
    return;
  }
  Address old = target.address();
  if (memory != Tag::local) {
    old = Address(Tag::local, 0, next_local_++);
    walk_.machine.to_local({{old, target.address()}});
  }
  if (!extreme()) {
    walk_.machine.from_local({{old, targets_[r]}}, true);
    return;
  }
  const Address beside = take();
  walk_.machine.from_local({{old, beside}});
  combine(beside, targets_[r], targets_[r]);
}

void Chunk::combine(Address a, Address b, Address into) {
  const SimdOp op = reduction_ == Reduction::max ? SimdOp::max : SimdOp::min;
  walk_.machine.simd_to_register(SimdOp::move, Machine::port, Machine::port, a);
  walk_.machine.simd(op, Machine::port, Machine::register_1, into, b);
}

void Chunk::store_results() {
  Moves down, out;
  for (std::size_t r = 0; r < results_.size(); ++r) {
    const Vector& target = results_[r].target;
    if (goes_on(target)) go_on(r);
    target.buffer->written[target.number] = true;
    if (target.buffer->memory == Tag::accumulators) continue;
    const bool local = target.buffer->memory == Tag::local;
    const Address here = local ? target.address() : Address(Tag::local, 0, next_local_++);
    down.emplace_back(here, targets_[r]);
    if (!local) out.emplace_back(here, target.address());
  }
  walk_.machine.to_local(down);
  walk_.machine.from_local(out);
  zero_ = Address::invalid();
}

}  // namespace tactus::compiler::stripe_tcu
