// Random programs that obey every rule, and random samples for them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "isa/dais/program.h"

namespace tactus::dais {

struct RandomShape {
  Dialect dialect = Dialect::v1;
  unsigned widest = 64;  ///< largest width of input, cast and constant types
  std::size_t ops = 40;
  bool short_tables = false;  ///< lookups may be outside their tables
};

class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, const RandomShape& shape) : engine_(seed), shape_(shape) {}

  Program make();
  /// Returns values that are or are not multiples of the types' steps, in and out of range, and
  /// special values of double.
  std::vector<double> samples(const Program& program, std::size_t count);

 private:
  std::int64_t number(std::int64_t min, std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(min, max)(engine_);
  }
  bool chance(unsigned percent) { return number(1, 100) <= percent; }
  std::int32_t earlier() { return static_cast<std::int32_t>(number(0, size() - 1)); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(program_.ops.size()); }
  [[nodiscard]] const DataType& type(std::int32_t id) const {
    return program_.ops[static_cast<std::size_t>(id)].type;
  }
  DataType type_with(std::int64_t fraction);
  bool fill(Op& op, std::int32_t opcode);
  bool fill_sum(Op& op, bool bits);
  bool fill_mux(Op& op);
  bool fill_lookup(Op& op);
  bool fill_product(Op& op);
  void add_copy();
  void add_outputs();

  std::mt19937_64 engine_;
  RandomShape shape_;
  Program program_;
};

}  // namespace tactus::dais
