// The unit while a program for it is written: what its memories hold, and instructions from lists
// of vectors.
//
// Every vector has a number that says what is in it; a copy has the number of its source. A load of
// what is there already is left out, and so are weights that the array holds. Vectors are grouped
// to runs as the instructions can express them.
//
// An accumulating write must not follow a write to the same accumulator directly: the unit may then
// lose the first (hardware spec section 8.1). Where that would happen, NoOps are put in between.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/lir/lir.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::stripe_tcu {

/// An address in local memory and another one; in order.
using Moves = std::vector<std::pair<Address, Address>>;

class Machine {
 public:
  Machine(const tcu::Architecture& architecture, bool reuse);

  [[nodiscard]] std::uint64_t lanes() const { return architecture_.array_size; }

  /// From DRAM or accumulators.
  void to_local(const Moves& moves);
  /// To DRAM or accumulators.
  void from_local(const Moves& moves, bool accumulate = false);
  /// Row k is the weights of input k; Zeroes where there are none.
  void load_weights(const std::vector<Address>& rows, Address bias = Address::zeroes());
  /// Local vectors (or Zeroes) times the weights, to accumulators.
  void multiply(const Moves& moves, bool accumulate);

  /// A whole lookup table, from its first vector in local memory on.
  void load_table(std::uint32_t table, Address first);
  /// out = table 0 times (x - key) + table 1; keeps the register and those behind it busy.
  void look_up(Address write, Address read, bool accumulate = false);

  /// out = op(left, right) on vectors of accumulators. Port stands for what is read or written.
  static constexpr unsigned port = 0, register_1 = 1;
  void simd(tcu::SimdOp op, unsigned left, unsigned right, Address write, Address read,
            bool accumulate = false);
  /// The same, kept in the register.
  void simd_to_register(tcu::SimdOp op, unsigned left, unsigned right, Address read);

  [[nodiscard]] std::vector<lir::Operation> take_operations() { return std::move(operations_); }

 private:
  using Content = std::uint64_t;

  [[nodiscard]] Content& content(Address address);
  [[nodiscard]] Content fresh() { return next_content_++; }
  void append_moves(const Moves& moves, bool to_local, bool accumulate);
  /// Before an operation that writes accumulators, first to last.
  void order_update(Address first, Address last, bool accumulate);

  tcu::Architecture architecture_;
  bool reuse_;
  std::vector<lir::Operation> operations_;
  Content next_content_ = 1;  ///< 0: a vector nobody has asked for yet; never equal to anything
  std::unordered_map<Address, Content> contents_;
  std::vector<Content> weights_;
  std::map<std::uint32_t, std::vector<Content>> tables_;
  Address updated_;                  ///< the accumulator written last; Invalid: it is done
  std::uint64_t weights_since_ = 0;  ///< vectors of weights from local memory since then
};

}  // namespace tactus::compiler::stripe_tcu
