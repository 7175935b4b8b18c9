#include "isa/tcu/architecture_table.h"

#include <nlohmann/json.hpp>

#include "isa/tcu/dais_block_json.h"

namespace tactus::tcu {
namespace {

constexpr std::uint64_t deepest_memory = std::uint64_t{1} << 62;

/// A list, which reads the DAIS programs too, from the folder of the file.
Parameter<Architecture> dais_blocks() {
  Parameter<Architecture> p;
  p.key = "dais_blocks";
  p.type = ParameterType::other;
  p.sentence =
      "DAIS programs in the data path, behind opcode 0x6: an array of {\"name\", \"program\"}, the "
      "program's path beside this file";
  p.optional = true;
  p.missing = "none";
  p.get = [](const Architecture& a) -> ParameterValue {
    std::string names;
    for (const DaisBlockEntry& block : a.dais_blocks) {
      names += (names.empty() ? "" : " and ") + block.name + " from " + block.program;
    }
    if (names.empty()) return {};
    return names;
  };
  p.equal = [](const Architecture& a, const Architecture& b) {
    return a.dais_blocks == b.dais_blocks;
  };
  p.read_json = [](ObjectReader& reader, Architecture& a) {
    if (const auto blocks = reader.get_optional_array("dais_blocks")) {
      a.dais_blocks = decode_dais_blocks(*blocks, reader.problems().file(), reader.problems());
    }
  };
  p.write_json = [](nlohmann::ordered_json& json, const Architecture& a) {
    for (const DaisBlockEntry& block : a.dais_blocks) {
      json["dais_blocks"].push_back({{"name", block.name}, {"program", block.program}});
    }
  };
  return p;
}

ParameterTable<Architecture> make_table() {
  using A = Architecture;
  const WholeRange depth{1, deepest_memory};
  std::vector<std::string_view> types;
  for (const DataType type :
       {DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10, DataType::fp32bp16}) {
    types.push_back(info(type).name);
  }
  // The reference's compiler knows FLOAT32, so the name deserves more than "unknown".
  return {
      "architecture",
      "What shapes one tensor compute unit: the keys of an architecture file (.tarch), where each "
      "has to be present except dais_blocks.",
      {choice("data_type", &A::data_type, types, "fixed-point type of all scalars, width and point")
           .refusing("FLOAT32", "has no hardware: the unit computes in fixed point only"),
       whole("array_size", &A::array_size, {2, 256}, "scalars",
             "N: the array has N x N multipliers, a vector N scalars"),
       whole("dram0_depth", &A::dram0_depth, depth, "vectors",
             "depth of DRAM0, which holds inputs, outputs and what layers hand on"),
       whole("dram1_depth", &A::dram1_depth, depth, "vectors",
             "depth of DRAM1, which holds constants"),
       whole("local_depth", &A::local_depth, depth, "vectors", "depth of the local memory"),
       whole("accumulator_depth", &A::accumulator_depth, depth, "vectors",
             "depth of the accumulators"),
       whole("simd_registers_depth", &A::simd_registers_depth, {1, 256}, "registers",
             "registers of each lane of the SIMD unit"),
       whole("stride0_depth", &A::stride0_depth, {1, 64}, "codes",
             "stride codes of operand 0: code c is a step of 2^c vectors"),
       whole("stride1_depth", &A::stride1_depth, {1, 64}, "codes", "stride codes of operand 1"),
       whole("number_of_threads", &A::number_of_threads, {1, 2}, "threads",
             "widens the instruction's header; no hardware behind it")
           .which_old_files_lack()
           .which_shapes_no_machine(),
       whole("thread_queue_depth", &A::thread_queue_depth, {1, 65536}, "instructions",
             "known to the estimator only")
           .which_old_files_lack()
           .which_shapes_no_machine(),
       dais_blocks()}};
}

}  // namespace

const ParameterTable<Architecture>& architecture_parameters() {
  static const ParameterTable<Architecture> table = make_table();
  return table;
}

}  // namespace tactus::tcu
