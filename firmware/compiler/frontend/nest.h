// What the step of a node computes: one description, made by the operator's plan.
//
// Its readers are enumerate() (enumerate.h), which writes the strategies' HIR; the translation to
// Stripe (firmware/compiler/targets/tcu/stripe/translator.h); and the notes and figures of the
// model. The float reference does not read nests.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "firmware/compiler/frontend/loop_nest.h"
#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

// ---- functions of single elements ---------------------------------------------------------------

/// Operands of an elementwise step.
struct RunTimeValue {
  std::string name;  ///< broadcast along dimensions other than the lanes'
};
struct BroadcastConstant {
  std::string name;
  std::shared_ptr<const nn::Tensor> tensor;
};
struct LaneConstants {
  std::string name;  ///< equal names are one constant
  std::vector<float> values;
};
/// A number in all lanes. Infinity: beyond the data type, such as a bound that does not limit.
using Number = float;
struct LookupTables {
  std::string name;
  std::vector<float> slopes, values;
};
using ElementOperand =
    std::variant<RunTimeValue, BroadcastConstant, LaneConstants, Number, LookupTables>;

/// Each element of the result is a function of the operands' elements at its place.
struct Elementwise {
  struct Function {
    hir::Kind kind = hir::Kind::load;
    /// Numbers of operands; the results of functions are numbered behind the operands. The tables
    /// of a lookup come last.
    std::vector<std::size_t> operands;
  };
  std::string result;
  std::vector<ElementOperand> operands;
  std::vector<Function> functions;  ///< the last one is the result
};

// ---- movements ----------------------------------------------------------------------------------

/// The source of an element: a piece, and the row-major index in it in the model's order. Piece -1:
/// the fill value.
struct Origin {
  std::int64_t piece = 0;
  std::int64_t index = 0;
};

/// Returns the source of the element at a position of an output, in the model's order.
using FindOrigin = std::function<Origin(const nn::Shape& position)>;

/// Results whose elements are elements of the operands. Their places follow no affine map, so a
/// function finds them.
struct Rearrangement {
  struct Output {
    std::string name;
    FindOrigin origin;
  };
  std::vector<std::string> pieces;  ///< values; constants have the layout of the outputs
  std::vector<Output> outputs;
  float fill = 0.0F;
};

/// Another name of the same vectors.
struct Renaming {
  std::string value, result;
};

/// Weighted sums of two by two pixels of an image; the weight of a pixel is the product of those of
/// its row and its column.
struct Resampling {
  /// Neighbours along an axis, and the weight of the second. At the border both are one pixel.
  struct Pair {
    std::int64_t first = 0, second = 0;
    float weight = 0;
  };
  std::string value, result;
  std::array<std::vector<Pair>, 2> axes;  ///< for each output row, each output column
};

using StepNest = std::variant<LoopNest, Elementwise, Rearrangement, Renaming, Resampling>;

}  // namespace tactus::compiler
