#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "firmware/compiler/frontend/lossy_constants.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/stripe/translator.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/disassembler.h"

namespace tactus::compiler {
namespace stripe_tcu {

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
  // Rows are padded to whole vectors.
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
                                      std::vector<float> values, const std::string& source) {
  const std::string name = make_buffer(wanted, sizes, "constant");
  result_.sources[name] = model_.source_of(node(), source);
  result_.constants[name] = std::move(values);
  return name;
}

const std::string& Translator::table(const Sizes& sizes, std::vector<float> values) {
  const auto [found, added] = tables_.try_emplace({sizes, std::move(values)});
  if (added) found->second = make_constant("table", sizes, found->first.second);
  return found->second;
}

const Place& Translator::place_of(const std::string& value) {
  rearrange_pending(value);
  return places_.at(value);
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

/// Makes a value an alias of another one's buffer. Their sizes in memory are equal, except for
/// sizes of 1 outside of the lanes. An output of the program gets a buffer of its own.
void Translator::alias(const std::string& value, const std::string& source) {
  const Place place = place_of(source);
  const nn::Shape from = layout(source).memory_shape(), to = layout(value).memory_shape();
  Place result{place.buffer, {}};
  std::size_t s = 0;
  for (std::size_t d = 0; d + 1 < to.size(); ++d) {
    while (to[d] != 1 && from[s] == 1) ++s;
    result.dims.push_back(to[d] == 1 ? no_dim : place.dims[s++]);
  }
  result.dims.push_back(place.dims.back());  // the lanes' dimension, even of size 1
  if (!model_.value(value).output) {
    places_[value] = result;
    return;
  }
  places_[value] = result;
  Kernel k = kernel();
  result_.nodes[k.name()] = node().name;
  copy_to_output(value, std::move(k));
}

void Translator::copy_to_output(const std::string& value, Kernel k) {
  const Place source = places_.at(value);
  const Place& target = make_place(value);
  const std::vector<Affine> at = count(k, layout(value).memory_shape());
  k.in("X", shapes_.at(source.buffer), source.buffer, access(source, at));
  k.out("Y", shapes_.at(target.buffer), target.buffer, access(target, at));
  k.store("Y", k.call("assign", {k.load("X")}));
  main_.append(std::move(k).finish());
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

// ---- the whole ----------------------------------------------------------------------------------

StripeGraph Translator::run() {
  entry_.name = model_.graph->name.empty() ? "model" : model_.graph->name;
  main_.name = "main";
  for (const std::string& name : model_.inputs) {
    const Layout& its = layout(name);
    const nn::Shape sizes = its.memory_shape();
    Place place{make_buffer(name, sizes, "input"), {}};
    for (std::size_t d = 0; d < sizes.size(); ++d) place.dims.push_back(d);
    places_[name] = place;
    result_.tensors[place.buffer] = name;
  }
  for (const Step& step : model_.steps) {
    step_ = &step;
    std::visit([this](const auto& nest) { translate(nest); }, step.nest);
  }
  for (const std::string& name : model_.outputs) {
    if (std::find(model_.inputs.begin(), model_.inputs.end(), name) != model_.inputs.end()) {
      copy_to_output(name, Kernel(name + "_copy"));
    }
    result_.tensors[places_.at(name).buffer] = name;
  }
  fill_from_model(result_.described, *model_.graph, model_, options_);
  stripe::Statement main;
  main.set_tag("main");
  main.op = stripe::BlockBox(std::move(main_));
  entry_.append(std::move(main));
  result_.program.entry.set_tag("program");
  result_.program.entry.op = stripe::BlockBox(std::move(entry_));
  // A model that the host computes alone makes an empty program.
  if (!model_.outputs.empty()) stripe::verify_form(result_.program, model_.graph->file);
  return std::move(result_);
}

}  // namespace stripe_tcu

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
  return stripe_tcu::Translator(graph, architecture, options).run();
}

ViaStripe compile_via_stripe(const nn::Graph& graph, const tcu::Architecture& architecture,
                             const Options& options) {
  ViaStripe via;
  Folding folding = fold_lossy_products(graph, architecture, options);
  via.graph = stripe_graph(folding.graph ? *folding.graph : graph, architecture, options);
  if (via.graph.described.output_layouts.empty()) {
    // The host computes all outputs; there is nothing to lower.
    via.model = compile(graph, architecture, options);
    return via;
  }
  LowerOptions how;
  how.constants = via.graph.constants;
  how.sources = via.graph.sources;
  how.axi_bytes = std::max(1U, options.axi_data_bits / 8);
  LoweredStripe lowered = lower(via.graph.program, architecture, how);
  via.program = std::move(lowered.program);
  via.counts = std::move(lowered.counts);
  Compiled& model = via.model = std::move(lowered.model);
  for (auto* list : {&model.inputs, &model.outputs}) {
    for (tcu::TensorEntry& entry : *list) entry.name = via.graph.tensors.at(entry.name);
  }
  const Compiled& described = via.graph.described;
  model.input_layouts = described.input_layouts;
  model.output_layouts = described.output_layouts;
  model.macs_with_padding = described.macs_with_padding;
  model.host_steps = described.host_steps;
  model.host_before = described.host_before;
  model.host = described.host;
  model.model_outputs = described.model_outputs;
  model.output_types = described.output_types;
  model.notes = described.notes;
  tell_constants(model, std::move(folding));
  note_if_empty(model);
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
