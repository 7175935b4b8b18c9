// Curves: functions of one element by lookup tables if the machine has them, else by chords.
#include <algorithm>
#include <cmath>

#include "firmware/compiler/frontend/operators/chords.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler {
namespace {

// ---- by chords ----------------------------------------------------------------------------------

/// A start value, plus for each chord the shifted and scaled input, clipped to the chord's range.
Plan plan_chords(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::vector<float>& numbers = p.node.reals("chords");
  p.step().note = p.node.text("note", "");
  p.reads(0);
  p.output(*x);
  Elementwise nest{p.node.outputs[0], {RunTimeValue{p.node.inputs[0]}, 0.0F}, {}};
  constexpr std::size_t value = 0, zero = 1;
  for (std::size_t k = 1; k + 2 < numbers.size(); k += 3) {
    nest.operands.insert(nest.operands.end(), {numbers[k], numbers[k + 1], numbers[k + 2]});
  }
  nest.operands.insert(nest.operands.end(), {numbers[0], 1.0F});
  const std::size_t operands = nest.operands.size();
  Elementwise::Function sum{hir::Kind::average_pool, {}};
  for (std::size_t slope = 2; slope + 2 < operands; slope += 3) {
    const std::size_t rise = slope + 2, line = operands + nest.functions.size();
    const bool falls = std::get<Number>(nest.operands[rise]) < 0;
    nest.functions.push_back({hir::Kind::norm, {value, slope, slope + 1}});
    nest.functions.push_back({hir::Kind::clip, {line, falls ? rise : zero, falls ? zero : rise}});
    sum.operands.push_back(line + 1);
  }
  sum.operands.insert(sum.operands.end(), {operands - 2, operands - 1});
  nest.functions.push_back(std::move(sum));
  return nest;
}

// ---- by tables ----------------------------------------------------------------------------------

/// A sum of table functions, each of the argument times a scale.
Plan plan_tables(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::vector<float>&scales = p.node.reals("scales"), &slopes = p.node.reals("slopes"),
        &values = p.node.reals("values");
  const std::size_t entries = slopes.size() / scales.size();
  Elementwise nest{p.node.outputs[0], {RunTimeValue{p.node.inputs[0]}}, {}};
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const auto part = [&](const std::vector<float>& all) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * entries);
      return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(entries));
    };
    Elementwise::Function function{hir::Kind::lookup, {0}};
    const auto add = [&](ElementOperand operand) {
      function.operands.push_back(nest.operands.size());
      nest.operands.push_back(std::move(operand));
    };
    if (scales[k] != 1.0F) add(scales[k]);
    add(LookupTables{fmt::format("tables of {}, piece {}", p.node.text("function", ""), k),
                     part(slopes), part(values)});
    nest.functions.push_back(std::move(function));
  }
  // A sum of pieces cannot be followed by the steps that a layer may have behind an activation.
  if (scales.size() > 1) {
    p.step().role = Role::simple;
    nest.operands.emplace_back(1.0F);
    Elementwise::Function sum{hir::Kind::average_pool, {}};
    for (std::size_t k = 0; k < scales.size(); ++k) {
      sum.operands.push_back(nest.operands.size() + k);
    }
    sum.operands.push_back(nest.operands.size() - 1);
    nest.functions.push_back(std::move(sum));
  }
  p.step().note = p.node.text("note", "");
  p.reads(0);
  p.output(*x);
  return nest;
}

/// Text on the error, "largest error 0.0041 ..., over ...", with the argument where it occurs if it
/// is large.
std::string error_text(const TableCurve& curve, const std::optional<Reach>& needed,
                       tcu::DataType type) {
  const std::string where = needed
                                ? fmt::format("from {:g} to {:g}", needed->from, needed->to)
                                : fmt::format("over the whole range of {}", tcu::info(type).name);
  std::string text = fmt::format("largest error {:.2g} of 1 or of the value where that is more, {}",
                                 curve.error, where);
  if (curve.error > 0.01) text += fmt::format(" (at {:g})", curve.error_at);
  return text;
}

/// An operator and its attributes.
struct Form {
  const char* op = nullptr;
  Expansion::Attributes attributes;
};

Form looked_up(Planner& p, const ElementFunction& function) {
  const auto curve = p.table_curve(
      function.name, [&] { return draw_by_tables(function.f, p.architecture(), function.needed); });
  p.expect_error(0, curve->error);
  std::vector<float> scales, slopes, values;
  for (const TablePiece& piece : curve->pieces) {
    scales.push_back(piece.scale);
    slopes.insert(slopes.end(), piece.slopes.begin(), piece.slopes.end());
    values.insert(values.end(), piece.values.begin(), piece.values.end());
  }
  const std::string note = fmt::format(
      "node {} ({}) looks {} up in {} pair{} of tables; {}", quote(p.origin().name),
      p.origin().op_type, function.name, curve->pieces.size(), curve->pieces.size() == 1 ? "" : "s",
      error_text(*curve, function.needed, p.architecture().data_type));
  return {"look up",
          {{"function", function.name},
           {"note", note},
           {"scales", scales},
           {"slopes", slopes},
           {"values", values}}};
}

Form drawn(Planner& p, const std::string& x, const ElementFunction& function) {
  const std::optional<double> bound = p.bound(x);
  const ChordCurve curve = draw_by_chords(function.f, function.reach->from, function.reach->to,
                                          p.architecture().data_type, bound);
  p.expect_error(curve.error);
  std::vector<float> numbers{curve.start};
  for (const Chord& chord : curve.chords) {
    numbers.insert(numbers.end(), {chord.slope, chord.offset, chord.rise});
  }
  double least = HUGE_VAL, most = -HUGE_VAL;
  constexpr int samples = 1000;
  for (int k = 0; k <= samples; ++k) {
    const double width = function.reach->to - function.reach->from;
    const double value = function.f(function.reach->from + width * k / samples);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const std::string note = fmt::format(
      "node {} ({}) computes {} by {} chords; largest error {:.4f}, {:.2g} % of the range of its "
      "values, {}",
      quote(p.origin().name), p.origin().op_type, function.name, curve.chords.size(), curve.error,
      100 * curve.error / (most - least),
      bound
          ? fmt::format("from {:g} to {:g}", -*bound, *bound)
          : fmt::format("over the whole range of {}", tcu::info(p.architecture().data_type).name));
  return {"chords", {{"chords", numbers}, {"note", note}}};
}

/// Chooses tables or chords, depending on the machine. Reports a problem if neither is possible.
Form form_of(Planner& p, const std::string& x, const ElementFunction& function) {
  if (has_tables(p.architecture())) return looked_up(p, function);
  if (function.reach) return drawn(p, x, function);
  p.problem(
      "the machine has no lookup tables for {} (lookup_tables of the architecture: a count of 2 or "
      "more, and one register more than tables in simd_registers_depth)",
      function.name);
  return {"Identity", {}};
}

}  // namespace

std::string computed(Planner& p, Expansion& e, const std::string& x,
                     const ElementFunction& function) {
  Form form = form_of(p, x, function);
  return e.node(form.op, {x}, std::move(form.attributes));
}

void compute_last(Planner& p, Expansion& e, const std::string& x, const ElementFunction& function) {
  Form form = form_of(p, x, function);
  e.last(form.op, {x}, std::move(form.attributes));
}

double sum_scale(const Planner& p, std::int64_t count, double largest) {
  const double most =
      tcu::to_real(p.architecture().data_type, tcu::info(p.architecture().data_type).max());
  double scale = 1;
  while (static_cast<double>(count) * largest * scale > most) scale /= 2;
  return scale;
}

Operator chords_operator() { return {"chords", 0, Role::simple, plan_chords}; }
Operator tables_operator() { return {"look up", 0, Role::activation, plan_tables}; }

}  // namespace tactus::compiler
