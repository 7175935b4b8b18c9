// Conv, Gemm and MatMul.
#include <algorithm>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/translator.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {

void Translator::add_row(const std::string& buffer, const std::vector<float>& row) {
  const Place target = make_place(out());
  const std::string bias =
      make_constant(node().name + "_bias", {static_cast<std::int64_t>(row.size())}, row,
                    std::string(node().input(2)));
  Kernel k = kernel("_bias");
  k.tag("eltwise");
  k.tag("eltwise_add");
  const nn::Shape sizes = layout(out()).memory_shape();
  const std::vector<Affine> at = count(k, sizes);
  k.in("B", shapes_.at(bias), bias, {at.back()});
  k.in("X", shapes_.at(buffer), buffer, at);
  write(k, target.buffer, at);
  const std::string x = k.load("X"), b = k.load("B");
  k.store("Y", k.call("add", {x, b}));
  append(std::move(k));
}

void Translator::convolution() {
  const nn::Tensor& w = *constant(1);
  const nn::Tensor* bias = constant(2);
  const std::int64_t groups = node().integer("group", 1);
  const std::int64_t outputs = w.shape[0], depth = w.shape[1];
  const Windows& win = step_->windows;
  const std::int64_t inputs = depth * groups, taps = win.taps();
  const std::int64_t n = model_.architecture.array_size;
  // With many groups the matrix is mostly zeroes, and SIMD operations take fewer cycles.
  const bool depthwise = groups > 1 && depth == 1 && outputs == groups && (groups + n - 1) / n > 4;
  std::vector<float> values;
  if (depthwise) {
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t c = 0; c < outputs; ++c) {
        values.push_back(w.floats[static_cast<std::size_t>(c * taps + t)]);
      }
    }
  } else {
    values.assign(static_cast<std::size_t>(taps * inputs * outputs), 0);
    const std::int64_t width = outputs / groups;
    for (std::int64_t co = 0; co < outputs; ++co) {
      for (std::int64_t d = 0; d < depth; ++d) {
        for (std::int64_t t = 0; t < taps; ++t) {
          const std::int64_t ci = co / width * depth + d;
          values[static_cast<std::size_t>((t * inputs + ci) * outputs + co)] =
              w.floats[static_cast<std::size_t>((co * depth + d) * taps + t)];
        }
      }
    }
  }
  Sizes sizes{win.kernel[0], win.kernel[1], inputs, outputs};
  if (depthwise) sizes.erase(sizes.begin() + 2);
  const std::string weights =
      make_constant(node().name + "_weights", sizes, std::move(values), in(1));
  const std::string buffer = bias != nullptr ? make_temporary(out()) : make_place(out()).buffer;
  const std::vector<Phase> rows = phases(win, 0), columns = phases(win, 1);
  for (const Phase& row : rows) {
    for (const Phase& column : columns) {
      if (rows.size() * columns.size() == 1) {
        convolve(win, row, column, weights, depthwise, buffer, "");
        continue;
      }
      // Sums are stored as boxes, so those of one phase are first stored side by side.
      const std::string suffix = fmt::format("_{}_{}", row.first, column.first);
      const Sizes part{layout(in()).shape[0], row.outputs, column.outputs, outputs};
      const bool nothing = row.taps == 0 || column.taps == 0;
      const std::string sums =
          nothing ? table({outputs}, std::vector<float>(static_cast<std::size_t>(outputs), 0))
                  : make_buffer(buffer + suffix, part, "temporary");
      if (!nothing) convolve(win, row, column, weights, depthwise, sums, suffix);
      Kernel k = kernel(suffix + "_place");
      k.tag("eltwise");
      const std::vector<Affine> at = count(k, part);
      k.in("X", shapes_.at(sums), sums, nothing ? std::vector<Affine>{at[3]} : at);
      write(k, buffer,
            {at[0], at[1] * row.period + Affine(row.first),
             at[2] * column.period + Affine(column.first), at[3]});
      k.store("Y", k.call("assign", {k.load("X")}));
      append(std::move(k));
    }
  }
  if (bias != nullptr) add_row(buffer, bias->floats);
}

/// Computes the outputs of one phase, stored side by side.
void Translator::convolve(const Windows& w, const Phase& rows, const Phase& columns,
                          const std::string& weights, bool depthwise, const std::string& target,
                          const std::string& suffix) {
  const Layout& x = layout(in());
  const std::int64_t inputs = x.shape[1], outputs = layout(out()).shape[1];
  Kernel k = kernel(suffix);
  k.tag("contraction");
  Slide at = slide(k, w, rows, columns);
  const Affine co = depthwise ? k.index("co", outputs) : k.lane_index("co", outputs);
  at.target.push_back(co);
  std::vector<Affine> row{at.ky, at.kx};
  if (depthwise) {
    at.source.push_back(co);
  } else {
    const Affine ci = k.lane_index("ci", inputs);
    at.source.push_back(ci);
    row.push_back(ci);
    k.tag("agg_op_add");
    k.tag("comb_op_mul");
    if (x.shape[0] * rows.outputs * columns.outputs == 1) k.unit_index("m");
  }
  row.push_back(co);
  k.in("K", shapes_.at(weights), weights, row);
  read(k, "I", in(), at.source);
  write(k, target, at.target, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
}

void Translator::product() {
  if (constant(1) == nullptr) return computed_product();
  const nn::Tensor& w = *constant(1);
  const bool transposed = node().integer("transB", 0) != 0;
  const float alpha = node().real("alpha", 1.0F);
  const std::int64_t inputs = w.shape[transposed ? 1 : 0], outputs = w.shape[transposed ? 0 : 1];
  const auto weight = [&](std::int64_t feature, std::int64_t output) {
    const std::int64_t at = transposed ? output * inputs + feature : feature * outputs + output;
    return alpha * w.floats[static_cast<std::size_t>(at)];
  };
  // A flattened tensor is summed up in its original layout.
  std::string source = in();
  const std::string& before = model_.value(in()).reshaped_from;
  const Layout& a = layout(in());
  bool unflattened = false;
  if (!before.empty() && a.rank() == 2) {
    const Layout& b = layout(before);
    unflattened = b.rank() >= 2 && b.order[0] == 0 && b.shape[0] == a.shape[0];
    if (unflattened) source = before;
  }
  Kernel k = kernel();
  k.tag("contraction");
  k.tag("agg_op_add");
  k.tag("comb_op_mul");
  std::vector<Affine> at, target, row;
  Sizes sizes;
  std::vector<float> values;
  if (unflattened) {
    const Layout& b = layout(source);
    const nn::Shape memory = b.memory_shape();
    at.push_back(k.index("m", memory[0]));
    if (memory[0] == 1) k.unit_index("m");
    target = at;
    for (std::size_t d = 1; d < memory.size(); ++d) {
      const std::string name = fmt::format("k{}", d);
      const bool lanes = d + 1 == memory.size();
      row.push_back(lanes ? k.lane_index(name, memory[d]) : k.index(name, memory[d]));
      at.push_back(row.back());
      sizes.push_back(memory[d]);
    }
    const std::vector<std::int64_t> strides = strides_of(b.shape);
    nn::Shape position(sizes.size(), 0);
    do {
      std::int64_t feature = 0;
      for (std::size_t d = 0; d < position.size(); ++d) {
        feature += position[d] * strides[b.order[d + 1]];
      }
      for (std::int64_t o = 0; o < outputs; ++o) values.push_back(weight(feature, o));
    } while (next_position(position, sizes));
  } else {
    const nn::Shape memory = a.memory_shape();
    for (std::size_t d = 0; d + 1 < memory.size(); ++d) {
      at.push_back(k.index(fmt::format("m{}", d), memory[d]));
      target.push_back(at.back());
    }
    row.push_back(k.lane_index("k", inputs));
    at.push_back(row.back());
    sizes.push_back(inputs);
    for (std::int64_t i = 0; i < inputs; ++i) {
      for (std::int64_t o = 0; o < outputs; ++o) values.push_back(weight(i, o));
    }
  }
  sizes.push_back(outputs);
  row.push_back(k.lane_index("n", outputs));
  target.push_back(row.back());
  const std::string weights =
      make_constant(node().name + "_weights", sizes, std::move(values), in(1));
  k.in("K", shapes_.at(weights), weights, row);
  read(k, "I", source, at);
  const nn::Tensor* bias = constant(2);
  const std::string buffer = bias != nullptr ? make_temporary(out()) : make_place(out()).buffer;
  write(k, buffer, target, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
  if (bias == nullptr) return;
  const float beta = node().real("beta", 1.0F);
  std::vector<float> addend;
  for (std::int64_t o = 0; o < outputs; ++o) {
    addend.push_back(beta *
                     bias->floats[bias->floats.size() == 1 ? 0 : static_cast<std::size_t>(o)]);
  }
  add_row(buffer, addend);
}

/// A product of two computed operands. Both have the model's order and the same rank: the last two
/// dimensions are matrices, the others are batches, in which either operand may be broadcast.
void Translator::computed_product() {
  const nn::Shape &a = layout(in(0)).shape, &b = layout(in(1)).shape, &y = layout(out()).shape;
  const std::size_t rank = y.size();
  Kernel k = kernel();
  k.tag("contraction");
  k.tag("agg_op_add");
  k.tag("comb_op_mul");
  std::vector<Affine> rows, columns, target;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    target.push_back(k.index(fmt::format("b{}", d), y[d]));
    rows.push_back(a[d] == 1 ? Affine() : target.back());
    columns.push_back(b[d] == 1 ? Affine() : target.back());
  }
  const Affine m = k.lane_index("m", y[rank - 2]), n = k.lane_index("n", y[rank - 1]);
  const Affine inner = k.lane_index("k", a[rank - 1]);
  rows.insert(rows.end(), {m, inner});
  columns.insert(columns.end(), {inner, n});
  target.insert(target.end(), {m, n});
  read(k, "I", in(0), rows);
  read(k, "K", in(1), columns);
  write(k, make_place(out()).buffer, target, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
}

}  // namespace tactus::compiler::stripe_tcu
