#include "isa/darwinn/file.h"

#include <cstring>
#include <new>
#include <utility>

#include "isa/darwinn/flat.h"
#include "isa/darwinn/package_generated.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"

namespace tactus::darwinn {
namespace {

constexpr std::int32_t newest_runtime = 14;
constexpr std::int32_t oldest_runtime = 10;
constexpr std::size_t identifier_end = 8;
constexpr std::size_t most_executables = 3;

bool has_identifier(ByteView bytes, const char* identifier) {
  return bytes.size() >= identifier_end && std::memcmp(bytes.data() + 4, identifier, 4) == 0;
}

// ---- tables of an executable as views -----------------------------------------------------------

std::optional<std::string_view> optional_text(const flatbuffers::String* text) {
  if (text == nullptr) return std::nullopt;
  return text_of(text);
}

std::optional<Meta> meta_of(const fb::Meta* from) {
  if (from == nullptr) return std::nullopt;
  return Meta{from->desc(), from->position(), from->batch(), optional_text(from->name())};
}

Shape shape_of(const fb::TensorShape& from) {
  static_assert(sizeof(Range) == sizeof(fb::Range) && alignof(Range) == alignof(fb::Range));
  const auto* const ranges = from.dimension();
  if (ranges == nullptr) return {};
  return {reinterpret_cast<const Range*>(ranges->Data()), ranges->size()};
}

std::optional<Shape> optional_shape(const fb::TensorShape* from) {
  if (from == nullptr) return std::nullopt;
  return shape_of(*from);
}

void read_output(const fb::OutputLayer& from, Layer& layer) {
  if (const fb::OutputLayout* const layout = from.layout()) {
    layer.layout = TileLayout{view_of(layout->row_tile()),   view_of(layout->column_tile()),
                              view_of(layout->tile_start()), view_of(layout->x_local()),
                              view_of(layout->y_local()),    view_of(layout->row_size())};
  }
  const fb::OutputShapeInfo* const info = from.shape_info();
  if (info == nullptr) return;
  layer.has_shape_info = true;
  layer.slice_offsets = view_of(info->slice_offset());
  layer.slices.reserve(size_of(info->slice_layout()));
  for (std::uint32_t i = 0; i < size_of(info->slice_layout()); ++i) {
    const fb::TensorLayout& slice = *info->slice_layout()->Get(i);
    layer.slices.push_back({optional_shape(slice.shape()), view_of(slice.stride())});
  }
}

Layer layer_of(const fb::Layer& from) {
  Layer layer;
  layer.name = optional_text(from.name());
  layer.size_bytes = from.size_bytes();
  layer.y = from.y_dim();
  layer.x = from.x_dim();
  layer.z = from.z_dim();
  if (const fb::NumericsConstants* const numerics = from.numerics()) {
    layer.numerics = Numerics{numerics->zero_point(), numerics->dequantization_factor()};
  }
  layer.data_type = from.data_type();
  layer.kind = static_cast<AnyLayer>(from.any_layer_type());
  layer.has_value = from.any_layer() != nullptr;
  layer.executions = from.execution_count_per_inference();
  layer.cache_on_dram = from.cache_on_dram();
  layer.shape = optional_shape(from.shape());
  if (const fb::OutputLayer* const output = from.any_layer_as_OutputLayer()) {
    read_output(*output, layer);
  }
  return layer;
}

template <typename Tables>
std::vector<Layer> layers_of(const Tables* from, const std::string& file, std::int16_t type) {
  // A limit on names. Layers have different names, so only a malicious file has more.
  constexpr std::size_t most = 16384;
  if (size_of(from) > most) {
    refuse(Code::limit, file, std::string(type_name(type)), "{} layers; allowed {}", size_of(from),
           most);
  }
  std::vector<Layer> layers;
  layers.reserve(size_of(from));
  for (std::uint32_t i = 0; i < size_of(from); ++i) layers.push_back(layer_of(*from->Get(i)));
  return layers;
}

Chunk chunk_of(const fb::InstructionBitstream& from) {
  Chunk chunk;
  chunk.code = view_of(from.bitstream());
  chunk.fields.reserve(size_of(from.field_offsets()));
  for (std::uint32_t i = 0; i < size_of(from.field_offsets()); ++i) {
    const fb::FieldOffset& field = *from.field_offsets()->Get(i);
    chunk.fields.push_back({meta_of(field.meta()), field.offset_bit()});
  }
  return chunk;
}

Hint hint_of(const fb::DmaHint& from) {
  Hint hint;
  hint.kind = static_cast<HintKind>(from.any_hint_type());
  hint.has_value = from.any_hint() != nullptr;
  hint.direction = from.direction();
  if (const auto* const descriptor = from.any_hint_as_DmaDescriptorHint()) {
    hint.meta = meta_of(descriptor->meta());
    hint.offset = descriptor->offset_in_bytes();
    hint.size = descriptor->size_in_bytes();
  } else if (const auto* const instruction = from.any_hint_as_InstructionHint()) {
    hint.number = instruction->instruction_chunk_index();
  } else if (const auto* const interrupt = from.any_hint_as_InterruptHint()) {
    hint.number = interrupt->type();
  }
  return hint;
}

/// Bit mask of the slots that the table's vtable has an entry for.
std::uint32_t fields_present(const fb::Executable& table) {
  constexpr flatbuffers::voffset_t first = 4;  // a vtable starts with two lengths
  constexpr unsigned slots = 17;
  std::uint32_t present = 0;
  for (unsigned slot = 0; slot < slots; ++slot) {
    const auto field = static_cast<flatbuffers::voffset_t>(first + 2 * slot);
    if (reinterpret_cast<const flatbuffers::Table&>(table).GetOptionalFieldOffset(field) != 0) {
      present |= 1U << slot;
    }
  }
  return present;
}

Executable executable_of(const fb::Executable& from, ByteView bytes, std::int64_t offset,
                         const std::string& file) {
  Executable executable;
  executable.version = from.version();
  executable.name = text_of(from.name());
  executable.serialized_model = view_of(from.serialized_model());
  executable.batch_size = from.batch_size();
  executable.scratch_bytes = from.scratch_size_bytes();
  executable.chunks.reserve(size_of(from.instruction_bitstreams()));
  for (std::uint32_t i = 0; i < size_of(from.instruction_bitstreams()); ++i) {
    executable.chunks.push_back(chunk_of(*from.instruction_bitstreams()->Get(i)));
  }
  executable.parameters = view_of(from.parameters());
  if (const fb::DmaHints* const hints = from.dma_hints()) {
    executable.has_hints = true;
    executable.fully_deterministic = hints->fully_deterministic();
    executable.hints.reserve(size_of(hints->hints()));
    for (std::uint32_t i = 0; i < size_of(hints->hints()); ++i) {
      executable.hints.push_back(hint_of(*hints->hints()->Get(i)));
    }
  }
  executable.inputs = layers_of(from.input_layers(), file, from.type());
  executable.outputs = layers_of(from.output_layers(), file, from.type());
  executable.chip = optional_text(from.chip());
  executable.estimated_cycles_32bit = from.estimated_cycles();
  executable.narrow_memory_bytes = from.used_narrow_memory_bytes_per_tile();
  executable.type = from.type();
  executable.token = from.parameter_caching_token();
  executable.parameters_in_dram = from.use_tpu_dram_for_parameters();
  executable.estimated_cycles_64bit = from.estimated_cycles_64bit();
  executable.fields_present = fields_present(from);
  executable.offset = offset;
  executable.bytes = static_cast<std::int64_t>(bytes.size());
  if (!executable.parameters.empty()) {
    executable.parameters_offset = executable.parameters.data() - bytes.data();
  }
  return executable;
}

void check_type(const Package& package, std::int16_t type, std::size_t index, std::size_t count,
                const std::string& file) {
  const std::string place = fmt::format("executable {}", index);
  if (type < stand_alone || type > execution_only) {
    refuse(Code::type, file, place,
           "type {}; allowed 0 STAND_ALONE, 1 PARAMETER_CACHING, 2 EXECUTION_ONLY", type);
  }
  if (package.find(type) != nullptr) {
    refuse(Code::duplicate_type, file, place, "a second {} of {} executables; one is allowed",
           type_name(type), count);
  }
}

void check_combination(const Package& package, const std::string& file) {
  if (package.executables.size() == 1 || package.executables.size() == most_executables) return;
  if (package.find(parameter_caching) != nullptr && package.find(execution_only) != nullptr) return;
  refuse(Code::combination, file, "",
         "{} and {}; allowed: one executable of any type, PARAMETER_CACHING and EXECUTION_ONLY, or "
         "these and STAND_ALONE",
         type_name(package.executables[0].type), type_name(package.executables[1].type));
}

}  // namespace

PageBuffer::PageBuffer(ByteView bytes) : size_(bytes.size()) {
  const std::size_t whole =
      std::max(page_bytes, (bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
  bytes_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(page_bytes, whole)));
  if (bytes_ == nullptr) throw std::bad_alloc();
  if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
}

File::File(const std::string& path) : File(read_file(path), path) {}

File::File(std::vector<std::uint8_t> bytes, std::string where)
    : name_(std::move(where)), file_bytes_(bytes.size()), bytes_(std::move(bytes)) {
  open();
}

const std::string& File::sha256() const {
  if (sha256_.empty()) {
    const ByteView view = package_bytes();
    sha256_ = tflite_ ? tactus::sha256(bytes_) : tactus::sha256({view.begin(), view.end()});
  }
  return sha256_;
}

void File::open() {
  const ByteView all = bytes_;
  if (all.size() < identifier_end) {
    refuse(Code::truncated, name_, "", "{} bytes, too short for a package or a model", all.size());
  }
  if (has_identifier(all, "TFL3")) {
    tflite_ = parse_tflite(all, name_, warnings_);
    const ByteView package = tflite_->options.package;
    package_offset_ = package.data() - all.data();
    package_buffer_ = PageBuffer(package);
  } else if (has_identifier(all, "DWN1")) {
    package_buffer_ = PageBuffer(all);
    bytes_ = {};
  } else {
    const std::string_view identifier(reinterpret_cast<const char*>(all.data()) + 4, 4);
    refuse(Code::magic, name_, "",
           "bytes 4..7 are {}; allowed \"DWN1\", a package, or \"TFL3\", a TensorFlow Lite model",
           quote(identifier));
  }
  open_package();
}

ByteView File::aligned(ByteView bytes) {
  constexpr std::uintptr_t widest = 8;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % widest == 0) return bytes;
  levels_.emplace_back(bytes);
  return levels_.back().view();
}

void File::open_package() {
  const ByteView bytes = package_buffer_.view();
  if (!has_identifier(bytes, "DWN1")) {
    refuse(Code::magic, name_, "package", "{} bytes without the identifier \"DWN1\"", bytes.size());
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<fb::Package>(nullptr)) {
    refuse(Code::verify_package, name_, "package", "{} bytes that are no sound FlatBuffer",
           bytes.size());
  }
  const fb::Package& from = *flatbuffers::GetRoot<fb::Package>(bytes.data());
  package_.min_runtime_version = from.min_runtime_version();
  package_.signature = view_of(from.signature());
  package_.keypair_version = from.keypair_version();
  package_.compiler_version = text_of(from.compiler_version());
  package_.virtual_chip_id = from.virtual_chip_id();
  package_.multi_chip_packages = static_cast<std::uint32_t>(size_of(from.multi_chip_package()));
  package_.model_identifier = text_of(from.model_identifier());
  package_.bytes = static_cast<std::int64_t>(bytes.size());
  if (package_.min_runtime_version > newest_runtime) {
    refuse(Code::version, name_, "package", "min_runtime_version {}; allowed up to {}",
           package_.min_runtime_version, newest_runtime);
  }
  if (package_.min_runtime_version < oldest_runtime) {
    warn("package", fmt::format("min_runtime_version {} is older than {}",
                                package_.min_runtime_version, oldest_runtime));
  }
  if (package_.keypair_version != 0) {
    warn("package", fmt::format("keypair_version {}; known is 0, and it is ignored",
                                package_.keypair_version));
  }
  if (package_.virtual_chip_id == -1 || package_.multi_chip_packages != 0) {
    refuse(Code::multi_chip, name_, "package",
           "for several chips (virtual_chip_id {}, {} packages inside); allowed: one chip",
           package_.virtual_chip_id, package_.multi_chip_packages);
  }
  const ByteView multi = view_of(from.serialized_multi_executable());
  if (multi.empty()) refuse(Code::empty, name_, "package", "serialized_multi_executable is empty");
  package_.multi_offset = multi.data() - bytes.data();
  package_.multi_bytes = static_cast<std::int64_t>(multi.size());
  open_multi(aligned(multi), package_.multi_offset);
}

void File::warn(const std::string& place, const std::string& what) {
  warnings_.push_back({Code::version, fmt::format("{}: {}: {}: {}", name_,
                                                  darwinn::name(Code::version), place, what)});
}

void File::open_multi(ByteView bytes, std::int64_t offset) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<fb::MultiExecutable>(nullptr)) {
    refuse(Code::verify_multi, name_, "MultiExecutable", "{} bytes that are no sound FlatBuffer",
           bytes.size());
  }
  const auto* const strings =
      flatbuffers::GetRoot<fb::MultiExecutable>(bytes.data())->serialized_executables();
  const std::size_t count = size_of(strings);
  if (count == 0) refuse(Code::empty, name_, "MultiExecutable", "it has no executables");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view text = text_of(strings->Get(i));
    const ByteView raw(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const ByteView one = aligned(raw);
    const std::string place = fmt::format("executable {}", i);
    flatbuffers::Verifier each(one.data(), one.size());
    if (one.size() < identifier_end || !each.VerifyBuffer<fb::Executable>(nullptr)) {
      refuse(Code::verify_executable, name_, place, "{} bytes that are no sound FlatBuffer",
             one.size());
    }
    const fb::Executable& from = *flatbuffers::GetRoot<fb::Executable>(one.data());
    if (from.batch_size() < 1) {
      refuse(Code::batch, name_, fmt::format("{} {}", place, type_name(from.type())),
             "batch_size {}; allowed 1 or more", from.batch_size());
    }
    if (from.version() != 0) {
      warn(fmt::format("{} {}", place, type_name(from.type())),
           fmt::format("version {}; known is 0, and the executable is read as one of that version",
                       from.version()));
    }
    // At most three executables are allowed, since their types must differ; more are refused
    // unread.
    check_type(package_, from.type(), i, count, name_);
    package_.executables.push_back(
        executable_of(from, one, offset + (raw.data() - bytes.data()), name_));
  }
  check_combination(package_, name_);
}

}  // namespace tactus::darwinn
