// Results of a block of functions that are computed together.
//
// Operands are copied to the accumulators, SIMD operations work there, and results are copied back.
// An operation is done for all vectors of a chunk before the next operation, so that a common
// operand stays in the register. A chunk is as large as free accumulators and local memory allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/stripe/expression.h"
#include "firmware/compiler/targets/tcu/stripe/walk.h"

namespace tactus::compiler::stripe_tcu {

class Chunk {
 public:
  enum class Reduction { none, add, max, min };

  /// One evaluation of the expression, for one result.
  struct Item {
    std::vector<Vector> inputs;  ///< by term; set for inputs only
  };

  struct Result {
    Vector target;
    std::vector<Item> items;  ///< in order; a single one unless it is a reduction
  };

  Chunk(Walk& walk, const Nest& leaf, const Expression& expression, Reduction reduction, Fold fold);

  /// False if there is no more room. UserError if there is none for a single result.
  bool add(const Result& result);
  /// Computes the results that were added, and empties the chunk.
  void emit();

 private:
  /// The values of a term: an accumulator for each row.
  using Values = std::vector<Address>;
  /// A row: a result and one of its items.
  struct Row {
    const Item* item = nullptr;
    std::size_t result = 0;
  };

  [[nodiscard]] Address source_of(std::size_t term, const Item& item) const;
  [[nodiscard]] std::size_t most_items() const;
  void load_sources();
  void choose_targets();
  Address take();
  [[nodiscard]] bool extreme() const;
  [[nodiscard]] bool goes_on(const Vector& target) const;
  [[nodiscard]] bool holds_something(std::size_t result) const;
  Values leaf_values(std::size_t term, const std::vector<Row>& rows);
  void require_written(const Vector& vector);
  [[nodiscard]] bool can_be_added(std::size_t term, const std::vector<Row>& rows) const;
  void add_from_local(std::size_t term, const std::vector<Row>& rows, const Values& onto,
                      bool accumulate);
  void copy(const Values& from, const Values& to);
  Values values_of(std::size_t term, const std::vector<Row>& rows, Values into,
                   const std::vector<bool>& accumulate);
  void move_in(std::size_t term, const std::vector<Row>& rows, const Values& into,
               const std::vector<bool>& accumulate);
  Values sum(std::size_t base, std::size_t added, const std::vector<Row>& rows, Values into);
  Values memo(std::size_t term, const std::vector<Row>& rows);
  void load_tables(const std::string& name);
  void unary(const Term& t, const Values& operand, const Values& into,
             const std::vector<bool>& accumulate);
  void binary(const Term& t, const Values& left, const Values& right, const std::vector<Row>& rows,
              const Values& into, const std::vector<bool>& accumulate);
  Values operation(const Term& t, const std::vector<Row>& rows, Values into,
                   const std::vector<bool>& accumulate);
  /// True if the term's values are read only once, so that their accumulators can be reused.
  [[nodiscard]] bool owned(std::size_t term) const {
    const Term& t = expression_.terms[term];
    return t.kind == Term::Kind::operation && t.uses == 1;
  }
  [[nodiscard]] static std::size_t distinct(const Values& values);
  void emit_tap(std::size_t tap);
  void emit_extremes();
  void go_on(std::size_t r);
  void combine(Address a, Address b, Address into);
  void store_results();

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

}  // namespace tactus::compiler::stripe_tcu
