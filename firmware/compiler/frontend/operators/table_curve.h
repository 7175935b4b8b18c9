// Approximation of functions of one element by the machine's lookup tables (isa/tcu/lookup.h).
//
// A piece is a pair of tables with slopes and values of chords between the middles of neighbouring
// keys: the function is about difference * slope + value, with the difference of a lookup. Chords
// are shifted towards the curve, so that errors have both signs. The end chords continue to the
// ends of the data type. A function with a wide range, or steep near 0, is a sum of pieces: each
// one uses the argument times a power of two, follows the function where no other piece has finer
// keys, and is constant elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// A function; NaN means that it has no value there.
using Function = std::function<double(double)>;

/// A range of arguments.
struct Reach {
  double from = 0, to = 0;
};

struct TablePiece {
  float scale = 1;                    ///< factor of the argument, a power of two
  std::vector<float> slopes, values;  ///< by table entry; numbers of the data type
};

struct TableCurve {
  std::vector<TablePiece> pieces;  ///< the function is the sum of the pieces
  /// Largest error over all values of the data type (all of types up to 18 bits, 80 000 values of
  /// wider ones). It is relative where the function is above 1. The function is clipped to the data
  /// type's range; arguments without a value do not count.
  double error = 0;
  double error_at = 0;
};

/// True if programs can use tables: there are two, and registers for all results of a lookup.
[[nodiscard]] bool has_tables(const tcu::Architecture& architecture);

/// Returns the curve with the fewest pieces whose error is at most two steps of the data type or
/// 1/4096, whichever is larger; if there is none, the one with the smallest error. If `needed` is
/// given, only these arguments count.
[[nodiscard]] TableCurve draw_by_tables(const Function& f, const tcu::Architecture& architecture,
                                        const std::optional<Reach>& needed = std::nullopt);

/// The machine's result for an argument, both mantissas.
[[nodiscard]] std::int64_t value_of(const TableCurve& curve, const tcu::Architecture& architecture,
                                    std::int64_t argument);

}  // namespace tactus::compiler
