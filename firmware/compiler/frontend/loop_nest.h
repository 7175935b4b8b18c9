// What a step computes, as an affine loop nest: named sizes, and the place of every operand and of
// the result as an affine function of them.
//
// Order: sums are accumulated tap by tap in the order of `taps`, the bias with the first tap, since
// the bits of a sum depend on the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// One of the nest's sizes. A point of the nest has a number below the size for each loop.
struct Loop {
  std::string name;
  std::int64_t size = 1;
  bool matrix = false;  ///< a dimension of matrices, which Stripe keeps even if its size is 1
};

using LoopNumber = std::size_t;  ///< number of a loop in its nest
using Point = std::vector<std::int64_t>;

/// A place along one dimension: (constant + sum of factor * loop) / divisor. Numbers that the
/// divisor does not divide are no places; they stand for zeroes between the elements.
struct Place1D {
  std::int64_t constant = 0;
  std::vector<std::pair<LoopNumber, std::int64_t>> terms;  ///< loops and factors
  std::int64_t divisor = 1;

  [[nodiscard]] static Place1D of(LoopNumber loop) { return {0, {{loop, 1}}, 1}; }
  /// The place at a point; nothing if it is between elements or outside 0 .. size - 1.
  [[nodiscard]] std::optional<std::int64_t> at(const Point& point, std::int64_t size) const;
};

/// Where a value is read or written. Dimensions are in memory order (layout.h), the last one along
/// the lanes.
struct Access {
  std::string value;
  nn::Shape sizes;
  std::vector<Place1D> places;  ///< one for each dimension

  /// An access to a value with a loop, or a constant 0, for each dimension in memory order.
  [[nodiscard]] static Access of(std::string value, const Layout& layout,
                                 const std::vector<std::optional<LoopNumber>>& loops);
  /// Number of the run along the lanes at a point; nothing in the padding.
  [[nodiscard]] std::optional<std::int64_t> run(const Point& point) const;
};

/// Fills one row (the weights of one input to all outputs) of one tap; the row is zero before.
using FillRow = std::function<void(std::int64_t tap, std::int64_t input, float* row)>;

/// Constants of a product: for each tap a matrix of inputs x outputs.
struct Weights {
  std::string name;     ///< of the tensor and its form; equal names are one constant
  std::string operand;  ///< the model's value that they follow from
  FillRow fill;
  bool diagonal = false;  ///< input k of a tap has a weight to output k only
  std::string bias_name, bias_operand;
  std::vector<float> bias;  ///< one for each output; empty: none
};

enum class NestWork : std::uint8_t {
  product,  ///< sum of operand 0 times weights or operand 1, over taps and rows
  sum,      ///< sum of operand 0 times `weight` over the taps, then times the factors
  maximum,  ///< largest operand 0 over the taps
};

struct LoopNest {
  NestWork work = NestWork::product;
  std::vector<Loop> loops;
  /// The loops over terms of a sum or maximum, the last one fastest. Terms outside an operand are
  /// zero, or take no part in a maximum.
  std::vector<LoopNumber> taps;
  std::vector<LoopNumber> rows;       ///< of a product's matrix, in the operand's memory order
  std::optional<LoopNumber> columns;  ///< of a product's matrix, along the result's lanes
  /// The first dimensions of the result whose points have matrices of their own.
  std::size_t batches = 0;
  std::vector<Access> operands;  ///< operand 1 of a product: a computed matrix
  Access result;                 ///< its places are loops or 0
  Weights weights;               ///< of a product of one operand
  /// Useful multiply-accumulates of a tap for each point of the result that is no padding; 0 for
  /// matrices that only move elements.
  std::uint64_t macs = 0;

  float weight = 1;  ///< of a sum
  /// Constants that multiply a sum, one after the other: for each window in turn, or once for all.
  std::vector<std::vector<float>> factors;

  LoopNumber add(std::string name, std::int64_t size, bool matrix = false) {
    loops.push_back({std::move(name), size, matrix});
    return loops.size() - 1;
  }
  [[nodiscard]] std::int64_t size_of(const std::vector<LoopNumber>& some) const;
  /// The number of taps, and of inputs and outputs of their matrices.
  [[nodiscard]] std::int64_t tap_count() const { return size_of(taps); }
  [[nodiscard]] std::int64_t inputs() const { return size_of(rows); }
  [[nodiscard]] std::int64_t outputs() const { return loops[*columns].size; }
  /// The loops of the result's dimensions except the lanes; dimensions without one are left out.
  [[nodiscard]] std::vector<LoopNumber> result_loops() const;
  /// Advances the loops to their next point, the last one fastest. Returns false at the end, with
  /// all of them at 0.
  [[nodiscard]] bool next(Point& point, const std::vector<LoopNumber>& which) const;
  /// Multiply-accumulates with those on padding.
  [[nodiscard]] std::uint64_t macs_with_padding() const;
};

struct Model;

/// If operand 0 of a product is a flattened value, reads it in the layout that it had before: the
/// rows of the matrix follow that order. Done where the dimension along the lanes has a multiple of
/// `lanes` elements, so that the runs of both layouts are whole vectors.
void skip_flattening(LoopNest& product, const Model& model, std::int64_t lanes);

}  // namespace tactus::compiler
