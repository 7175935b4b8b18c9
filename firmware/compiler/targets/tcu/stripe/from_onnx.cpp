#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/stripe/kernel.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/disassembler.h"

namespace tactus::compiler {
namespace {

using stripe::Affine;
using stripe_tcu::Kernel;
using Sizes = std::vector<std::int64_t>;

/// Where a value of the model lies: a buffer, and which of its dimensions the value's are.
struct Place {
  std::string buffer;
  std::vector<std::size_t>
      dims;  ///< the buffer's dimension of each of the value's, in memory order
};

constexpr std::size_t no_dim = std::numeric_limits<std::size_t>::max();

class Translator {
 public:
  Translator(const nn::Graph& graph, const tcu::Architecture& architecture, const Options& options)
      : model_(analyse(graph, architecture, options)) {}

  StripeGraph run();

 private:
  using Handler = void (Translator::*)();

  // ---- the node under way ----
  [[nodiscard]] const nn::Node& node() const { return *step_->node; }
  [[noreturn]] void refuse(const std::string& why) const {
    user_error("{}: cannot be compiled by way of Stripe: {}", node().where(), why);
  }
  [[nodiscard]] const Layout& layout(const std::string& value) const {
    return *model_.value(value).layout;
  }
  [[nodiscard]] const nn::Tensor* constant(std::size_t input) const {
    if (node().input(input).empty()) return nullptr;
    return model_.value(std::string(node().input(input))).constant.get();
  }
  [[nodiscard]] const std::string& in(std::size_t i = 0) const { return node().inputs[i]; }
  [[nodiscard]] const std::string& out(std::size_t i = 0) const { return node().outputs[i]; }

  // ---- buffers ----
  std::string unused(const std::string& wanted);
  std::string make_buffer(const std::string& wanted, const Sizes& sizes, const char* kind);
  std::string make_constant(const std::string& wanted, const Sizes& sizes,
                            std::vector<float> values);
  const Place& place_of(const std::string& value);
  /// The output's buffer, or of a temporary of its shape.
  const Place& make_place(const std::string& value);
  std::string make_temporary(const std::string& value);
  void alias(const std::string& value, const std::string& source);

  // ---- kernels ----
  Kernel kernel(const std::string& suffix = "");
  void append(Kernel kernel);
  /// Access to a value by an affine for each of its dimensions in memory order.
  [[nodiscard]] std::vector<Affine> access(const Place& place, const std::vector<Affine>& at) const;
  void read(Kernel& k, const std::string& into, const std::string& value,
            const std::vector<Affine>& at);
  void write(Kernel& k, const std::string& buffer, const std::vector<Affine>& at,
             const std::string& agg = "");
  /// One index for each dimension of a layout: d0, d1, ...
  static std::vector<Affine> count(Kernel& k, const Sizes& sizes);
  /// out = f(in), element by element, on the layout of `value`.
  void map(const std::string& source, const std::string& target,
           const std::vector<Affine>* unused_access,
           const std::function<std::string(Kernel&, const std::string&)>& function,
           const std::string& suffix = "");

  // ---- operators ----
  struct Window {
    Sizes input, kernel, stride{1, 1}, dilation{1, 1}, before{0, 0}, output;
    bool clipped(std::size_t d) const {
      const std::int64_t last =
          (output[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] - before[d];
      return before[d] > 0 || last >= input[d];
    }
  };
  Window window(const Sizes& kernel) const;
  /// Indexes n, y, x, ky, kx with constraints at the rims; the place in the input.
  std::vector<Affine> slide(Kernel& k, const Window& w, std::int64_t images,
                            std::vector<Affine>& target) const;
  void convolution();
  void product();
  void arithmetic();
  void relu();
  void leaky_relu();
  void clip();
  void normalisation();
  void max_pool();
  void average_pool();
  /// Lanes that move are a product with a matrix of zeroes and ones: lane l goes to `to(l)`, or
  /// nowhere if that is no lane of the target. The other dimensions stay.
  void move_lanes(const std::string& source, const std::string& target, std::int64_t lanes,
                  const std::function<std::int64_t(std::int64_t)>& to, const std::string& suffix);
  void concat();
  void concat_lanes();
  void split();
  void slice();
  void pad();
  struct Weights {
    std::int64_t input = 0, output = 0;
    std::vector<float> values;  ///< output x input
    [[nodiscard]] bool repeats() const;
  };
  [[nodiscard]] Weights weights_of(std::size_t d) const;
  void weigh(
      const std::string& target, std::size_t d, const Weights& weights, const Sizes& sizes,
      const std::function<void(Kernel&, const std::string&, const std::vector<Affine>&)>& source,
      const std::string& suffix);
  void resize();
  void relabel();
  void reshape();
  void copy_part(const std::string& source, const Sizes& sizes, const Sizes& source_first,
                 const Sizes& source_step, const Sizes& target_first, const std::string& suffix);
  /// Adds a row vector and stores to the node's output.
  void add_row(const std::string& buffer, const std::vector<float>& row);

  Model model_;
  StripeGraph result_;
  const Step* step_ = nullptr;
  std::set<std::string> names_;
  std::map<std::string, stripe::TensorShape> shapes_;
  std::map<std::string, Place> places_;
  stripe::Block entry_, main_;
  std::size_t kernels_ = 0;
};

// ---- buffers ------------------------------------------------------------------------------------

std::string Translator::unused(const std::string& wanted) {
  std::string name;
  for (const char c : wanted) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) != 0 || c == '_' ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "t" + name;
  std::string free = name;
  for (std::size_t i = 0; !names_.insert(free).second; ++i) free = fmt::format("{}_{}", name, i);
  return free;
}

std::string Translator::make_buffer(const std::string& wanted, const Sizes& sizes,
                                    const char* kind) {
  const std::string name = unused(wanted);
  stripe::TensorShape shape;
  shape.type = stripe::DataType::fp32;
  for (const std::int64_t size : sizes) shape.dims.push_back({static_cast<std::uint64_t>(size), 1});
  // Rows of whole vectors.
  const auto n = static_cast<std::int64_t>(model_.architecture.array_size);
  std::int64_t stride = 1;
  for (std::size_t d = shape.dims.size(); d-- > 0;) {
    shape.dims[d].stride = stride;
    stride *= sizes[d];
    if (d + 1 == shape.dims.size()) stride = (stride + n - 1) / n * n;
  }
  shapes_[name] = shape;
  const std::string what = kind;
  stripe::Refinement ref;
  ref.into = name;
  ref.shape = shape;
  ref.access.resize(sizes.size());
  ref.location.devices = {{what == "constant" ? "DRAM1" : "DRAM0", {}}};
  if (what == "temporary") {
    ref.set_tag("tmp");
    main_.add_ref(std::move(ref));
    return name;
  }
  ref.set_tag("user");
  ref.shape.is_const = what == "constant";
  entry_.add_ref(ref);
  ref.attributes.clear();
  ref.direction = what == "output" ? stripe::Direction::out : stripe::Direction::in;
  ref.from = name;
  main_.add_ref(std::move(ref));
  return name;
}

std::string Translator::make_constant(const std::string& wanted, const Sizes& sizes,
                                      std::vector<float> values) {
  const std::string name = make_buffer(wanted, sizes, "constant");
  result_.constants[name] = std::move(values);
  return name;
}

const Place& Translator::place_of(const std::string& value) {
  const auto found = places_.find(value);
  if (found == places_.end()) {
    refuse(fmt::format("{} is reshaped, which moves scalars between lanes", quote(value)));
  }
  return found->second;
}

const Place& Translator::make_place(const std::string& value) {
  const nn::Shape sizes = layout(value).memory_shape();
  Place place;
  place.buffer = make_buffer(value, sizes, model_.value(value).output ? "output" : "temporary");
  for (std::size_t d = 0; d < sizes.size(); ++d) place.dims.push_back(d);
  return places_[value] = place;
}

std::string Translator::make_temporary(const std::string& value) {
  return make_buffer(value + "_part", layout(value).memory_shape(), "temporary");
}

/// The value has the other's vectors. An output of the program needs its own, though.
void Translator::alias(const std::string& value, const std::string& source) {
  Place place = place_of(source);
  const nn::Shape from = layout(source).memory_shape(), to = layout(value).memory_shape();
  Place result{place.buffer, {}};
  std::size_t s = 0;
  for (const std::int64_t size : to) {
    if (size == 1) {
      result.dims.push_back(no_dim);
      continue;
    }
    while (s < from.size() && from[s] == 1) ++s;
    if (s == from.size() || from[s] != size) refuse("it moves scalars between lanes");
    result.dims.push_back(place.dims[s++]);
  }
  if (!model_.value(value).output) {
    places_[value] = result;
    return;
  }
  const Place& target = make_place(value);
  Kernel k = kernel();
  const std::vector<Affine> at = count(k, to);
  k.in("X", shapes_.at(result.buffer), result.buffer, access(result, at));
  k.out("Y", shapes_.at(target.buffer), target.buffer, access(target, at));
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

// ---- kernels ------------------------------------------------------------------------------------

Kernel Translator::kernel(const std::string& suffix) {
  std::string name = node().name + suffix;
  for (char& c : name) {
    if (c == '\n' || c == '\r') c = '_';
  }
  return Kernel(name);
}

void Translator::append(Kernel kernel) {
  result_.nodes[kernel.name()] = node().name;
  main_.append(std::move(kernel).finish());
  ++kernels_;
}

std::vector<Affine> Translator::access(const Place& place, const std::vector<Affine>& at) const {
  std::vector<Affine> result(shapes_.at(place.buffer).dims.size());
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (place.dims[d] != no_dim) result[place.dims[d]] = at[d];
  }
  return result;
}

void Translator::read(Kernel& k, const std::string& into, const std::string& value,
                      const std::vector<Affine>& at) {
  const Place& place = place_of(value);
  k.in(into, shapes_.at(place.buffer), place.buffer, access(place, at));
}

void Translator::write(Kernel& k, const std::string& buffer, const std::vector<Affine>& at,
                       const std::string& agg) {
  k.out("Y", shapes_.at(buffer), buffer, at, agg);
}

std::vector<Affine> Translator::count(Kernel& k, const Sizes& sizes) {
  std::vector<Affine> at;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    at.push_back(k.index(fmt::format("d{}", d), sizes[d]));
  }
  return at;
}

void Translator::map(const std::string& source, const std::string& target,
                     const std::vector<Affine>*,
                     const std::function<std::string(Kernel&, const std::string&)>& function,
                     const std::string& suffix) {
  Kernel k = kernel(suffix);
  k.tag("eltwise");
  std::vector<Affine> at;
  const auto& dims = shapes_.at(target).dims;
  Sizes sizes;
  for (const stripe::Dimension& dim : dims) sizes.push_back(static_cast<std::int64_t>(dim.size));
  at = count(k, sizes);
  const Place* place = nullptr;
  const auto found = places_.find(source);
  if (found != places_.end()) place = &found->second;
  if (place != nullptr) {
    k.in("X", shapes_.at(place->buffer), place->buffer, access(*place, at));
  } else {
    k.in("X", shapes_.at(source), source, at);
  }
  write(k, target, at);
  k.store("Y", function(k, k.load("X")));
  append(std::move(k));
}

// ---- windows ------------------------------------------------------------------------------------

Translator::Window Translator::window(const Sizes& kernel) const {
  Window w;
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  w.input = {x.shape[2], x.shape[3]};
  w.output = {y.shape[2], y.shape[3]};
  w.kernel = kernel;
  w.stride = node().integers("strides", {1, 1});
  w.dilation = node().integers("dilations", {1, 1});
  const std::string automatic = node().text("auto_pad", "NOTSET");
  if (automatic == "NOTSET") {
    const Sizes pads = node().integers("pads", {0, 0, 0, 0});
    w.before = {pads[0], pads[1]};
  } else if (automatic != "VALID") {
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t reach = (w.kernel[d] - 1) * w.dilation[d] + 1;
      const std::int64_t total =
          std::max<std::int64_t>((w.output[d] - 1) * w.stride[d] + reach - w.input[d], 0);
      w.before[d] = automatic == "SAME_UPPER" ? total / 2 : (total + 1) / 2;
    }
  }
  return w;
}

std::vector<Affine> Translator::slide(Kernel& k, const Window& w, std::int64_t images,
                                      std::vector<Affine>& target) const {
  const char* const taps[] = {"ky", "kx"};
  const char* const pixels[] = {"y", "x"};
  const Affine image = k.index("n", images);
  std::vector<Affine> at{image};
  target = {image};
  for (std::size_t d = 0; d < 2; ++d) {
    const Affine tap = k.index(taps[d], w.kernel[d]);
    const Affine pixel = k.index(pixels[d], w.output[d]);
    const Affine place = pixel * w.stride[d] + tap * w.dilation[d] - Affine(w.before[d]);
    if (w.clipped(d)) {
      k.constrain(place);
      k.constrain(Affine(w.input[d] - 1) - place);
    }
    at.push_back(place);
    target.push_back(pixel);
  }
  return at;
}

// ---- products -----------------------------------------------------------------------------------

void Translator::add_row(const std::string& buffer, const std::vector<float>& row) {
  const Place target = make_place(out());
  const std::string bias =
      make_constant(node().name + "_bias", {static_cast<std::int64_t>(row.size())}, row);
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
  const Window win = window({w.shape[2], w.shape[3]});
  const std::int64_t inputs = depth * groups, taps = w.shape[2] * w.shape[3];
  const std::int64_t n = model_.architecture.array_size;
  // An array of many groups is mostly zeroes; then SIMD operations take fewer cycles.
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
  Sizes sizes{w.shape[2], w.shape[3], inputs, outputs};
  if (depthwise) sizes = {w.shape[2], w.shape[3], outputs};
  const std::string weights = make_constant(node().name + "_weights", sizes, std::move(values));
  Kernel k = kernel();
  k.tag("contraction");
  std::vector<Affine> target;
  std::vector<Affine> at = slide(k, win, layout(in()).shape[0], target);
  const Affine ky = Affine(std::string("ky")), kx = Affine(std::string("kx"));
  const Affine co = k.index("co", outputs);
  target.push_back(co);
  if (depthwise) {
    at.push_back(co);
    k.in("K", shapes_.at(weights), weights, {ky, kx, co});
  } else {
    const Affine ci = k.index("ci", inputs);
    at.push_back(ci);
    k.in("K", shapes_.at(weights), weights, {ky, kx, ci, co});
    k.tag("agg_op_add");
    k.tag("comb_op_mul");
    if (layout(in()).shape[0] * win.output[0] * win.output[1] == 1) k.unit_index("m");
  }
  read(k, "I", in(), at);
  const std::string buffer = bias != nullptr ? make_temporary(out()) : make_place(out()).buffer;
  write(k, buffer, target, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
  if (bias != nullptr) add_row(buffer, bias->floats);
}

void Translator::product() {
  const nn::Tensor& w = *constant(1);
  const bool gemm = node().op_type == "Gemm";
  const bool transposed = gemm && node().integer("transB", 0) != 0;
  const float alpha = gemm ? node().real("alpha", 1.0F) : 1.0F;
  const std::int64_t inputs = w.shape[transposed ? 1 : 0], outputs = w.shape[transposed ? 0 : 1];
  const auto weight = [&](std::int64_t feature, std::int64_t output) {
    const std::int64_t at = transposed ? output * inputs + feature : feature * outputs + output;
    return alpha * w.floats[static_cast<std::size_t>(at)];
  };
  // What was flattened is summed up as it lies.
  std::string source = in();
  const std::string& before = model_.value(in()).reshaped_from;
  const Layout& a = layout(in());
  bool unflattened = false;
  if (!before.empty() && a.rank() == 2 && places_.count(before) != 0) {
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
      row.push_back(k.index(fmt::format("k{}", d), memory[d]));
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
    row.push_back(k.index("k", inputs));
    at.push_back(row.back());
    sizes.push_back(inputs);
    for (std::int64_t i = 0; i < inputs; ++i) {
      for (std::int64_t o = 0; o < outputs; ++o) values.push_back(weight(i, o));
    }
  }
  sizes.push_back(outputs);
  row.push_back(k.index("n", outputs));
  target.push_back(row.back());
  const std::string weights = make_constant(node().name + "_weights", sizes, std::move(values));
  k.in("K", shapes_.at(weights), weights, row);
  read(k, "I", source, at);
  const nn::Tensor* bias = gemm ? constant(2) : nullptr;
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

// ---- elementwise --------------------------------------------------------------------------------

void Translator::arithmetic() {
  const Layout& result = layout(out());
  const nn::Shape sizes = result.memory_shape();
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("eltwise");
  const std::string name = node().op_type == "Add"   ? "add"
                           : node().op_type == "Sub" ? "sub"
                                                     : "mul";
  const std::vector<Affine> at = count(k, sizes);
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string into = i == 0 ? "A" : "B";
    const nn::Tensor* tensor = constant(i);
    if (tensor == nullptr) {
      const nn::Shape own = layout(in(i)).memory_shape();
      std::vector<Affine> its;
      for (std::size_t d = 0; d < own.size(); ++d) {
        its.push_back(own[d] == 1 && sizes[d] != 1 ? Affine() : at[d]);
      }
      read(k, into, in(i), its);
    } else {
      // Dimensions along which it does not change are left out, but for the lanes'.
      const BroadcastIndex source(tensor->shape, result.shape);
      Sizes kept;
      std::vector<Affine> its;
      std::vector<std::size_t> dims;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::size_t dim = result.order[d];
        const std::size_t missing = result.shape.size() - tensor->shape.size();
        const bool varies = dim >= missing && tensor->shape[dim - missing] != 1;
        if (!varies && d + 1 != sizes.size()) continue;
        kept.push_back(sizes[d]);
        its.push_back(at[d]);
        dims.push_back(dim);
      }
      std::vector<float> values;
      nn::Shape position(kept.size(), 0), whole(result.shape.size(), 0);
      do {
        for (std::size_t d = 0; d < dims.size(); ++d) whole[dims[d]] = position[d];
        values.push_back(tensor->floats[static_cast<std::size_t>(source(whole))]);
      } while (next_position(position, kept));
      const std::string buffer = make_constant(in(i), kept, std::move(values));
      k.in(into, shapes_.at(buffer), buffer, its);
    }
    operands.push_back(k.load(into));
  }
  write(k, target.buffer, access(target, at));
  k.store("Y", k.call(name, operands));
  append(std::move(k));
}

void Translator::relu() {
  map(in(), make_place(out()).buffer, nullptr, [](Kernel& k, const std::string& x) {
    const std::string zero = k.integer(0);
    return k.call("cond", {k.call("cmp_lt", {x, zero}), zero, x});
  });
}

void Translator::leaky_relu() {
  const float alpha = node().real("alpha", 0.01F);
  map(in(), make_place(out()).buffer, nullptr, [alpha](Kernel& k, const std::string& x) {
    return k.call("max", {k.call("mul", {x, k.real(alpha)}), x});
  });
}

void Translator::clip() {
  const auto bound = [this](std::string_view name, std::size_t input,
                            float fallback) -> std::optional<float> {
    if (model_.graph->opset < 11) {
      return node().has(name) ? std::optional(node().real(name, fallback)) : std::nullopt;
    }
    const nn::Tensor* tensor = constant(input);
    return tensor != nullptr ? std::optional(tensor->floats[0]) : std::nullopt;
  };
  const std::optional<float> low = bound("min", 1, 0), high = bound("max", 2, 0);
  map(in(), make_place(out()).buffer, nullptr, [&](Kernel& k, std::string x) {
    if (low) x = k.call("max", {x, k.real(*low)});
    if (high) x = k.call("min", {x, k.real(*high)});
    return low || high ? x : k.call("assign", {x});
  });
}

void Translator::normalisation() {
  const float epsilon = node().real("epsilon", 1e-5F);
  const auto channels = static_cast<std::size_t>(layout(in()).lanes());
  std::vector<float> scale, offset;
  for (std::size_t c = 0; c < channels; ++c) {
    scale.push_back(
        static_cast<float>(1.0 / std::sqrt(static_cast<double>(constant(4)->floats[c] + epsilon)) *
                           static_cast<double>(constant(1)->floats[c])));
    offset.push_back(constant(2)->floats[c] - constant(3)->floats[c] * scale.back());
  }
  const std::int64_t size = static_cast<std::int64_t>(channels);
  const std::string scales = make_constant(node().name + "_scale", {size}, std::move(scale));
  const std::string offsets = make_constant(node().name + "_offset", {size}, std::move(offset));
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("eltwise");
  const std::vector<Affine> at = count(k, layout(out()).memory_shape());
  read(k, "X", in(), at);
  k.in("S", shapes_.at(scales), scales, {at.back()});
  k.in("T", shapes_.at(offsets), offsets, {at.back()});
  write(k, target.buffer, at);
  const std::string x = k.load("X"), s = k.load("S"), t = k.load("T");
  k.store("Y", k.call("add", {k.call("mul", {x, s}), t}));
  append(std::move(k));
}

// ---- pools --------------------------------------------------------------------------------------

void Translator::max_pool() {
  const Window w = window(node().integers("kernel_shape"));
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("contraction");
  k.tag("agg_op_max");
  std::vector<Affine> to;
  std::vector<Affine> at = slide(k, w, layout(in()).shape[0], to);
  const Affine c = k.index("c", layout(in()).shape[1]);
  at.push_back(c);
  to.push_back(c);
  read(k, "X", in(), at);
  write(k, target.buffer, to, "max");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

void Translator::average_pool() {
  const bool global = node().op_type == "GlobalAveragePool";
  const Layout& x = layout(in());
  Window w;
  if (global) {
    w.input = {x.shape[2], x.shape[3]};
    w.kernel = w.input;
    w.output = {1, 1};
  } else {
    w = window(node().integers("kernel_shape"));
  }
  const bool padding = !global && node().integer("count_include_pad", 0) != 0;
  const std::int64_t channels = x.shape[1];
  const Sizes pads = global ? Sizes{0, 0, 0, 0} : node().integers("pads", {0, 0, 0, 0});
  const bool stated = !global && node().text("auto_pad", "NOTSET") == "NOTSET";
  const auto divisor = [&](std::int64_t row, std::int64_t column) {
    std::int64_t product = 1;
    const std::int64_t at[] = {row, column};
    for (std::size_t d = 0; d < 2; ++d) {
      std::int64_t count = 0;
      const std::int64_t reach = (w.kernel[d] - 1) * w.dilation[d] + 1;
      const std::int64_t total =
          std::max<std::int64_t>((w.output[d] - 1) * w.stride[d] + reach - w.input[d], 0);
      const std::int64_t after = stated ? pads[2 + d] : total - w.before[d];
      for (std::int64_t tap = 0; tap < w.kernel[d]; ++tap) {
        const std::int64_t p = at[d] * w.stride[d] - w.before[d] + tap * w.dilation[d];
        count += padding ? (p < w.input[d] + after ? 1 : 0) : (p >= 0 && p < w.input[d] ? 1 : 0);
      }
      product *= count;
    }
    return product;
  };
  const std::string sums = make_temporary(out());
  Kernel k = kernel("_sum");
  k.tag("contraction");
  std::vector<Affine> to;
  std::vector<Affine> at = slide(k, w, x.shape[0], to);
  const Affine c = k.index("c", channels);
  at.push_back(c);
  to.push_back(c);
  read(k, "X", in(), at);
  write(k, sums, to, "add");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));

  std::set<std::int64_t> divisors;
  std::vector<float> factors;
  for (std::int64_t row = 0; row < w.output[0]; ++row) {
    for (std::int64_t column = 0; column < w.output[1]; ++column) {
      divisors.insert(divisor(row, column));
      factors.insert(factors.end(), static_cast<std::size_t>(channels),
                     1.0F / static_cast<float>(divisor(row, column)));
    }
  }
  const Place target = make_place(out());
  Kernel mean = kernel();
  mean.tag("eltwise");
  const std::vector<Affine> place = count(mean, layout(out()).memory_shape());
  mean.in("X", shapes_.at(sums), sums, place);
  write(mean, target.buffer, place);
  if (divisors.size() == 1) {
    const std::string x_ = mean.load("X");
    mean.store("Y", mean.call("mul", {x_, mean.real(factors.front())}));
  } else {
    const std::string table = make_constant(
        node().name + "_factors", {w.output[0], w.output[1], channels}, std::move(factors));
    mean.in("F", shapes_.at(table), table, {place[1], place[2], place[3]});
    const std::string x_ = mean.load("X"), f = mean.load("F");
    mean.store("Y", mean.call("mul", {x_, f}));
  }
  append(std::move(mean));
}

// ---- the same elements elsewhere ----------------------------------------------------------------

/// target[target_first + i] = source[source_first + step * i]; dimensions in the model's order.
/// Lanes that move become a product with zeroes and ones, which is added to what others made.
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
  copy_part(in(), x.shape, Sizes(rank, 0), Sizes(rank, 1), first, "");
}

/// Row-major weights of an output pixel's input pixels along one axis.
Translator::Weights Translator::weights_of(std::size_t d) const {
  const std::int64_t opset = model_.graph->opset;
  const std::int64_t input = layout(in()).shape[d], output = layout(out()).shape[d];
  const std::string transform =
      opset < 11 ? "asymmetric" : node().text("coordinate_transformation_mode", "half_pixel");
  const nn::Tensor* scales = constant(opset < 11 ? 1 : 2);
  const float scale = scales != nullptr && scales->floats.size() == 4
                          ? scales->floats[d]
                          : static_cast<float>(output) / static_cast<float>(input);
  const std::string rounding = opset < 11 ? (scale < 1.0F ? "ceil" : "floor")
                                          : node().text("nearest_mode", "round_prefer_floor");
  const bool linear = node().text("mode", "nearest") == "linear";
  Weights weights{input, output, std::vector<float>(static_cast<std::size_t>(input * output), 0)};
  const auto add = [&](std::int64_t at, std::int64_t pixel, float weight) {
    pixel = std::clamp<std::int64_t>(pixel, 0, input - 1);
    weights.values[static_cast<std::size_t>(at * input + pixel)] += weight;
  };
  for (std::int64_t at = 0; at < output; ++at) {
    const auto x = static_cast<float>(at);
    float place = (x + 0.5F) / scale - 0.5F;
    if (transform == "pytorch_half_pixel" && output == 1) place = 0;
    if (transform == "align_corners") {
      place = output > 1 ? x * static_cast<float>(input - 1) / static_cast<float>(output - 1) : 0;
    }
    if (transform == "asymmetric") place = x / scale;
    if (transform == "tf_half_pixel_for_nn") place = (x + 0.5F) / scale;
    if (linear) {
      place = std::max(place, 0.0F);
      const float low = std::floor(place);
      add(at, static_cast<std::int64_t>(low), 1.0F - (place - low));
      add(at, static_cast<std::int64_t>(low) + 1, place - low);
      continue;
    }
    const float pixel = rounding == "round_prefer_floor"  ? std::ceil(place - 0.5F)
                        : rounding == "round_prefer_ceil" ? std::floor(place + 0.5F)
                        : rounding == "ceil"              ? std::ceil(place)
                                                          : std::floor(place);
    add(at, static_cast<std::int64_t>(pixel), 1.0F);
  }
  return weights;
}

/// Every pixel again and again.
bool Translator::Weights::repeats() const {
  if (output % input != 0) return false;
  for (std::int64_t at = 0; at < output; ++at) {
    if (values[static_cast<std::size_t>(at * input + at / (output / input))] != 1.0F) return false;
  }
  return true;
}

/// Sums over the input pixels of one axis, weighed by a table. The band of pixels that have weights
/// is cut out by constraints.
void Translator::weigh(
    const std::string& target, std::size_t d, const Weights& weights, const Sizes& sizes,
    const std::function<void(Kernel&, const std::string&, const std::vector<Affine>&)>& source,
    const std::string& suffix) {
  Kernel k = kernel(suffix);
  k.tag("contraction");
  const char* const names[] = {"n", "y", "x", "c"};
  std::vector<Affine> to;
  for (std::size_t i = 0; i < 4; ++i) to.push_back(k.index(names[i], sizes[i]));
  const Affine pixel = k.index("p", weights.input);
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -low;
  for (std::int64_t at = 0; at < weights.output; ++at) {
    for (std::int64_t p = 0; p < weights.input; ++p) {
      if (weights.values[static_cast<std::size_t>(at * weights.input + p)] == 0) continue;
      low = std::min(low, weights.output * p - weights.input * at);
      high = std::max(high, weights.output * p - weights.input * at);
    }
  }
  const Affine band = pixel * weights.output - to[d] * weights.input;
  k.constrain(band - Affine(low));
  k.constrain(Affine(high) - band);
  std::vector<float> table;
  for (const float value : weights.values) {
    table.insert(table.end(), static_cast<std::size_t>(sizes[3]), value);
  }
  const std::string buffer =
      make_constant(node().name + suffix + "_weights", {weights.output, weights.input, sizes[3]},
                    std::move(table));
  k.in("K", shapes_.at(buffer), buffer, {to[d], pixel, to[3]});
  std::vector<Affine> from = to;
  from[d] = pixel;
  source(k, "I", from);
  write(k, target, to, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
}

void Translator::resize() {
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  const Weights rows = weights_of(2), columns = weights_of(3);
  if (!rows.repeats() || !columns.repeats()) {
    const Sizes between{x.shape[0], y.shape[2], x.shape[3], x.shape[1]};
    const std::string part = make_buffer(out() + "_rows", between, "temporary");
    weigh(
        part, 1, rows, between,
        [this](Kernel& k, const std::string& into, const std::vector<Affine>& at) {
          read(k, into, in(), at);
        },
        "_rows");
    const Place target = make_place(out());
    weigh(
        target.buffer, 2, columns, {y.shape[0], y.shape[2], y.shape[3], y.shape[1]},
        [&](Kernel& k, const std::string& into, const std::vector<Affine>& at) {
          k.in(into, shapes_.at(part), part, at);
        },
        "");
    return;
  }
  const Sizes factor{y.shape[2] / x.shape[2], y.shape[3] / x.shape[3]};
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("eltwise");
  const Affine n = k.index("n", x.shape[0]);
  const Affine row = k.index("y", x.shape[2]), row_part = k.index("dy", factor[0]);
  const Affine column = k.index("x", x.shape[3]), column_part = k.index("dx", factor[1]);
  const Affine c = k.index("c", x.shape[1]);
  read(k, "X", in(), {n, row, column, c});
  write(k, target.buffer, {n, row * factor[0] + row_part, column * factor[1] + column_part, c});
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
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

// ---- the whole ----------------------------------------------------------------------------------

StripeGraph Translator::run() {
  static const std::map<std::string_view, Handler> handlers{
      {"Conv", &Translator::convolution},
      {"Gemm", &Translator::product},
      {"MatMul", &Translator::product},
      {"Add", &Translator::arithmetic},
      {"Sub", &Translator::arithmetic},
      {"Mul", &Translator::arithmetic},
      {"Relu", &Translator::relu},
      {"LeakyRelu", &Translator::leaky_relu},
      {"Clip", &Translator::clip},
      {"Softmax", &Translator::relabel},
      {"BatchNormalization", &Translator::normalisation},
      {"MaxPool", &Translator::max_pool},
      {"AveragePool", &Translator::average_pool},
      {"GlobalAveragePool", &Translator::average_pool},
      {"Concat", &Translator::concat},
      {"Split", &Translator::split},
      {"Slice", &Translator::slice},
      {"Pad", &Translator::pad},
      {"Resize", &Translator::resize},
      {"Transpose", &Translator::relabel},
      {"Identity", &Translator::relabel},
      {"Dropout", &Translator::relabel},
      {"Reshape", &Translator::reshape},
      {"Flatten", &Translator::reshape},
      {"Squeeze", &Translator::reshape},
      {"Unsqueeze", &Translator::reshape},
  };
  entry_.name = model_.graph->name.empty() ? "model" : model_.graph->name;
  main_.name = "main";
  for (const std::string& name : model_.inputs) {
    const Layout& its = layout(name);
    const nn::Shape sizes = its.memory_shape();
    Place place{make_buffer(name, sizes, "input"), {}};
    for (std::size_t d = 0; d < sizes.size(); ++d) place.dims.push_back(d);
    places_[name] = place;
    result_.tensors[place.buffer] = name;
    result_.inputs.push_back(
        {name, its.shape, its.order,
         static_cast<std::uint64_t>(its.vectors(model_.architecture.array_size))});
  }
  for (const Step& step : model_.steps) {
    step_ = &step;
    const auto found = handlers.find(step.node->op_type);
    if (found == handlers.end()) refuse("the operator has no form in Stripe here");
    (this->*found->second)();
  }
  for (const std::string& name : model_.outputs) {
    const Layout& its = layout(name);
    result_.tensors[places_.at(name).buffer] = name;
    result_.outputs.push_back(
        {name, its.shape, its.order,
         static_cast<std::uint64_t>(its.vectors(model_.architecture.array_size))});
  }
  result_.host_steps = model_.host_steps;
  result_.notes = model_.notes;
  stripe::Statement main;
  main.set_tag("main");
  main.op = stripe::BlockBox(std::move(main_));
  entry_.append(std::move(main));
  result_.program.entry.set_tag("program");
  result_.program.entry.op = stripe::BlockBox(std::move(entry_));
  stripe::verify(result_.program, model_.graph->file);
  return std::move(result_);
}

}  // namespace

StripeGraph stripe_graph(const nn::Graph& graph, const tcu::Architecture& architecture,
                         const Options& options) {
  if (options.compat) {
    user_error(
        "by way of Stripe there is no program that is the reference compiler's, byte for "
        "byte");
  }
  if (options.strategy != Strategy::local_isolated) {
    user_error(
        "strategy {} belongs to the compiler of layers; by way of Stripe local memory is "
        "what the passes make of it",
        to_string(options.strategy));
  }
  return Translator(graph, architecture, options).run();
}

ViaStripe compile_via_stripe(const nn::Graph& graph, const tcu::Architecture& architecture,
                             const Options& options) {
  ViaStripe via;
  via.graph = stripe_graph(graph, architecture, options);
  LowerOptions how;
  how.constants = via.graph.constants;
  LoweredStripe lowered = lower(via.graph.program, architecture, how);
  via.program = std::move(lowered.program);
  via.counts = std::move(lowered.counts);
  Compiled& model = via.model = std::move(lowered.model);
  for (auto* list : {&model.inputs, &model.outputs}) {
    for (tcu::TensorEntry& entry : *list) entry.name = via.graph.tensors.at(entry.name);
  }
  model.input_layouts = via.graph.inputs;
  model.output_layouts = via.graph.outputs;
  model.host_steps = via.graph.host_steps;
  model.notes = via.graph.notes;
  for (const HostStep& step : model.host_steps) {
    model.notes.push_back(
        fmt::format("node {} ({}) is left to the host, which has to compute it "
                    "on {}",
                    quote(step.node), step.op, quote(step.output)));
  }
  for (LayerInfo& layer : model.layers) {
    layer.nodes.clear();
    const auto node = via.graph.nodes.find(layer.name);
    if (node != via.graph.nodes.end()) layer.nodes.push_back(node->second);
  }
  if (!options.dump_lir) model.lir.clear();
  if (options.dump_assembly) {
    model.assembly = tcu::disassemble_program(architecture, model.program);
  }
  return via;
}

}  // namespace tactus::compiler
