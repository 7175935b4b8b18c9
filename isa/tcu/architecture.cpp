#include "isa/tcu/architecture.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/architecture_table.h"
#include "isa/tcu/layout.h"
#include "isa/tcu/lookup.h"

namespace tactus::tcu {
namespace {

constexpr std::array<DataTypeInfo, 4> data_types{{
    {"FP8BP4", 8, 4, 1},
    {"FP16BP8", 16, 8, 2},
    {"FP18BP10", 18, 10, 4},
    {"FP32BP16", 32, 16, 4},
}};

constexpr unsigned widest_operand = 64;

/// Checks an operand's width: the stride code is above the address, and both must fit the
/// simulator's operand words.
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

/// Checks that the blocks fit the memories. Skipped if the memories' depths are reported already.
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

/// Checks that the keys are values of the data type.
void check_lookup_tables(const Architecture& a, ObjectReader& reader) {
  if (a.lookup_tables.count == 0 || reader.problems().concerns(reader.path() + "/data_type") ||
      reader.problems().concerns(reader.path() + "/lookup_tables")) {
    return;
  }
  const std::string path = reader.path() + "/lookup_tables";
  const DataTypeInfo& type = info(a.data_type);
  const std::uint32_t point = a.lookup_tables.key_binary_point;
  if (point > type.binary_point) {
    reader.problems().add(path + "/key_binary_point",
                          fmt::format("{} is more than the fraction bits of {}; allowed 0..{}",
                                      point, type.name, type.binary_point));
    return;
  }
  const std::uint64_t most = std::uint64_t{1} << (type.width_bits - (type.binary_point - point));
  if (a.lookup_tables.depth > most) {
    reader.problems().add(path + "/depth",
                          fmt::format("{} keys in steps of 2^-{} are more than {} has; allowed "
                                      "2..{}, a power of two",
                                      a.lookup_tables.depth, point, type.name, most));
  }
  if (!reader.problems().concerns(reader.path() + "/local_depth") &&
      !reader.problems().concerns(reader.path() + "/accumulator_depth") &&
      lookup_vectors(a) > std::min(a.local_depth, a.accumulator_depth)) {
    // The counter of the table's vectors is that of the accumulators' stream.
    reader.problems().add(
        path + "/depth",
        fmt::format("a table of {} vectors is more than local memory and "
                    "accumulators hold; allowed {} vectors",
                    lookup_vectors(a), std::min(a.local_depth, a.accumulator_depth)));
  }
}

}  // namespace

const DataTypeInfo& info(DataType type) {
  const auto index = static_cast<std::size_t>(type);
  if (index >= data_types.size()) internal_error("data type number {}", index);
  return data_types[index];
}

bool Architecture::operator==(const Architecture& other) const {
  return architecture_parameters().equal(*this, other);
}

std::string keys_left_out(ObjectReader reader) {
  std::string text;
  for (const Parameter<Architecture>& parameter : architecture_parameters()) {
    if (parameter.optional || reader.has(parameter.key)) continue;
    text += (text.empty() ? "" : ", ") + parameter.key + " " + parameter.default_text();
  }
  return text;
}

Architecture decode_architecture(ObjectReader reader, MissingKeys missing,
                                 const Architecture& base) {
  Architecture a = base;
  architecture_parameters().read(reader, a, missing);
  reader.finish();
  // A refused value was replaced by the smallest allowed one, so it cannot fail here.
  const std::uint64_t on_chip = std::max(a.local_depth, a.accumulator_depth);
  check_operand(reader, 0, on_chip, a.stride0_depth);
  check_operand(reader, 1, std::max({on_chip, a.dram0_depth, a.dram1_depth}), a.stride1_depth);
  check_dais_blocks(a, reader);
  check_lookup_tables(a, reader);
  return a;
}

namespace {

Architecture decode_document(JsonDocument& document) {
  Architecture architecture = decode_architecture(document.root(), MissingKeys::allowed);
  document.problems().throw_if_any();
  return architecture;
}

}  // namespace

Architecture read_architecture(const std::string& path) {
  std::string defaults;
  return read_architecture(path, defaults);
}

Architecture read_architecture(const std::string& path, std::string& defaults) {
  const std::string text = read_text(path);
  return parse_as(FileKind::architecture, path, text, [&] {
    JsonDocument document(text, path);
    defaults = keys_left_out(document.root());
    return decode_document(document);
  });
}

Architecture parse_architecture(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  return decode_document(document);
}

std::string to_json(const Architecture& a, int indent) {
  nlohmann::ordered_json json;
  architecture_parameters().write(json, a);
  return text_of_json(json, indent);
}

}  // namespace tactus::tcu
