#include "isa/tcu/architecture.h"

#include <algorithm>
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/tcu/architecture_json.h"
#include "isa/tcu/architecture_table.h"
#include "isa/tcu/layout.h"

namespace tactus::tcu {
namespace {

constexpr std::array<DataTypeInfo, 4> data_types{{
    {"FP8BP4", 8, 4, 1},
    {"FP16BP8", 16, 8, 2},
    {"FP18BP10", 18, 10, 4},
    {"FP32BP16", 32, 16, 4},
}};

constexpr unsigned widest_operand = 64;

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
  return architecture_parameters().equal(*this, other);
}

Architecture decode_architecture(ObjectReader reader, MissingKeys missing,
                                 const Architecture& base) {
  Architecture a = base;
  architecture_parameters().read(reader, a, missing);
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
  const Architecture architecture = decode_architecture(document.root());
  document.problems().throw_if_any();
  return architecture;
}

std::string to_json(const Architecture& a, int indent) {
  nlohmann::ordered_json json;
  architecture_parameters().write(json, a);
  return json.dump(indent);
}

}  // namespace tactus::tcu
