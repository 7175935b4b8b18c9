#include "isa/tcu/architecture_table.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "isa/tcu/dais_block_json.h"
#include "isa/tcu/lookup.h"

namespace tactus::tcu {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> extensions{
    {{"dais_blocks", "DAIS blocks"},
     {"lookup_tables", "lookup tables"},
     {"shadow_weights", "shadow weights"},
     {"dma_queue", "DMA queue"},
     {"activation_unit", "activation unit"}}};

std::string extension_keys() {
  std::string keys;
  for (const auto& [key, name] : extensions) {
    keys += (keys.empty() ? "" : ", ") + std::string(key);
  }
  return keys;
}

constexpr std::uint64_t deepest_memory = std::uint64_t{1} << 62;

/// The list of DAIS blocks. Reading it also reads the programs, relative to the file's folder.
Parameter<Architecture> dais_blocks() {
  Parameter<Architecture> p;
  p.key = "dais_blocks";
  p.type = ParameterType::other;
  p.sentence =
      "DAIS programs in the data path, which opcode 0x6 uses: an array of {\"name\", \"program\"}; "
      "program is a path relative to this file";
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

Parameter<Architecture> lookup_tables() {
  Parameter<Architecture> p;
  p.key = "lookup_tables";
  p.type = ParameterType::other;
  p.value_name = "object";
  p.sentence =
      "tables for the SIMD operation Lookup, loaded by opcode 0x5: {\"count\": 1..8, \"depth\": "
      "entries of each, a power of two in 2..65536, \"key_binary_point\": keys are whole multiples "
      "of 2^-key_binary_point}";
  p.optional = true;
  p.missing = "none";
  p.get = [](const Architecture& a) -> ParameterValue {
    const LookupTables& t = a.lookup_tables;
    if (t.count == 0) return {};
    return fmt::format("{} of {} entries, keys in steps of 2^-{}", t.count, t.depth,
                       t.key_binary_point);
  };
  p.equal = [](const Architecture& a, const Architecture& b) {
    return a.lookup_tables == b.lookup_tables;
  };
  p.read_json = [](ObjectReader& reader, Architecture& a) {
    std::optional<ObjectReader> object = reader.get_optional_object("lookup_tables");
    if (!object) return;
    LookupTables& t = a.lookup_tables;
    t.count = object->get_u32("count", 1, most_lookup_tables);
    t.depth = object->get_u32("depth", 2, deepest_lookup_table);
    t.key_binary_point = object->get_u32("key_binary_point", 0, 62);
    if ((t.depth & (t.depth - 1)) != 0) {
      object->add_problem("depth", fmt::format("{} is no power of two; allowed 2..{}, a power of "
                                               "two",
                                               t.depth, deepest_lookup_table));
    }
    object->finish();
  };
  p.write_json = [](nlohmann::ordered_json& json, const Architecture& a) {
    const LookupTables& t = a.lookup_tables;
    if (t.count == 0) return;
    json["lookup_tables"] = {
        {"count", t.count}, {"depth", t.depth}, {"key_binary_point", t.key_binary_point}};
  };
  return p;
}

/// A parameter of an extension, which is not written to the file if it is off.
Parameter<Architecture> off_if(Parameter<Architecture> p, ParameterValue off) {
  p.optional = true;
  p.missing = "off";
  p.get = [get = p.get, off = std::move(off)](const Architecture& a) -> ParameterValue {
    ParameterValue value = get(a);
    return value == off ? ParameterValue() : value;
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
  // The reference's compiler knows FLOAT32, so the name gets a message of its own.
  return {
      "architecture",
      "One tensor compute unit: the keys of an architecture file (.tarch). A key that is left out "
      "has its default. No RTL has the extensions " +
          extension_keys() + "; they are off by default.",
      {choice("data_type", &A::data_type, types,
              "fixed-point type of all scalars: width and binary point")
           .refusing("FLOAT32", "has no hardware: the unit computes in fixed point only"),
       whole("array_size", &A::array_size, {2, 256}, "scalars",
             "N: the array has N x N multipliers, a vector N scalars"),
       whole("dram0_depth", &A::dram0_depth, depth, "vectors",
             "depth of DRAM0, which holds inputs, outputs and values between layers"),
       whole("dram1_depth", &A::dram1_depth, depth, "vectors",
             "depth of DRAM1, which holds constants"),
       whole("local_depth", &A::local_depth, depth, "vectors", "depth of the local memory"),
       whole("accumulator_depth", &A::accumulator_depth, depth, "vectors",
             "depth of the accumulators"),
       whole("simd_registers_depth", &A::simd_registers_depth, {1, 256}, "registers",
             "registers of each lane of the SIMD unit; the RTL does not elaborate without one, so "
             "0 is refused"),
       whole("stride0_depth", &A::stride0_depth, {1, 64}, "codes",
             "number of stride codes of operand 0; code c is a step of 2^c vectors"),
       whole("stride1_depth", &A::stride1_depth, {1, 64}, "codes",
             "number of stride codes of operand 1"),
       whole("number_of_threads", &A::number_of_threads, {1, 2}, "threads",
             "read from the reference's files, without effect on the hardware; compiler and "
             "estimate accept 1 only")
           .which_old_files_lack()
           .which_shapes_no_machine(),
       whole("thread_queue_depth", &A::thread_queue_depth, {1, 65536}, "instructions",
             "used by tactus estimate only")
           .which_old_files_lack()
           .which_shapes_no_machine(),
       dais_blocks(), lookup_tables(),
       off_if(choice("shadow_weights", &A::shadow_weights, {"off", "on", "own_reads"},
                     "off: new weights wait until the array has drained; on: they do not wait; "
                     "own_reads: they also have reads of their own, beside products"),
              std::string("off")),
       optional_whole_by<A>(
           "dma_queue",
           [](const A& a) {
             return a.dma_queue == 0 ? std::nullopt : std::optional<std::uint64_t>(a.dma_queue);
           },
           [](A& a, std::uint64_t n) { a.dma_queue = static_cast<std::uint32_t>(n); }, {0, 64},
           "transfers", "off",
           "entries of a queue in which transfers wait, so that they do not hold the decoder's "
           "head; 0: no queue"),
       off_if(boolean("activation_unit", &A::activation_unit,
                      "a unit that applies scale, offset and activation on the way from "
                      "accumulators to local memory; opcode 0x7 and DataMove kind 0xE use it"),
              false)}};
}

}  // namespace

std::string_view extension_name(std::string_view key) {
  for (const auto& [of, name] : extensions) {
    if (of == key) return name;
  }
  return {};
}

const ParameterTable<Architecture>& architecture_parameters() {
  static const ParameterTable<Architecture> table = make_table();
  return table;
}

}  // namespace tactus::tcu
