// Estimates what a program costs in hardware: da4ml's figures for logic, latency and registers, and
// the types of its ports. Source: dais.md section 3.
//
// A unit of cost is about one LUT (for an adder size of 1), a unit of latency is one level of
// adders (for a carry size of -1). The estimate is an upper bound if multipliers are mapped to DSP
// blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dais/program.h"

namespace tactus::dais {

struct CostOptions {
  /// Counts a mux as half an adder, as da4ml does from version 0.6 on.
  bool half_price_mux = false;
  /// Latency of a pipeline stage. An adder or multiplier that would cross a multiple of it starts
  /// at that multiple instead. 0: no stages. An operation that takes longer is a UserError.
  double latency_cutoff = 0;
  /// Takes ranges of values, and sizes of adders and carries, from the JSON form, as da4ml does.
  /// False: all values of each type, an adder size of 1 and carries of any length, which every form
  /// of a program has; costs are LUTs.
  bool as_stated = true;
};

struct OpCost {
  double cost = 0;
  double latency = 0;  ///< time at which the value is available, counted from the inputs
};

struct Cost {
  std::vector<OpCost> ops;
  double lut = 0;          ///< sum over all operations
  double latency_min = 0;  ///< smallest latency of an output
  double latency_max = 0;
};

/// Estimates the cost of a program that passed check_program().
[[nodiscard]] Cost estimate_cost(const Program& program, const CostOptions& options = {});

/// One input or output as hardware sees it.
struct Port {
  DataType type;   ///< smallest type that holds the range; no bits if no operation reads the input
  Interval range;  ///< range of the real numbers; for an input after the cut to its type

  [[nodiscard]] std::int64_t width() const { return type.width(); }
};

/// Types and ranges of the inputs. If several operations copy an input, the last one counts, as in
/// da4ml's hardware.
[[nodiscard]] std::vector<Port> input_ports(const Program& program);
/// Types and ranges of the outputs, after scaling and negation.
[[nodiscard]] std::vector<Port> output_ports(const Program& program);

/// Register bits of a pipeline: one rank of registers behind every stage, and with `at_inputs` one
/// at the inputs. da4ml always counts the one at the inputs; a block (models/dais) has it only if
/// its program has stages.
[[nodiscard]] std::uint64_t register_bits(const Pipeline& pipeline, bool at_inputs = true);

}  // namespace tactus::dais
