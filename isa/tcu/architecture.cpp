#include "isa/tcu/architecture.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/dais_block_json.h"
#include "isa/tcu/layout.h"

namespace tactus::tcu {
namespace {

constexpr std::array<DataTypeInfo, 4> data_types{{
    {"FP8BP4", 8, 4, 1},
    {"FP16BP8", 16, 8, 2},
    {"FP18BP10", 18, 10, 4},
    {"FP32BP16", 32, 16, 4},
}};

constexpr std::uint64_t deepest_memory = std::uint64_t{1} << 62;
constexpr unsigned widest_operand = 64;

DataType decode_data_type(ObjectReader& reader) {
  constexpr std::string_view key = "data_type";
  std::vector<std::string_view> names;
  for (const DataTypeInfo& type : data_types) names.push_back(type.name);
  // The reference's compiler knows this one, so it deserves more than "unknown".
  if (reader.holds_string(key, "FLOAT32")) {
    reader.add_problem(key,
                       "\"FLOAT32\" has no hardware: the unit computes in fixed point only; "
                       "allowed " +
                           quote_list(names));
    return DataType::fp16bp8;
  }
  return static_cast<DataType>(reader.get_enum(key, names));
}

/// The stride code sits above the address; both must fit the simulator's operand words.
void check_operand(ObjectReader& reader, unsigned number, std::uint64_t deepest,
                   std::uint32_t strides) {
  const unsigned address = address_bits(deepest);
  const unsigned stride = address_bits(strides);
  if (address + stride <= widest_operand) return;
  reader.add_problem(
      fmt::format("stride{}_depth", number),
      fmt::format("operand {} needs {} address bits (deepest memory {}) and {} stride bits; "
                  "allowed {} together",
                  number, address, deepest, stride, widest_operand));
}

/// What does not fit memories of sensible depths only: others are reported already.
void check_dais_blocks(const Architecture& a, ObjectReader& reader) {
  for (const char* key : {"array_size", "local_depth", "accumulator_depth"}) {
    if (reader.problems().concerns(reader.path() + "/" + key)) return;
  }
  for (std::size_t i = 0; i < a.dais_blocks.size(); ++i) {
    if (a.dais_blocks[i].file == nullptr) continue;  // could not be read
    const std::string wrong = dais_block_problem(a, a.dais_blocks[i]);
    if (wrong.empty()) continue;
    reader.problems().add(fmt::format("{}/dais_blocks/{}/program", reader.path(), i), wrong);
  }
}

}  // namespace

const DataTypeInfo& info(DataType type) {
  const auto index = static_cast<std::size_t>(type);
  if (index >= data_types.size()) internal_error("data type number {}", index);
  return data_types[index];
}

bool Architecture::operator==(const Architecture& other) const {
  const auto all = [](const Architecture& a) {
    return std::tie(a.data_type, a.array_size, a.dram0_depth, a.dram1_depth, a.local_depth,
                    a.accumulator_depth, a.simd_registers_depth, a.stride0_depth, a.stride1_depth,
                    a.number_of_threads, a.thread_queue_depth, a.dais_blocks);
  };
  return all(*this) == all(other);
}

Architecture decode_architecture(ObjectReader reader, ThreadKeys thread_keys,
                                 const std::string& file) {
  Architecture a;
  a.data_type = decode_data_type(reader);
  a.array_size = reader.get_u32("array_size", 2, 256);
  a.dram0_depth = reader.get_u64("dram0_depth", 1, deepest_memory);
  a.dram1_depth = reader.get_u64("dram1_depth", 1, deepest_memory);
  a.local_depth = reader.get_u64("local_depth", 1, deepest_memory);
  a.accumulator_depth = reader.get_u64("accumulator_depth", 1, deepest_memory);
  a.simd_registers_depth = reader.get_u32("simd_registers_depth", 1, 256);
  a.stride0_depth = reader.get_u32("stride0_depth", 1, 64);
  a.stride1_depth = reader.get_u32("stride1_depth", 1, 64);
  const bool required = thread_keys == ThreadKeys::mandatory;
  if (required || reader.has("number_of_threads")) {
    a.number_of_threads = reader.get_u32("number_of_threads", 1, 2);
  }
  if (required || reader.has("thread_queue_depth")) {
    a.thread_queue_depth = reader.get_u32("thread_queue_depth", 1, 65536);
  }
  if (const auto blocks = reader.get_optional_array("dais_blocks")) {
    a.dais_blocks = decode_dais_blocks(*blocks, file, reader.problems());
  }
  reader.finish();
  // A value that was refused reads as the smallest allowed one and cannot fail here.
  const std::uint64_t on_chip = std::max(a.local_depth, a.accumulator_depth);
  check_operand(reader, 0, on_chip, a.stride0_depth);
  check_operand(reader, 1, std::max({on_chip, a.dram0_depth, a.dram1_depth}), a.stride1_depth);
  check_dais_blocks(a, reader);
  return a;
}

Architecture read_architecture(const std::string& path) {
  const std::string text = read_text(path);
  return parse_as(FileKind::architecture, path, text,
                  [&] { return parse_architecture(text, path); });
}

Architecture parse_architecture(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  const Architecture architecture =
      decode_architecture(document.root(), ThreadKeys::mandatory, where);
  document.problems().throw_if_any();
  return architecture;
}

std::string to_json(const Architecture& a, int indent) {
  nlohmann::ordered_json json;
  json["data_type"] = info(a.data_type).name;
  json["array_size"] = a.array_size;
  json["dram0_depth"] = a.dram0_depth;
  json["dram1_depth"] = a.dram1_depth;
  json["local_depth"] = a.local_depth;
  json["accumulator_depth"] = a.accumulator_depth;
  json["simd_registers_depth"] = a.simd_registers_depth;
  json["stride0_depth"] = a.stride0_depth;
  json["stride1_depth"] = a.stride1_depth;
  json["number_of_threads"] = a.number_of_threads;
  json["thread_queue_depth"] = a.thread_queue_depth;
  for (const DaisBlockEntry& block : a.dais_blocks) {
    json["dais_blocks"].push_back({{"name", block.name}, {"program", block.program}});
  }
  return json.dump(indent);
}

}  // namespace tactus::tcu
