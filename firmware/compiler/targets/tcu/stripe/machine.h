// Makes instructions from lists of vectors, and tracks the contents of the unit's memories
// meanwhile.
//
// Every vector has a number that identifies its contents; a copy has the number of its source.
// Loads of vectors that are already in place, and of weights that the array holds, are left out.
// Vectors are grouped into runs that instructions can express.
//
// An accumulating write directly after a write to the same accumulator may lose the first one
// (hardware spec section 8.1). NoOps are inserted between such writes.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/lir/lir.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::stripe_tcu {

/// Pairs of an address in local memory and another address, in order.
using Moves = std::vector<std::pair<Address, Address>>;

class Machine {
 public:
  Machine(const tcu::Architecture& architecture, bool reuse);

  [[nodiscard]] std::uint64_t lanes() const { return architecture_.array_size; }

  /// Copies local vectors to local memory by way of accumulators from `first` on, except for those
  /// whose target has the contents already.
  void within_local(const Moves& moves, std::uint64_t first);
  /// Copies vectors from DRAM or accumulators.
  void to_local(const Moves& moves);
  /// Copies vectors to DRAM or accumulators.
  void from_local(const Moves& moves, bool accumulate = false);
  /// Loads weights. Row k has the weights of input k; Zeroes if there are none.
  void load_weights(const std::vector<Address>& rows, Address bias = Address::zeroes());
  /// Multiplies local vectors (or Zeroes) by the weights, with results in accumulators.
  void multiply(const Moves& moves, bool accumulate);

  /// Loads a whole lookup table; `first` is its first vector in local memory.
  void load_table(std::uint32_t table, Address first);
  /// out = table 0 times (x - key) + table 1. Uses register 1 and the registers behind it.
  void look_up(Address write, Address read, bool accumulate = false);

  /// out = op(left, right) on vectors of accumulators. The selector `port` is the vector that is
  /// read or written.
  static constexpr unsigned port = 0, register_1 = 1;
  void simd(tcu::SimdOp op, unsigned left, unsigned right, Address write, Address read,
            bool accumulate = false);
  /// Does the same with the result in register 1.
  void simd_to_register(tcu::SimdOp op, unsigned left, unsigned right, Address read);

  [[nodiscard]] std::vector<lir::Operation> take_operations() { return std::move(operations_); }

 private:
  using Content = std::uint64_t;

  [[nodiscard]] Content& content(Address address);
  [[nodiscard]] Content fresh() { return next_content_++; }
  void append_moves(const Moves& moves, bool to_local, bool accumulate);
  /// Call before an operation that writes accumulators `first` to `last`.
  void order_update(Address first, Address last, bool accumulate);

  tcu::Architecture architecture_;
  bool reuse_;
  std::vector<lir::Operation> operations_;
  Content next_content_ = 1;  ///< 0: contents not known yet, which equal no others
  std::unordered_map<Address, Content> contents_;
  std::vector<Content> weights_;
  std::map<std::uint32_t, std::vector<Content>> tables_;
  /// The accumulator written last; Invalid: the write is complete.
  Address updated_;
  std::uint64_t weights_since_ = 0;  ///< vectors of weights from local memory since then
};

}  // namespace tactus::compiler::stripe_tcu
