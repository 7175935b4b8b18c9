// Functions of one element as the machine's lookup tables compute them (isa/tcu/lookup.h).
//
// A piece is a pair of tables: slopes and values of chords between the middles of neighbouring
// keys, so that a lookup's difference times the slope, and the value added, is near the function.
// Chords are moved towards the curve, so that errors have both signs. The pieces at the ends go on
// straight to the ends of the data type. A function whose range is wide, or that is steep near 0,
// is a sum of pieces: each looks at the argument times a power of two, follows the function where
// its keys are the finest there are, and is flat elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// NaN: it has no value there.
using Function = std::function<double(double)>;

/// Between two arguments.
struct Reach {
  double from = 0, to = 0;
};

struct TablePiece {
  float scale = 1;                    ///< of the argument, a power of two
  std::vector<float> slopes, values;  ///< by entry; numbers of the data type
};

struct TableCurve {
  std::vector<TablePiece> pieces;  ///< they add up
  /// Largest over all values of the data type (every one of those with 18 bits and less, 80 000 of
  /// wider ones), as a part of the function's value where that is above 1; the function is cut to
  /// the data type's range. Where it has no value there is no error.
  double error = 0;
  double error_at = 0;
};

/// Whether programs can use tables: two of them, and registers for all that a lookup finds.
[[nodiscard]] bool has_tables(const tcu::Architecture& architecture);

/// The curve with the fewest pieces whose error is two steps of the data type or 1/4096, whichever
/// is more; if there is none, the one with the smallest error. Only arguments within `needed`
/// count, if it is given.
[[nodiscard]] TableCurve draw_by_tables(const Function& f, const tcu::Architecture& architecture,
                                        const std::optional<Reach>& needed = std::nullopt);

/// What the machine computes for an argument, both mantissas.
[[nodiscard]] std::int64_t value_of(const TableCurve& curve, const tcu::Architecture& architecture,
                                    std::int64_t argument);

}  // namespace tactus::compiler
