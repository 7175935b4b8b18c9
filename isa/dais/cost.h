// What a program costs in hardware: da4ml's estimates of logic, latency and registers, and the
// facts of its ports. Source: dais.md section 3.
//
// A unit of cost is about one LUT (for an adder size of 1), a unit of latency one level of adders
// (for a carry size of -1). The estimate is an upper bound where multipliers go to DSP blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dais/program.h"

namespace tactus::dais {

struct CostOptions {
  /// Half the price of an adder for a mux, as da4ml takes it from 0.6 on.
  bool half_price_mux = false;
  /// Latency of a pipeline stage: an adder or multiplier that would cross a multiple of it starts
  /// there instead. 0: none. UserError if one operation takes longer.
  double latency_cutoff = 0;
};

struct OpCost {
  double cost = 0;
  double latency = 0;  ///< when the value is there, counted from the inputs
};

struct Cost {
  std::vector<OpCost> ops;
  double lut = 0;          ///< sum of all operations
  double latency_min = 0;  ///< of the outputs
  double latency_max = 0;
};

/// For a program that passed check_program(). Adder and carry sizes are the program's.
[[nodiscard]] Cost estimate_cost(const Program& program, const CostOptions& options = {});

/// One input or output as hardware sees it.
struct Port {
  DataType type;   ///< smallest that holds the range; no bits if nothing reads the input
  Interval range;  ///< of the real numbers; for an input after it is cut to its type

  [[nodiscard]] std::int64_t width() const { return type.width(); }
};

/// If several operations copy an input, the last one counts, as for da4ml's hardware.
[[nodiscard]] std::vector<Port> input_ports(const Program& program);
/// After scaling and negation.
[[nodiscard]] std::vector<Port> output_ports(const Program& program);

/// Bits of a rank of registers at the inputs and one behind every stage.
[[nodiscard]] std::uint64_t register_bits(const Pipeline& pipeline);

}  // namespace tactus::dais
