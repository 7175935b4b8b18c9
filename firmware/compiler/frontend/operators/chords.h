// Functions of one element as straight pieces that any machine can compute.
//
// Each piece is the input moved and scaled, cut to the piece's rise; the pieces add up. So the
// function is constant left and right of them.
#pragma once

#include <vector>

#include "firmware/compiler/frontend/operators/table_curve.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// From x on with the slope, for a rise (negative: a fall).
struct Chord {
  float slope = 0, offset = 0;  ///< x * slope + offset is 0 where the chord begins
  float rise = 0;
};

struct ChordCurve {
  float start = 0;  ///< value left of all chords
  std::vector<Chord> chords;
  double error = 0;  ///< largest over all values of the data type
};

/// Chords of a function that is constant left of `from` and right of `to`, up to a step or so.
[[nodiscard]] ChordCurve draw_by_chords(const Function& f, double from, double to,
                                        tcu::DataType type);

}  // namespace tactus::compiler
