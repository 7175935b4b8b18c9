#include "isa/darwinn/writer.h"

#include "isa/darwinn/flat.h"
#include "isa/darwinn/package_generated.h"

namespace tactus::darwinn {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
template <typename T>
using Offset = flatbuffers::Offset<T>;
template <typename T>
using Vector = Offset<flatbuffers::Vector<T>>;
using Text = Offset<flatbuffers::String>;

/// Aligns blocks to pages. A FlatBuffer grows from its end to its start; a block of bytes must lie
/// at a fixed distance from the start, although a few tables are added in front of it later.
class Pages {
 public:
  explicit Pages(bool aligned) : aligned_(aligned) {}

  /// Call before adding a block of `bytes`: pads so that the block's first byte is a multiple of
  /// `page_bytes` away from the end.
  void before_block(Builder& builder, std::size_t bytes) const {
    if (aligned_) builder.Pad((page_bytes - (builder.GetSize() + bytes) % page_bytes) % page_bytes);
  }
  /// Call before the last `last` bytes are added: pads the buffer to whole pages.
  void before_end(Builder& builder, std::size_t last) const { before_block(builder, last); }

 private:
  bool aligned_;
};

constexpr std::size_t root_bytes = 4;  // bytes of the root offset at the start of a FlatBuffer
constexpr std::size_t identifier_bytes = 4;  // bytes of the identifier behind it, if present

Text text(Builder& builder, std::string_view value) {
  return value.empty() ? Text() : builder.CreateString(value.data(), value.size());
}

Text optional_text(Builder& builder, const std::optional<std::string_view>& value) {
  return value ? builder.CreateString(value->data(), value->size()) : Text();
}

Vector<std::int32_t> ints(Builder& builder, IntView values) {
  return builder.CreateVector(values.data(), values.size());
}

Offset<fb::Meta> meta(Builder& builder, const std::optional<Meta>& value) {
  if (!value) return {};
  const Text name = optional_text(builder, value->name);
  return fb::CreateMeta(builder, value->desc, value->batch, name, value->position);
}

Offset<fb::TensorShape> shape(Builder& builder, const std::optional<Shape>& value) {
  if (!value) return {};
  std::vector<fb::Range> ranges;
  for (const Range& range : *value) ranges.emplace_back(range.start, range.end);
  return fb::CreateTensorShape(builder, builder.CreateVectorOfStructs(ranges));
}

Offset<fb::OutputLayer> output_layer(Builder& builder, const Layer& layer) {
  Offset<fb::OutputLayout> layout;
  if (layer.layout) {
    const TileLayout& from = *layer.layout;
    const auto row_tile = ints(builder, from.row_tile);
    const auto column_tile = ints(builder, from.column_tile);
    const auto tile_start = ints(builder, from.tile_start);
    const auto x_local = ints(builder, from.x_local);
    const auto y_local = ints(builder, from.y_local);
    const auto row_size = ints(builder, from.row_size);
    layout = fb::CreateOutputLayout(builder, row_tile, column_tile, tile_start, x_local, y_local,
                                    row_size);
  }
  Offset<fb::OutputShapeInfo> info;
  if (layer.has_shape_info) {
    std::vector<Offset<fb::TensorLayout>> slices;
    for (const Slice& slice : layer.slices) {
      const auto ranges = shape(builder, slice.shape);
      const auto stride = ints(builder, slice.stride);
      slices.push_back(fb::CreateTensorLayout(builder, ranges, stride));
    }
    const auto all = builder.CreateVector(slices);
    info = fb::CreateOutputShapeInfo(builder, all, ints(builder, layer.slice_offsets));
  }
  return fb::CreateOutputLayer(builder, layout, 0, info);
}

Offset<fb::Layer> layer(Builder& builder, const Layer& from) {
  const Text name = optional_text(builder, from.name);
  Offset<fb::NumericsConstants> numerics;
  if (from.numerics) {
    numerics =
        fb::CreateNumericsConstants(builder, from.numerics->zero_point, from.numerics->factor);
  }
  Offset<void> any;
  if (from.has_value) {
    any = from.kind == AnyLayer::output ? output_layer(builder, from).Union()
                                        : fb::CreateInputLayer(builder).Union();
  }
  const auto ranges = shape(builder, from.shape);
  return fb::CreateLayer(builder, name, from.size_bytes, from.y, from.x, from.z, numerics,
                         from.data_type, static_cast<fb::AnyLayer>(from.kind), any, from.executions,
                         from.cache_on_dram, ranges);
}

Vector<Offset<fb::Layer>> layers(Builder& builder, const std::vector<Layer>& from) {
  if (from.empty()) return {};
  std::vector<Offset<fb::Layer>> all;
  for (const Layer& one : from) all.push_back(layer(builder, one));
  return builder.CreateVector(all);
}

Offset<fb::InstructionBitstream> chunk(Builder& builder, const Chunk& from) {
  std::vector<Offset<fb::FieldOffset>> fields;
  for (const Field& field : from.fields) {
    const auto about = meta(builder, field.meta);
    fields.push_back(fb::CreateFieldOffset(builder, about, field.offset_bit));
  }
  const auto all = builder.CreateVector(fields);
  const auto code = builder.CreateVector(from.code.data(), from.code.size());
  return fb::CreateInstructionBitstream(builder, code, all);
}

Offset<void> hint_value(Builder& builder, const Hint& from) {
  if (!from.has_value) return {};
  switch (from.kind) {
    case HintKind::instruction:
      return fb::CreateInstructionHint(builder, from.number).Union();
    case HintKind::interrupt:
      return fb::CreateInterruptHint(builder, static_cast<std::int16_t>(from.number)).Union();
    case HintKind::fence:
      return fb::CreateFenceHint(builder).Union();
    case HintKind::descriptor:
    case HintKind::none:
      break;
  }
  const auto about = meta(builder, from.meta);
  return fb::CreateDmaDescriptorHint(builder, about, from.offset, from.size).Union();
}

Offset<fb::DmaHints> hints(Builder& builder, const Executable& from) {
  if (!from.has_hints) return {};
  std::vector<Offset<fb::DmaHint>> all;
  for (const Hint& hint : from.hints) {
    const Offset<void> value = hint_value(builder, hint);
    all.push_back(
        fb::CreateDmaHint(builder, static_cast<fb::AnyHint>(hint.kind), value, hint.direction));
  }
  return fb::CreateDmaHints(builder, builder.CreateVector(all), from.fully_deterministic);
}

std::vector<std::uint8_t> write_executable(const Executable& from, const Pages& pages) {
  Builder builder(from.parameters.size() + 2 * page_bytes);
  const Text name = text(builder, from.name);
  Vector<std::uint8_t> model;
  if (!from.serialized_model.empty()) {
    model = builder.CreateVector(from.serialized_model.data(), from.serialized_model.size());
  }
  Vector<Offset<fb::InstructionBitstream>> chunks;
  if (!from.chunks.empty()) {
    std::vector<Offset<fb::InstructionBitstream>> each;
    for (const Chunk& one : from.chunks) each.push_back(chunk(builder, one));
    chunks = builder.CreateVector(each);
  }
  const auto dma = hints(builder, from);
  const auto inputs = layers(builder, from.inputs);
  const auto outputs = layers(builder, from.outputs);
  const Text chip = optional_text(builder, from.chip);
  Vector<std::uint8_t> parameters;
  if (!from.parameters.empty()) {
    pages.before_block(builder, from.parameters.size());
    parameters = builder.CreateVector(from.parameters.data(), from.parameters.size());
  }
  const auto table = fb::CreateExecutable(
      builder, from.version, name, model, from.batch_size, from.scratch_bytes, chunks, parameters,
      dma, inputs, outputs, chip, from.estimated_cycles_32bit, from.narrow_memory_bytes, from.type,
      from.token, from.parameters_in_dram, from.estimated_cycles_64bit);
  pages.before_end(builder, root_bytes);
  builder.Finish(table);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<std::uint8_t> write_multi(const Package& package, const Pages& pages) {
  Builder builder;
  std::vector<Text> executables(package.executables.size());
  for (std::size_t i = 0; i < executables.size(); ++i) {
    const std::vector<std::uint8_t> bytes = write_executable(package.executables[i], pages);
    constexpr std::size_t terminator = 1;
    pages.before_block(builder, bytes.size() + terminator);
    executables[i] =
        builder.CreateString(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const auto all = builder.CreateVector(executables);
  const auto table = fb::CreateMultiExecutable(builder, all);
  pages.before_end(builder, root_bytes);
  builder.Finish(table);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<std::uint8_t> write(const Package& package, const Pages& pages) {
  const std::vector<std::uint8_t> multi =
      package.executables.empty() ? std::vector<std::uint8_t>() : write_multi(package, pages);
  Builder builder(multi.size() + 2 * page_bytes);
  Vector<std::uint8_t> signature;
  if (!package.signature.empty()) {
    signature = builder.CreateVector(package.signature.data(), package.signature.size());
  }
  const Text compiler = text(builder, package.compiler_version);
  const Text identifier = text(builder, package.model_identifier);
  Vector<Offset<fb::SerializedPackage>> further;
  if (package.multi_chip_packages != 0) {
    const std::vector<Offset<fb::SerializedPackage>> each(package.multi_chip_packages,
                                                          fb::CreateSerializedPackage(builder));
    further = builder.CreateVector(each);
  }
  Vector<std::uint8_t> executables;
  if (!multi.empty()) {
    pages.before_block(builder, multi.size());
    executables = builder.CreateVector(multi.data(), multi.size());
  }
  const auto table = fb::CreatePackage(builder, package.min_runtime_version, executables, signature,
                                       package.keypair_version, compiler, package.virtual_chip_id,
                                       further, identifier);
  pages.before_end(builder, root_bytes + identifier_bytes);
  builder.Finish(table, fb::PackageIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace

std::vector<std::uint8_t> write_package(const Package& package) {
  return write(package, Pages(true));
}

std::vector<std::uint8_t> write_package_unaligned(const Package& package) {
  return write(package, Pages(false));
}

}  // namespace tactus::darwinn
