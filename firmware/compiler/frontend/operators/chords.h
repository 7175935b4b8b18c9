// Approximation of functions of one element by straight pieces, which any machine can compute.
//
// Each piece is the shifted and scaled input, clipped to the piece's rise; the function is the sum
// of the pieces. It is constant left and right of them.
#pragma once

#include <vector>

#include "firmware/compiler/frontend/operators/table_curve.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// A straight piece with a slope, up to its rise (negative: a fall).
struct Chord {
  float slope = 0, offset = 0;  ///< x * slope + offset is 0 where the chord begins
  float rise = 0;
};

struct ChordCurve {
  float start = 0;  ///< value left of all chords
  std::vector<Chord> chords;
  double error = 0;  ///< largest over the values of the data type that occur
};

/// Chords of a function that is constant left of `from` and right of `to`, up to a step or so.
/// `bound` is the largest absolute value of arguments that occur, if it is known.
[[nodiscard]] ChordCurve draw_by_chords(const Function& f, double from, double to,
                                        tcu::DataType type, std::optional<double> bound = {});

}  // namespace tactus::compiler
