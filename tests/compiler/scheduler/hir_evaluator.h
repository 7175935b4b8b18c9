// What layers of HIR mean: vectors of mantissas, one scalar operation after the other.
//
// Sums of products are taken in the order of the weights' addresses, as the scheduler promises
// (toolchain spec section 3.8); every step rounds and saturates as the machine does.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {

class HirEvaluator {
 public:
  using Vector = std::vector<std::int64_t>;  ///< mantissas

  HirEvaluator(tcu::DataType type, std::uint32_t array_size) : type_(type), n_(array_size) {}

  void set(Address address, Vector value) { memory_[address] = std::move(value); }
  [[nodiscard]] const Vector& get(Address address) const { return memory_.at(address); }

  /// Temps are forgotten afterwards.
  void run(const hir::Layer& layer);

 private:
  struct Product {
    std::vector<Address> tuple;  ///< last row first, the bias or Zeroes last
    bool zeroes;
    Vector input;
  };

  [[nodiscard]] Vector value(Address address) const;
  void collect(const hir::MatMul& m);
  void sum_up();
  void apply(const hir::VectorOperation& o);
  [[nodiscard]] Vector multiply(const Product& product) const;
  [[nodiscard]] Vector alu(tcu::SimdOp op, const Vector& left, const Vector& right) const;
  [[nodiscard]] Vector plus(const Vector& a, const Vector& b) const;
  [[nodiscard]] Vector result(const hir::VectorOperation& o, std::size_t i) const;

  tcu::DataType type_;
  std::uint32_t n_;
  std::unordered_map<Address, Vector> memory_;
  std::unordered_map<Address, std::vector<Product>> products_;
};

}  // namespace tactus::compiler
