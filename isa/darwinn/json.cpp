#include "isa/darwinn/json.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify.h"
#include "isa/support/json_text.h"
#include "isa/support/sha256.h"

namespace tactus::darwinn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view executable_fields[] = {"version",
                                                  "name",
                                                  "serialized_model",
                                                  "batch_size",
                                                  "scratch_size_bytes",
                                                  "instruction_bitstreams",
                                                  "parameters",
                                                  "dma_hints",
                                                  "input_layers",
                                                  "output_layers",
                                                  "chip",
                                                  "estimated_cycles",
                                                  "used_narrow_memory_bytes_per_tile",
                                                  "type",
                                                  "parameter_caching_token",
                                                  "use_tpu_dram_for_parameters",
                                                  "estimated_cycles_64bit"};

std::string hash_start(ByteView bytes) {
  return sha256({bytes.begin(), bytes.end()}).substr(0, 16);
}

Json token_text(std::uint64_t token) { return fmt::format("{:#018x}", token); }

std::string hint_name(const Executable& executable, const Hint& hint) {
  (void)executable;
  const std::string side(direction_name(hint.direction));
  switch (hint.kind) {
    case HintKind::descriptor:
      return side + "/" + std::string(base_name(hint.meta->desc));
    case HintKind::instruction:
      return side + "/INSTRUCTION";
    case HintKind::interrupt:
      return fmt::format("{}/INTERRUPT_{}", side, hint.number);
    case HintKind::fence:
      return side + "/FENCE";
    case HintKind::none:
      break;
  }
  internal_error("hint of kind {}", static_cast<int>(hint.kind));
}

// ---- chunks, hints ------------------------------------------------------------------------------

Json chunks_json(const Executable& executable) {
  Json chunks = Json::array();
  for (const Chunk& chunk : executable.chunks) {
    Json fields = Json::array();
    for (const Field& field : chunk.fields) {
      fields.push_back({field.offset_bit, base_name(field.meta->desc),
                        position_name(field.meta->position), field.meta->name.value_or(""),
                        field.meta->batch});
    }
    Json json{{"bytes", chunk.code.size()}};
    if (is_edge_tpu(executable.chip.value_or(""))) {
      json["instructions_128bit"] = chunk.code.size() / edge_tpu_instruction_bytes;
    }
    json["sha256_16"] = hash_start(chunk.code);
    json["field_offsets"] = std::move(fields);
    chunks.push_back(std::move(json));
  }
  return chunks;
}

/// Counts the fields of each key.
template <typename KeyOf>
Json field_counts(const Executable& executable, KeyOf key_of) {
  Json counts = Json::object();
  for (const Chunk& chunk : executable.chunks) {
    for (const Field& field : chunk.fields) {
      const std::string key = key_of(field);
      counts[key] = counts.value(key, 0) + 1;
    }
  }
  return counts;
}

Json field_kinds(const Executable& executable) {
  return field_counts(executable, [](const Field& field) {
    return fmt::format("{}/{}", base_name(field.meta->desc), position_name(field.meta->position));
  });
}

Json field_places(const Executable& executable) {
  constexpr int instruction_bits = 128;
  return field_counts(executable, [](const Field& field) {
    return std::to_string(field.offset_bit % instruction_bits);
  });
}

Json hint_json(const Executable& executable, const Hint& hint) {
  const auto side = direction_name(hint.direction);
  switch (hint.kind) {
    case HintKind::descriptor:
      return {"DMA",
              side,
              base_name(hint.meta->desc),
              hint.meta->name.value_or(""),
              hint.meta->batch,
              hint.offset,
              hint.size};
    case HintKind::instruction:
      return {"INSTR", side, hint.number, hint_bytes(executable, hint)};
    case HintKind::interrupt:
      return {"INTERRUPT", side, hint.number};
    case HintKind::fence:
    case HintKind::none:
      break;
  }
  return {"FENCE", side};
}

Json hints_json(const Executable& executable) {
  Json counts = Json::object(), bytes = Json::object(), sequence = Json::array();
  for (const Hint& hint : executable.hints) {
    const std::string key = hint_name(executable, hint);
    counts[key] = counts.value(key, 0) + 1;
    const std::int64_t size = hint_bytes(executable, hint);
    if (size > 0) bytes[key] = bytes.value(key, std::int64_t{0}) + size;
    sequence.push_back(hint_json(executable, hint));
  }
  return {{"count", executable.hints.size()},
          {"fully_deterministic", executable.fully_deterministic},
          {"counts", counts},
          {"bytes", bytes},
          {"sequence", sequence}};
}

/// All transfers between host and one buffer in one direction, in the order of the hints.
struct Transfers {
  std::int16_t direction, desc;
  std::string_view name;
  std::int32_t batch;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  ///< begin, end
};

Json transfers_json(const Transfers& transfers) {
  std::int64_t bytes = 0, shortest = INT64_MAX, longest = 0;
  for (const auto& [begin, end] : transfers.ranges) {
    bytes += end - begin;
    shortest = std::min(shortest, end - begin);
    longest = std::max(longest, end - begin);
  }
  auto sorted = transfers.ranges;
  const bool in_order = std::is_sorted(
      sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<std::int64_t, std::int64_t>> merged;
  for (const auto& range : sorted) {
    if (!merged.empty() && range.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  std::int64_t covered = 0;
  for (const auto& [begin, end] : merged) covered += end - begin;
  return {{"direction", direction_name(transfers.direction)},
          {"desc", base_name(transfers.desc)},
          {"name", transfers.name},
          {"batch", transfers.batch},
          {"dmas", transfers.ranges.size()},
          {"bytes", bytes},
          {"merged_ranges", merged},
          {"overlap_bytes", bytes - covered},
          {"in_address_order", in_order},
          {"min_dma", shortest},
          {"max_dma", longest}};
}

Json coverage_json(const Executable& executable) {
  using Key = std::tuple<std::int16_t, std::int16_t, std::string_view, std::int32_t>;
  std::map<Key, std::size_t> index;
  std::vector<Transfers> all;
  for (const Hint& hint : executable.hints) {
    if (hint.kind != HintKind::descriptor) continue;
    const Key key{hint.direction, hint.meta->desc, hint.meta->name.value_or(""), hint.meta->batch};
    const auto [place, added] = index.emplace(key, all.size());
    if (added) {
      all.push_back({hint.direction, hint.meta->desc, std::get<2>(key), hint.meta->batch, {}});
    }
    all[place->second].ranges.emplace_back(hint.offset, std::int64_t{hint.offset} + hint.size);
  }
  Json json = Json::array();
  for (const Transfers& transfers : all) json.push_back(transfers_json(transfers));
  return json;
}

// ---- layers -------------------------------------------------------------------------------------

Json ranges_json(const Shape& shape) {
  Json json = Json::array();
  for (const Range& range : shape) json.push_back({range.start, range.end});
  return json;
}

Json numbers_json(IntView table) { return std::vector<std::int32_t>(table.begin(), table.end()); }

Json runs_json(IntView table) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < table.size();) {
    std::size_t end = i;
    while (end < table.size() && table[end] == table[i]) ++end;
    runs.push_back({table[i], end - i});
    i = end;
  }
  return runs;
}

std::int64_t element_at(const TileLayout& layout, std::size_t y, std::size_t x) {
  return std::int64_t{layout.tile_start[static_cast<std::size_t>(layout.row_tile[y]) +
                                        static_cast<std::size_t>(layout.column_tile[x])]} +
         std::int64_t{layout.y_local[y]} * layout.row_size[x] + layout.x_local[x];
}

bool is_identity(const Layer& layer) {
  if (layer.y == 1 && layer.x == 1) return true;
  const auto width = static_cast<std::size_t>(layer.x);
  for (std::size_t y = 0; y < static_cast<std::size_t>(layer.y); ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const auto packed = static_cast<std::int64_t>(y * width + x) * layer.z;
      if (element_at(*layer.layout, y, x) != packed) return false;
    }
  }
  return true;
}

Json layout_json(const Layer& layer) {
  const TileLayout& layout = *layer.layout;
  const auto distinct = [](IntView table) {
    return std::set<std::int32_t>(table.begin(), table.end());
  };
  Json stride;  // null: one element in both directions
  if (relayout_method(layer) == RelayoutMethod::tiles) {
    const bool wide = layer.x > 1;
    if (wide || layer.y > 1) {
      stride = element_at(layout, wide ? 0 : 1, wide ? 1 : 0) - element_at(layout, 0, 0);
    }
  }
  return {{"table_sizes",
           {{"y_tile", layout.row_tile.size()},
            {"x_tile", layout.column_tile.size()},
            {"tile_byte_offset", layout.tile_start.size()},
            {"x_local_byte", layout.x_local.size()},
            {"y_local", layout.y_local.size()},
            {"x_row_size", layout.row_size.size()}}},
          {"tile_rows", distinct(layout.row_tile).size()},
          {"tile_cols", distinct(layout.column_tile).size()},
          {"row_sizes", distinct(layout.row_size)},
          {"z_stride", stride},
          {"identity", relayout_method(layer) != RelayoutMethod::slices && is_identity(layer)},
          {"tile_offsets", numbers_json(layout.tile_start)},
          {"y_tile_rle", runs_json(layout.row_tile)},
          {"x_tile_rle", runs_json(layout.column_tile)},
          {"x_local", numbers_json(layout.x_local)},
          {"y_local", numbers_json(layout.y_local)},
          {"x_row_size_rle", runs_json(layout.row_size)}};
}

Json slices_json(const Layer& layer) {
  Json slices = Json::array();
  for (std::size_t i = 0; i < layer.slices.size(); ++i) {
    const Slice& slice = layer.slices[i];
    slices.push_back(
        {{"shape", ranges_json(*slice.shape)},
         {"stride", std::vector<std::int32_t>(slice.stride.begin(), slice.stride.end())},
         {"offset", layer.slice_offsets[i]}});
  }
  return slices;
}

Json layer_json(const Layer& layer) {
  Json json{{"name", *layer.name},
            {"size_bytes", layer.size_bytes},
            {"y", layer.y},
            {"x", layer.x},
            {"z", layer.z},
            {"data_type", data_type_name(layer.data_type)},
            {"zero_point", layer.numerics->zero_point},
            {"dequantization_factor", layer.numerics->factor},
            {"execution_count_per_inference", layer.executions},
            {"cache_on_dram", layer.cache_on_dram},
            {"shape", layer.shape ? ranges_json(*layer.shape) : Json()},
            {"actual_bytes", layer.actual_bytes()},
            {"padded_bytes", layer.padded_bytes()}};
  if (layer.kind != AnyLayer::output) return json;
  json["relayout"] = name(relayout_method(layer));
  json["output_layout"] = layer.layout ? layout_json(layer) : Json();
  json["shape_info"] = layer.has_shape_info ? slices_json(layer) : Json();
  return json;
}

Json layers_json(const std::vector<Layer>& layers) {
  Json json = Json::array();
  for (const Layer& layer : layers) json.push_back(layer_json(layer));
  return json;
}

// ---- executables, package, container ------------------------------------------------------------

Json executable_json(const Executable& executable) {
  Json present = Json::array();
  for (unsigned slot = 0; slot < std::size(executable_fields); ++slot) {
    if ((executable.fields_present >> slot & 1U) != 0) present.push_back(executable_fields[slot]);
  }
  std::size_t code = 0;
  for (const Chunk& chunk : executable.chunks) code += chunk.code.size();
  const Traffic traffic = traffic_of(executable);
  Json json{{"type", type_name(executable.type)},
            {"offset_in_package", executable.offset},
            {"serialized_bytes", executable.bytes},
            {"fields_present", present},
            {"version", executable.version},
            {"name", executable.name},
            {"chip", executable.chip.value_or("")},
            {"batch_size", executable.batch_size},
            {"scratch_size_bytes", executable.scratch_bytes},
            {"estimated_cycles", executable.estimated_cycles_32bit},
            {"estimated_cycles_64bit", executable.estimated_cycles_64bit},
            {"used_narrow_memory_bytes_per_tile", executable.narrow_memory_bytes},
            {"parameter_caching_token", token_text(executable.token)},
            {"use_tpu_dram_for_parameters", executable.parameters_in_dram},
            {"serialized_model_bytes", executable.serialized_model.size()},
            {"parameter_bytes", executable.parameters.size()}};
  if (is_tcu(executable.chip.value_or(""))) {  // the text of a model file
    json["serialized_model"] =
        std::string(executable.serialized_model.begin(), executable.serialized_model.end());
  }
  const bool parameters = !executable.parameters.empty();
  json["parameter_sha256_16"] = parameters ? Json(hash_start(executable.parameters)) : Json();
  json["parameter_offset_in_executable"] = parameters ? Json(executable.parameters_offset) : Json();
  json["instruction_chunk_count"] = executable.chunks.size();
  json["instruction_bytes"] = code;
  json["chunks"] = chunks_json(executable);
  json["field_offset_counts"] = field_kinds(executable);
  if (is_edge_tpu(executable.chip.value_or(""))) {
    json["field_offset_bit_mod_128"] = field_places(executable);
  }
  json["dma_hints"] = hints_json(executable);
  json["infeed_bytes_total"] = traffic.in();
  json["outfeed_bytes_total"] = traffic.out();
  json["dma_coverage"] = coverage_json(executable);
  json["input_layers"] = layers_json(executable.inputs);
  json["output_layers"] = layers_json(executable.outputs);
  return json;
}

Json package_json(const File& file) {
  const Package& package = file.package();
  Json types = Json::array(), executables = Json::array();
  for (const Executable& executable : package.executables) {
    types.push_back(type_name(executable.type));
    executables.push_back(executable_json(executable));
  }
  constexpr int page = 4096;
  return {{"bytes", package.bytes},
          {"file_offset", file.package_offset()},
          {"file_offset_mod_4096", file.package_offset() % page},
          {"identifier", "DWN1"},
          {"min_runtime_version", package.min_runtime_version},
          {"compiler_version", package.compiler_version},
          {"keypair_version", package.keypair_version},
          {"signature_bytes", package.signature.size()},
          {"virtual_chip_id", package.virtual_chip_id},
          {"multi_chip_packages", package.multi_chip_packages},
          {"model_identifier", package.model_identifier},
          {"multi_executable_bytes", package.multi_bytes},
          {"multi_executable_offset_in_package", package.multi_offset},
          {"verified_with_flatbuffers_verifier", true},
          {"executable_count", package.executables.size()},
          {"executable_types_in_order", types},
          {"executables", executables}};
}

Json tensors_json(const std::vector<TfliteTensor>& tensors) {
  Json json = Json::array();
  for (const TfliteTensor& tensor : tensors) {
    json.push_back({{"name", tensor.name},
                    {"type", tensor.type},
                    {"shape", std::vector<std::int32_t>(tensor.shape.begin(), tensor.shape.end())},
                    {"scale", std::vector<float>(tensor.scale.begin(), tensor.scale.end())},
                    {"zero_point", std::vector<std::int64_t>(tensor.zero_point.begin(),
                                                             tensor.zero_point.end())}});
  }
  return json;
}

Json options_json(const OperatorOptions& options) {
  Json json = Json::object();
  if (options.data_version) json["1"] = {{"type", "int"}, {"value", *options.data_version}};
  json["4"] = {{"type", "string"}, {"bytes", options.package.size()}};
  if (options.execution_preference) {
    json["5"] = {{"type", "int"}, {"value", *options.execution_preference}};
  }
  if (options.chips) {
    json["6"] = {{"type", "vector"}, {"len", options.chips->size()}, {"values", *options.chips}};
  }
  if (options.further_packages) {
    json["7"] = {{"type", "vector"}, {"len", *options.further_packages}, {"values", Json::array()}};
  }
  return json;
}

}  // namespace

std::int64_t hint_bytes(const Executable& executable, const Hint& hint) {
  if (hint.kind == HintKind::descriptor) return hint.size;
  if (hint.kind != HintKind::instruction) return 0;
  return static_cast<std::int64_t>(
      executable.chunks[static_cast<std::size_t>(hint.number)].code.size());
}

Json to_json(const Traffic& traffic) {
  return {{"instructions", traffic.instructions}, {"inputs", traffic.inputs},
          {"parameters", traffic.parameters},     {"scratch_in", traffic.scratch_in},
          {"outputs", traffic.outputs},           {"scratch_out", traffic.scratch_out}};
}

Traffic traffic_of(const Executable& executable) {
  Traffic traffic;
  for (const Hint& hint : executable.hints) {
    const std::int64_t bytes = hint_bytes(executable, hint);
    if (hint.kind == HintKind::instruction) traffic.instructions += bytes;
    if (hint.kind != HintKind::descriptor) continue;
    switch (hint.meta->desc) {
      case input:
        traffic.inputs += bytes;
        break;
      case output:
        traffic.outputs += bytes;
        break;
      case parameter:
        traffic.parameters += bytes;
        break;
      default:
        (hint.direction == infeed ? traffic.scratch_in : traffic.scratch_out) += bytes;
    }
  }
  return traffic;
}

std::string to_json(const File& file) {
  Json json{{"file_bytes", file.file_bytes()}, {"sha256", file.sha256()}};
  const TfliteModel* const model = file.tflite();
  json["container"] = model != nullptr ? "TFL3" : "DWN1";
  if (model != nullptr) {
    json["tflite_version"] = model->version;
    json["description"] = model->description;
    json["subgraphs"] = model->subgraphs;
    json["op_histogram"] = model->operators;
    json["custom_ops"] = Json::array();
    json["custom_ops"].push_back({{"subgraph", model->subgraph},
                                  {"op_index", model->operator_index},
                                  {"custom_options_bytes", model->options_bytes},
                                  {"custom_options_file_offset", model->options_offset},
                                  {"custom_options_format", model->options_format},
                                  {"flexbuffer", options_json(model->options)},
                                  {"tflite_inputs", tensors_json(model->inputs)},
                                  {"tflite_outputs", tensors_json(model->outputs)},
                                  {"package", package_json(file)}});
  } else {
    json["package"] = package_json(file);
  }
  Json warnings = Json::array();
  for (const Warning& warning : file.warnings()) warnings.push_back(warning.text);
  json["warnings"] = warnings;
  return text_of_json(json, 1) + "\n";
}

}  // namespace tactus::darwinn
