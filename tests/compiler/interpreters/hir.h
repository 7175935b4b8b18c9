// Interpreter of HIR. It defines what layers compute; tests compare both schedulers with it.
//
// Lanes are either mantissas of a data type, rounded and saturated after every operation as by the
// machine, or real numbers. Products of one sum are added in the order of their weights' addresses,
// as the scheduler guarantees (toolchain spec section 3.8).
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler::hir {

/// Arithmetic on one lane: a mantissa if there is a data type, else a real number.
class Arithmetic {
 public:
  using Lane = double;  ///< represents every mantissa of 32 bits exactly

  explicit Arithmetic(tcu::Architecture architecture) : architecture_(std::move(architecture)) {}
  /// Arithmetic of real numbers. Lookups in tables still use the architecture's keys.
  static Arithmetic real(const tcu::Architecture& architecture) {
    Arithmetic arithmetic(architecture);
    arithmetic.is_real_ = true;
    return arithmetic;
  }

  [[nodiscard]] const tcu::Architecture& architecture() const { return architecture_; }
  [[nodiscard]] bool is_real() const { return is_real_; }
  [[nodiscard]] Lane from_real(float value) const;
  [[nodiscard]] double to_real(Lane lane) const;
  /// x * weight + sum, rounded once, as the array does.
  [[nodiscard]] Lane mac(Lane x, Lane weight, Lane sum) const;
  /// Multiplies a vector as the array does. `weights` are n + 1 vectors of n lanes, the bias first.
  [[nodiscard]] std::vector<Lane> multiply(const std::vector<Lane>& weights,
                                           const std::vector<std::uint8_t>& packed_weights,
                                           const std::vector<Lane>& input) const;
  /// Lanes in the form of the array's kernels; empty for real numbers.
  [[nodiscard]] std::vector<std::uint8_t> packed(const std::vector<Lane>& lanes) const;
  /// Adds as the accumulators do.
  [[nodiscard]] Lane add(Lane a, Lane b) const;
  /// Computes an operation as the SIMD ALU does.
  [[nodiscard]] Lane alu(tcu::SimdOp op, Lane left, Lane right) const;

 private:
  tcu::Architecture architecture_;
  bool is_real_ = false;
};

using Lanes = std::vector<Arithmetic::Lane>;

/// Computes one result of an operation from its operands; not for load, save, softmax and lookup.
[[nodiscard]] Lanes evaluate(const Arithmetic& arithmetic, Kind kind,
                             const std::vector<const Lanes*>& operands);

/// Computes one result of a lookup from its operands and the vectors of its tables. In both kinds
/// of arithmetic the key is found from the argument as a mantissa.
[[nodiscard]] Lanes look_up(const Arithmetic& arithmetic, const std::vector<const Lanes*>& operands,
                            const std::vector<const Lanes*>& tables);

class Interpreter {
 public:
  /// Returns a constant's lanes as real numbers, or null for an address without a constant.
  using ConstantOf = std::function<const float*(Address)>;

  explicit Interpreter(Arithmetic arithmetic, ConstantOf constant_of = {})
      : arithmetic_(std::move(arithmetic)),
        constant_of_(std::move(constant_of)),
        zeroes_(arithmetic_.architecture().array_size, 0) {}

  void set(Address address, Lanes value) { memory_[address] = std::move(value); }
  /// Returns a vector's lanes. Throws InternalError if it is no constant and was neither set nor
  /// computed.
  [[nodiscard]] const Lanes& get(Address address);

  /// Computes a layer. Temps are removed afterwards.
  void run(const Layer& layer);

 private:
  /// A set of weights that the array holds at the same time.
  struct Tuple {
    std::vector<Address> addresses;  ///< last row first, the bias or Zeroes last
    /// Rank by addresses; tuples with equal addresses have equal numbers.
    std::size_t order = 0;
    Lanes lanes;                       ///< the bias, followed by the rows
    std::vector<std::uint8_t> packed;  ///< the lanes in the form of the array's kernels
  };
  struct Product {
    std::size_t tuple;
    Address input;
  };

  void collect(const MatMul& product);
  void order_tuples();
  void sum_up();
  void apply(const VectorOperation& operation);
  [[nodiscard]] std::vector<const Lanes*> operands_of(const VectorOperation& o, std::size_t i);
  void fill(Tuple& tuple);
  [[nodiscard]] Lanes multiply(const Product& product);

  Arithmetic arithmetic_;
  ConstantOf constant_of_;
  Lanes zeroes_;
  std::unordered_map<Address, Lanes> memory_;
  std::vector<Tuple> tuples_;
  std::unordered_map<Address, std::vector<Product>> products_;
};

}  // namespace tactus::compiler::hir
