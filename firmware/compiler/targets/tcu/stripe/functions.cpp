// Functions and reductions of vectors: elementwise kernels, pools, depthwise convolutions.
//
// Operands are copied to the accumulators, SIMD operations work there, and results are copied back.
// An operation is done for all vectors of a chunk before the next operation, so that a common
// operand stays in the register. A chunk is as large as free accumulators and local memory allow.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/expression.h"
#include "firmware/compiler/targets/tcu/stripe/walk.h"
#include "isa/support/text.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler::stripe_tcu {
namespace {

using tcu::SimdOp;

enum class Reduction { none, add, max, min };

/// One evaluation of the expression, for one result.
struct Item {
  std::vector<Vector> inputs;  ///< by term; set for inputs only
};

struct Result {
  Vector target;
  std::vector<Item> items;  ///< in order; a single one unless it is a reduction
};

class Chunk {
 public:
  Chunk(Walk& walk, const Nest& leaf, const Expression& expression, Reduction reduction, Fold fold)
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

  /// False if there is no more room; a chunk has one result at least, or cannot be made.
  bool add(const Result& result) {
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
    const std::size_t accumulators =
        sources + items * (operations_ + 1) + 2 * (results_.size() + 1);
    const std::size_t local = table_vectors_ + sources + 2 * (results_.size() + 1);
    if (accumulators > walk_.free_accumulators(leaf_) || local > walk_.free_local(leaf_)) {
      if (!results_.empty()) return false;
      fail(*leaf_.block,
           fmt::format("a single result needs {} accumulators and {} vectors of local memory; {} "
                       "and {} are free",
                       accumulators, local, walk_.free_accumulators(leaf_),
                       walk_.free_local(leaf_)));
    }
    sources_.insert(more.begin(), more.end());
    items_ = items;
    results_.push_back(result);
    return true;
  }

  void emit() {
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

 private:
  /// The values of a term: an accumulator for each row.
  using Values = std::vector<Address>;
  /// A row: a result and one of its items.
  struct Row {
    const Item* item = nullptr;
    std::size_t result = 0;
  };

  [[nodiscard]] Address source_of(std::size_t term, const Item& item) const {
    const Term& t = expression_.terms[term];
    if (t.kind == Term::Kind::input) return item.inputs[term].address();
    if (t.kind == Term::Kind::constant && t.value != 0) return walk_.splat(t.value);
    return Address::invalid();
  }

  [[nodiscard]] std::size_t most_items() const {
    std::size_t most = 0;
    for (const Result& r : results_) most = std::max(most, r.items.size());
    return most;
  }

  /// Loads all sources in DRAM, in the order of addresses.
  void load_sources() {
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

  void choose_targets() {
    targets_.clear();
    for (const Result& result : results_) {
      // A maximum that includes old contents is computed in another accumulator first.
      const bool there = result.target.buffer->memory == Tag::accumulators &&
                         !(extreme() && goes_on(result.target));
      targets_.push_back(there ? result.target.address() : take());
    }
  }

  Address take() {
    if (!free_.empty()) {
      const Address address = free_.back();
      free_.pop_back();
      return address;
    }
    return {Tag::accumulators, 0, next_accumulator_++};
  }

  [[nodiscard]] bool extreme() const {
    return reduction_ == Reduction::max || reduction_ == Reduction::min;
  }
  /// True if the target's old contents are an additional operand.
  [[nodiscard]] bool goes_on(const Vector& target) const {
    return fold_ == Fold::onto_old ||
           (fold_ == Fold::fresh && target.buffer->written[target.number]);
  }

  [[nodiscard]] bool holds_something(std::size_t result) const {
    const Vector& v = results_[result].target;
    return v.buffer->memory == Tag::accumulators && reduction_ == Reduction::add &&
           v.buffer->written[v.number];
  }

  // ---- values of terms ----

  /// Values of a leaf term for all rows; vectors that several rows read are loaded once.
  Values leaf_values(std::size_t term, const std::vector<Row>& rows) {
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

  void require_written(const Vector& vector) {
    if (vector.buffer->written[vector.number]) return;
    walk_.clear_accumulators({vector.address()});
    vector.buffer->written[vector.number] = true;
  }

  /// True if a term can be added by an accumulating DataMove: its values are in local memory for
  /// all rows, and no other term reads it.
  [[nodiscard]] bool can_be_added(std::size_t term, const std::vector<Row>& rows) const {
    const Term& t = expression_.terms[term];
    if (t.kind == Term::Kind::operation || t.is_zero() || t.uses != 1) return false;
    return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
      return !source_of(term, *row.item).is(Tag::accumulators);
    });
  }

  void add_from_local(std::size_t term, const std::vector<Row>& rows, const Values& onto,
                      bool accumulate) {
    Moves moves;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      moves.emplace_back(local_.at(source_of(term, *rows[i].item)), onto[i]);
    }
    walk_.machine.from_local(moves, accumulate);
  }

  void copy(const Values& from, const Values& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == to[i]) continue;
      walk_.machine.simd(SimdOp::move, Machine::port, Machine::port, to[i], from[i]);
    }
  }

  /// Values of a term; `into`, if not empty, is where they shall be. `accumulate` there per row.
  Values values_of(std::size_t term, const std::vector<Row>& rows, Values into,
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

  void move_in(std::size_t term, const std::vector<Row>& rows, const Values& into,
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
  Values sum(std::size_t base, std::size_t added, const std::vector<Row>& rows, Values into) {
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
  Values memo(std::size_t term, const std::vector<Row>& rows) {
    const Term& t = expression_.terms[term];
    if (t.kind != Term::Kind::operation) return leaf_values(term, rows);
    if (t.uses == 1) return values_of(term, rows, {}, {});
    const auto found = computed_.find(term);
    if (found != computed_.end()) return found->second;
    return computed_[term] = values_of(term, rows, {}, {});
  }

  void load_tables(const std::string& name) {
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

  Values operation(const Term& t, const std::vector<Row>& rows, Values into,
                   const std::vector<bool>& accumulate) {
    const bool unary = t.is_unary();
    const bool left_zero = expression_.terms[t.left].is_zero();
    const bool right_zero = !unary && expression_.terms[t.right].is_zero();
    const Values left = left_zero ? Values() : memo(t.left, rows);
    const Values right = unary || right_zero ? Values()
                         : t.left == t.right ? left
                                             : memo(t.right, rows);
    const bool own_left = owned(t.left), own_right = !unary && owned(t.right);
    if (into.empty()) {
      if (own_left) {
        into = left;
      } else if (own_right) {
        into = right;
      } else {
        for (std::size_t i = 0; i < rows.size(); ++i) into.push_back(take());
      }
    }
    const auto adds = [&](std::size_t i) { return !accumulate.empty() && accumulate[i]; };
    if (unary) {
      const Values values = left_zero ? leaf_values(t.left, rows) : left;
      const bool looked_up = t.op == SimdOp::lookup;
      if (looked_up) load_tables(t.table);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (looked_up) {
          walk_.machine.look_up(into[i], values[i], adds(i));
        } else {
          walk_.machine.simd(t.op, Machine::port, Machine::port, into[i], values[i], adds(i));
        }
      }
      return into;
    }
    // The operand with fewer different vectors is kept in the register.
    const bool left_kept = left_zero || (!right_zero && distinct(left) < distinct(right));
    const Values& kept = left_kept ? left : right;
    const Values& read = left_kept ? (right_zero ? leaf_values(t.right, rows) : right) : left;
    const unsigned a = left_kept ? Machine::register_1 : Machine::port;
    const unsigned b = left_kept ? Machine::port : Machine::register_1;
    const auto emit = [&](std::size_t i) {
      walk_.machine.simd(t.op, a, b, into[i], read[i], adds(i));
    };
    if (kept.empty()) {
      walk_.machine.simd_to_register(SimdOp::zero, Machine::port, Machine::port,
                                     Address::invalid());
      for (std::size_t i = 0; i < rows.size(); ++i) emit(i);
      return into;
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
    return into;
  }

  /// True if the term's values are read only once, so that their accumulators can be reused.
  [[nodiscard]] bool owned(std::size_t term) const {
    const Term& t = expression_.terms[term];
    return t.kind == Term::Kind::operation && t.uses == 1;
  }

  [[nodiscard]] static std::size_t distinct(const Values& values) {
    return std::set<Address>(values.begin(), values.end()).size();
  }

  // ---- results ----

  void emit_tap(std::size_t tap) {
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

  void emit_extremes() {
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
  void go_on(std::size_t r) {
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

  void combine(Address a, Address b, Address into) {
    const SimdOp op = reduction_ == Reduction::max ? SimdOp::max : SimdOp::min;
    walk_.machine.simd_to_register(SimdOp::move, Machine::port, Machine::port, a);
    walk_.machine.simd(op, Machine::port, Machine::register_1, into, b);
  }

  void store_results() {
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

  Walk& walk_;
  const Nest& leaf_;
  const Expression& expression_;
  Reduction reduction_;
  Fold fold_;
  std::size_t operations_ = 0, items_ = 0;
  std::map<std::string, Address> tables_;  ///< tables and their addresses in local memory
  std::uint64_t table_vectors_ = 0;
  std::vector<Result> results_;
  std::set<Address> sources_;
  std::map<Address, Address> local_, in_accumulators_;
  std::map<std::size_t, Values> computed_;
  std::vector<Address> targets_, free_;
  Address zero_;
  std::uint64_t next_local_ = 0, next_accumulator_ = 0;
};

/// Throws UserError unless the tables of lookups have the form of the unit's tables.
void check_tables(Walk& walk, const Nest& leaf, const Expression& expression) {
  const tcu::LookupTables& tables = walk.architecture.lookup_tables;
  for (const Term& term : expression.terms) {
    if (term.kind != Term::Kind::operation || term.op != SimdOp::lookup) continue;
    if (tables.count < 2 || walk.architecture.simd_registers_depth <= tables.count) {
      fail(*leaf.block,
           "the unit has no lookup tables (lookup_tables of the architecture: a count "
           "of 2 or more, and one register more in simd_registers_depth)");
    }
    const Buffer& buffer = walk.nests.entry_buffer(term.table);
    const std::uint64_t entries = buffer.shape.dims[1].size;
    const double step = std::ldexp(1.0, -static_cast<int>(tables.key_binary_point));
    if (entries != tables.depth || term.value != step) {
      fail(*leaf.block,
           fmt::format("table {} has {} entries and keys {} apart, those of the unit {} and {}",
                       quote(term.table), entries, term.value, tables.depth, step));
    }
    if (buffer.lane_dim != 1U) {
      fail(*leaf.block,
           fmt::format("the entries of table {} do not lie along the lanes", quote(term.table)));
    }
  }
}

Reduction reduction_of(const Nest& leaf, const std::string& op) {
  if (op.empty()) return Reduction::none;
  if (op == "add") return Reduction::add;
  if (op == "max") return Reduction::max;
  if (op == "min") return Reduction::min;
  fail(*leaf.block, fmt::format("the unit cannot aggregate by {}; it has add, max and min", op));
}

/// Finds the results of a leaf, in the order of their first items.
std::vector<Result> results_of(Walk& walk, Nest& leaf, const Expression& expression,
                               const View& target, BlockCounts& counts) {
  const std::optional<std::size_t> lane = walk.lane_index(leaf);
  std::vector<std::size_t> rows;
  for (const std::size_t i : leaf.ordinary) {
    if (i != lane) rows.push_back(i);
  }
  std::map<Address, std::size_t> numbers;
  std::vector<Result> results;
  leaf.each_position_of(rows, [&] {
    if (lane) leaf.values[*lane] = 0;
    const std::optional<LaneRange> range = walk.allowed_lanes(leaf, lane);
    if (!range) return;
    leaf.place();
    counts.points += static_cast<std::uint64_t>(range->last - range->first + 1);
    if (range->first % walk.lanes() != 0) {
      fail(*leaf.block, "constraints cut the first lanes of a vector off");
    }
    walk.check_row_end(leaf, target, range->last);
    for (std::int64_t at = range->first; at <= range->last; at += walk.lanes()) {
      const Vector to = walk.vector_at(leaf, target, at);
      const auto [found, added] = numbers.emplace(to.address(), results.size());
      if (added) results.push_back({to, {}});
      Item item;
      item.inputs.resize(expression.terms.size());
      for (std::size_t t = 0; t < expression.terms.size(); ++t) {
        if (expression.terms[t].kind != Term::Kind::input) continue;
        const View& view = leaf.views.at(expression.terms[t].input);
        const bool along = lane && view.flat.factors[*lane] == 1;
        if (lane && !along) {
          fail(*leaf.block, fmt::format("refinement {} is a scalar; the unit cannot spread it over "
                                        "the lanes: make it a vector or a constant",
                                        quote(view.ref->into)));
        }
        item.inputs[t] = walk.vector_at(leaf, view, along ? at : 0);
      }
      results[found->second].items.push_back(std::move(item));
    }
  });
  return results;
}

}  // namespace

void lower_functions(Walk& walk, Nest& leaf) {
  for (const auto& [into, view] : leaf.views) {
    if (view.made_here) fail(*leaf.block, "buffers of a block of functions are not supported");
  }
  const Expression expression = expression_of(leaf);
  check_tables(walk, leaf, expression);
  const View& target = leaf.views.at(expression.output);
  const std::string op = aggregation_around(target);
  const Reduction reduction = reduction_of(leaf, op);
  const bool own = !target.ref->agg_op.empty() && target.ref->agg_op != "assign";
  const Fold fold = fold_of(leaf, target, op);
  leaf.enter();
  BlockCounts& counts = walk.count(leaf);
  const std::vector<Result> results = results_of(walk, leaf, expression, target, counts);
  if (results.empty()) return;
  ++counts.invocations;
  counts.slots += leaf.block->positions();
  counts.vectors += results.size();
  Chunk chunk(walk, leaf, expression, reduction, fold);
  for (const Result& result : results) {
    if (!own && result.items.size() != 1) {
      fail(*leaf.block, "several positions write one element without aggregation");
    }
    if (chunk.add(result)) continue;
    chunk.emit();
    (void)chunk.add(result);
  }
  chunk.emit();
}

}  // namespace tactus::compiler::stripe_tcu
