#include "firmware/driver/darwinn/pack.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>

#include "firmware/driver/darwinn/relocate.h"
#include "firmware/driver/tcu/host.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/verify.h"
#include "isa/darwinn/writer.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/instruction.h"

namespace tactus {
namespace {

using darwinn::Hint;
using darwinn::HintKind;
using darwinn::Layer;

constexpr std::size_t longest_chunk = 262144;  // bytes of a chunk, as in real packages
constexpr std::size_t widest_word = 128;       // bytes of the widest word of an instruction stream
constexpr std::int32_t newest_runtime = 14;

std::int16_t data_type_of(const Model& model) {
  switch (model.file.arch.data_type) {
    case tcu::DataType::fp8bp4:
      return darwinn::signed_fixed_point8;
    case tcu::DataType::fp16bp8:
      return darwinn::signed_fixed_point16;
    case tcu::DataType::fp32bp16:
      return darwinn::signed_fixed_point32;
    case tcu::DataType::fp18bp10:
      break;
  }
  user_error("{}: data type {} cannot be packed; allowed FP8BP4, FP16BP8, FP32BP16", model.path,
             info(model.file.arch.data_type).name);
}

std::int32_t size_of(const Model& model, const char* what, std::uint64_t vectors) {
  const std::uint64_t bytes = model.file.arch.vector_bytes();
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (vectors > most / bytes) {
    user_error("{}: {} of {} vectors cannot be packed; allowed: 2^31-1 bytes", model.path, what,
               vectors);
  }
  return static_cast<std::int32_t>(vectors * bytes);
}

void check(const Model& model, const tcu::InstructionLayout& layout) {
  constexpr unsigned needed = 36;  // bits of Configure: 4 for the register, 32 for the linked value
  const unsigned operands = layout.instruction_bits() - layout.header;
  if (operands < needed) {
    user_error("{}: instructions with {} bits of operands cannot be packed; needed: {}", model.path,
               operands, needed);
  }
  if (!model.file.arch.dais_blocks.empty()) {
    user_error("{}: a model with DAIS blocks cannot be packed", model.path);
  }
}

/// Checks that parameter caching fits the model and the options.
void check_caching(const Model& model, const PackOptions& options) {
  const bool local = model.file.preloads();
  if (!options.cache_parameters) {
    if (local) {
      user_error(
          "{}: constants are loaded into local memory ahead of the program; allowed: to pack it "
          "with parameter caching, which does that once",
          model.path);
    }
    if (options.token != 0) {
      user_error("{}: a token has no effect without parameter caching", model.path);
    }
    return;
  }
  if (model.constants.empty()) {
    user_error("{}: there are no constants that could be cached", model.path);
  }
  if (local && options.token != 0) {
    user_error(
        "{}: token {:#x} is not allowed: the constants are in local memory, where those of another "
        "model would replace them",
        model.path, options.token);
  }
}

/// Checks that no two tensors share vectors of DRAM0, since the inputs of a request may arrive
/// before the outputs of the previous one have been read.
void check_places(const Model& model) {
  std::vector<tcu::TensorEntry> all = model.file.inputs;
  all.insert(all.end(), model.file.outputs.begin(), model.file.outputs.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1].base + all[i - 1].size <= all[i].base) continue;
    user_error(
        "{}: {} and {} overlap in DRAM0, at vector {}, and cannot be packed; tactus compile "
        "--separate-outputs gives them places of their own",
        model.path, quote(all[i - 1].name), quote(all[i].name), all[i].base);
  }
}

/// Builds a package. It owns the data that the package's views refer to.
class Packer {
 public:
  Packer(const Model& model, const PackOptions& options)
      : model_(model),
        layout_(model.file.arch),
        options_(options),
        chip_("tcu-" + options.chip),
        version_("tcu-pack " + options.version) {
    check(model, layout_);
    check_caching(model, options);
    check_places(model);
    program_ = relocatable(model, options.profile == PackProfile::b);
    code_ = encode_program(layout_, program_.instructions);
    text_ = to_json(with_places());
    add_constants();
  }

  [[nodiscard]] PackedModel write() {
    darwinn::Package package;
    package.min_runtime_version = newest_runtime;
    package.compiler_version = version_;
    if (options_.cache_parameters) package.executables.push_back(caching());
    package.executables.push_back(inference());
    return {write_package(package), program_.bases.size(), program_.read_backs};
  }

 private:
  /// The model file for the package. Its layers count the instructions that were added inside the
  /// program, but not the Configure instructions before it.
  [[nodiscard]] tcu::ModelFile with_places() const {
    tcu::ModelFile file = model_.file;
    const auto place = [&](std::size_t instruction) {
      return program_.places[std::min(instruction, program_.places.size() - 1)] - program_.ahead;
    };
    for (tcu::LayerEntry& layer : file.layers) {
      const std::size_t end = place(layer.first + layer.count);
      layer.first = place(layer.first);
      layer.count = end - layer.first;
    }
    // The program's size is counted as the layers are. An older model file has no size.
    if (file.prog.size)
      file.prog.size =
          (program_.instructions.size() - program_.ahead) * layout_.instruction_bytes();
    return file;
  }
  darwinn::Executable executable(std::int16_t type) const {
    darwinn::Executable one;
    one.name = model_.file.name;
    one.type = type;
    one.batch_size = 1;
    one.chip = chip_;
    one.has_hints = one.fully_deterministic = true;
    if (type != darwinn::stand_alone) one.token = token();
    return one;
  }
  /// The PARAMETER_CACHING executable. It transfers constants to DRAM1 and, if the model keeps them
  /// in local memory, moves them on.
  darwinn::Executable caching() {
    darwinn::Executable one = executable(darwinn::parameter_caching);
    one.scratch_bytes = 0;
    one.parameters = constants_;
    preload_ =
        encode_program(layout_, {make_configure(layout_, tcu::ConfigRegister::dram0_offset, 0),
                                 make_configure(layout_, tcu::ConfigRegister::dram1_offset, 0)});
    if (model_.file.preloads()) {
      const std::vector<std::uint8_t> moves = constants_to_local(model_, layout_);
      preload_.insert(preload_.end(), moves.begin(), moves.end());
    }
    one.hints = {parameters(), simple(HintKind::fence, 0)};
    cut(preload_, {{0, darwinn::scratch, {}}, {1, darwinn::parameter, {}}}, one);
    add_instructions(one);
    one.hints.push_back(simple(HintKind::interrupt, 0));
    return one;
  }
  darwinn::Executable inference() {
    const bool cached = options_.cache_parameters;
    darwinn::Executable one = executable(cached ? darwinn::execution_only : darwinn::stand_alone);
    one.serialized_model = {reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size()};
    one.estimated_cycles_64bit = options_.estimated_cycles;
    one.scratch_bytes = size_of(model_, "DRAM0", program_.scratch_size);
    if (!cached && !constants_.empty()) {
      one.parameters = constants_;
      one.hints.push_back(parameters());
    }
    for (const Tensor& tensor : tensors(model_.file.inputs)) {
      one.inputs.push_back(layer(tensor, darwinn::AnyLayer::input));
      one.hints.push_back(descriptor(darwinn::infeed, darwinn::input, one.inputs.back().size_bytes,
                                     name(tensor.name)));
    }
    one.hints.push_back(simple(HintKind::fence, 0));
    cut(code_, program_.bases, one);
    add_instructions(one);
    for (const Tensor& tensor : tensors(model_.file.outputs)) {
      one.outputs.push_back(layer(tensor, darwinn::AnyLayer::output));
      one.hints.push_back(descriptor(darwinn::outfeed, darwinn::output,
                                     one.outputs.back().size_bytes, name(tensor.name)));
    }
    one.hints.push_back(simple(HintKind::interrupt, 0));
    return one;
  }
  static void add_instructions(darwinn::Executable& one) {
    for (std::size_t i = 0; i < one.chunks.size(); ++i) {
      one.hints.push_back(simple(HintKind::instruction, static_cast<std::int32_t>(i)));
    }
  }
  /// Stores a text for the packer's lifetime.
  std::string_view name(const std::string& text) {
    names_.push_back(text);
    return names_.back();
  }
  /// Token of the package: the user's, or else an FNV-1a hash of program and constants.
  [[nodiscard]] std::uint64_t token() const {
    if (options_.token != 0) return options_.token;
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const auto* bytes : {&code_, &constants_}) {
      for (const std::uint8_t byte : *bytes) hash = (hash ^ byte) * 0x100000001b3;
    }
    return hash == 0 ? 1 : hash;
  }
  /// Makes the image of DRAM1 with all constants, from vector 0 on.
  void add_constants() {
    for (std::size_t i = 0; i < model_.constants.size(); ++i) {
      const tcu::ConstantsEntry& entry = model_.file.consts[i];
      const auto begin = static_cast<std::size_t>(size_of(model_, "constants", entry.base));
      (void)size_of(model_, "constants", entry.base + entry.size);
      constants_.resize(std::max(constants_.size(), begin + model_.constants[i].size()));
      std::copy(model_.constants[i].begin(), model_.constants[i].end(),
                constants_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  }
  /// Splits code into chunks of whole instructions, and adds the fields for `bases`. All chunks but
  /// the last are also whole words of every instruction stream.
  void cut(const std::vector<std::uint8_t>& code,
           const std::vector<RelocatableProgram::Base>& bases, darwinn::Executable& one) {
    const std::size_t unit = std::lcm(std::size_t{layout_.instruction_bytes()}, widest_word);
    const std::size_t most = longest_chunk / unit * unit;
    for (std::size_t at = 0; at < code.size(); at += most) {
      one.chunks.push_back({{code.data() + at, std::min(most, code.size() - at)}, {}});
    }
    const std::size_t instructions = most / layout_.instruction_bytes();
    constexpr std::size_t value = 4;  // bit position of Configure's value, above the register
    for (const RelocatableProgram::Base& base : bases) {
      darwinn::Meta meta{base.desc, darwinn::lower_32bit, 0, std::nullopt};
      if (!base.name.empty()) meta.name = name(base.name);
      const std::size_t bit = base.instruction % instructions * layout_.instruction_bits() + value;
      one.chunks[base.instruction / instructions].fields.push_back(
          {meta, static_cast<std::int32_t>(bit)});
    }
  }
  Layer layer(const Tensor& tensor, darwinn::AnyLayer kind) {
    Layer one;
    one.name = name(tensor.name);
    one.size_bytes = size_of(model_, "a tensor", tensor.size);
    one.y = 1;
    one.x = static_cast<std::int32_t>(tensor.size);
    one.z = static_cast<std::int32_t>(model_.file.arch.array_size);
    one.numerics = darwinn::Numerics{
        0, std::ldexp(1.0F, -static_cast<int>(info(model_.file.arch.data_type).binary_point))};
    one.data_type = data_type_of(model_);
    one.kind = kind;
    one.has_value = true;
    if (kind == darwinn::AnyLayer::input) return one;
    const auto width = static_cast<std::size_t>(one.x);
    std::vector<std::int32_t> x_local(width);
    for (std::size_t x = 0; x < width; ++x) x_local[x] = static_cast<std::int32_t>(x) * one.z;
    one.layout =
        darwinn::TileLayout{table({0}), table(std::vector<std::int32_t>(width, 0)),
                            table({0}), table(std::move(x_local)),
                            table({0}), table(std::vector<std::int32_t>(width, one.x * one.z))};
    return one;
  }
  darwinn::IntView table(std::vector<std::int32_t> values) {
    tables_.push_back(std::move(values));
    return tables_.back();
  }
  static Hint simple(HintKind kind, std::int32_t number) {
    Hint hint;
    hint.kind = kind;
    hint.has_value = true;
    hint.direction = kind == HintKind::interrupt ? darwinn::outfeed : darwinn::infeed;
    hint.number = number;
    return hint;
  }
  [[nodiscard]] Hint parameters() const {
    return descriptor(darwinn::infeed, darwinn::parameter,
                      static_cast<std::int32_t>(constants_.size()));
  }
  static Hint descriptor(std::int16_t direction, std::int16_t desc, std::int32_t bytes,
                         std::string_view name = {}) {
    Hint hint = simple(HintKind::descriptor, 0);
    hint.direction = direction;
    hint.meta = darwinn::Meta{desc, darwinn::lower_32bit, 0, name};
    hint.size = bytes;
    return hint;
  }

  const Model& model_;
  const tcu::InstructionLayout layout_;
  const PackOptions& options_;
  std::string chip_, version_, text_;
  RelocatableProgram program_;
  std::vector<std::uint8_t> code_, preload_, constants_;
  std::list<std::string> names_;
  std::list<std::vector<std::int32_t>> tables_;
};

}  // namespace

PackedModel pack_model(const Model& model, const PackOptions& options) {
  PackedModel packed = Packer(model, options).write();
  // The package is verified here, so that none is written that cannot be run.
  const darwinn::File file(packed.bytes, model.path);
  (void)darwinn::verify(file.package(), model.path);
  return packed;
}

}  // namespace tactus
