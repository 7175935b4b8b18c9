// The same elements elsewhere: Concat, Split, Slice, Pad, Reshape.
#include <algorithm>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/stripe/translator.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {

/// target[target_first + i] = source[source_first + step * i]; dimensions in the model's order.
void Translator::copy_part(const std::string& source, const Sizes& sizes, const Sizes& source_first,
                           const Sizes& source_step, const Sizes& target_first,
                           const std::string& suffix) {
  const Layout& from = layout(source);
  const Layout& to = layout(out());
  if (from.order != to.order) refuse("operands lie in memory in different orders");
  Kernel k = kernel(suffix);
  k.tag("eltwise");
  std::vector<Affine> at, target;
  for (std::size_t d = 0; d < to.order.size(); ++d) {
    const std::size_t dim = to.order[d];
    const Affine index = k.index(fmt::format("d{}", d), sizes[dim]);
    at.push_back(index * source_step[dim] + Affine(source_first[dim]));
    target.push_back(index + Affine(target_first[dim]));
  }
  read(k, "X", source, at);
  const Place& place = places_.at(out());
  write(k, place.buffer, access(place, target));
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

void Translator::move_lanes(const std::string& source, const std::string& target,
                            std::int64_t lanes, const std::function<std::int64_t(std::int64_t)>& to,
                            const std::string& suffix) {
  const nn::Shape memory = layout(source).memory_shape();
  Kernel k = kernel(suffix);
  for (const char* tag : {"contraction", "agg_op_add", "comb_op_mul"}) k.tag(tag);
  std::vector<Affine> from, into;
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < memory.size(); ++d) {
    from.push_back(k.index(fmt::format("m{}", d), memory[d]));
    rows *= memory[d];
  }
  if (rows == 1) k.unit_index("m");
  into = from;
  from.push_back(k.index("k", memory.back()));
  into.push_back(k.index("n", lanes));
  std::vector<float> matrix(static_cast<std::size_t>(memory.back() * lanes), 0);
  for (std::int64_t lane = 0; lane < memory.back(); ++lane) {
    const std::int64_t place = to(lane);
    if (place >= 0 && place < lanes) matrix[static_cast<std::size_t>(lane * lanes + place)] = 1;
  }
  const std::string table =
      make_constant(node().name + suffix + "_lanes", {memory.back(), lanes}, std::move(matrix));
  k.in("K", shapes_.at(table), table, {from.back(), into.back()});
  read(k, "I", source, from);
  write(k, target, into, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
}

/// Every input at its lanes in a tensor of its own, then their sum.
void Translator::concat_lanes() {
  const nn::Shape memory = layout(out()).memory_shape();
  std::int64_t begin = 0;
  std::string sum;
  for (std::size_t i = 0; i < node().inputs.size(); ++i) {
    const bool last = i + 1 == node().inputs.size();
    const std::string part = last && i == 0 ? make_place(out()).buffer : make_temporary(out());
    move_lanes(
        in(i), part, memory.back(), [&](std::int64_t lane) { return begin + lane; },
        fmt::format("_{}", i));
    begin += layout(in(i)).memory_shape().back();
    if (i == 0) {
      sum = part;
      continue;
    }
    const std::string result = last ? make_place(out()).buffer : make_temporary(out());
    Kernel k = kernel(fmt::format("_sum_{}", i));
    k.tag("eltwise");
    const std::vector<Affine> at = count(k, memory);
    k.in("A", shapes_.at(sum), sum, at);
    k.in("B", shapes_.at(part), part, at);
    write(k, result, at);
    const std::string a = k.load("A"), b = k.load("B");
    k.store("Y", k.call("add", {a, b}));
    append(std::move(k));
    sum = result;
  }
}

void Translator::concat() {
  const Layout& result = layout(out());
  std::int64_t axis = node().integer("axis");
  if (axis < 0) axis += static_cast<std::int64_t>(result.rank());
  const auto along = static_cast<std::size_t>(axis);
  const std::int64_t n = model_.architecture.array_size;
  std::int64_t begin = 0;
  if (along == result.lane_dimension()) {
    for (std::size_t i = 0; i + 1 < node().inputs.size(); ++i) {
      if (layout(in(i)).shape[along] % n != 0) return concat_lanes();
    }
  }
  make_place(out());
  for (std::size_t i = 0; i < node().inputs.size(); ++i) {
    const Layout& part = layout(in(i));
    const Sizes zero(result.rank(), 0), one(result.rank(), 1);
    Sizes first = zero;
    first[along] = begin;
    copy_part(in(i), part.shape, zero, one, first, fmt::format("_{}", i));
    begin += part.shape[along];
  }
}

void Translator::split() {
  const Layout& x = layout(in());
  std::int64_t axis = node().integer("axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(x.rank());
  const auto along = static_cast<std::size_t>(axis);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < node().outputs.size(); ++i) {
    const std::string& value = node().outputs[i];
    if (value.empty() || model_.values.count(value) == 0 || !model_.value(value).layout) {
      refuse("an output is left out");
    }
    const Layout& part = layout(value);
    const bool wanted = !model_.value(value).readers.empty() || model_.value(value).output;
    if (wanted) {
      if (along == x.lane_dimension() && begin % model_.architecture.array_size != 0) {
        move_lanes(
            in(), make_place(value).buffer, part.shape[along],
            [&](std::int64_t lane) { return lane - begin; }, fmt::format("_{}", i));
        begin += part.shape[along];
        continue;
      }
      const Place target = make_place(value);
      Kernel k = kernel(fmt::format("_{}", i));
      k.tag("eltwise");
      std::vector<Affine> at, to;
      for (std::size_t d = 0; d < part.order.size(); ++d) {
        const Affine index = k.index(fmt::format("d{}", d), part.shape[part.order[d]]);
        to.push_back(index);
        at.push_back(index + Affine(part.order[d] == along ? begin : 0));
      }
      read(k, "X", in(), at);
      write(k, target.buffer, to);
      k.store("Y", k.call("assign", {k.load("X")}));
      append(std::move(k));
    }
    begin += part.shape[along];
  }
}

void Translator::slice() {
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  const auto list = [&](std::string_view attribute, std::size_t input) -> Sizes {
    if (model_.graph->opset < 10) return node().integers(attribute, {});
    const nn::Tensor* tensor = constant(input);
    return tensor != nullptr ? tensor->integers : Sizes{};
  };
  const Sizes starts = list("starts", 1);
  Sizes axes = list("axes", 3);
  const Sizes steps = list("steps", 4);
  if (axes.empty()) {
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  Sizes first(x.rank(), 0), step(x.rank(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<std::size_t>(
        axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(x.rank()) : axes[i]);
    const std::int64_t size = x.shape[d];
    step[d] = i < steps.size() ? steps[i] : 1;
    const std::int64_t start = starts[i] < 0 ? starts[i] + size : starts[i];
    first[d] = std::clamp<std::int64_t>(start, 0, step[d] < 0 ? size - 1 : size);
  }
  const std::size_t lane = x.lane_dimension();
  if (step[lane] != 1 || first[lane] % model_.architecture.array_size != 0) {
    refuse(fmt::format("lanes from {} in steps of {} are no whole vectors of {}", first[lane],
                       step[lane], model_.architecture.array_size));
  }
  make_place(out());
  copy_part(in(), y.shape, first, step, Sizes(x.rank(), 0), "");
}

void Translator::pad() {
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  if (node().text("mode", "constant") != "constant") refuse("its mode is not constant");
  Sizes pads = model_.graph->opset < 11 ? node().integers("pads") : constant(1)->integers;
  if (model_.graph->opset >= 18 && constant(3) != nullptr) refuse("it has axes");
  float value = model_.graph->opset < 11 ? node().real("value", 0.0F) : 0.0F;
  if (model_.graph->opset >= 11 && constant(2) != nullptr) value = constant(2)->floats.at(0);
  const std::size_t rank = x.rank();
  const Sizes first(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; })) {
    refuse("it cuts off");
  }
  if (first[x.lane_dimension()] % model_.architecture.array_size != 0 ||
      (y.lanes() != x.lanes() && x.lanes() % model_.architecture.array_size != 0)) {
    refuse("it pads along the lanes");
  }
  if (value != 0) refuse(fmt::format("it pads with {}; supported is 0", value));
  const Place target = make_place(out());
  stripe::Statement zero;
  stripe::Special special;
  special.name = "zero";
  special.outputs = {target.buffer};
  zero.op = special;
  main_.append(std::move(zero));
}

void Translator::relabel() { alias(out(), in()); }

void Translator::reshape() {
  const auto compact = [](const nn::Shape& shape) {
    nn::Shape result;
    for (const std::int64_t size : shape) {
      if (size != 1) result.push_back(size);
    }
    return result;
  };
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  const auto model_order = [&](const Layout& l) {
    // The order in memory of the dimensions that are more than 1.
    std::vector<std::size_t> order;
    for (const std::size_t d : l.order) {
      if (l.shape[d] != 1) order.push_back(d);
    }
    return std::is_sorted(order.begin(), order.end());
  };
  const bool same_order = model_order(x) && model_order(y);
  if (compact(x.memory_shape()) == compact(y.memory_shape()) &&
      (same_order || compact(x.shape) == compact(y.shape))) {
    alias(out(), in());
    return;
  }
  const std::int64_t n = model_.architecture.array_size;
  const bool whole = x.lanes() == y.lanes() || (x.lanes() % n == 0 && y.lanes() % n == 0);
  if (same_order && whole) {
    const Place source = place_of(in());
    if (shapes_.at(source.buffer).sizes().size() == x.memory_shape().size()) {
      const Place target = make_place(out());
      stripe::Statement statement;
      stripe::Special special;
      special.name = "reshape";
      special.inputs = {source.buffer};
      special.outputs = {target.buffer};
      statement.op = special;
      main_.append(std::move(statement));
      return;
    }
  }
  // A product that reads it may take it as it was; anything else has to give up.
  if (model_.value(out()).output) refuse("it moves scalars between lanes");
}

}  // namespace tactus::compiler::stripe_tcu
